"""What the engine can be asked. Values only: each could be pickled and sent to another process."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.protocol.chat import Sampling, Turn


@dataclass(frozen=True, slots=True)
class LoadModel:
    """Close the open model, if any, and open the one in this folder."""

    path: str


@dataclass(frozen=True, slots=True)
class Generate:
    """Answer a branch whose last turn is the question.

    owner: who will come back to this branch (a conversation); its restore points are anchored for it.
    forced: token ids that the answer must begin with. lanes: how many answers decode together.
    """

    run_id: int
    turns: tuple[Turn, ...]
    sampling: Sampling = field(default_factory=Sampling)
    owner: str = ""
    forced: tuple[int, ...] = ()
    lanes: int = 1


@dataclass(frozen=True, slots=True)
class Cancel:
    """Stop a run within one token or one prefill chunk; what was computed stays cached. Unknown runs are ignored."""

    run_id: int


@dataclass(frozen=True, slots=True)
class Price:
    """Ask what a branch would cost now. Answered with `Priced` within one step of whatever runs."""

    query_id: int
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Verify:
    """Compare what is cached of a branch with computing it again. Answered with `Verified`.

    It takes as long as computing the branch twice, so it is refused while a run is active or waits.
    """

    query_id: int
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class SetBudget:
    """Bytes that live and stored state may take together; None is the default for this machine and model."""

    budget_bytes: int | None


@dataclass(frozen=True, slots=True)
class ReleaseOwner:
    """The conversation is gone: its anchors no longer keep restore points."""

    owner: str


@dataclass(frozen=True, slots=True)
class Shutdown:
    """End the loop after the current step. The run in progress is cancelled first."""


Command = LoadModel | Generate | Cancel | Price | Verify | SetBudget | ReleaseOwner | Shutdown
