"""Where text stands in the pane: one column, with the rail to its left. Chat and composer share it."""

from __future__ import annotations

from app.protocol.dataclass import dataclass

_LEFT, _RIGHT, _RAIL, _WIDEST = 108, 52, 32, 680
_NARROW_LEFT, _NARROW_RIGHT, _NARROW = 68, 24, 480
_CENTRED, _INSET = 560, 16


@dataclass(frozen=True, slots=True)
class Column:
    """In points from the pane's left edge. rail: abscissa of the line beside the text."""

    left: int
    width: int

    @property
    def right(self) -> int:
        return self.left + self.width

    @property
    def rail(self) -> int:
        return self.left - _RAIL


def column(pane: int, scale: float = 1.0) -> Column:
    """Return the column of a pane of this width, which gets wider margins rather than longer lines.

    scale: of the text.
    """
    left, right = (_LEFT, _RIGHT) if pane >= _NARROW else (_NARROW_LEFT, _NARROW_RIGHT)
    width = max(120, pane - left - right)
    widest = round(_WIDEST * scale)
    spare = max(0, width - widest)
    return Column(left + spare // 2, width - spare)


def inset(pane: int, scale: float = 1.0) -> Column:
    """Return a column without a rail, in a narrow pane among others."""
    width = max(120, min(round(_WIDEST * scale), pane - 2 * _INSET))
    return Column((pane - width) // 2, width)


def centred(pane: int, scale: float = 1.0) -> Column:
    """Return a narrower column in the middle of the pane, for an empty conversation."""
    width = max(120, min(round(_CENTRED * scale), pane - 2 * _NARROW_RIGHT))
    return Column((pane - width) // 2, width)
