"""The settings of the open conversation, from above downwards: each holds for the next answer as soon as it is made."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from app.viewmodels.chat.chat_region import ChatRegion
from app.viewmodels.chat.sampling_fields import FIELDS
from app.widgets.kit.slim_bar import use_slim_bar
from app.widgets.kit.style import Style
from app.widgets.settings.answer_card import AnswerCard
from app.widgets.settings.card import Card
from app.widgets.settings.instructions_card import InstructionsCard
from app.widgets.settings.preset_button import PresetButton
from app.widgets.settings.setting_row import SettingRow

_INSET, _BETWEEN = 16, 18


class SettingsPage(QWidget):
    """From above: system prompt, preset, the settings in their groups, those of an answer.

    Attributes: instructions, preset, rows by the names of their settings, answer.
    """

    def __init__(self, style: Style, chat: ChatRegion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chat, self._settings = chat, chat.settings
        self._area = QScrollArea(self)
        self._page = QWidget()
        self._grown = QTimer(self, singleShot=True, interval=0)  # when the page has its new height, too
        self._grown.timeout.connect(self._show_focus)
        self.instructions = InstructionsCard(style, self._page)
        self._presets = Card(style, "Preset", self._page)
        self.preset = PresetButton(style, self._settings.presets.problem_of, self._presets.ground)
        self.preset.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._presets.add(self.preset)
        self._groups = {name: Card(style, name, self._page) for name in dict.fromkeys(one.group for one in FIELDS)}
        self.rows = {one.name: SettingRow(style, one, self._groups[one.group].ground) for one in FIELDS}
        self.answer = AnswerCard(style, self._page)
        self._build(style)
        self._connect()
        self._refresh()

    @property
    def stops(self) -> Sequence[QWidget]:
        """The widgets that the keyboard stops at, in its order."""
        rows = [stop for row in self.rows.values() for stop in row.stops]
        return [*self.instructions.stops, self.preset, *rows, *self.answer.stops]

    def show_answer(self, message_id: str | None) -> None:
        """Show the settings of this answer, None for the last one, and bring them into view."""
        self._settings.show_answer(message_id)
        self._settings.state.catch_up()
        self._page.adjustSize()
        self._area.ensureWidgetVisible(self.answer, 0, 0)

    def _build(self, style: Style) -> None:
        layout = QVBoxLayout(self._page)
        layout.setContentsMargins(_INSET, _INSET, _INSET, _INSET)
        layout.setSpacing(_BETWEEN)
        for row in self.rows.values():
            self._groups[row.group].add(row)
        for card in (self.instructions, self._presets, *self._groups.values(), self.answer):
            layout.addWidget(card)
        layout.addStretch(1)
        area = self._area
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        use_slim_bar(area, style)
        area.setWidget(self._page)
        for ground in (self._page, area.viewport()):
            ground.setAutoFillBackground(False)
        for stop in self.stops:
            stop.installEventFilter(self)

    def _connect(self) -> None:
        settings = self._settings
        self.instructions.typed.connect(settings.instruct)
        self.instructions.switched.connect(settings.think)
        self.instructions.askedAgain.connect(self._chat.requests.ask_again_with_settings)
        self.instructions.reverted.connect(settings.revert)
        self.preset.chosen.connect(settings.apply)
        self.preset.saveAsked.connect(settings.save_preset)
        self.preset.renameAsked.connect(settings.rename_preset)
        self.preset.deleteAsked.connect(settings.presets.delete)
        for row in self.rows.values():
            row.typed.connect(settings.type)
            row.resetAsked.connect(settings.reset)
        self.answer.useAsked.connect(lambda: settings.use_answer())
        self.answer.repeatAsked.connect(lambda: self._chat.requests.repeat_answer())
        settings.state.changed.connect(self._refresh)

    def _refresh(self) -> None:
        now = self._settings.state.now
        self.instructions.show_state(now)
        self.preset.show_state(now)
        for state in now.fields:
            self.rows[state.field.name].show_state(state, now.revision)
        self.answer.show_answer(now.answer)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Bring what the keyboard comes to into view, and keep a field there that grows while it is written in."""
        if isinstance(watched, QWidget) and event.type() == QEvent.Type.FocusIn:
            self._area.ensureWidgetVisible(watched, 0, _INSET)
        elif isinstance(watched, QWidget) and event.type() == QEvent.Type.Resize and watched.hasFocus():
            self._grown.start()
        return False

    def _show_focus(self) -> None:
        focused = self._page.focusWidget()
        if focused is not None:
            self._area.ensureWidgetVisible(focused, 0, _INSET)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._area.setGeometry(1, 0, self.width() - 1, self.height())
