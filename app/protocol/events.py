"""The events of an engine. Every event of a run carries its id; events of an unknown run are to be dropped."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from app.protocol.cache_events import CacheEvent
from app.protocol.capabilities import Capabilities
from app.protocol.dataclass import dataclass
from app.protocol.memory import ModelSupport
from app.protocol.reports import ModelInfo, Problem, RequestReport, RunStats
from app.protocol.trie_view import Residency, TrieView

TextKind = Literal["text", "thinking"]


@dataclass(frozen=True, slots=True)
class EngineStarted:
    """The engine has started: its libraries are imported and its loop runs. The first event of every engine."""

    capabilities: Capabilities
    support: ModelSupport = field(default_factory=ModelSupport)


@dataclass(frozen=True, slots=True)
class ModelLoading:
    """The opening of a model has reached a stage.

    `stage` in words for the status line; `fraction` of the weights read, None while it cannot be told.
    """

    path: str
    stage: str
    fraction: float | None = None


@dataclass(frozen=True, slots=True)
class ModelReady:
    """A model is open, and branches can be asked of it."""

    info: ModelInfo


@dataclass(frozen=True, slots=True)
class ContextLimited:
    """The open model reads at most so many tokens. problem: why the limit that was asked for is none."""

    path: str
    context_length: int
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class ModelClosed:
    """The model that was open no longer is: another one is opened instead, or needs its memory. path: "" where there
    was none."""

    path: str


@dataclass(frozen=True, slots=True)
class ModelFailed:
    """A model's folder could not be opened. A model that was open still is, unless `ModelClosed` came before."""

    path: str
    problem: Problem


@dataclass(frozen=True, slots=True)
class OpeningCancelled:
    """The opening of a model was given up, as asked. A model that was open still is, unless `ModelClosed` came before.

    What waited for it goes to the model that is open; where none is, it fails.
    """

    path: str


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run has matched its prompt and restored its path; nothing has been computed yet.

    turn_ends: token offset of the end of each turn's content in the prompt. seeds: with which each answer is written.
    """

    run_id: int
    request: RequestReport
    turn_ends: tuple[int, ...]
    seeds: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ServerAwaited:
    """A run waits for its server, which was reached before and is to be asked again.

    name: "" once it waits no more. is_away: nothing answers at its address.
    """

    run_id: int
    lane: int
    name: str
    is_away: bool = False


@dataclass(frozen=True, slots=True)
class PrefillProgress:
    """A run has read another part of its prompt.

    done: prompt tokens whose state exists, cached ones included. rate: computed tokens per second so far.
    """

    run_id: int
    done: int
    total: int
    cached: int
    rate: float


@dataclass(frozen=True, slots=True)
class Token:
    """One generated token and its range of the answer's text, or of its thought where it belongs to that.

    The range is empty while a character is incomplete, and for marks around a thought.
    """

    id: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TextDelta:
    """New text of an answer, whole characters only, and the tokens since the last delta.

    kind: whether the text belongs to the answer's words or to the thought before them. The marks around a thought are
    in no delta. uncounted: how many tokens there are besides, of which an engine does not know the ids. ends_turn:
    others are written next, so that the next delta of this answer may take a while.
    """

    run_id: int
    lane: int
    text: str
    tokens: tuple[Token, ...]
    kind: TextKind = "text"
    uncounted: int = 0
    ends_turn: bool = False


@dataclass(frozen=True, slots=True)
class RunFinished:
    """An answer ended, stopped by its owner or not.

    text: all deltas of that kind, as `thinking` is. ids: of the whole answer, as far as they are known, its thought and
    the marks around that included. choices: what else could have stood at each of them, packed as `protocol.choices`
    does; empty where that was not asked for.
    """

    run_id: int
    lane: int
    text: str
    ids: tuple[int, ...]
    stats: RunStats
    thinking: str = ""
    choices: bytes = b""


@dataclass(frozen=True, slots=True)
class RunFailed:
    """A run gives no answer, or no more of it: what was written so far has been sent as text deltas.

    lane: the one of its answers that this is about, None for all of them. The others go on. ids: of what was sent of
    this one, as far as they are known.
    """

    run_id: int
    problem: Problem
    lane: int | None = None
    ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnResidency:
    """The residency of one turn: where its content lies in the prompt, in tokens, and where its state is now.

    attached: tokens of each of its attachments; empty where the template prints them in a form of its own.
    """

    start: int
    end: int
    residency: Residency
    attached: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Cost of a branch now. `request.left` tokens would be computed; `seconds` is about how long, if known.

    pinned: tokens of the branch that a pin keeps. is_far_too_long: the branch has more tokens than `request.total`,
    which is all that the model can read; how many, and what is held of them, was not looked up, and `turns` is empty.
    is_warm: every turn is held; the few tokens between and after them are not counted as cold. is_on_disk: some of what
    is held must be read from the disk first. edge: the id of the last edge of the trie that it goes along, 0 for none:
    the price stays what it is until that one, one above it, or what hangs on it changes. known: how many of its
    tokens are in the trie, held or not.
    """

    query_id: int
    request: RequestReport
    turns: tuple[TurnResidency, ...]
    seconds: float | None
    pinned: int = 0
    is_far_too_long: bool = False
    edge: int = 0
    known: int = 0
    is_warm: bool = field(init=False)
    is_on_disk: bool = field(init=False)

    def __post_init__(self) -> None:
        """Sum the turns up once, on the thread that counted them: there may be thousands."""
        found = {turn.residency for turn in self.turns}
        object.__setattr__(self, "is_warm", not self.is_far_too_long and "none" not in found)
        object.__setattr__(self, "is_on_disk", "disk" in found)


