"""What the cache holds of one branch, and what going on from its end costs."""

from __future__ import annotations

from app.protocol.dataclass import dataclass
from app.protocol.events import CostEstimate
from app.protocol.reports import Problem, Reason, Source


@dataclass(frozen=True, slots=True)
class Warmth:
    """The figures of a branch. All counts of tokens are exact, as the engine told them last.

    tokens: of its own row alone, which begins after the message that it forks from, None while none of its messages is
    counted: the first of them is being written, or has only just ended; held: those of them whose state is kept.
    is_on_disk: some of these must be read from the disk first. total: tokens of the whole path; left: those of
    them to compute; seconds: about how long that takes, None while it cannot be told. context: how many tokens the
    model reads at most. is_warm: every message of the path is held, and only a few tokens after its end are computed.
    is_from_disk: as `is_on_disk`, of the whole path. is_recomputed: most of `left` had been computed before; reason:
    why that is no longer held. is_far_too_long: the path is longer than `context` by far; none of it was counted.
    refusal: why it cannot be read at all, and no other figure is known; None where it can. source: who says
    all this. has_more: the branch has words that none of it counts: of an answer that is being written, or has only
    just ended.
    """

    tokens: int | None
    held: int
    is_on_disk: bool
    total: int
    left: int
    seconds: float | None
    context: int
    is_warm: bool = False
    is_from_disk: bool = False
    is_recomputed: bool = False
    reason: Reason = Reason.NONE
    is_far_too_long: bool = False
    refusal: Problem | None = None
    source: Source = Source.MEASURED
    has_more: bool = False

    @property
    def row_tokens(self) -> int | None:
        """Return how many tokens its own row has, None while some of them are not counted: never fewer than it has."""
        return None if self.has_more else self.tokens

    @property
    def share(self) -> float:
        """Return how much of its own row is held, from 0 to 1."""
        if not self.tokens:
            return 1.0 if self.is_warm else 0.0
        return self.held / self.tokens

    @property
    def fits(self) -> bool:
        """Return whether the model can read the whole path and write a token after it."""
        return self.refusal is None and not self.is_far_too_long and self.total < self.context

    @property
    def cached(self) -> int:
        """Return how many tokens of the whole path need not be computed."""
        return self.total - self.left


def unreadable_warmth(problem: Problem, context: int) -> Warmth:
    """Return the warmth of a branch that cannot be read."""
    return Warmth(None, 0, False, 0, 0, None, context, refusal=problem)


def warmth_from(priced: CostEstimate, first: int, context: int) -> Warmth:
    """Return the warmth of a branch from its price.

    first: how many messages of its path come before its own row. context: how many tokens the model reads at most.
    """
    request, own = priced.request, priced.turns[first:]
    start = priced.turns[first - 1].end if 0 < first <= len(priced.turns) else 0
    end = own[-1].end if own else start
    places = {turn.residency for turn in own}
    is_held = bool(own) and "none" not in places
    return Warmth(
        tokens=end - start if own else None,
        held=end - start if is_held else min(max(request.cached - start, 0), end - start),
        is_on_disk="disk" in places,
        total=request.total,
        left=request.left,
        seconds=priced.seconds,
        context=context,
        is_warm=priced.is_warm,
        is_from_disk=priced.is_on_disk,
        is_recomputed=request.is_recomputed,
        reason=request.reason,
        is_far_too_long=priced.is_far_too_long,
        source=request.source,
    )
