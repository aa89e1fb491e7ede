"""The settings that an answer was written with, and what can be done with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from app.conversation.message import Message
from app.protocol.chat import Resumption, Sampling
from app.viewmodels.chat.sampling_fields import BY_NAME, FIELDS, known_values, text_of
from app.viewmodels.chat.settings_state import AnswerSettings
from app.viewmodels.text import formatting

_OFF = Sampling()
_ALWAYS = frozenset({"temperature", "top_p", "seed"})
OTHER_MODEL = "Another model wrote this answer."
NO_SEED = "Its seed is not known."
NO_RESUMPTIONS = "It went on in a way that is not known."
OTHER_ENDS = "It went on with other texts that end an answer."
NO_SETTINGS = "Its settings are not known."


def sampling_of(answer: Message) -> Sampling | None:
    """Return how an answer's tokens were chosen, with the seed that was drawn; None where that is not known."""
    if not answer.sampling:
        return None
    values = known_values(answer.sampling)
    seed = (answer.stats or {}).get("seed")
    return Sampling(**values | known_values({"seed": seed} if seed is not None else {}))


def resumptions_of(answer: Message) -> tuple[Resumption, ...] | None:
    """Return how an answer went on each time that it had ended, with the seeds; None where that is not known."""
    stored = (answer.stats or {}).get("resumptions", [])
    if not isinstance(stored, list):
        return None
    found: list[Resumption] = []
    for one in stored:
        at, values = (one.get("at"), known_values(one.get("sampling"))) if isinstance(one, Mapping) else (None, {})
        if type(at) is not int or at <= (found[-1].at if found else 0) or values.get("seed") is None:
            return None
        found.append(Resumption(at, Sampling(**values)))
    return tuple(found)


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
    went_on = resumptions_of(answer)
    is_own = answer.model is not None and answer.model == fingerprint
    note = _note(sampling, has_seed, is_own, went_on)
    return AnswerSettings(
        answer.id,
        formatting.plain_words(answer.text) or "No words",
        () if sampling is None else lines_of(sampling),
        can_use=sampling is not None,
        can_repeat=not note and not is_busy,
        note=note,
    )


def _note(sampling: Sampling | None, has_seed: bool, is_own: bool, resumptions: tuple[Resumption, ...] | None) -> str:
    """Say why an answer cannot be written once more, "" where it can."""
    if sampling is None:
        return NO_SETTINGS
    if not is_own:
        return OTHER_MODEL
    if not has_seed:
        return NO_SEED
    if resumptions is None:
        return NO_RESUMPTIONS
    return OTHER_ENDS if any(one.sampling.stop != sampling.stop for one in resumptions) else ""


def _has_seed(answer: Message) -> bool:
    stats: Mapping[str, Any] = answer.stats or {}
    return bool(known_values({"seed": stats.get("seed")} if stats.get("seed") is not None else {}))