@dataclass(frozen=True, slots=True)
class CostRefused:
    """A branch that has no price. problem: why it cannot be read; None where that is not tried at present."""

    query_id: int
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class Tokenized:
    """The token ids of a prompt. problem: why it has none."""

    query_id: int
    ids: tuple[int, ...]
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class TrieChanged:
    """The trie has changed: a new picture of it."""

    view: TrieView


@dataclass(frozen=True, slots=True)
class CacheHappened:
    """The cache has done something: its new log entries, in order. Missing numbers were dropped from a full log."""

    events: tuple[CacheEvent, ...]


@dataclass(frozen=True, slots=True)
class Pinned:
    """The outcome of `Pin`.

    tokens: of the branch that are kept now, or were and no longer are; 0 where none were. problem: why nothing was
    changed.
    """

    query_id: int
    is_pinned: bool
    tokens: int = 0
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class Evicted:
    """The outcome of `Evict`.

    tokens: whose state was let go of. bytes, disk_bytes: that are free now, in memory and on disk. problem: why nothing
    was.
    """

    query_id: int
    tokens: int = 0
    bytes: int = 0
    disk_bytes: int = 0
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class WarmingUp:
    """A warm up has computed another part of its branch. done: tokens whose state exists, of `total`."""

    query_id: int
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class WarmedUp:
    """The end of a warm up.

    tokens: that it computed, which stay cached. is_whole: all of the branch is held now; else it was cancelled or gave
    way. problem: why it could not be done.
    """

    query_id: int
    tokens: int = 0
    is_whole: bool = False
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class Verified:
    """The outcome of `Verify`.

    tokens: of the branch that were compared. is_exact: replaying the recorded calls from empty caches gives the same
    state, bit for bit. first_difference: token offset of the first that differs, or None. drift: the largest
    difference of any logit against computing the branch in one pass, a figure of the model's arithmetic and no fault.
    problem: why nothing could be compared, or None.
    """

    query_id: int
    tokens: int
    is_exact: bool
    first_difference: int | None
    drift: float
    seconds: float
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class EngineFailed:
    """The engine met an error that it cannot go on from. Conversations are safe; it must be started again."""

    problem: Problem


Event = (
    EngineStarted
    | ModelLoading
    | ModelReady
    | ContextLimited
    | ModelClosed
    | ModelFailed
    | OpeningCancelled
    | RunStarted
    | ServerAwaited
    | PrefillProgress
    | TextDelta
    | RunFinished
    | RunFailed
    | CostEstimate
    | CostRefused
    | Tokenized
    | TrieChanged
    | CacheHappened
    | Pinned
    | Evicted
    | WarmingUp
    | WarmedUp
    | Verified
    | EngineFailed
)
