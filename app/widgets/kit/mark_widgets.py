"""The marks as small widgets, for panes that are laid out rather than painted."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.protocol.trie_view import Residency
from app.widgets.kit.drawing import smooth
from app.widgets.kit.marks import DISC, paint_budget, paint_cost, paint_disc, paint_warmth
from app.widgets.kit.style import Style


class Mark(QWidget):
    """A mark of fixed height. What it says to a screen reader is set with what it shows."""

    def __init__(self, style: Style, size: QSize, can_grow: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._size = size
        policy = QSizePolicy.Policy.Expanding if can_grow else QSizePolicy.Policy.Fixed
        self.setSizePolicy(policy, QSizePolicy.Policy.Fixed)
        style.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return self._size

    def minimumSizeHint(self) -> QSize:
        return self._size

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth(QPainter(self))
        self._paint(painter, QRectF(self.rect()))
        painter.end()

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        raise NotImplementedError

    def _say(self, spoken: str) -> None:
        self.setAccessibleName(spoken)
        self.update()


class DiscMark(Mark):
    """Where something is."""

    def __init__(self, style: Style, where: Residency, spoken: str, parent: QWidget | None = None) -> None:
        super().__init__(style, QSize(12, 12), parent=parent)
        self.show_residency(where, spoken)

    def show_residency(self, where: Residency, spoken: str) -> None:
        """`spoken`: the word for it."""
        self._where = where
        self._say(spoken)

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        paint_disc(painter, self._style.theme, QPointF(rect.center()), self._where, DISC)


class WarmthBar(Mark):
    """How much of a branch is held."""

    def __init__(self, style: Style, width: int = 22, parent: QWidget | None = None) -> None:
        super().__init__(style, QSize(width, 4), parent=parent)
        self._share = 0.0

    def show_share(self, share: float, spoken: str) -> None:
        """share: 0 to 1."""
        self._share = share
        self._say(spoken)

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        paint_warmth(painter, self._style.theme, rect, self._share)


class CostBar(Mark):
    """Tokens reused, computed and to go. With `can_grow` it takes the width it is given."""

    def __init__(
        self, style: Style, width: int = 48, height: int = 4, can_grow: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(style, QSize(width, height), can_grow, parent)
        self._parts = (0.0, 0.0, 0.0)

    def show_parts(self, reused: float, computed: float, to_go: float, spoken: str) -> None:
        """In tokens, or in shares of anything."""
        self._parts = (reused, computed, to_go)
        self._say(spoken)

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        paint_cost(painter, self._style.theme, rect, *self._parts)


class BudgetBar(Mark):
    """What the cache holds of what it may hold."""

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(style, QSize(96, 8), can_grow=True, parent=parent)
        self._bytes = (0, 0, 0)

    def show_bytes(self, live: int, memory: int, budget: int, spoken: str) -> None:
        """In bytes."""
        self._bytes = (live, memory, budget)
        self._say(spoken)

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        paint_budget(painter, self._style.theme, rect, *self._bytes)
