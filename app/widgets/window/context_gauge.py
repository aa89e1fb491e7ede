"""How full the model's context is."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.viewmodels.kit.plain_tips import plain_tip
from app.viewmodels.text import formatting
from app.widgets.kit.change_detector import ChangeDetector
from app.widgets.kit.drawing import draw_text, smooth
from app.widgets.kit.marks import paint_bar
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_BAR = 56
_NEARLY_FULL = 0.9
# The longest of the usual words. Their room is kept while they are shorter, so that nothing beside them moves.
_LONGEST, _LONGEST_SHORT = "88.8k of 888k", "88.8k"


class ContextGauge(QWidget):
    """A bar and "3.8k of 32k"; amber words from 90 % on. `is_short` leaves out "of 32k"."""

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._used, self._length, self._is_known = 0, 0, False
        self._changes = ChangeDetector()
        self.is_short = False

    def show_context(self, used: int | None, length: int) -> None:
        """Show how many tokens of the context are used, None where nobody tells.

        length: 0 while there is no model, and where its server does not tell.
        """
        if not self._changes.has_changed(used, length):
            return
        self._used, self._length, self._is_known = used or 0, length, used is not None and length > 0
        used = self._used
        spoken = f"Context: {formatting.number(used)} of {formatting.tokens(length)}"
        self.setAccessibleName(spoken)
        self.setToolTip(plain_tip(spoken))
        self.update()

    @property
    def is_known(self) -> bool:
        """Whether there is a model whose context could fill."""
        return self._is_known

    @property
    def text(self) -> str:
        """The words beside the bar."""
        return formatting.short_count(self._used) if self.is_short else formatting.gauge(self._used, self._length)

    def sizeHint(self) -> QSize:
        longest = _LONGEST_SHORT if self.is_short else _LONGEST
        text_style = self._style.text_style(TextRole.SMALL)
        return QSize(_BAR + 8 + round(max(text_style.width(longest), text_style.width(self.text))) + 1, 28)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, middle = self._style.theme, self.height() / 2
        share = min(1.0, self._used / self._length) if self._length else 0.0
        painter = smooth(QPainter(self))
        paint_bar(painter, theme, QRectF(0, middle - 2, _BAR, 4), ((share, theme.accentgfx),))
        color = theme.warn if share >= _NEARLY_FULL else theme.text2
        draw_text(
            painter,
            self._style.text_style(TextRole.SMALL),
            QRectF(_BAR + 8, 0, self.width(), self.height()),
            self.text,
            color,
        )
        painter.end()
