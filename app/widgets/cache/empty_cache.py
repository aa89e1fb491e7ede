"""What the cache pane shows while nothing is held: an espalier before its first leaves, and what the discs mean."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.protocol.trie_view import Residency
from app.viewmodels.cache.rows import RESIDENCY_NAMES
from app.widgets.kit.drawing import draw_text, smooth, whole_parts, wrapped
from app.widgets.kit.marks import paint_disc
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole, TextStyle

_STAYS = (
    "When you send a message, the tokens the model has read stay here as a branch. "
    "What two conversations share is read once."
)
_STAYS_THERE = (
    "When you send a message, the tokens that the server has read should stay there as a branch. "
    "What two conversations share is read once."
)
_EMPTY, _OTHERS = "Nothing of this model is held yet", "Nothing of this conversation is held"
_OF_OTHERS = "What is held of other conversations is one line below."
_Meanings = tuple[tuple[Residency, str], ...]
_MEANINGS: _Meanings = (
    ("live", "in use by this answer"),
    ("memory", "kept, comes back at once"),
    ("disk", "in a file, read back in a moment"),
    ("none", "known, must be read again"),
)
_MEANINGS_THERE: _Meanings = (
    ("believed", "sent there before, reused"),
    ("none", "known, must be read again"),
)
_DRAWING = 114
_TIER = 32
_INSET = 24
_TO_NAME, _TO_MEANING = 18.0, 12.0


class EmptyCache(QWidget):
    """The empty state. The drawing gives way first when there is no room, then the meanings of the discs."""

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._title, self._sentence, self._meanings = _EMPTY, _STAYS, _MEANINGS
        style.changed.connect(self.update)
        self._name()

    def tell(self, *, others: bool, is_on_server: bool) -> None:
        """Say what is not held. others: something is of other conversations. is_on_server: it would be there."""
        stays, meanings = (_STAYS_THERE, _MEANINGS_THERE) if is_on_server else (_STAYS, _MEANINGS)
        told = (_OTHERS, f"{stays} {_OF_OTHERS}", meanings) if others else (_EMPTY, stays, meanings)
        if told != (self._title, self._sentence, self._meanings):
            self._title, self._sentence, self._meanings = told
            self._name()
            self.update()

    def _name(self) -> None:
        meanings = ". ".join(f"{RESIDENCY_NAMES[residency]}: {meaning}" for residency, meaning in self._meanings)
        self.setAccessibleName(self._title)
        self.setAccessibleDescription(f"{self._sentence} {meanings}.")

    def sizeHint(self) -> QSize:
        return QSize(300, 400)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth(QPainter(self))
        headline, ui = self._style.text_style(TextRole.HEADLINE), self._style.text_style(TextRole.UI)
        title = wrapped(headline, self._title, self.width() - 2 * _INSET)
        lines = wrapped(ui, self._sentence, self.width() - 2 * _INSET - 16)
        words = len(title) * headline.line + 8 + len(lines) * self._line
        legend = 20 + len(self._meanings) * self._entry_height()
        room = self.height() - 2 * _INSET - words
        has_legend = room >= legend
        has_drawing = room >= _DRAWING + 28 + legend
        total = words + (legend if has_legend else 0) + (_DRAWING + 28 if has_drawing else 0)
        y = max(_INSET, (self.height() - total) * 0.42)
        if has_drawing:
            self._paint_espalier(painter, y)
            y += _DRAWING + 28
        y = self._paint_lines(painter, headline, title, y, headline.line, self._style.theme.text) + 8
        y = self._paint_lines(painter, ui, lines, y, self._line, self._style.theme.text2)
        if has_legend:
            self._paint_legend(painter, y + 20)
        painter.end()

    @property
    def _line(self) -> int:
        return self._style.typography.scaled(20)

    def _widths(self) -> tuple[float, float]:
        """Return the points that the widest name and the widest meaning take."""
        name, meaning = self._style.text_style(TextRole.SMALL_MEDIUM), self._style.text_style(TextRole.SMALL)
        names = max(name.width(RESIDENCY_NAMES[residency]) for residency, _ in self._meanings)
        return names, max(meaning.width(words) for _, words in self._meanings)

    def _is_stacked(self) -> bool:
        """Return whether the meanings stand under the names, where there is no room beside them."""
        return _TO_NAME + sum(self._widths()) + _TO_MEANING > self.width() - 2 * _INSET

    def _entry_height(self) -> int:
        return self._line + 6 + (self._style.text_style(TextRole.SMALL).line if self._is_stacked() else 0)

    def _paint_espalier(self, painter: QPainter, y: float) -> None:
        theme, x = self._style.theme, self.width() / 2
        painter.setPen(QPen(theme.line2, 1.2))
        tiers = [y + 18 + tier * _TIER for tier in range(3)]
        for tier in tiers:
            painter.drawLine(QPointF(x - 76, tier), QPointF(x + 76, tier))
        pen = QPen(theme.ghost, 1.8)
        pen.setDashPattern([2, 2.2])
        painter.setPen(pen)
        painter.drawLine(QPointF(x, y), QPointF(x, y + _DRAWING))
        for tier in tiers:
            for side in (-60, 60):
                paint_disc(painter, theme, QPointF(x + side, tier), "none", 12, theme.panel)

    def _paint_lines(
        self, painter: QPainter, text_style: TextStyle, lines: list[str], y: float, height: float, color: QColor
    ) -> float:
        """Paint lines in the middle, one below the other; returns where they end."""
        for line in lines:
            draw_text(
                painter, text_style, QRectF(0, y, self.width(), height), line, color, Qt.AlignmentFlag.AlignHCenter
            )
            y += height
        return y

    def _paint_legend(self, painter: QPainter, y: float) -> None:
        theme, small = self._style.theme, self._style.text_style(TextRole.SMALL)
        names, meanings = self._widths()
        is_stacked = self._is_stacked()
        wanted = _TO_NAME + (max(names, meanings) if is_stacked else names + _TO_MEANING + meanings)
        left = max(float(_INSET), (self.width() - wanted) / 2)
        for residency, words in self._meanings:
            paint_disc(painter, theme, QPointF(left + 5, y + self._line / 2), residency)
            line = QRectF(left + _TO_NAME, y, self.width() - 8 - left - _TO_NAME, self._line)
            draw_text(
                painter, self._style.text_style(TextRole.SMALL_MEDIUM), line, RESIDENCY_NAMES[residency], theme.text
            )
            below = line.translated(0, small.line) if is_stacked else line.adjusted(names + _TO_MEANING, 0, 0, 0)
            draw_text(painter, small, below, whole_parts(small, words, below.width(), ", "), theme.text2)
            y += self._entry_height()
