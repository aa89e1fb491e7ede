"""The settings of the next answers of each conversation: what was chosen there, else what holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.conversation.message import Message
from app.protocol.chat import Sampling
from app.viewmodels.chat import draft_limits
from app.viewmodels.chat.answer_plan import AnswerPlan
from app.viewmodels.chat.chat_settings import AllSettings, ChatSettings
from app.viewmodels.chat.presets import Presets
from app.viewmodels.chat.prompt_settings import Told, told
from app.viewmodels.kit.settings import Settings
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.library import Library
from app.viewmodels.model.current_model import CurrentModel


class ChosenSettings(QObject):
    """Says how the next answer of any conversation is sampled, and what its question says beside its words.

    Attributes: all, what was chosen in each conversation; presets. Signals: taken(str), a question of this conversation
    took over what was chosen, or gave it back; planned(), other answers to a question were chosen.
    """

    taken = Signal(str)
    planned = Signal()

    def __init__(
        self,
        store: StoreLink,
        library: Library,
        current_model: CurrentModel,
        settings: Settings,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._library, self._model, self._settings = library, current_model, settings
        self.all = AllSettings()
        self.presets = Presets(store, self)

    def sampling(self, conversation_id: str) -> Sampling:
        """Return how the next answer of a conversation is sampled."""
        return replace(self._model.sampling, **self.changes(conversation_id))

    def changes(self, conversation_id: str) -> Mapping[str, Any]:
        """Return the settings of sampling that differ from the model's own."""
        chosen = self.all.of(conversation_id).sampling
        if chosen is not None:
            return chosen
        return self.presets.of(self.new_preset) if self.is_new(conversation_id) else {}

    def of_preset(self, name: str) -> Sampling | None:
        """Return the settings of a preset on the model in use, None where there is none of this name."""
        return replace(self._model.sampling, **self.presets.of(name)) if self.presets.has(name) else None

    def preset_of(self, sampling: Sampling) -> str:
        """Return the first preset that these settings are on the model in use, whatever their seed; "" for none."""
        of_all = ((one.name, replace(self._model.sampling, **self.presets.of(one.name))) for one in self.presets.all)
        wanted = replace(sampling, seed=None)
        return next((name for name, one in of_all if replace(one, seed=None) == wanted), "")

    def plan(self, conversation_id: str) -> AnswerPlan:
        """Return which answers a question of a conversation gets."""
        return self.all.of(conversation_id).plan

    def choose_plan(self, conversation_id: str, plan: AnswerPlan) -> None:
        """Have each question of a conversation get these answers from now on."""
        self.all.choose_plan(conversation_id, plan)
        self.planned.emit()

    @property
    def new_preset(self) -> str:
        """The preset that new conversations begin with."""
        return self._settings.values.start_preset or self._settings.values.preset

    def is_new(self, conversation_id: str) -> bool:
        """Return whether nothing was said yet: such a conversation has the preset of new ones."""
        return not self._library.is_stored(conversation_id)

    def told_next(self, conversation_id: str, editing: str | None) -> Told:
        """Return what the next question of a conversation says beside its words."""
        return told(self._library.tree(conversation_id), editing, self._usable(conversation_id))

    def take(self, conversation_id: str, editing: str | None) -> Told:
        """Return what a question says that is asked now. It holds from there on, and is chosen no more."""
        said = self.told_next(conversation_id, editing)
        if self.is_new(conversation_id):
            self.all.choose(conversation_id, self.changes(conversation_id), keeps_typed=True)
        if self._usable(conversation_id) == self.all.of(conversation_id):
            self.all.take(conversation_id)
        self.taken.emit(conversation_id)
        return said

    def give_back(self, conversation_id: str, question: Message) -> None:
        """Put back what a question said that could not be stored."""
        self.all.give_back(conversation_id, question.instructions, question.thinks)
        self.taken.emit(conversation_id)

    def _usable(self, conversation_id: str) -> ChatSettings:
        """Return what was chosen, without instructions that are too long to be used."""
        chosen = self.all.of(conversation_id)
        return replace(chosen, instructions=None) if excess(chosen) else chosen


def excess(chosen: ChatSettings) -> str:
    """Say how chosen instructions are too long to be used, "" where they are not."""
    found = draft_limits.excess(chosen.instructions or "")
    return f"Too long: {found.replace('the message field', 'this field')}." if found else ""
