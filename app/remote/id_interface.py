"""What a server has that takes a prompt as ids and tells the ids of the answer: how it is asked, and how it answers."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from app.prompting.answer_choices import Alternatives
from app.prompting.problems import RequestError
from app.protocol.chat import Sampling
from app.protocol.choices import MOST_CANDIDATES, SURE, WHOLE
from app.protocol.dataclass import dataclass
from app.remote.chunks import Progress, Usage
from app.remote.faults import malformed
from app.remote.kinds import Kind
from app.remote.messages import settings_of

_LEAST_LIKELY = 1e4  # a logarithm


@dataclass(frozen=True, slots=True)
class Completed:
    """A piece of an answer.

    tokens: those that are told. Where a server does not tell all of them: text, of the tokens, without control tokens;
    count, of all tokens so far. prompt: the ids that the server was sent, where it repeats them; total: how many tokens
    it counts in them. may_be_end: the last token may be the end token, where a server leaves that in; has_ended: the
    one before this piece was. finish: why the answer ended, "" while it goes on. is_last: nothing comes after it.
    found: what each token was chosen from, where that was asked for.
    """

    tokens: tuple[int, ...] = ()
    text: str = ""
    count: int = 0
    prompt: Sequence[int] | None = None
    total: int | None = None
    finish: str = ""
    may_be_end: bool = False
    has_ended: bool = False
    is_last: bool = False
    found: tuple[Alternatives | None, ...] = ()
    usage: Usage | None = None
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class IdQuestion:
    """A question to a server: what its model writes after these ids.

    model: as the server calls it. room: tokens that fit behind the ids. bias: what is added to the logits of tokens.
    alternatives: the likeliest tokens are to be told too. salt: what keeps the server's cache of it apart from others.
    Texts that end the answer are no part of it: they count in its text and not in its thought.
    """

    kind: Kind
    model: str
    ids: Sequence[int]
    sampling: Sampling
    seed: int
    room: int
    bias: Mapping[int, float] = field(default_factory=dict)
    alternatives: bool = False
    salt: str = ""

    @property
    def most(self) -> int:
        """Return how many tokens the answer has at most."""
        return self.room if self.sampling.max_tokens is None else min(self.sampling.max_tokens, self.room)

    @property
    def settings(self) -> dict[str, Any]:
        """Return all settings that the server knows, without those that end an answer.

        Raises RequestError for settings that mean nothing.
        """
        problem = self.sampling.problem()
        if problem:
            raise RequestError("These settings mean nothing", problem)
        found = settings_of(self.kind, self.sampling, self.seed)
        found.pop("max_tokens", None)
        found.pop("stop", None)
        return found


class AnswerReader(Protocol):
    """Reads the pieces of one answer, in the order in which they come."""

    def read(self, data: str) -> Completed:
        """Read the next piece. Raises ServerError where it is none, or tells of an error."""
        ...


class IdInterface(Protocol):
    """An interface of a kind of server. more_settings, fewer_settings: of sampling, which it takes beside those of the
    server's other interface, or does not.
    """

    @property
    def path(self) -> str: ...

    @property
    def more_settings(self) -> frozenset[str]: ...

    @property
    def fewer_settings(self) -> frozenset[str]: ...

    def request(self, question: IdQuestion) -> dict[str, Any]:
        """Return the body of a request. Raises RequestError for settings that mean nothing."""
        ...

    def reader(self, name: str, rows: int, ends: Collection[int]) -> AnswerReader:
        """Return what reads an answer. name: of the server. rows: how many tokens there are; ends: end an answer."""
        ...


def tokens_of(name: str, value: object, most: int, rows: int | None = None) -> tuple[int, ...]:
    """Return a list of tokens. Raises ServerError for anything else. rows: how many there are, None for any number."""
    if not isinstance(value, list) or len(value) > most or not all(map(is_token, value)):
        raise malformed(name, "a piece of an answer without its tokens")
    if rows is not None and any(one >= rows for one in value):
        raise malformed(name, "a token that the model does not have")
    return tuple(value)


def alternatives_of(own: tuple[int, float] | None, others: Sequence[tuple[int, float] | None]) -> Alternatives | None:
    """Return what a token was chosen from. own, others: tokens and their probabilities; None for what is not told."""
    if own is None:
        return None
    if round(own[1] * WHOLE) >= SURE:
        return Alternatives(own[1])
    likeliest = tuple(one for one in others[:MOST_CANDIDATES] if one is not None)
    return Alternatives(own[1], likeliest, all(token != own[0] for token, _ in likeliest))


def likely(token: object, logarithm: object, rows: int) -> tuple[int, float] | None:
    """Return a token and its probability, None for what is none. rows: how many tokens there are."""
    if not isinstance(token, int) or not is_token(token) or token >= rows or not isinstance(logarithm, int | float):
        return None
    return (token, math.exp(logarithm)) if -_LEAST_LIKELY < logarithm <= 0 else None


def is_token(value: object) -> bool:
    """Return whether this is the number of a token."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
