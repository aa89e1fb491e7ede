"""A switch that is on or off."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from app.widgets.kit.controls import Control, State
from app.widgets.kit.drawing import fill_rounded
from app.widgets.kit.style import Style

_WIDTH, _HEIGHT, _GAP = 38, 22, 2


class Switch(Control):
    """A checkable control; Space and Return turn it."""

    ring_radius = _HEIGHT / 2

    def __init__(self, style: Style, name: str, parent: QWidget | None = None) -> None:
        super().__init__(style, name, parent)
        self.setCheckable(True)

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, _HEIGHT)

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        theme = self._style.theme
        fill_rounded(painter, rect, self.ring_radius, theme.accentfill if self.isChecked() else theme.mute)
        side = rect.height() - 2 * _GAP
        left = rect.right() - _GAP - side if self.isChecked() else rect.left() + _GAP
        color = theme.fill2 if self.state is State.DISABLED else theme.onaccent
        fill_rounded(painter, QRectF(left, rect.top() + _GAP, side, side), side / 2, color)
