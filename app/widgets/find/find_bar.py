"""The bar under the toolbar: what is looked for in the open branch, and which place of how many is shown."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.viewmodels.find.find import Find
from app.viewmodels.kit.action import Actions
from app.widgets.kit.action_button import ActionButton
from app.widgets.kit.controls import ToolButton
from app.widgets.kit.drawing import draw_text, fill_ground, smooth
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.own_keys import claim_key
from app.widgets.kit.search_field import SearchField
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_SIDE, _APART, _BUTTON = 20, 8, 28
_WIDEST, _NARROWEST = 320, 120


class FindField(SearchField):
    """Signals: goAsked(int), Return or Shift-Return: on to the next place or back; closeAsked, Escape."""

    goAsked = Signal(int)
    closeAsked = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, is_shifted = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.goAsked.emit(-1 if is_shifted else 1)
        elif key == Qt.Key.Key_Escape:
            self.closeAsked.emit()
        else:
            super().keyPressEvent(event)


class FindBar(QWidget):
    """Attributes: field, previous, next, close_button.

    Signals: typed(str), something else is looked for; closed(), the bar is to go.
    """

    typed = Signal(str)
    closed = Signal()

    def __init__(self, style: Style, find: Find, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._style, self._find = style, find
        self.setAccessibleName("Find in branch")
        self.field = FindField(style, "Find in branch", "Find in this branch", parent=self)
        earlier, later = actions["find_previous"], actions["find_next"]
        self.previous = ActionButton(style, Icon.LEFT, earlier, parent=self)
        self.next = ActionButton(style, Icon.RIGHT, later, parent=self)
        self.close_button = ToolButton(style, Icon.DISCARD, "Close Find", "Close (Esc)", 24, 14, parent=self)
        self.previous.clicked.connect(lambda: find.go(-1))
        self.next.clicked.connect(lambda: find.go(1))
        self.close_button.clicked.connect(self.closed)
        self.field.goAsked.connect(find.go)
        self.field.closeAsked.connect(self.closed)
        self.field.textEdited.connect(self.typed)
        self.field.clear_button.clicked.connect(lambda: self.typed.emit(""))
        find.changed.connect(self._refresh)
        style.changed.connect(self._restyle)
        self._refresh()

    def event(self, event: QEvent) -> bool:
        """Keep Escape from the menus while the keyboard is in the bar: it closes it and stops no answer."""
        return claim_key(event, Qt.Key.Key_Escape) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the bar with Escape, from its buttons too."""
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(400, self._style.typography.row + 16)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def _restyle(self) -> None:
        self.setFixedHeight(self.sizeHint().height())
        self._arrange()
        self.update()

    def _refresh(self) -> None:
        find = self._find
        if self.field.text() != find.text and (find.is_everywhere or not self.field.hasFocus()):
            self.field.setText(find.text)
        for button in (self.previous, self.next):
            button.setEnabled(find.can_go)
        self.field.setAccessibleDescription(find.told)
        self._restyle()

    def _arrange(self) -> None:
        middle, row = self.height() // 2, self._style.typography.row
        told = round(self._style.text_style(TextRole.CAP).width(self._find.told)) + 2 * _APART
        room = self.width() - 2 * _SIDE - 2 * _BUTTON - 24 - told - _APART
        width = max(_NARROWEST, min(self._style.typography.scaled(_WIDEST), room))
        self.field.setGeometry(_SIDE, middle - row // 2, width, row)
        left = _SIDE + width + _APART
        self.previous.setGeometry(left, middle - _BUTTON // 2, _BUTTON, _BUTTON)
        self.next.setGeometry(left + _BUTTON, middle - _BUTTON // 2, _BUTTON, _BUTTON)
        self.close_button.setGeometry(self.width() - _SIDE - 24, middle - 12, 24, 24)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._style.theme
        painter = smooth(QPainter(self))
        fill_ground(painter, self, theme.window)
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.line)
        left = self.next.geometry().right() + 1 + _APART
        told = QRectF(left, 0, max(0, self.close_button.x() - _APART - left), self.height())
        draw_text(painter, self._style.text_style(TextRole.CAP), told, self._find.told, theme.text2)
        painter.end()
