"""States inside an answer at which somebody may put another token, on models whose whole state cannot be rewound.

Where a model was not sure of a token a person may want another one, and what stands before it must not be computed
again. So the state before each such token is stored while the answer is written: counted and evicted like any. Where
these states take more than their part of the budget they are thinned out, those before the surest tokens first, as far
as no such token is then more than a few tokens behind a state.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from heapq import heappop, heappush
from typing import NamedTuple

from app.kvcache.session import Session

UNSURE = 0.65  # a token of a smaller probability is one that a person may want another in the place of
MOST_AGAIN = 15  # tokens that are computed again for such a fork, where the states are thinned out
_PART = 16  # of the budget, one part is for the states of one answer


class _State(NamedTuple):
    """A stored state. share: the probability of the token that it stands before."""

    share: float
    nbytes: int


class ForkPoints:
    """The states of one answer that forks begin from. Each token is told to `passed` before it counts as fed.

    Property: a token costs the same late in an answer as early in it. Whether a state may go depends on the one before
    it and on the unsure tokens up to the next one, so one that has a next one and may not go never may again.
    """

    def __init__(self, session: Session, budget_bytes: Callable[[], int]) -> None:
        """Store nothing yet, and never anything on models without whole states."""
        self._session, self._budget_bytes = session, budget_bytes
        self._are_wanted = session.bookmark() is not None
        self._unsure: list[int] = []  # offsets before unsure tokens
        self._held: list[int] = []  # those of them whose state is stored
        self._states: dict[int, _State] = {}
        self._nbytes = 0
        self._candidates: list[tuple[float, int]] = []  # a heap of (-share, offset) of states that others follow

    def passed(self, share: float) -> None:
        """Store the state before a token where the model was not sure of it. share: its probability."""
        point = self._session.bookmark() if self._are_wanted and share < UNSURE else None
        if point is None:
            return
        self._unsure.append(point.offset)
        if self._makes_way(point.state.nbytes) and self._session.keep_for_fork(point):
            self._hold(point.offset, _State(share, point.state.nbytes))

    def _hold(self, offset: int, state: _State) -> None:
        if self._held:
            heappush(self._candidates, self._rank(self._held[-1]))
        self._held.append(offset)
        self._states[offset] = state
        self._nbytes += state.nbytes

    def _rank(self, offset: int) -> tuple[float, int]:
        """Return what orders states: that before the surest token goes first, of several the first."""
        return -self._states[offset].share, offset

    def _makes_way(self, nbytes: int) -> bool:
        """Thin the states out until one more fits into their part of the budget; whether it is to be stored."""
        while (self._nbytes + nbytes) * _PART > self._budget_bytes():
            offset = self._spare()
            if offset is None:
                return not self._held or self._unsure[-1] - self._held[-1] > MOST_AGAIN
            self._session.drop_fork(offset)
            self._nbytes -= self._states.pop(offset).nbytes
            del self._held[bisect_left(self._held, offset)]
        return True

    def _spare(self) -> int | None:
        """Return the offset of the state that is to go first, None where each is needed."""
        while self._candidates and not self._is_spare(self._candidates[0][1]):
            heappop(self._candidates)
        found = [self._candidates[0]] if self._candidates else []
        if self._held and self._is_spare(self._held[-1]):
            found.append(self._rank(self._held[-1]))
        return min(found)[1] if found else None

    def _is_spare(self, offset: int) -> bool:
        """Return whether every unsure token before the next state is near enough to one before this state."""
        at = bisect_left(self._held, offset)
        if offset not in self._states or at == 0:
            return False
        until = self._held[at + 1] if at + 1 < len(self._held) else self._unsure[-1] + 1
        last = self._unsure[bisect_left(self._unsure, until) - 1]
        return last - self._held[at - 1] <= MOST_AGAIN
