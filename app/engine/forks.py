"""States inside an answer at which somebody may put another token, on models whose whole state cannot be rewound.

Where a model was not sure of a token a person may want another one, and what stands before it must not be computed
again. So the state before each such token is stored while the answer is written: counted and evicted like any. Where
these states take more than their part of the budget they are thinned out, those before the surest tokens first, as far
as no such token is then more than a few tokens behind a state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from app.kvcache.session import Session

UNSURE = 0.65  # a token of a smaller probability is one that a person may want another in the place of
MOST_AGAIN = 15  # tokens that are computed again for such a fork, where the states are thinned out
_PART = 16  # of the budget, one part is for the states of one answer


class _Point(NamedTuple):
    """A place before an unsure token. share: the token's probability. nbytes: of its state, 0 where none is stored."""

    offset: int
    share: float
    nbytes: int


class ForkPoints:
    """The states of one answer that forks begin from. Each token is told to `passed` before it counts as fed."""

    def __init__(self, session: Session, budget_bytes: Callable[[], int]) -> None:
        """Store nothing yet, and never anything on models without whole states."""
        self._session, self._budget_bytes = session, budget_bytes
        self._are_wanted = session.bookmark() is not None
        self._points: list[_Point] = []

    def passed(self, share: float) -> None:
        """Store the state before a token where the model was not sure of it. share: its probability."""
        point = self._session.bookmark() if self._are_wanted and share < UNSURE else None
        if point is None:
            return
        self._points.append(_Point(point.offset, share, 0))
        if self._makes_way(point.state.nbytes) and self._session.keep_for_fork(point):
            self._points[-1] = self._points[-1]._replace(nbytes=point.state.nbytes)

    def _makes_way(self, nbytes: int) -> bool:
        """Thin the states out until one more fits into their part of the budget; whether it is to be stored."""
        while (sum(one.nbytes for one in self._points) + nbytes) * _PART > self._budget_bytes():
            spare = [at for at, one in enumerate(self._points) if one.nbytes and self._is_spare(at)]
            if not spare:
                return not self._is_reached(len(self._points) - 1)
            at = max(spare, key=lambda at: self._points[at].share)
            self._session.drop_fork(self._points[at].offset)
            self._points[at] = self._points[at]._replace(nbytes=0)
        return True

    def _is_spare(self, at: int) -> bool:
        """Return whether every unsure token before the next state is near enough to one before this state."""
        following = next((n for n in range(at + 1, len(self._points)) if self._points[n].nbytes), len(self._points))
        return all(self._is_reached(one, without=at) for one in range(at, following))

    def _is_reached(self, at: int, without: int | None = None) -> bool:
        """Return whether a fork at a point has few tokens to compute again."""
        offset = self._points[at].offset
        held = [one.offset for n, one in enumerate(self._points[: at + 1]) if one.nbytes and n != without]
        return bool(held) and offset - held[-1] <= MOST_AGAIN
