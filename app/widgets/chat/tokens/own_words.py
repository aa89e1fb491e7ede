"""The field in which a person types what is to stand in the place of a token."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

from app.widgets.kit.style import Style
from app.widgets.kit.text_fields import LineField

_LONGEST = 2000
# Why the keyboard goes that comes back: a menu is open, or another program is in front.
_BACK_SOON = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)


class OwnWords(LineField):
    """Signals: written(str), these words are to stand there; closed(), the chat is to have the keyboard again.

    typed(object): these words stand in the field now, None when it is put away.
    """

    written = Signal(str)
    typed = Signal(object)
    closed = Signal()

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(style, "Own words in the place of the token", parent)
        self.setMaxLength(_LONGEST)
        self.textChanged.connect(self._tell)
        self.hide()

    def begin(self, text: str, rect: QRect) -> None:
        """Take the keyboard, with these letters typed already."""
        self.place(rect)
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.setText(text)
        self.typed.emit(text)

    def _tell(self, text: str) -> None:
        if self.isVisible():
            self.typed.emit(text)

    def place(self, rect: QRect) -> None:
        """Stand in the place of a line of the card."""
        self.setGeometry(rect)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.text().strip():
            words = self.text()
            self._leave()
            self.written.emit(words)
        elif event.key() == Qt.Key.Key_Escape:
            self._leave()
        else:
            super().keyPressEvent(event)
            event.accept()

    def _leave(self) -> None:
        self.closed.emit()
        self.hide()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.typed.emit(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in _BACK_SOON:
            self.hide()
