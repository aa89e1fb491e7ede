"""The lines that lead to each row of the outline: trunks downwards, level arms to the right, the open path on top."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath

from app.protocol.dataclass import dataclass
from app.viewmodels.branches.branch_model import BranchModel
from app.viewmodels.branches.outline_nodes import OutlineNode

LEFT = 26.0
_STEP, _LEAST_STEP = 18.0, 6.0
_LEAST_ROOM = 36.0  # of all steps together, which is taken from the words
_CORNER, _END = 7.0, 8.0


@dataclass(frozen=True, slots=True)
class Stroke:
    """One line of a row; those of the open path are drawn last and stronger."""

    path: QPainterPath
    is_open: bool


class BranchLines:
    """Says where rows stand. Steps of 18 points shrink in a deep tree, and end where words would have no room."""

    def __init__(self, model: BranchModel) -> None:
        self._model = model

    def x(self, level: int, room: float) -> float:
        """Return the abscissa of a row's own trunk. room: points that all steps together may take."""
        room = max(room, _LEAST_ROOM)
        step = max(_LEAST_STEP, min(_STEP, room / max(1, self._model.deepest)))
        return LEFT + min(level * step, room)

    def strokes(self, number: int, row: QRectF, room: float) -> list[Stroke]:
        """Return the lines that cross one row."""
        model, node = self._model, self._model.rows[number]
        above, is_on_path, goes_on = model.above(node), model.row(node).is_on_path, model.path_goes_on(number)
        has_more = node.has_below and not node.is_closed
        x, middle, found = self.x(node.level, room), row.center().y(), list[Stroke]()
        if above is None:
            bottom = row.bottom() if has_more else row.bottom() - _END
            found.append(_straight(x, row.top() + _END, bottom, is_on_path and (goes_on or not has_more)))
            if is_on_path and has_more and not goes_on:
                found.append(_straight(x, row.top() + _END, middle, is_open=True))
        else:
            trunk = self.x(above.level, room)
            is_beside = above.level < node.level
            to_row = _arm(trunk, x, row.top(), middle, is_on_path) if is_beside else None
            found.append(to_row or _straight(trunk, row.top(), middle, is_on_path))
            if has_more:
                found.append(_straight(x, middle, row.bottom(), goes_on))
        found += self._passing(number, node, row, room)
        return sorted(found, key=lambda stroke: stroke.is_open)

    def _passing(self, number: int, node: OutlineNode, row: QRectF, room: float) -> list[Stroke]:
        """Return the trunks on which a row further down hangs, and none of those above it ends."""
        levels = [level for level in range(node.trunks.bit_length()) if node.trunks >> level & 1]
        open_level = self._model.path_past(number)
        return [_straight(self.x(level, room), row.top(), row.bottom(), level == open_level) for level in levels]


def _straight(x: float, top: float, bottom: float, is_open: bool) -> Stroke:
    path = QPainterPath(QPointF(x, top))
    path.lineTo(x, bottom)
    return Stroke(path, is_open)


def _arm(trunk: float, x: float, top: float, middle: float, is_open: bool) -> Stroke:
    """Down the trunk, round the corner, level to the words."""
    corner = min(_CORNER, max(0.0, x - trunk))
    path = QPainterPath(QPointF(trunk, top))
    path.lineTo(trunk, middle - corner)
    path.quadTo(trunk, middle, trunk + corner, middle)
    path.lineTo(max(x, trunk + corner), middle)
    return Stroke(path, is_open)
