"""A conversation as the engine reads it: a tuple of turns from the first message to the last."""

from __future__ import annotations

import math
from dataclasses import field, fields
from typing import Any, Literal, get_args

from app.protocol import figures
from app.protocol.dataclass import dataclass

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
    """The declaration of a number of `Sampling`: its title, and what it may be, `least` and `most` included.

    is_whole: it has no fraction. may_lack: None is allowed, which says that nothing is set.
    """

    title: str
    least: float
    most: float = math.inf
    is_whole: bool = False
    may_lack: bool = False

    @property
    def range(self) -> str:
        """Return what it may be, in words."""
        number = "a whole number " if self.is_whole else ""
        return number + (f"at least {self.least:g}" if math.isinf(self.most) else self._between)

    @property
    def _between(self) -> str:
        most = figures.number(int(self.most)) if self.is_whole else f"{self.most:g}"
        return f"between {self.least:g} and {most}"

    def allows(self, value: object) -> bool:
        """Return whether the number may be this. A stored or imported value may be of any type."""
        if value is None:
            return self.may_lack
        if isinstance(value, bool) or not isinstance(value, int if self.is_whole else int | float):
            return False
        return self.least <= value <= self.most


def _number(default: float | None, title: str, least: float, most: float = math.inf, *, whole: bool = False) -> Any:
    declared = Parameter(title, least, most, whole, default is None)
    return field(default=default, metadata={"parameter": declared})


MOST_STOPS, LONGEST_STOP = 16, 200  # texts, and characters of one
MOST_BIASES = 300  # tokens
BIAS = Parameter("number of a token", -100, 100)


@dataclass(frozen=True, slots=True)
class Sampling:
    """The settings by which tokens are chosen. Each number is declared here, with its default and its range.

    `temperature` 0 is greedy; 0 switches `top_k`, `min_p`, `xtc_probability` and the presence and frequency penalties
    off, 1 `top_p` and the repetition penalty. penalty_range: how many tokens before the next one the penalties look
    at, None for all. seed: None for one that is drawn. max_tokens: None where the answer may go on until the context
    is full. stop: texts that end the answer. logit_bias: texts of tokens, and what is added to their logits.
    """

    temperature: float = _number(0.7, "temperature", 0, 1000)
    top_p: float = _number(0.95, "top-p", 0, 1)
    top_k: int = _number(0, "top-k", 0, 10**9, whole=True)
    min_p: float = _number(0.0, "min-p", 0, 1)
    repetition_penalty: float = _number(1.0, "repetition penalty", 0.001, 1000)
    presence_penalty: float = _number(0.0, "presence penalty", -2, 2)
    frequency_penalty: float = _number(0.0, "frequency penalty", -2, 2)
    penalty_range: int | None = _number(None, "range of the penalties", 1, 10**9, whole=True)
    xtc_probability: float = _number(0.0, "XTC probability", 0, 1)
    xtc_threshold: float = _number(0.1, "XTC threshold", 0, 0.5)
    seed: int | None = _number(None, "seed", 0, 2**53, whole=True)
    max_tokens: int | None = _number(None, "length", 1, 10**9, whole=True)
    stop: tuple[str, ...] = ()
    logit_bias: tuple[tuple[str, float], ...] = ()

    def first_wrong(self) -> Parameter | None:
        """Return the first number that may not be what it is, or None."""
        return next((one for name, one in PARAMETERS.items() if not one.allows(getattr(self, name))), None)

    def problem(self) -> str:
        """Say what is wrong with the settings, in a sentence; "" where nothing is. Values may be of any type."""
        wrong = self.first_wrong()
        if wrong is not None:
            return f"The {wrong.title} must be {wrong.range}."
        return stop_problem(self.stop) or bias_problem(self.logit_bias)


# What a person may set of `Sampling`, by the name of its field.
PARAMETERS: dict[str, Parameter] = {
    one.name: one.metadata["parameter"] for one in fields(Sampling) if "parameter" in one.metadata
}


@dataclass(frozen=True, slots=True)
class Resumption:
    """The way in which an answer went on that had ended.

    at: how many tokens it had then. sampling: how those that follow were chosen, with the seed that was drawn.
    """

    at: int
    sampling: Sampling


def stop_problem(stop: object) -> str:
    """Say what is wrong with texts that shall end an answer, "" where nothing is."""
    if not isinstance(stop, tuple) or not all(isinstance(one, str) for one in stop):
        return "What ends an answer must be texts."
    if len(stop) > MOST_STOPS or any(len(one) > LONGEST_STOP for one in stop):
        return f"At most {MOST_STOPS} texts can end an answer, of at most {LONGEST_STOP} characters each."
    return ""


def bias_problem(logit_bias: object) -> str:
    """Say what is wrong with the numbers that are added to tokens, "" where nothing is."""
    if not isinstance(logit_bias, tuple) or not all(_is_bias(one) for one in logit_bias):
        return "Each token needs its text and a number."
    if len(logit_bias) > MOST_BIASES:
        return f"At most {MOST_BIASES} tokens can have a number of their own."
    wrong = next((text for text, number in logit_bias if not BIAS.allows(number)), None)
    return "" if wrong is None else f"The number of “{wrong}” must be {BIAS.range}."


def _is_bias(one: object) -> bool:
    return isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str) and bool(one[0])
