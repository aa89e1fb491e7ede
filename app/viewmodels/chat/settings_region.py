"""The settings of the open conversation: what is chosen for the next answer, what it costs, and presets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.branch import Branch
from app.conversation.message import Message
from app.protocol.chat import PromptOptions
from app.protocol.events import CostEstimate
from app.protocol.reports import ThinkingSwitch
from app.viewmodels.chat import chat_text
from app.viewmodels.chat.answer_settings import answer_settings, changes_of, sampling_of, shown, summary
from app.viewmodels.chat.chosen_settings import ChosenSettings, excess
from app.viewmodels.chat.context_choices import is_too_long
from app.viewmodels.chat.drafts import Drafts
from app.viewmodels.chat.prompt_settings import held
from app.viewmodels.chat.questions import Questions
from app.viewmodels.chat.sampling_fields import FIELDS, Field, parse, text_of
from app.viewmodels.chat.settings_state import FieldState, SettingsState
from app.viewmodels.chat.versions import last_question, parent_for
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.settings import Settings
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.model.current_model import CurrentModel
from app.viewmodels.warmth.cost_queries import CostQueries

PRICE = "settings"
UNUSED = "The server of this model does not take it."
LOWERED = "The server of this model takes {most} at most, and is sent that."
DEBOUNCE_MS = 200


class SettingsRegion(QObject):
    """Choices for the next answers of the open conversation, each in effect as soon as it is made.

    Attributes: state; chosen, the settings of every conversation, and of these all and presets. Signal: told(), what
    the next question would say beside its words is something else.
    """

    told = Signal()

    state: LiveState[SettingsState]

    def __init__(
        self,
        library: LibraryRegion,
        current_model: CurrentModel,
        questions: Questions,
        drafts: Drafts,
        chosen: ChosenSettings,
        cost_queries: CostQueries,
        settings: Settings,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._library, self._model, self._questions, self._drafts = library, current_model, questions, drafts
        self._cost_queries, self._settings = cost_queries, settings
        self._price: tuple[str, PromptOptions, CostEstimate] | None = None
        self._answer_id = ""
        self._revision = 0
        self.chosen, self.all, self.presets = chosen, chosen.all, chosen.presets
        self._timer = QTimer(self, singleShot=True, interval=DEBOUNCE_MS)
        self._timer.timeout.connect(self._ask_price)
        self.state = LiveState(self._state, self)
        chosen.taken.connect(self._renew)
        self.state.follow(current_model.changed, self.presets.changed, settings.changed)
        self.state.follow_states(library.state)

    # What is chosen

    def instruct(self, text: str) -> None:
        """Have these instructions hold from the next question on."""
        now = held(self._library.tree, self._editing).instructions
        self.all.instruct(self._open_id, None if text == now else text)
        self._changed()

    def revert(self) -> None:
        """Go back to the instructions that hold, and to what holds of thinking."""
        self.all.take(self._open_id)
        self._renew(self._open_id)
        self._changed()

    def think(self, thinks: bool) -> None:
        """Have the model think, or not, from the next question on."""
        now = held(self._library.tree, self._editing).thinking
        is_held = self._thinks(now) == thinks
        self.all.think(self._open_id, None if is_held else thinks)
        self._changed()

    def type(self, name: str, text: str) -> None:
        """Take over what stands in the field of a setting."""
        self._begin()
        self.all.type(self._open_id, name, text)
        self._changed()

    def reset(self, name: str) -> None:
        """Go back to the model's own for one setting."""
        self.type(name, "")
        self._renew(self._open_id)

    def apply(self, preset: str) -> None:
        """Take the settings of a preset in place of all that were chosen; new conversations begin with it too."""
        self._settings.update(preset=preset)
        self.all.choose(self._open_id, None if self._follows_last else self.presets.of(preset))
        self._renew(self._open_id)
        self._changed()

    def save_preset(self, name: str) -> None:
        """Save what is chosen under a name, and use that from now on."""
        if not self.presets.problem_of(name):
            self.presets.save(name, self.chosen.changes(self._open_id))
            self._settings.update(preset=" ".join(name.split()))
            if self._follows_last:
                self.all.choose(self._open_id, None, keeps_typed=True)
            self._changed()

    def rename_preset(self, name: str, new_name: str) -> None:
        """Give a preset another name."""
        if not self.presets.problem_of(new_name, name):
            self.presets.rename(name, new_name)
            chosen = self._settings.values
            new = " ".join(new_name.split())
            self._settings.update(
                preset=new if chosen.preset == name else chosen.preset,
                start_preset=new if chosen.start_preset == name else chosen.start_preset,
            )

    def show_answer(self, message_id: str | None) -> None:
        """Show the settings of this answer; None for the last one of the open path."""
        self._answer_id = message_id or ""
        self.state.refresh()

    def use_answer(self, message_id: str | None = None) -> bool:
        """Take over the settings of an answer for the next ones. False where they are not known."""
        answer = self.answer(message_id)
        sampling = sampling_of(answer) if answer is not None else None
        if sampling is not None:
            self.all.choose(self._open_id, changes_of(sampling, self._model.sampling))
            self._renew(self._open_id)
            self._changed()
        return sampling is not None

    def answer(self, message_id: str | None = None) -> Message | None:
        """Return an answer of the open path: this one, the one whose settings are shown, or the last one."""
        tree = self._library.tree
        for wanted in (message_id, self._answer_id):
            if wanted and wanted in tree and tree.message(wanted).role == "assistant" and tree.is_on_path(wanted):
                return tree.message(wanted)
        settled = self._questions.settled(tree.path)
        return next((one for one in reversed(settled) if one.role == "assistant"), None)

    def summary(self, message_id: str) -> str:
        """Return the settings of an answer on one line, "" where they are not known."""
        tree = self._library.tree
        return summary(tree.message(message_id)) if message_id in tree else ""

    # What is shown

    def follow(self) -> None:
        """Follow the open conversation: it is another one, or something was said."""
        self.renew_price()
        self.state.refresh()

    def renew_price(self) -> None:
        """Ask again what the chosen settings cost, as the cache differs."""
        self._timer.start()

    def turn_to(self) -> None:
        """Show the settings of another conversation than before, in all fields."""
        self._answer_id = ""
        self._price = None
        self._revision += 1
        self.follow()

    @property
    def _open_id(self) -> str:
        return self._library.open_id

    @property
    def _editing(self) -> str | None:
        return self._drafts.of(self._open_id).editing

    def _begin(self) -> None:
        """Begin with what holds where nothing was chosen yet."""
        if self.all.of(self._open_id).sampling is None:
            self.all.choose(self._open_id, self.chosen.changes(self._open_id), keeps_typed=True)

    @property
    def _follows_last(self) -> bool:
        """Whether the open conversation has whatever preset was chosen last, since nothing was said in it yet."""
        return self.chosen.is_new(self._open_id) and not self._settings.values.start_preset

    def _renew(self, conversation_id: str) -> None:
        if conversation_id == self._open_id:
            self._revision += 1
            self._changed()

    def _changed(self) -> None:
        self.told.emit()
        self.follow()

    def _state(self) -> SettingsState:
        tree, chosen = self._library.tree, self.all.of(self._open_id)
        now = held(tree, self._editing)
        text = now.instructions or "" if chosen.instructions is None else chosen.instructions
        thinks = now.thinking if chosen.thinks is None else chosen.thinks
        is_pending = text != (now.instructions or "") or thinks != now.thinking
        answer = self.answer()
        is_busy = self._questions.is_busy_on(tree)
        return SettingsState(
            revision=self._revision,
            instructions=text,
            held=now.instructions or "",
            is_pending=is_pending,
            problem=excess(chosen),
            price=self._price_line() if is_pending else "",
            can_ask_again=is_pending and not excess(chosen) and not is_busy and last_question(tree) is not None,
            thinks=self._thinks(thinks),
            fields=tuple(self._field(field) for field in FIELDS),
            preset=self._preset(),
            presets=tuple(one.name for one in self.presets.all),
            own=tuple(one.name for one in self.presets.all if self.presets.is_own(one.name)),
            answer=None if answer is None else answer_settings(answer, self._model.fingerprint, is_busy),
        )

    def _thinks(self, chosen: bool | None) -> bool | None:
        """Return whether the model in use is to think, None where it has no choice."""
        info = self._model.info
        if info is None or info.thinking is not ThinkingSwitch.SWITCHABLE:
            return None
        return info.thinks if chosen is None else chosen

    def _field(self, field: Field) -> FieldState:
        chosen, default = self.all.of(self._open_id), getattr(self._model.sampling, field.name)
        changes = self.chosen.changes(self._open_id)
        value = changes.get(field.name, default)
        typed = chosen.typed.get(field.name)
        return FieldState(
            field,
            text_of(field.name, value) if typed is None else typed,
            None if field.slider is None else float(value),
            shown(field.name, default),
            is_changed=typed is not None or value != default,
            problem="" if typed is None else parse(field.name, typed).problem,
            unused=UNUSED if field.name in self._unused else "",
            lowered=self._lowered(field.name, value),
        )

    def _lowered(self, name: str, value: Any) -> str:
        """Say that the server of the model in use takes less of a setting, "" where it takes as much."""
        info = self._model.info
        able = None if info is None else info.capabilities
        most = dict(able.most_settings).get(name) if able is not None else None
        return LOWERED.format(most=shown(name, most)) if most is not None and value > most else ""

    @property
    def _unused(self) -> frozenset[str]:
        """Names of the settings that the server of the model in use does not take."""
        info = self._model.info
        return frozenset() if info is None or info.capabilities is None else info.capabilities.unused_settings

    def _preset(self) -> str:
        """Return the preset that the settings are; of several the one that was used last."""
        mine, defaults = self.chosen.sampling(self._open_id), self._model.sampling
        if self.all.of(self._open_id).typed:
            return ""
        names = [one.name for one in self.presets.all if replace(defaults, **self.presets.of(one.name)) == mine]
        last = (
            self._settings.values.preset if self.all.of(self._open_id).sampling is not None else self.chosen.new_preset
        )
        return last if last in names else next(iter(names), "")

    # What it costs

    @property
    def _next(self) -> PromptOptions:
        """Options of the next question's prompt, with what was chosen."""
        said, now = self.chosen.told_next(self._open_id, self._editing), held(self._library.tree, self._editing)
        return PromptOptions(
            now.instructions if said.instructions is None else said.instructions,
            now.thinking if said.thinks is None else said.thinks,
        )

    def _ask_price(self) -> None:
        path, options = self._path, self._next
        is_wanted = options != held(self._library.tree, self._editing) and not self._questions.at_engine
        if not path or self._model.info is None or not is_wanted:
            return
        branch = Branch(path, self._model.fingerprint)
        self._cost_queries.ask(PRICE, branch, lambda priced: self._take_price(path, options, priced), options)

    def _take_price(self, path: Sequence[Message], options: PromptOptions, priced: CostEstimate) -> None:
        self._price = path[-1].id, options, priced
        self.state.refresh()

    @property
    def _path(self) -> tuple[Message, ...]:
        """The messages before the next question: while one is edited, those before it."""
        tree, editing = self._library.tree, self._editing
        if editing is None or editing not in tree:
            return self._questions.settled(tree.path)
        parent = parent_for(tree, editing)
        return () if parent is None else self._questions.settled(tree.path_to(parent))

    def _price_line(self) -> str:
        path = self._path
        if self._price is None or not path or self._price[:2] != (path[-1].id, self._next):
            return ""
        info, priced = self._model.info, self._price[2]
        if info is not None and is_too_long(priced, info.context_length):
            return chat_text.does_not_fit(priced, info.context_length)
        return chat_text.price_of_settings(priced)
