"""The turns of answers that are written at the same time: whose it is, and how long it lasts.

Calls are made on one active path, so answers are written by turns, a few tokens each. A turn ends at rest, with nothing
under way, and so the next one can begin. An answer that is alone is never interrupted.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from itertools import count
from typing import ClassVar, Protocol

from app.engine.step_memory import StepMemory
from app.engine.task import ModelTask
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.session import Session
from app.prompting.problems import ShortOfMemoryError
from app.protocol.commands import MOST_LANES
from app.protocol.events import Event

SHORTEST, LONGEST = 4, 16  # tokens of a turn
_LARGEST_SHARE = 0.05  # of a turn's time that may go into mounting before turns are made longer


class TurnTask(ModelTask):
    """Work that others of its kind go on beside, by turns.

    ends_turn: nothing may be under way after the next step. is_cancelled: it ends with its next step. is_writing: its
    steps are tokens, of which a turn has several; else a turn is one step.
    """

    gives_way: ClassVar[bool] = False

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.ends_turn = self.is_cancelled = self.is_writing = False
        self.last_turn = 0

    def cancel(self) -> None:
        """End with what was written so far. What was computed stays cached."""
        self.is_cancelled = True
        self.advance()

    @abstractmethod
    def give_up(self, error: ShortOfMemoryError) -> bool:
        """Fail now, for want of memory. Return False where that would free none."""


class TurnTasks(Protocol):
    """The tasks of one run. number: of the run. tasks: those that can go on now. lanes: how many answers are left."""

    number: int

    @property
    def tasks(self) -> Sequence[TurnTask]: ...
    @property
    def lanes(self) -> int: ...
    def cancel(self, lane: int | None) -> None: ...
    def give_way(self) -> None: ...
    def take_outcomes(self) -> list[Event]: ...


class Turns:
    """The runs that are answered now, and whose turn it is. Owned by the model thread; true while there are any."""

    def __init__(
        self,
        cache: PrefixCache,
        room: StepMemory,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Begin with none. now: seconds, by which turns are measured."""
        self._cache, self._room, self._now = cache, room, now
        self._runs: list[TurnTasks] = []
        self._current: TurnTask | None = None
        self._left = 0
        self._is_at_rest, self._is_whole = True, False
        self._length = SHORTEST
        self._spent = self._mounting = 0.0
        self._serials = count(1)

    def __bool__(self) -> bool:
        return bool(self._runs)

    @property
    def lanes(self) -> int:
        """Return how many answers are being written, or will be when their prompt is read."""
        return sum(run.lanes for run in self._runs)

    def has_room_for(self, lanes: int) -> bool:
        """Return whether so many more answers can be written beside those that are."""
        return not self._runs or (self._cache.holds_many and self.lanes + lanes <= MOST_LANES)

    def add(self, run: TurnTasks) -> None:
        """Begin another run, whose first turn is the next one."""
        self._runs.append(run)
        self._interrupt()

    def advance(self) -> list[Event]:
        """Take one step of the task whose turn it is, and return the outcomes of what has ended."""
        tasks = self._tasks()
        task = self._next(tasks)
        has_others = any(other is not task for other in tasks)
        task.ends_turn = has_others and self._left <= 1
        begun = self._now()
        task.advance()
        self._spent += self._now() - begun
        self._is_at_rest = task.ends_turn or not task.is_writing
        if has_others:
            self._left -= 1
        return self._take_outcomes()

    def cancel(self, number: int, lane: int | None = None) -> list[Event]:
        """Have a run, or one answer of it, end with its next step, which is the next but one at the latest.

        Returns the outcomes of what had not begun.
        """
        for run in self._runs:
            if run.number == number:
                run.cancel(lane)
                self._interrupt()
        return self._take_outcomes()

    def stop(self) -> list[Event]:
        """End all runs now, and return their outcomes."""
        for run in self._runs:
            run.cancel(None)
        outcomes = self._take_outcomes()
        while tasks := self._tasks():
            # What is under way belongs to the task whose turn it is: that one first.
            task = self._current if self._current in tasks else tasks[0]
            assert task is not None
            task.advance()
            outcomes += self._take_outcomes()
        return outcomes

    def give_way(self) -> list[Event]:
        """Leave no session open, within a step. What has not ended by that goes on with `advance`.

        Returns the outcomes of what has.
        """
        for run in self._runs:
            run.give_way()
        self._is_at_rest = True
        return self._take_outcomes()

    def mount(self, session: Session) -> None:
        """Have calls made on a session from now on. Raises ShortOfMemoryError where it cannot be brought in."""
        if self._cache.session is session:
            return
        begun = self._now()
        self._room.make_room_to_enter(session.tokens(), self._cache)
        self._cache.mount(session)
        self._mounting += self._now() - begun

    def has_younger_ended(self, task: TurnTask, error: ShortOfMemoryError) -> bool:
        """Have the youngest answer fail for want of memory, unless there is none that is younger than this task's."""
        for other in reversed(self._all_tasks()):
            if other is task:
                return False
            if other.give_up(error):
                return True
        return False

    def _all_tasks(self) -> list[TurnTask]:
        return [task for run in self._runs for task in run.tasks]

    def _tasks(self) -> list[TurnTask]:
        """Return the tasks that can go on, oldest first; where the cache does not hold several, only that one."""
        tasks = self._all_tasks()
        return tasks if self._cache.holds_many else [task for task in tasks if task is tasks[0] or task.is_cancelled]

    def _next(self, tasks: Sequence[TurnTask]) -> TurnTask:
        """Return the task whose turn it is: those that are cancelled come first, then who waits longest."""
        current = self._current
        if current is not None and current not in tasks:
            self._interrupt()
            if not self._is_at_rest:
                return current
        elif current is not None and (self._left > 0 or len(tasks) == 1 or not self._is_at_rest):
            return current
        self._measure()
        task = min(tasks, key=lambda task: (not task.is_cancelled, task.last_turn))
        task.last_turn = next(self._serials)
        self._current, self._is_whole = task, task.is_writing
        self._left = self._length if task.is_writing else 1
        return task

    def _interrupt(self) -> None:
        """Have the turn end with its next step."""
        self._is_whole = self._is_whole and self._left <= 1
        self._left = min(self._left, 1)

    def _measure(self) -> None:
        """Make turns longer where mounting takes much of their time, and shorter again where it takes little."""
        if self._is_whole and self._spent > 0:
            share = self._mounting / self._spent
            if share > _LARGEST_SHARE:
                self._length = min(2 * self._length, LONGEST)
            elif share < _LARGEST_SHARE / 4:
                self._length = max(self._length // 2, SHORTEST)
        self._spent = self._mounting = 0.0

    def _take_outcomes(self) -> list[Event]:
        outcomes = [event for run in self._runs for event in run.take_outcomes()]
        self._runs = [run for run in self._runs if run.lanes]
        if not self._runs or (self._current is not None and self._current.outcome is not None):
            self._current = None  # which would hold the model, and what was computed
        return outcomes
