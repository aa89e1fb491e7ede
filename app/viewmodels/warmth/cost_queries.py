"""Questions to the engine about what a branch would cost, one at a time for each purpose, the newest first in line."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from app.protocol.chat import PromptOptions, Turn
from app.protocol.commands import Command, EstimateCost
from app.protocol.events import CostEstimate, CostRefused

Answer = Callable[[CostEstimate], None]
Refused = Callable[[CostRefused], None]
_AS_SAID = PromptOptions()
_IDS = count(1)  # of all windows together, each of which hears every answer


class BegunAnswer(NamedTuple):
    """An answer that would go on: what it says, and the token ids of the one that it is an edit of.

    forced: token ids that an answer would begin with, where it goes on from a place in another one.
    """

    turn: Turn | None = None
    edited: tuple[int, ...] = ()
    forced: tuple[int, ...] = ()


_NO_ANSWER = BegunAnswer()

# Seconds after which a query counts as lost: a model that is opened meanwhile answers none that was asked before.
PATIENCE = 2.0
CAUTION = 4  # times what the last answer took


class _Query(NamedTuple):
    """A query, and what is called with its outcome."""

    turns: Sequence[Turn]
    answer: Answer
    options: PromptOptions
    begun: BegunAnswer
    is_exact: bool
    refused: Refused


@dataclass(slots=True)
class _Asked:
    """A query under way, and the one that takes its place once it is answered."""

    query_id: int
    query: _Query
    at: float
    next: _Query | None = None


class CostQueries:
    """Keeps the engine from drowning in queries: a purpose has one query under way and one in line at most.

    A purpose is any word ("path", "send", the id of a sibling). When a newer query stands in line, the older one's
    figures are about something that is no longer shown: they are dropped.

    Attribute: took, seconds from the last query that was answered to its answer.
    """

    def __init__(self, submit: Callable[[Command], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._submit = submit
        self._clock = clock
        self._asked: dict[str, _Asked] = {}
        self.took = 0.0

    def ask(
        self,
        purpose: str,
        turns: Sequence[Turn],
        answer: Answer,
        options: PromptOptions = _AS_SAID,
        begun: BegunAnswer = _NO_ANSWER,
        is_exact: bool = False,
        refused: Refused = lambda _event: None,
    ) -> None:
        """Have `answer` called with what this branch costs, unless a newer query for the same purpose comes first.

        begun: of an answer to it that would go on. is_exact: as of `EstimateCost`. refused: called instead, with why
        the branch cannot be read.
        """
        query = _Query(turns, answer, options, begun, is_exact, refused)
        asked = self._asked.get(purpose)
        if asked is None or self._clock() - asked.at > max(PATIENCE, CAUTION * self.took):
            self._send(purpose, query)
        else:
            asked.next = query

    def take(self, event: CostEstimate | CostRefused) -> None:
        """Take an answer of the engine. Unknown ones are dropped."""
        purpose = next((word for word, asked in self._asked.items() if asked.query_id == event.query_id), None)
        if purpose is None:
            return
        asked = self._asked.pop(purpose)
        self.took = self._clock() - asked.at
        if asked.next is not None:
            self._send(purpose, asked.next)
        elif isinstance(event, CostEstimate):
            asked.query.answer(event)
        else:
            asked.query.refused(event)

    def drop(self, purpose: str) -> None:
        """Drop the query for a purpose, under way and in line: nobody wants to know."""
        self._asked.pop(purpose, None)

    def drop_all(self) -> None:
        """Drop all queries: the model is gone, and nothing will be answered."""
        self._asked.clear()

    def _send(self, purpose: str, query: _Query) -> None:
        asked = _Asked(next(_IDS), query, self._clock())
        self._asked[purpose] = asked
        turns, options, begun = query.turns, query.options, query.begun
        self._submit(
            EstimateCost(
                *(asked.query_id, turns, options, begun.turn, begun.edited),
                is_exact=query.is_exact,
                forced=begun.forced,
            )
        )
