"""How full the cache is: the budget in words, its bar, the bar's legend, and what memory it takes beside that."""

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
_TO_BUFFERS = 6


class CacheHead(QWidget):
    """ "3.1 of 8.0 GB in memory", the bar, and what is live and what is in memory of it.

    Below stands, as far as it fits, what the arrays take with their padding, which no budget counts; all of it is in
    the tooltip.
    """

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
        buffers = words.buffers(view.live_allocated_bytes, view.live_bytes, view.mlx_cache_bytes)
        self.setAccessibleDescription(buffers)
        self.setToolTip(buffers)
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
        below = self._look.face(Type.CAP).line + _TO_BUFFERS if self._has_buffers else 0
        return QSize(300, _TOP + line + 8 + _BAR + 10 + line + below + _BOTTOM)

    @property
    def _has_buffers(self) -> bool:
        return bool(self._view.live_allocated_bytes or self._view.mlx_cache_bytes)

    def _buffers(self) -> tuple[str, ...]:
        """The same in fewer and fewer words."""
        view = self._view
        live, spare = words.size(view.live_allocated_bytes), words.size(view.mlx_cache_bytes)
        return (
            words.buffers(view.live_allocated_bytes, view.live_bytes, view.mlx_cache_bytes),
            f"Live buffers {live}, MLX keeps {spare} for reuse",
            f"Buffers {live}, MLX {spare}",
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, view = self._look.theme, self._view
        painter = smooth(QPainter(self))
        face = self._look.face(Type.SMALL_MEDIUM)
        line = QRectF(_INSET, _TOP, self.width() - 2 * _INSET, face.line)
        draw_text(painter, face, line, self._title(), theme.text)
        bar = QRectF(_INSET, line.bottom() + 8, line.width(), _BAR)
        paint_budget(painter, theme, bar, view.live_bytes, view.paged_bytes, view.budget_bytes)
        legend = QRectF(_INSET, bar.bottom() + 10, line.width(), face.line)
        self._paint_legend(painter, QRectF(legend))
        if self._has_buffers:
            cap = self._look.face(Type.CAP)
            text = next((text for text in self._buffers() if cap.width(text) <= line.width()), self._buffers()[-1])
            below = QRectF(_INSET, legend.bottom() + _TO_BUFFERS, line.width(), cap.line)
            draw_text(painter, cap, below, text, theme.text3)
        painter.end()

    def _paint_legend(self, painter: QPainter, rect: QRectF) -> None:
        face = self._look.face(Type.CAP)
        for place, amount in self._parts():
            center = QPointF(rect.left() + SIBLING_DISC / 2, rect.center().y())
            paint_disc(painter, self._look.theme, center, place, SIBLING_DISC)
            rect.setLeft(rect.left() + SIBLING_DISC + 6)
            text = f"{PLACES[place]} {words.size(amount) if amount else 0}"
            rect.setLeft(rect.left() + draw_text(painter, face, rect, text, self._look.theme.text2) + 16)
