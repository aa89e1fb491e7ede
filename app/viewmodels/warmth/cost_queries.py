"""Questions to the engine about what a branch would cost, one at a time for each purpose, the newest first in line."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from app.protocol.chat import PromptOptions, Turn
from app.protocol.commands import Command, EstimateCost
from app.protocol.events import CostEstimate

Answer = Callable[[CostEstimate], None]
_AS_SAID = PromptOptions()
_IDS = count(1)  # of all windows together, each of which hears every answer


class BegunAnswer(NamedTuple):
    """An answer that would go on: what it says, and the token ids of the one that it is an edit of."""

    turn: Turn | None = None
    edited: tuple[int, ...] = ()


_NO_ANSWER = BegunAnswer()

# Seconds after which a query counts as lost: a branch that cannot be answered has no price, and no word comes of it.
PATIENCE = 2.0
CAUTION = 4  # times what the last answer took


@dataclass(slots=True)
class _Asked:
    """A query under way, and the one that takes its place once it is answered."""

    query_id: int
    answer: Answer
    at: float
    next: tuple[Sequence[Turn], Answer, PromptOptions, BegunAnswer, bool] | None = None


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
    ) -> None:
        """Have `answer` called with what this branch costs, unless a newer query for the same purpose comes first.

        begun: of an answer to it that would go on. is_exact: as of `EstimateCost`.
        """
        asked = self._asked.get(purpose)
        if asked is None or self._clock() - asked.at > max(PATIENCE, CAUTION * self.took):
            self._send(purpose, turns, answer, options, begun, is_exact)
        else:
            asked.next = (turns, answer, options, begun, is_exact)

    def take(self, event: CostEstimate) -> None:
        """Take an answer of the engine. Unknown ones are dropped."""
        purpose = next((word for word, asked in self._asked.items() if asked.query_id == event.query_id), None)
        if purpose is None:
            return
        asked = self._asked.pop(purpose)
        self.took = self._clock() - asked.at
        if asked.next is None:
            asked.answer(event)
        else:
            self._send(purpose, *asked.next)

    def drop(self, purpose: str) -> None:
        """Drop the query for a purpose, under way and in line: nobody wants to know."""
        self._asked.pop(purpose, None)

    def drop_all(self) -> None:
        """Drop all queries: the model is gone, and nothing will be answered."""
        self._asked.clear()

    def _send(
        self,
        purpose: str,
        turns: Sequence[Turn],
        answer: Answer,
        options: PromptOptions,
        begun: BegunAnswer,
        is_exact: bool,
    ) -> None:
        asked = _Asked(next(_IDS), answer, self._clock())
        self._asked[purpose] = asked
        self._submit(EstimateCost(asked.query_id, turns, options, *begun, is_exact=is_exact))
