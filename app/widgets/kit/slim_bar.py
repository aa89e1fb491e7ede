"""Off the Mac: a scroll bar as quiet as the Mac's own, which is left untouched there."""

from __future__ import annotations

import sys

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractScrollArea, QScrollBar, QStyle, QStyleOptionSlider

from app.widgets.kit.drawing import fill_rounded, smooth
from app.widgets.kit.style import Style
from app.widgets.kit.theme import translucent

_WIDTH, _THUMB = 10, 6


class SlimBar(QScrollBar):
    """Only a thumb; no arrows, no trough. Behaves as any scroll bar does."""

    def __init__(self, style: Style) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._style = style
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        style.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.minimum() == self.maximum():
            return
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        part = QStyle.SubControl.SC_ScrollBarSlider
        thumb = QRectF(self.style().subControlRect(QStyle.ComplexControl.CC_ScrollBar, option, part, self))
        thumb.setLeft(self.width() - _THUMB - 2)
        thumb.setWidth(_THUMB)
        strength = 0.9 if self.underMouse() or self.isSliderDown() else 0.45
        painter = smooth(QPainter(self))
        fill_rounded(painter, thumb, _THUMB / 2, translucent(self._style.theme.mute, strength))
        painter.end()


def use_slim_bar(view: QAbstractScrollArea, style: Style) -> None:
    """Give a view the slim bar where the system's own is heavier."""
    if sys.platform != "darwin":
        view.setVerticalScrollBar(SlimBar(style))
