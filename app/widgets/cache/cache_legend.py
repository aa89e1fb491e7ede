"""What the bars of the cache's head mean: a mark and a figure to each part, below the bar that it belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from app.protocol.dataclass import dataclass
from app.protocol.trie_view import Residency, TrieNodeView, TrieView
from app.viewmodels.cache.rows import RESIDENCY_NAMES
from app.viewmodels.text import formatting
from app.widgets.kit.drawing import draw_text
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.marks import SIBLING_DISC, paint_disc
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_TO_TEXT, _APART, _BETWEEN_LINES = 6, 14, 4
_PIN = 12


@dataclass(frozen=True, slots=True)
class Entry:
    """A part of what is held. residency: None for what is pinned, which is a part of another part."""

    residency: Residency | None
    bytes: int

    @property
    def word(self) -> str:
        """The name of this part."""
        return "Pinned" if self.residency is None else RESIDENCY_NAMES[self.residency]

    @property
    def text(self) -> str:
        """The words of the legend, for example "Live 1.2 GB"."""
        return f"{self.word} {formatting.size(self.bytes) if self.bytes else 0}"

    @property
    def spoken(self) -> str:
        """The words for a screen reader, always with a unit."""
        return f"{self.word} {formatting.size(self.bytes)}"


def pinned_bytes(node: TrieNodeView) -> int:
    """Return how many of an edge's bytes are pinned."""
    return node.bytes if node.is_pinned else 0


def entries(view: TrieView, pinned: int, has_disk: bool) -> tuple[Entry, ...]:
    """Return the parts of what a picture of the cache holds. pinned: bytes of it that are."""
    parts = [Entry("live", view.live_bytes), Entry("memory", view.paged_bytes)]
    parts += [Entry(None, pinned)] * (pinned > 0)
    parts += [Entry("disk", view.disk_bytes)] * has_disk
    return tuple(parts)


class Legend:
    """Places entries in lines. The disk's stands below its bar where there is room, else it follows the rest."""

    def __init__(self, style: Style) -> None:
        self._style = style

    def height(self, parts: Sequence[Entry], width: float, disk_left: float) -> float:
        """Return the points that the legend takes within `width`."""
        line = self._style.text_style(TextRole.CAP).line
        return max(top for _, top in self._corners(parts, width, disk_left)) + line

    def paint(self, painter: QPainter, parts: Sequence[Entry], rect: QRectF, disk_left: float) -> None:
        """Paint the entries into `rect`. disk_left: points from the left at which the disk's bar begins."""
        text_style, theme = self._style.text_style(TextRole.CAP), self._style.theme
        for part, (left, top) in zip(parts, self._corners(parts, rect.width(), disk_left), strict=True):
            line = QRectF(rect.left() + left, rect.top() + top, rect.width() - left, text_style.line)
            mark = self._mark(part)
            center = QPointF(line.left() + mark / 2, line.center().y())
            if part.residency is None:
                self._style.icons.paint(painter, Icon.PIN, center, theme.text2, self._style.typography.icon(_PIN))
            else:
                paint_disc(painter, theme, center, part.residency, SIBLING_DISC)
            line.setLeft(line.left() + mark + _TO_TEXT)
            draw_text(painter, text_style, line, part.text, theme.text2)

    def _mark(self, part: Entry) -> float:
        return self._style.typography.icon(_PIN) if part.residency is None else SIBLING_DISC

    def _width(self, part: Entry) -> float:
        return self._mark(part) + _TO_TEXT + self._style.text_style(TextRole.CAP).width(part.text)

    def _corners(self, parts: Sequence[Entry], width: float, disk_left: float) -> list[tuple[float, float]]:
        """Return the left upper corner of each entry."""
        is_apart = any(part.residency == "disk" and disk_left + self._width(part) <= width for part in parts)
        found: list[tuple[float, float]] = []
        left = top = 0.0
        for part in parts:
            if part.residency == "disk" and is_apart:
                found.append((disk_left, 0.0))
                continue
            end = disk_left - _APART if is_apart and not top else width
            if left and left + self._width(part) > end:
                left, top = 0.0, top + self._style.text_style(TextRole.CAP).line + _BETWEEN_LINES
            found.append((left, top))
            left += self._width(part) + _APART
        return found
