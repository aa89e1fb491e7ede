"""The system prompt in the panel: what holds, what is to hold next, and what that costs."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.viewmodels.chat.settings_state import SettingsState
from app.viewmodels.text.formatting import DOT
from app.widgets.kit.button_rows import GAP, button_rows
from app.widgets.kit.controls import Button
from app.widgets.kit.style import Style
from app.widgets.kit.switch import Switch
from app.widgets.kit.text_fields import TextArea
from app.widgets.kit.text_label import TextLabel
from app.widgets.kit.typography import TextRole
from app.widgets.settings.card import LEAST_BUTTON, Card, Words

_LEAST, _MOST = 3, 12  # lines


class InstructionsCard(Card):
    """Signals: typed(str); switched(bool), whether to think; askedAgain(), reverted().

    Attributes: field, switch, ask_button, revert_button.
    """

    typed = Signal(str)
    switched = Signal(bool)
    askedAgain = Signal()
    reverted = Signal()

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(style, "System Prompt", parent)
        self._revision = -1
        self.field = TextArea(style, "System prompt", _LEAST, _MOST, self.ground)
        self.field.edit.setPlaceholderText("What the model is told before the first question")
        self._words = Words(style, self.ground)
        self.ask_button = Button(style, "Ask Question Again", parent=self.ground)
        self.revert_button = Button(style, "Revert", parent=self.ground)
        self.ask_button.setToolTip("Asks the last question again, beside itself")
        self.switch = Switch(style, "Think before answering", self.ground)
        self._thinking = _SwitchRow(style, self.switch, self.ground)
        self._buttons = _Row([self.ask_button, self.revert_button], self.ground)
        for row in (self.field, self._thinking, self._words, self._buttons):
            self.add(row)
        self.field.edited.connect(self.typed)
        self.switch.clicked.connect(lambda: self.switched.emit(self.switch.isChecked()))
        self.ask_button.clicked.connect(self.askedAgain)
        self.revert_button.clicked.connect(self.reverted)

    @property
    def stops(self) -> Sequence[QWidget]:
        """The widgets that the keyboard stops at."""
        return [self.field.edit, self.switch, self.ask_button, self.revert_button]

    def show_state(self, state: SettingsState) -> None:
        """Show what holds and what is to hold."""
        if state.revision != self._revision or not self.field.edit.hasFocus():
            self._revision = state.revision
            self.field.show_text(state.instructions)
        self.field.refuse(bool(state.problem))
        words = state.problem or _holds(state)
        self._words.say(words, bool(state.problem))
        self.field.edit.setAccessibleDescription(words)
        self._buttons.setVisible(state.is_pending)
        self.ask_button.setEnabled(state.can_ask_again)
        self._thinking.setVisible(state.thinks is not None)
        self.switch.setChecked(bool(state.thinks))


def _holds(state: SettingsState) -> str:
    if state.is_pending:
        return f"From the next question on{DOT}{state.price}" if state.price else "From the next question on"
    return "Holds on this branch" if state.held else ""


class _Row(QWidget):
    """Buttons beside each other, and below each other where they have no room."""

    def __init__(self, buttons: Sequence[Button], parent: QWidget) -> None:
        super().__init__(parent)
        self._buttons = buttons
        for button in buttons:
            button.setParent(self)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def heightForWidth(self, width: int) -> int:
        return len(button_rows(self._buttons, width)) * (self._line + GAP) - GAP

    def sizeHint(self) -> QSize:
        return QSize(LEAST_BUTTON, self.heightForWidth(self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        rows = button_rows(self._buttons, self.width())
        for number, row in enumerate(rows):
            wanted = [max(LEAST_BUTTON, button.sizeHint().width()) for button in row]
            missing = max(0, sum(wanted) + GAP * (len(row) - 1) - self.width())
            left = 0
            for button, width in zip(row, wanted, strict=True):
                button.setGeometry(left, number * (self._line + GAP), width - missing // len(row), self._line)
                left += width - missing // len(row) + GAP

    @property
    def _line(self) -> int:
        return self._buttons[0].sizeHint().height()


class _SwitchRow(QWidget):
    def __init__(self, style: Style, switch: Switch, parent: QWidget) -> None:
        super().__init__(parent)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        words = TextLabel(style, switch.accessibleName(), TextRole.UI, is_quiet=False, parent=self)
        words.setWordWrap(True)
        layout.addWidget(words, 1)
        layout.addWidget(switch)
