"""The field in which a person types what is to stand in the place of a token."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

from app.widgets.kit.style import Style
from app.widgets.kit.text_fields import LineField

_LONGEST = 2000


class OwnWords(LineField):
    """Signals: written(str), these words are to stand there; closed(), the chat is to have the keyboard again."""

    written = Signal(str)
    closed = Signal()

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(style, "Own words in the place of the token", parent)
        self.setMaxLength(_LONGEST)
        self.hide()

    def begin(self, text: str, rect: QRect) -> None:
        """Take the keyboard, with these letters typed already."""
        self.setText(text)
        self.place(rect)
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

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

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.hide()
