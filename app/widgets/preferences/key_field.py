"""A field that takes the keys that are pressed in it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QKeyCombination, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QWidget

from app.widgets.kit.controls import Control, State
from app.widgets.kit.drawing import draw_text, fill_rounded, stroke_rounded
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_WIDTH = 176
_MODIFIERS = (
    Qt.Key.Key_Control,
    Qt.Key.Key_Shift,
    Qt.Key.Key_Alt,
    Qt.Key.Key_Meta,
    Qt.Key.Key_AltGr,
    Qt.Key.Key_unknown,
)
_DELETES = (Qt.Key.Key_Backspace, Qt.Key.Key_Delete)
_TABS = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
_NONE = Qt.KeyboardModifier.NoModifier
PROMPT = "Press the keys"


class KeyField(Control):
    """Waits for keys once it was pressed. Escape leaves it as it was, Delete takes the keys away.

    Attribute: is_recording. Signal: recorded(str), keys as Qt writes them, "" for none.
    """

    recorded = Signal(str)

    def __init__(self, style: Style, name: str, parent: QWidget | None = None) -> None:
        """name: of the command, for screen readers."""
        super().__init__(style, name, parent)
        self._name = name
        self.is_recording = False
        self.clicked.connect(self._begin)

    def show_keys(self, keys: str, problem: str) -> None:
        """Show the keys that the command has. problem: why other ones were refused, "" where none were."""
        self.setText(keys)
        self.setAccessibleName(f"{self._name}: {keys or 'no keys'}")
        self.setAccessibleDescription(problem)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._style.typography.scaled(_WIDTH), self._style.typography.row)

    def event(self, event: QEvent) -> bool:
        """Take every key while it waits for some, also those that a menu has."""
        if self.is_recording and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.is_recording:
            super().keyPressEvent(event)
        elif event.key() not in _MODIFIERS:
            self._take(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not self.is_recording:
            super().keyReleaseEvent(event)

    def focusNextPrevChild(self, next: bool) -> bool:
        """Leave by Tab, without its becoming the key."""
        self._end()
        return super().focusNextPrevChild(next)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._end()

    def _begin(self) -> None:
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.is_recording = True
        self.setAccessibleDescription(PROMPT)
        self.update()

    def _end(self) -> None:
        self.is_recording = False
        self.update()

    def _take(self, event: QKeyEvent) -> None:
        key, modifiers = Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        self._end()
        if modifiers == _NONE and key == Qt.Key.Key_Escape:
            return
        is_none = modifiers == _NONE and key in _DELETES
        self.recorded.emit("" if is_none else QKeySequence(QKeyCombination(modifiers, key)).toString())

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        theme, state = self._style.theme, self.state
        fill_rounded(painter, rect, self.ring_radius, theme.fill if state is State.HOVER else theme.raised)
        color = theme.accentgfx if self.is_recording else theme.line2
        stroke_rounded(painter, rect, self.ring_radius, color, 1.5 if self.is_recording else 1.0)
        words, style = self.text() or "None", self._style.text_style(TextRole.UI)
        color = theme.text if self.text() else theme.text3
        if self.is_recording:
            words, color = PROMPT, theme.accent
        draw_text(painter, style, rect.adjusted(10, 0, -10, 0), words, color, Qt.AlignmentFlag.AlignHCenter)
