"""The commands of an engine. Values only: each could be pickled and sent to another process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from app.protocol.chat import Parameter, PromptOptions, Resumption, Sampling, Turn
from app.protocol.dataclass import dataclass
from app.protocol.servers import Server

_AS_SAID = PromptOptions()
CONTEXT_LIMIT = Parameter("context limit", 128, 1 << 30, is_whole=True, may_lack=True)  # tokens


@dataclass(frozen=True, slots=True)
class LoadModel:
    """Open the model that this names, as `protocol.references` tells, and then close the one that was open, if any.

    That other one stays open, and what it does goes on, until the new one is known to be sound; where both do not fit
    into memory together it is closed then, else when the new one is ready. What is asked from then on waits for it.

    kv_bits: in how many bits its KV cache is kept, where its layers allow it, which makes answers approximate; None for
    all bits. adapter: the folder of a LoRA adapter that is added to the model, "" for none. context_limit: how many
    tokens it reads at most, as of `LimitContext`. server: the one that the model is on, None for a folder's.
    """

    path: str
    kv_bits: int | None = None
    adapter: str = ""
    context_limit: int | None = None
    server: Server | None = None


@dataclass(frozen=True, slots=True)
class CloseModel:
    """End what is asked of the open model and close it. Answered with `ModelClosed`, also where none is open."""


@dataclass(frozen=True, slots=True)
class LimitContext:
    """Have the open model read at most so many tokens, None for as many as it can. Answered with `ContextLimited`.

    It holds at once, for an answer under way too, and nothing that is cached is lost.
    """

    tokens: int | None


@dataclass(frozen=True, slots=True)
class CancelOpening:
    """Give up the opening of this model within a step. Answered with `OpeningCancelled`, unless it has ended."""

    path: str


MOST_LANES = 8
MOST_GUESTS = 9  # questions of other programs at a time: one that is answered, unless the window has one, and others
LONGEST_TEXT = 1 << 20  # characters of a prompt that is a text


@dataclass(frozen=True, slots=True)
class Lane:
    """One of several answers to a branch: its settings, and the token ids that it must begin with."""

    sampling: Sampling = field(default_factory=Sampling)
    forced: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Generate:
    """Answer a branch whose last turn is the question.

    owner: who will come back to this branch (a conversation); its restore points are anchored for it.
    forced: token ids that the answer must begin with. beside: further answers to the branch, `MOST_LANES` in all.
    begun: the answer so far, where one goes on that has ended: it counts as forced in each, by its own ids where
    this model wrote it. edited: token ids of the answer that `begun` is an edit of, whose beginning counts as far as it
    still says the same.
    resumptions: of an answer that is written once more, in their order, for the first answer only; the same texts end
    it in all of them. alternatives: say with each answer what else could have stood in it.

    is_guest: another program asks. It waits while anything of the window's is asked or waits, gives way to it at the
    next step, and goes on later; `MOST_GUESTS` may ask at a time, each for one answer. ids, text: its prompt in place
    of turns, at most one of the two: as token ids, or as text in which control tokens count and around which is no
    template.
    """

    run_id: int
    turns: Sequence[Turn]
    sampling: Sampling = field(default_factory=Sampling)
    owner: str = ""
    forced: tuple[int, ...] = ()
    beside: tuple[Lane, ...] = ()
    options: PromptOptions = _AS_SAID
    begun: Turn | None = None
    resumptions: tuple[Resumption, ...] = ()
    edited: tuple[int, ...] = ()
    alternatives: bool = False
    ids: tuple[int, ...] = ()
    text: str = ""
    is_guest: bool = False

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """Return all answers that are asked for, in their order."""
        return Lane(self.sampling, self.forced), *self.beside


@dataclass(frozen=True, slots=True)
class Cancel:
    """Stop a run within one token or one prefill chunk; what was computed stays cached. Unknown runs are ignored.
    A prompt whose token ids are wanted is not read any more under its id.

    lane: the one of its answers that is stopped, by its number from 0 on; None for all. A check or a warm up that goes
    on under this id is stopped too; none goes on while a run does.
    """

    run_id: int
    lane: int | None = None


@dataclass(frozen=True, slots=True)
class EstimateCost:
    """Ask what a branch would cost now. Answered with `CostEstimate` or `CostRefused`.

    One is answered in each step of whatever runs. begun, edited: of an answer to it that would go on, as in
    `Generate`. forced: token ids that the answer would begin with. is_exact: a branch that is far longer than the model
    can read is counted too, which takes more steps than it is worth unless somebody looks at it.
    """

    query_id: int
    turns: Sequence[Turn]
    options: PromptOptions = _AS_SAID
    begun: Turn | None = None
    edited: tuple[int, ...] = ()
    is_exact: bool = False
    forced: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Tokenize:
    """Ask for the token ids of a prompt: of a text as `Generate.text` is read, or of turns. Answered with `Tokenized`.

    It is answered between the steps of whatever runs. At most one of the two is given.
    """

    query_id: int
    text: str = ""
    turns: Sequence[Turn] = ()
    options: PromptOptions = _AS_SAID


@dataclass(frozen=True, slots=True)
class Verify:
    """Compare what is cached of a branch with computing it again. Answered with `Verified`.

    It takes as long as computing the branch twice, so it is refused while a run is active or waits, and stopped when
    one is asked for. Other commands are obeyed between its steps.
    """

    query_id: int
    turns: Sequence[Turn]
    options: PromptOptions = _AS_SAID


@dataclass(frozen=True, slots=True)
class SetBudget:
    """Limit the bytes that live and stored state take together; None is the default for this machine and model."""

    budget_bytes: int | None


@dataclass(frozen=True, slots=True)
class Pin:
    """Keep what is cached of a branch, whatever else needs room, or let it go again. Answered with `Pinned`.

    message_id: of the message that it is kept with: of each one place is kept, that which was pinned last. What is let
    go of is that place, wherever the branch runs now. Refused while a run is active or waits.
    """

    query_id: int
    turns: Sequence[Turn]
    is_pinned: bool
    options: PromptOptions = _AS_SAID
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class Evict:
    """Let go of the state of some edges of the trie and of all below them, in memory and on disk.

    Their tokens stay known, and no text is touched. What is pinned stays, and what an answer is being written on.
    Answered with `Evicted`.
    """

    query_id: int
    node_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WarmUp:
    """Compute what is not held of a branch, up to the end of its last turn, without answering it.

    It goes on in small steps, told of by `WarmingUp` and at the end by `WarmedUp`, until it is done, is cancelled, or
    something is asked: it is refused while a run is active or waits. owner: as of `Generate`.
    """

    query_id: int
    turns: Sequence[Turn]
    options: PromptOptions = _AS_SAID
    owner: str = ""


@dataclass(frozen=True, slots=True)
class ConfigureDiskCache:
    """Keep cached state in files too: of every model from the next one on, and of the open one within new limits.

    folder: of all models' files, "" for none. budget_bytes: what they may take, None for the default of this disk, 0 to
    delete them and write none. writes_all: write every whole state, not only those far from the next one.
    """

    folder: str
    budget_bytes: int | None = None
    writes_all: bool = False


@dataclass(frozen=True, slots=True)
class ClearDiskCache:
    """Delete all files of cached state, other models' too. What is in memory stays."""


@dataclass(frozen=True, slots=True)
class EraseOwner:
    """Erase the state, in memory and on disk, that only this owner used: a conversation that is gone for ever."""

    owner: str


@dataclass(frozen=True, slots=True)
class Shutdown:
    """End the loop after the current step. The run in progress is cancelled first."""


Command = (
    LoadModel
    | CloseModel
    | LimitContext
    | CancelOpening
    | Generate
    | Cancel
    | EstimateCost
    | Tokenize
    | Verify
    | Pin
    | Evict
    | WarmUp
    | SetBudget
    | ConfigureDiskCache
    | ClearDiskCache
    | EraseOwner
    | Shutdown
)
