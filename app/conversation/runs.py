"""Runs of a conversation: what an outline, a map or a list of branches shows as one row each.

Properties: every message lies in one run. A run ends where the tree forks, and before a message that has a name, so
that every name begins a run. What is found costs steps for chains and names, not for messages.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from app.conversation.chain import Chain

_WHOLE = [0]  # the place at which the only run of a chain begins


class Run(NamedTuple):
    """Messages that follow one another without a fork.

    first_id: which names the run. length: messages in it. children: first ids, oldest first.
    """

    first_id: str
    last_id: str
    length: int
    parent_id: str | None
    children: tuple[str, ...]


class Runs(Mapping[str, Run]):
    """Runs by the id of their first message, each after the one above it and before its next sibling."""

    def __init__(self, root: Chain, starts: Mapping[Chain, list[int]]) -> None:
        """starts: places in chains, in order, at which a message with a name stands."""
        self._first_ids: dict[Chain, tuple[list[int], list[str]]] = {}
        self._runs: dict[str, Run] = {}
        waiting: list[tuple[Chain, str | None]] = [(chain, None) for chain in reversed(root.below)]
        while waiting:
            chain, above = waiting.pop()
            names = starts.get(chain)
            if names is None and (above is None or len(chain.above.below) > 1):
                last_id = self._add_whole(chain, above)
            else:
                last_id = self._add(chain, above, names or [])
            waiting += [(below, last_id) for below in reversed(chain.below)]

    def __getitem__(self, first_id: str) -> Run:
        return self._runs[first_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)

    def at(self, chain: Chain, place: int) -> Run:
        """Return the run of the message at this place of a chain."""
        places, ids = self._first_ids[chain]
        return self._runs[ids[bisect_right(places, place) - 1]]

    def grow(self, chain: Chain) -> None:
        """Take in a message without a name that has come to the end of a chain."""
        first_id = self._first_ids[chain][1][-1]
        run = self._runs[first_id]
        self._runs[first_id] = run._replace(last_id=chain.messages[-1].id, length=run.length + 1)

    def _add_whole(self, chain: Chain, above: str | None) -> str:
        """Add a chain that is one run, as nearly all are, below the run above it; return that."""
        messages = chain.messages
        first_id = messages[0].id
        self._runs[first_id] = Run(first_id, messages[-1].id, len(messages), above, _first_below(chain))
        self._first_ids[chain] = (_WHOLE, [first_id])
        return first_id

    def _add(self, chain: Chain, above: str | None, names: list[int]) -> str:
        """Add the runs of a chain below the run above it, or let that go on; return the last of them."""
        messages = chain.messages
        starts = names if names and not names[0] else [0, *names]
        ids = [messages[start].id for start in starts]
        goes_on = above is not None and starts is not names and len(chain.above.below) == 1
        for at, start in enumerate(starts):
            is_last = at + 1 == len(starts)
            end = len(messages) if is_last else starts[at + 1]
            children = _first_below(chain) if is_last else (ids[at + 1],)
            last_id = messages[end - 1].id
            if goes_on and above is not None and at == 0:
                run = self._runs[above]
                self._runs[above] = run._replace(last_id=last_id, length=run.length + end, children=children)
                ids[0] = above
            else:
                self._runs[ids[at]] = Run(ids[at], last_id, end - start, above, children)
            above = ids[at]
        self._first_ids[chain] = (starts, ids)
        return ids[-1]


def _first_below(chain: Chain) -> tuple[str, ...]:
    """Return the ids that runs below a chain begin with; none where its last run goes on in the next chain."""
    below = chain.below
    if len(below) == 1 and below[0].messages[0].name is None:
        return ()
    return tuple([one.messages[0].id for one in below])
