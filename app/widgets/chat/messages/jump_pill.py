"""The pill over the end of the chat: new text has come while the person reads further up."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from app.widgets.kit.controls import Control, State
from app.widgets.kit.drawing import draw_text, fill_rounded, stroke_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_SIDE = 12
_ICON = 14


class JumpPill(Control):
    """Goes to the end of the chat."""

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(style, "New text: go to the end", parent)
        self.setText("New text")
        self.ring_radius = 14.0
        self.hide()

    def sizeHint(self) -> QSize:
        text_style = self._style.text_style(TextRole.SMALL_MEDIUM)
        return QSize(round(text_style.width(self.text())) + 2 * _SIDE + _ICON + 6, text_style.line + 12)

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        theme = self._style.theme
        radius = rect.height() / 2
        fill = {State.HOVER: theme.fill, State.PRESSED: theme.fill2}.get(self.state, theme.raised)
        fill_rounded(painter, rect, radius, fill)
        stroke_rounded(painter, rect, radius, theme.line2)
        center = QPointF(rect.left() + _SIDE + _ICON / 2, rect.center().y())
        self._style.icons.paint(painter, Icon.DOWN, center, theme.accent, _ICON)
        words = rect.adjusted(_SIDE + _ICON + 6, 0, -_SIDE, 0)
        draw_text(painter, self._style.text_style(TextRole.SMALL_MEDIUM), words, self.text(), theme.text)
