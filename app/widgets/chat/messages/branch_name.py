"""The name of the branch that a message begins: before its switcher, and the field in which it is given."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from app.widgets.chat.messages.row_view import RowView
from app.widgets.kit.controls import Control, State
from app.widgets.kit.drawing import draw_text, fill_rounded, smooth, stroke_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.own_keys import claim_key
from app.widgets.kit.style import Style
from app.widgets.kit.theme import field_palette
from app.widgets.kit.typography import TextRole

_ICON, _GAP, _PAD = 14, 6, 6
_LONGEST, _FIELD = 200, 220
_EDGE = 4  # points between the field and the edge of the chat


class NameTag(Control):
    """Shows a branch's name beside the sign of a fork. Pressed, it asks for another one."""

    ring_radius = 6.0

    def __init__(self, style: Style, tip: str, parent: QWidget) -> None:
        super().__init__(style, "Branch", parent)
        self.setToolTip(tip)

    def show_name(self, name: str) -> None:
        """Show this name, cut where it is long."""
        self.setText(name)
        self.setAccessibleName(f"Branch {name}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = min(float(_LONGEST), self._style.text_style(TextRole.SMALL).width(self.text()))
        return QSize(round(width + self._lead) + _PAD + 1, self._style.typography.scaled(12) + 10)

    @property
    def _lead(self) -> int:
        return _PAD + self._style.typography.icon(_ICON) + _GAP

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        theme, size = self._style.theme, self._style.typography.icon(_ICON)
        if self.state in (State.HOVER, State.PRESSED):
            fill_rounded(painter, rect, self.ring_radius, theme.fill2)
        center = QPointF(rect.left() + _PAD + size / 2, rect.center().y())
        self._style.icons.paint(painter, Icon.FORK, center, theme.text2, size)
        words = rect.adjusted(self._lead, 0, -_PAD + 1, 0)
        draw_text(painter, self._style.text_style(TextRole.SMALL), words, self.text(), theme.text2)


class NameField(QLineEdit):
    """A field over a message's head. Return and leaving it give the name, Escape does not.

    Attribute: message_id. Signals: named(str, str), the message and what its branch shall be called; left(), the chat
    is to have the keyboard again, unless somebody took it elsewhere; closed().
    """

    named = Signal(str, str)
    left = Signal()
    closed = Signal()

    def __init__(self, style: Style, message_id: str, name: str, parent: QWidget) -> None:
        super().__init__(name, parent)
        self._style, self.message_id = style, message_id
        self._is_closed = False
        self.setFrame(False)
        self.setTextMargins(8, 0, 8, 0)
        self.setMaxLength(200)
        self.setPlaceholderText("Name of the branch")
        self.setAccessibleName("Name of the branch")
        self.setAttribute(Qt.WidgetAttribute.WA_MacShowFocusRect, False)
        self.restyle()
        self.selectAll()

    def restyle(self) -> None:
        """Take the colours and sizes that hold now."""
        style = self._style
        self.setPalette(field_palette(style.theme))
        self.setFont(style.text_style(TextRole.SMALL).font)
        self.resize(style.typography.scaled(_FIELD), style.typography.row - 2)

    def finish(self, *, is_given: bool = True) -> None:
        """Give the name, or leave all as it was, and go."""
        if self._is_closed:
            return
        self._is_closed = True
        if is_given and self.isModified():
            self.named.emit(self.message_id, self.text())
        if self.window().focusWidget() is self:  # also while another program is in front
            self.left.emit()
        self.closed.emit()
        self.hide()
        self.deleteLater()

    def event(self, event: QEvent) -> bool:
        """Keep Escape from the menus while the keyboard is here: it leaves the field and stops no answer."""
        return claim_key(event, Qt.Key.Key_Escape) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.finish()
        elif event.key() == Qt.Key.Key_Escape:
            self.finish(is_given=False)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() is not Qt.FocusReason.PopupFocusReason:
            self.finish()

    def paintEvent(self, event: QPaintEvent) -> None:
        rect, theme = QRectF(self.rect()), self._style.theme
        painter = smooth(QPainter(self))
        fill_rounded(painter, rect, 7, theme.raised)
        stroke_rounded(painter, rect, 7, theme.accentgfx, 1.5)
        painter.end()
        super().paintEvent(event)


class BranchNaming(QObject):
    """Lets the person name a branch in a field that goes along with its message, which moves while answers are written.

    Signal: named(str, str), the message and what its branch shall be called.
    """

    named = Signal(str, str)

    def __init__(self, style: Style, view: RowView, row_of: Callable[[str], int]) -> None:
        """row_of: returns the row of a message in the view, -1 where it is not shown any more."""
        super().__init__(view)
        self._style, self._view, self._row_of = style, view, row_of
        self._field: NameField | None = None
        style.changed.connect(self._restyle)

    def begin(self, message_id: str, name: str) -> None:
        """Open the field, with the name that the branch has now, and the keyboard in it."""
        if self._field is not None:
            self._field.finish()
        self._field = NameField(self._style, message_id, name, self._view.viewport())
        self._field.named.connect(self.named)
        self._field.left.connect(self._view.setFocus)
        self._field.closed.connect(self._forget)
        self.place()
        self._field.show()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def place(self) -> None:
        """Put the field over its message's head, its right edge at that of the name, or beside one out of sight."""
        field = self._field
        if field is None:
            return
        number = self._row_of(field.message_id)
        if number < 0:
            field.finish()
            return
        head = self._view.layout_of_rows.item(number).name.translated(0, self._view.row_rect(number).top())
        lowest = self._view.viewport().height() - field.height() - _EDGE
        top = max(_EDGE, min(round(head.center().y()) - field.height() // 2, lowest))
        field.move(round(head.right()) - field.width(), top)

    def _restyle(self) -> None:
        """Restyle the field; the view, which hears of it later, lays its rows out and places it."""
        if self._field is not None:
            self._field.restyle()

    def _forget(self) -> None:
        self._field = None
