"""The questions that wait for their turn."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from app.protocol.commands import Generate


@dataclass
class Question:
    """A question that waits. lanes: the numbers of the answers to it that are still wanted."""

    command: Generate
    lanes: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.lanes = list(range(len(self.command.lanes)))

    def drop(self, lane: int | None) -> list[int]:
        """Want this answer to it no more, or none where that is None; returns which that were."""
        dropped = [number for number in self.lanes if lane in (None, number)]
        self.lanes = [number for number in self.lanes if number not in dropped]
        return dropped


class RunQueue:
    """A queue of questions, first come first served; true while one can be taken.

    Those that are asked while a model is being opened are for that one, and held until then.
    """

    def __init__(self) -> None:
        self._ready: deque[Question] = deque()
        self._held: deque[Question] = deque()

    def __bool__(self) -> bool:
        return bool(self._ready)

    @property
    def lanes(self) -> int:
        """Return how many answers the next question wants. Raises IndexError when there is none."""
        return len(self._ready[0].lanes)

    def add(self, command: Generate) -> None:
        """Add a question at the end."""
        self._ready.append(Question(command))

    def hold(self, command: Generate) -> None:
        """Add a question that is not to be taken before `release`."""
        self._held.append(Question(command))

    def take(self) -> Question:
        """Take the next question off the queue. Raises IndexError when there is none."""
        return self._ready.popleft()

    def remove(self, run_id: int, lane: int | None = None) -> list[tuple[Generate, int]]:
        """Take this answer off the queue, or all with this id. Returns the question and number of each."""
        found = [question for question in (*self._ready, *self._held) if question.command.run_id == run_id]
        removed = [(question.command, number) for question in found for number in question.drop(lane)]
        self._ready = deque(question for question in self._ready if question.lanes)
        self._held = deque(question for question in self._held if question.lanes)
        return removed

    def release(self) -> None:
        """Put what was held behind what is ready."""
        self._ready += self._held
        self._held.clear()
