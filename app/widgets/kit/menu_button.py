"""Buttons that open what can be chosen: most of them a menu."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import QMenu, QWidget

from app.widgets.kit.controls import Control, State
from app.widgets.kit.drawing import draw_text, fill_rounded, stroke_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_LEFT, _BESIDE = 10, 7  # of the words; on either side of the sign
_BELOW = 2


class Chooser(Control):
    """A button with the sign that there is a choice. Space, Return, Down and a click press it."""

    keys: tuple[Qt.Key, ...] = (Qt.Key.Key_Down,)
    """Keys that press it, beside those of every button."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in self.keys:
            self.click()
        else:
            super().keyPressEvent(event)

    @property
    def sign_width(self) -> int:
        """Points that the sign takes, with the room around it."""
        return self._sign + 2 * _BESIDE

    @property
    def _sign(self) -> int:
        return self._style.typography.icon(14)

    def _paint_sign(self, painter: QPainter, center: QPointF, color: QColor) -> None:
        self._style.icons.paint(painter, Icon.CHOOSE, center, color, self._sign)


class MenuButton(Chooser):
    """Opens a menu when it is pressed. Painted as a field with the value that holds."""

    def __init__(self, style: Style, name: str, parent: QWidget | None = None) -> None:
        super().__init__(style, name, parent)
        self.clicked.connect(self.open)

    def menu(self) -> QMenu:
        """Make the menu."""
        raise NotImplementedError

    def open(self) -> None:
        """Open the menu beside the button; it is deleted when it is closed."""
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.mapToGlobal(self._place(menu)))

    def _place(self, menu: QMenu) -> QPoint:
        """Return where the menu is opened, from the button's corner."""
        return QPoint(0, self.height() + _BELOW)

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        theme, state = self._style.theme, self.state
        fills = {State.HOVER: theme.fill, State.PRESSED: theme.fill2}
        fill_rounded(painter, rect, self.ring_radius, fills.get(state, theme.raised))
        stroke_rounded(painter, rect, self.ring_radius, theme.line2)
        words = rect.adjusted(_LEFT, 0, -self.sign_width, 0)
        draw_text(painter, self._style.text_style(TextRole.UI_MEDIUM), words, self.text(), theme.text)
        self._paint_sign(painter, QPointF(rect.right() - self.sign_width / 2, rect.center().y()), theme.text2)
