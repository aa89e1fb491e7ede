"""How full the cache is: the budget in words, its bar, and the bar's legend."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.protocol.trie_view import Place, TrieView
from app.viewmodels import words
from app.viewmodels.spoken import PLACES
from app.widgets.drawing import draw_text, smooth
from app.widgets.look import Look
from app.widgets.marks import SIBLING_DISC, paint_budget, paint_disc
from app.widgets.typography import Type

_INSET = 16
_TOP, _BAR, _BOTTOM = 12, 8, 12


class CacheHead(QWidget):
    """ "3.1 of 8.0 GB in memory", the bar, and what is live and what is in memory of it."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._view = TrieView(serial=0)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        look.changed.connect(self.updateGeometry)
        look.changed.connect(self.update)
        self.show_view(self._view)

    def show_view(self, view: TrieView) -> None:
        """Totals come from the view."""
        self._view = view
        legend = ", ".join(f"{PLACES[place]} {words.size(amount)}" for place, amount in self._parts())
        self.setAccessibleName(f"{self._title()}: {legend}")
        self.update()

    def _parts(self) -> tuple[tuple[Place, int], ...]:
        return (("live", self._view.live_bytes), ("memory", self._view.paged_bytes))

    def _title(self) -> str:
        used = self._view.live_bytes + self._view.paged_bytes
        if not self._view.budget_bytes:
            return f"{words.size(used)} in memory" if used else "Nothing in memory"
        return f"{words.share(used, self._view.budget_bytes)} in memory"

    def sizeHint(self) -> QSize:
        line = self._look.face(Type.SMALL_MEDIUM).line
        return QSize(300, _TOP + line + 8 + _BAR + 10 + line + _BOTTOM)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, view = self._look.theme, self._view
        painter = smooth(QPainter(self))
        face = self._look.face(Type.SMALL_MEDIUM)
        line = QRectF(_INSET, _TOP, self.width() - 2 * _INSET, face.line)
        draw_text(painter, face, line, self._title(), theme.text)
        bar = QRectF(_INSET, line.bottom() + 8, line.width(), _BAR)
        paint_budget(painter, theme, bar, view.live_bytes, view.paged_bytes, view.budget_bytes)
        self._paint_legend(painter, QRectF(_INSET, bar.bottom() + 10, line.width(), face.line))
        painter.end()

    def _paint_legend(self, painter: QPainter, rect: QRectF) -> None:
        face = self._look.face(Type.CAP)
        for place, amount in self._parts():
            center = QPointF(rect.left() + SIBLING_DISC / 2, rect.center().y())
            paint_disc(painter, self._look.theme, center, place, SIBLING_DISC)
            rect.setLeft(rect.left() + SIBLING_DISC + 6)
            text = f"{PLACES[place]} {words.size(amount) if amount else 0}"
            rect.setLeft(rect.left() + draw_text(painter, face, rect, text, self._look.theme.text2) + 16)
