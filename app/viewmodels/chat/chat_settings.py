"""What is chosen for the next answers of a conversation, kept for each of them beside its draft.

Properties: nothing that is typed is lost. A text that is no value stays in its field, and on the disk, until it is one;
until then the model's own setting is used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, field, replace
from typing import Any

from app.conversation.message import storable
from app.protocol.commands import MOST_LANES
from app.protocol.dataclass import dataclass
from app.viewmodels.chat.answer_plan import AnswerPlan
from app.viewmodels.chat.sampling_fields import BY_NAME, known_values, parse


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """Choices for the next answers.

    sampling: settings that differ from the model's own, by name; None where nothing was chosen yet. typed: texts in
    fields that are no values. instructions, thinks: what is to hold from the next question on, None where that is what
    holds already. servers: ids of those that the conversation may be sent to.
    """

    sampling: Mapping[str, Any] | None = None
    typed: Mapping[str, str] = field(default_factory=dict)
    instructions: str | None = None
    thinks: bool | None = None
    servers: tuple[str, ...] = ()
    plan: AnswerPlan = AnswerPlan()

    def written(self) -> str:
        """Write them as JSON, "" where there is nothing to keep."""
        found = {
            "sampling": None if self.sampling is None else dict(self.sampling),
            "typed": dict(self.typed) or None,
            "instructions": self.instructions,
            "thinks": self.thinks,
            "servers": list(self.servers) or None,
            "answers": None if self.plan == AnswerPlan() else asdict(self.plan),
        }
        kept = {name: value for name, value in found.items() if value is not None}
        return json.dumps(kept, ensure_ascii=False, allow_nan=False) if kept else ""


def read_settings(stored: str) -> ChatSettings:
    """Read settings that were written; what is damaged is left out."""
    try:
        found = json.loads(stored) if stored else {}
    except (ValueError, RecursionError):
        found = {}
    if not isinstance(found, dict):
        return ChatSettings()
    sampling, typed = found.get("sampling"), found.get("typed")
    instructions, thinks = found.get("instructions"), found.get("thinks")
    texts = typed.items() if isinstance(typed, dict) else ()
    servers = found.get("servers")
    return ChatSettings(
        known_values(sampling) if isinstance(sampling, dict) else None,
        {name: text for name, text in texts if name in BY_NAME and isinstance(text, str)},
        instructions if isinstance(instructions, str) else None,
        thinks if isinstance(thinks, bool) else None,
        tuple(one for one in servers if isinstance(one, str)) if isinstance(servers, list) else (),
        _read_plan(found.get("answers")),
    )


def _read_plan(stored: object) -> AnswerPlan:
    """Read a plan that was written; one of which anything is damaged is left out."""
    found = stored if isinstance(stored, dict) else {}
    count, has_ladder, presets = found.get("count"), found.get("has_ladder"), found.get("presets")
    if type(count) is not int or not 1 <= count <= MOST_LANES or not isinstance(has_ladder, bool):
        return AnswerPlan()
    if not isinstance(presets, list) or len(presets) > MOST_LANES or not all(isinstance(one, str) for one in presets):
        return AnswerPlan()
    return AnswerPlan(count, has_ladder, tuple(presets))


class AllSettings:
    """The settings of every conversation.

    Attribute: changed, is called with a conversation whenever its settings are others.
    """

    def __init__(self) -> None:
        self._settings: dict[str, ChatSettings] = {}
        self.changed: Callable[[str], None] = lambda _conversation_id: None

    def of(self, conversation_id: str) -> ChatSettings:
        """Return the settings of a conversation."""
        return self._settings.get(conversation_id, ChatSettings())

    def restore(self, conversation_id: str, stored: str) -> None:
        """Take over settings from an earlier run, unless something was chosen since."""
        found = read_settings(stored)
        if conversation_id not in self._settings and found != ChatSettings():
            self._settings[conversation_id] = found

    def type(self, conversation_id: str, name: str, text: str) -> None:
        """Take over what stands in a field. Nothing at all is the model's own setting, and so is what is no value.

        What was there before is not used on: while somebody types, that is the beginning of the text, "1" of "1e9".
        """
        now, text = self.of(conversation_id), storable(text)
        parsed = parse(name, text)
        typed = {one: words for one, words in now.typed.items() if one != name}
        sampling = {one: value for one, value in (now.sampling or {}).items() if one != name}
        if parsed.problem:
            typed[name] = text
        elif parsed.value is not None:
            sampling[name] = parsed.value
        self._put(conversation_id, replace(now, sampling=sampling, typed=typed))

    def choose(self, conversation_id: str, sampling: Mapping[str, Any] | None, *, keeps_typed: bool = False) -> None:
        """Take other settings of sampling in place of all that were chosen. keeps_typed: not of what is no value."""
        now = self.of(conversation_id)
        values, typed = None if sampling is None else known_values(sampling), now.typed if keeps_typed else {}
        self._put(conversation_id, replace(now, sampling=values, typed=typed))

    def instruct(self, conversation_id: str, instructions: str | None) -> None:
        """Have other instructions hold from the next question on, None for those that hold already."""
        told = None if instructions is None else storable(instructions)
        self._put(conversation_id, replace(self.of(conversation_id), instructions=told))

    def think(self, conversation_id: str, thinks: bool | None) -> None:
        """Have the model think or not from the next question on, None for what holds already."""
        self._put(conversation_id, replace(self.of(conversation_id), thinks=thinks))

    def allow(self, conversation_id: str, server_id: str) -> None:
        """Let a conversation be sent to a server from now on."""
        now = self.of(conversation_id)
        self._put(conversation_id, replace(now, servers=tuple(dict.fromkeys((*now.servers, server_id)))))

    def choose_plan(self, conversation_id: str, plan: AnswerPlan) -> None:
        """Have each question of a conversation get these answers from now on."""
        self._put(conversation_id, replace(self.of(conversation_id), plan=plan))

    def take(self, conversation_id: str) -> ChatSettings:
        """Return the settings as a question is asked: what is to hold from it on does then, and is chosen no more."""
        now = self.of(conversation_id)
        self._put(conversation_id, replace(now, instructions=None, thinks=None))
        return now

    def give_back(self, conversation_id: str, instructions: str | None, thinks: bool | None) -> None:
        """Put back what a question had that could not be stored, but for what was chosen since."""
        now = self.of(conversation_id)
        self._put(
            conversation_id,
            replace(
                now,
                instructions=instructions if now.instructions is None else now.instructions,
                thinks=thinks if now.thinks is None else now.thinks,
            ),
        )

    def _put(self, conversation_id: str, settings: ChatSettings) -> None:
        if settings != self.of(conversation_id):
            self._settings[conversation_id] = settings
            self.changed(conversation_id)
