"""The settings of an answer in the panel: as they were, to be taken over, or to be used once more."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from app.viewmodels.chat.settings_state import AnswerSettings
from app.viewmodels.text.branch_titles import quoted
from app.widgets.kit.controls import Button
from app.widgets.kit.style import Style
from app.widgets.kit.text_label import TextLabel
from app.widgets.kit.typography import TextRole
from app.widgets.settings.card import LEAST_BUTTON, Card, Words


class AnswerCard(Card):
    """Signals: useAsked(), repeatAsked(). Attributes: lines, use_button, repeat_button."""

    useAsked = Signal()
    repeatAsked = Signal()

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(style, "Settings of the Answer", parent)
        self._words = Words(style, self.ground)
        self.lines = TextLabel(style, "", TextRole.SMALL, is_quiet=True, parent=self.ground)
        self.lines.setWordWrap(True)
        self.lines.setAccessibleName("Settings of the answer")
        self.lines.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.lines.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.use_button = Button(style, "Use These Settings", parent=self.ground)
        self.repeat_button = Button(style, "Answer Again, Same Seed", parent=self.ground)
        self._note = Words(style, self.ground)
        for button in (self.use_button, self.repeat_button):
            button.setMinimumWidth(LEAST_BUTTON)
        for row in (self._words, self.lines, self.use_button, self.repeat_button, self._note):
            self.add(row)
        self.use_button.clicked.connect(self.useAsked)
        self.repeat_button.clicked.connect(self.repeatAsked)

    @property
    def stops(self) -> Sequence[QWidget]:
        """The widgets that the keyboard stops at."""
        return [self.lines, self.use_button, self.repeat_button]

    def show_answer(self, answer: AnswerSettings | None) -> None:
        """Show the settings of an answer; None where there is none."""
        self.setVisible(answer is not None)
        if answer is None:
            return
        self._words.say(quoted(answer.title))
        self.lines.setText("\n".join(f"{title}: {value}" for title, value in answer.lines))
        self.lines.setVisible(bool(answer.lines))
        self.use_button.setEnabled(answer.can_use)
        self.repeat_button.setEnabled(answer.can_repeat)
        self._note.say(answer.note)
