"""The figures that an engine reports of a request, a run and a model."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from app.protocol.capabilities import Capabilities
from app.protocol.chat import Sampling
from app.protocol.dataclass import dataclass


class Reason(StrEnum):
    """The reason why a request computed tokens that had been computed before. A closed set."""

    NONE = ""
    NEW = "new prompt"
    DIVERGED = "diverged"
    EVICTED = "evicted"
    NOT_CAPTURED = "not captured"
    CANCELLED = "cancelled before capture"
    UNSUPPORTED = "cache kind not supported"
    FAULT = "cache fault"
    DISK = "disk fault"
    THINKING = "thinking dropped by the template"
    LET_GO = "let go of by the server"


class Source(StrEnum):
    """The source of figures of a cache: what an engine measured in its own, what a server said of one that is its own,
    what is believed of that, and nothing, where it says nothing. A closed set.

    What is believed: PREDICTED, where the tokens themselves are counted about; COUNTED, where they are those that the
    server has; AT_MOST, where they are, and it holds so many of them at most.
    """

    MEASURED = "measured"
    REPORTED = "reported"
    PREDICTED = "predicted"
    COUNTED = "counted"
    AT_MOST = "at most"
    UNKNOWN = "unknown"

    @property
    def is_believed(self) -> bool:
        """Return whether the figures are what is believed of a server."""
        return self in (Source.PREDICTED, Source.COUNTED, Source.AT_MOST)


@dataclass(frozen=True, slots=True)
class RequestReport:
    """The part of a request that the cache spared, and the part that it did not, in tokens.

    source: who says so. What is unknown is 0 here and shown nowhere; what is predicted is told with "about".

    total: of the request. seen: longest prefix ever evaluated since the model was opened. matched: longest prefix whose
    tokens are in the trie and held. cached: restored. left: total - cached, at least 1.
    excess: min(seen, total - 1) - cached, computed again although it was computed before.
    diverged_at: where the request left what was seen, or None when it did not.
    """

    total: int
    seen: int
    matched: int
    cached: int
    reason: Reason = Reason.NONE
    diverged_at: int | None = None
    source: Source = Source.MEASURED

    @property
    def is_known(self) -> bool:
        """Return whether anything is known of what was or will be spared."""
        return self.source is not Source.UNKNOWN

    @property
    def is_about(self) -> bool:
        """Return whether the tokens are counted about."""
        return self.source is Source.PREDICTED

    @property
    def is_believed(self) -> bool:
        """Return whether the figures are what is believed of a server."""
        return self.source.is_believed

    @property
    def left(self) -> int:
        """Return how many tokens are to be computed."""
        return self.total - self.cached

    @property
    def excess(self) -> int:
        """Return how many tokens are computed again although they were computed before."""
        return min(self.seen, self.total - 1) - self.cached

    @property
    def is_recomputed(self) -> bool:
        """Return whether most of what is to be computed was computed before, and not a shared beginning alone."""
        return 2 * self.excess >= self.left


class StopReason(StrEnum):
    """The reason why an answer ended."""

    FINISHED = "finished"
    STOP_TEXT = "stop text"
    LENGTH = "length limit"
    CONTEXT = "context full"
    CANCELLED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class RunStats:
    """The figures of one answer.

    Times in seconds; `first_token` from the start of the run; `rate` in tokens per second. thinking_tokens: those of
    `tokens` that are the thought and its marks; they took `thinking_seconds`.
    """

    request: RequestReport
    stop: StopReason
    tokens: int
    first_token: float | None
    rate: float
    seconds: float
    seed: int
    thinking_tokens: int = 0
    thinking_seconds: float = 0.0


class ThinkingSwitch(StrEnum):
    """The thinking of a model before it answers: it does not, it always does, or as it is told."""

    NONE = "none"
    ALWAYS = "always"
    SWITCHABLE = "switchable"


UNTOLD_CONTEXT = 1 << 20
"""Tokens that a model may read whose server does not tell."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The description of an open model.

    layers: cache kinds by name, counted. fingerprint: changes with anything that shapes the model's state. sampling: as
    the model's authors recommend it. thinking, thinks: whether it can be told to think, and whether it does where
    nothing is said. kv_bits: in how many bits the KV cache is kept, None for all. adapter: folder of the adapter that
    is added to it, "" for none. context_length: how many tokens it reads at most, UNTOLD_CONTEXT where its server does
    not tell. own_context: how many it could read without a limit, 0 where that is not known. usual_context: how many it
    reads where nobody limits it, since its server makes room for as many as it is told, and loads it again for other
    ones; 0 where that are all of its own. capabilities: what can be done with it, None for all that its engine can do.
    place: the host of the server that it runs on, "" for this computer.
    """

    path: str
    name: str
    detail: str
    fingerprint: str
    context_length: int
    weight_bytes: int
    layers: tuple[tuple[str, int], ...]
    is_reusable: bool
    note: str = ""
    sampling: Sampling = field(default_factory=Sampling)
    thinking: ThinkingSwitch = ThinkingSwitch.NONE
    thinks: bool = True
    kv_bits: int | None = None
    adapter: str = ""
    own_context: int = 0
    capabilities: Capabilities | None = None
    place: str = ""
    usual_context: int = 0

    @property
    def goes_on(self) -> bool:
        """Return whether it can be made to go on inside an answer, as far as that is known."""
        return self.capabilities is None or self.capabilities.going_on

    def goes_on_after(self, text: str) -> bool:
        """Return whether it can go on inside an answer that says this so far, or only thinks where that is nothing."""
        is_in_words = bool(text.strip()) or self.capabilities is None or self.capabilities.token_ids
        return self.goes_on and is_in_words

    def context_of(self, limit: int | None) -> int:
        """Return how many tokens it reads at most with a person's limit, None for none."""
        most = self.own_context or UNTOLD_CONTEXT
        return (self.usual_context or most) if limit is None else min(limit, most)


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in words a person can act on: a short title, and what happened and what to do next.

    is_missing: something is not where it was. is_of_server: what was entered about a server is the cause.
    """

    title: str
    sentence: str
    is_missing: bool = False
    is_of_server: bool = False
