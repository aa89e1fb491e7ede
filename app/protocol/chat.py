"""A conversation as the engine reads it: a tuple of turns from the first message to the last."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

Role = Literal["system", "user", "assistant"]
LONGEST_NAME = 200  # characters of an attachment's name


AttachmentKind = Literal["text", "markdown", "code", "data", "pdf", "paste"]


@dataclass(frozen=True, slots=True)
class Attachment:
    """A text that comes with a question: a file's, or one that was pasted. ValueError for a name that is no line.

    name: on one line, without blanks around it. kind: what the text was read from.
    """

    name: str
    kind: AttachmentKind
    text: str

    def __post_init__(self) -> None:
        if self.name != " ".join(self.name.split()) or not 1 <= len(self.name) <= LONGEST_NAME:
            raise ValueError(f"an attachment's name is a line of 1 to {LONGEST_NAME} characters, not {self.name!r}")
        if self.kind not in get_args(AttachmentKind):
            raise ValueError(f"unknown kind of attachment: {self.kind!r}")


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a branch, as the engine reads it.

    `ids` are the token ids that an answer was generated with, by the model that is loaded now; None when the text was
    typed, edited, imported, or written by another model. With them the prompt repeats the very tokens the cache holds.
    `at`: when it was said, in seconds since the epoch, 0 for now; the first turn's is the date that templates print.
    `thinking`: what an answer's model thought before it said the text, without the marks around it; no part of `text`.
    `attachments`: what comes with a question; `question_text` makes one text of both.
    """

    role: Role
    text: str
    ids: tuple[int, ...] | None = None
    at: float = 0.0
    thinking: str = ""
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptOptions:
    """The choices that shape the prompt of a branch beside its turns.

    instructions: what the model is told before the first question, in place of a system turn; None for what the turns
    say, "" for nothing. thinking: whether the model is to think before it answers, None for what its template does.
    """

    instructions: str | None = None
    thinking: bool | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """The declaration of a number of `Sampling`: its title, and what it may be, `least` and `most` included."""

    title: str
    least: float
    most: float = math.inf

    @property
    def range(self) -> str:
        """Return what it may be, in words."""
        return f"at least {self.least:g}" if math.isinf(self.most) else f"between {self.least:g} and {self.most:g}"

    def allows(self, value: float | None) -> bool:
        """Return whether the number may be this; None, where its type has that, means that nothing is set."""
        return value is None or self.least <= value <= self.most


def _number(default: float | None, title: str, least: float, most: float = math.inf) -> Any:
    return field(default=default, metadata={"parameter": Parameter(title, least, most)})


@dataclass(frozen=True, slots=True)
class Sampling:
    """The settings by which tokens are chosen. Each number is declared here, with its default and its range.

    `temperature` 0 is greedy; 0 switches `top_k` and `min_p` off, 1 `top_p`. `max_tokens` None: the answer
    may go on until the context is full.
    """

    temperature: float = _number(0.7, "temperature", 0, 1000)
    top_p: float = _number(0.95, "top-p", 0, 1)
    top_k: int = _number(0, "top-k", 0)
    min_p: float = _number(0.0, "min-p", 0, 1)
    repetition_penalty: float = _number(1.0, "repetition penalty", 0.001, 1000)
    seed: int | None = None
    max_tokens: int | None = _number(None, "length", 1)
    stop: tuple[str, ...] = ()

    def first_wrong(self) -> Parameter | None:
        """Return the first number that may not be what it is, or None."""
        return next((one for name, one in PARAMETERS.items() if not one.allows(getattr(self, name))), None)


# What a person may set of `Sampling`, by the name of its field.
PARAMETERS: dict[str, Parameter] = {
    one.name: one.metadata["parameter"] for one in fields(Sampling) if "parameter" in one.metadata
}
