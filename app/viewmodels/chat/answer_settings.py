"""The settings that an answer was written with, and what can be done with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from app.conversation.message import Message
from app.protocol.chat import Sampling
from app.viewmodels.chat.sampling_fields import BY_NAME, FIELDS, known_values, text_of
from app.viewmodels.chat.settings_state import AnswerSettings
from app.viewmodels.text import formatting

_OFF = Sampling()
_ALWAYS = frozenset({"temperature", "top_p", "seed"})
OTHER_MODEL = "Another model wrote this answer."
NO_SEED = "Its seed is not known."
NO_SETTINGS = "Its settings are not known."


def sampling_of(answer: Message) -> Sampling | None:
    """Return how an answer's tokens were chosen, with the seed that was drawn; None where that is not known."""
    if not answer.sampling:
        return None
    values = known_values(answer.sampling)
    seed = (answer.stats or {}).get("seed")
    return Sampling(**values | known_values({"seed": seed} if seed is not None else {}))


def changes_of(sampling: Sampling, defaults: Sampling, *, keeps_seed: bool = False) -> dict[str, Any]:
    """Return the settings that differ from the model's own, by name. A seed that was drawn is none of them."""
    names = (one.name for one in fields(Sampling) if keeps_seed or one.name != "seed")
    return {name: getattr(sampling, name) for name in names if getattr(sampling, name) != getattr(defaults, name)}


def lines_of(sampling: Sampling) -> tuple[tuple[str, str], ...]:
    """Return title and value of each setting that mattered."""
    values = ((field, getattr(sampling, field.name)) for field in FIELDS)
    return tuple(
        (field.title, shown(field.name, value))
        for field, value in values
        if field.name in _ALWAYS or value != getattr(_OFF, field.name)
    )


def shown(name: str, value: Any) -> str:
    """Write a value on one line, in words where there is none."""
    if value is None:
        return BY_NAME[name].hint
    return text_of(name, value).replace("\n", ", ") or "None"


def summary(answer: Message) -> str:
    """Write the settings of an answer on one line, "" where they are not known."""
    sampling = sampling_of(answer)
    return "" if sampling is None else formatting.DOT.join(f"{title} {value}" for title, value in lines_of(sampling))


def answer_settings(answer: Message, fingerprint: str | None, is_busy: bool) -> AnswerSettings:
    """Return what the panel shows of an answer. fingerprint: of the model in use. is_busy: nothing can be asked now."""
    sampling = sampling_of(answer)
    has_seed = _has_seed(answer)
    is_own = answer.model is not None and answer.model == fingerprint
    note = NO_SETTINGS if sampling is None else "" if is_own and has_seed else NO_SEED if is_own else OTHER_MODEL
    return AnswerSettings(
        answer.id,
        formatting.first_words(answer.text) or "No words",
        () if sampling is None else lines_of(sampling),
        can_use=sampling is not None,
        can_repeat=not note and not is_busy,
        note=note,
    )


def _has_seed(answer: Message) -> bool:
    stats: Mapping[str, Any] = answer.stats or {}
    return bool(known_values({"seed": stats.get("seed")} if stats.get("seed") is not None else {}))
