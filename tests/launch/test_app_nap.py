"""App Nap is held off while answers are written, and each beginning has its end."""

from __future__ import annotations

import random
from typing import Any

from app.launch.app_nap import AppNap, system_activities
from app.protocol.events import EngineFailed, Event, ModelClosed, RunFailed, RunFinished, RunStarted, TextDelta
from tests.seeds import each_seed


class Counted:
    """Activities that are counted."""

    def __init__(self) -> None:
        self.open: list[int] = []
        self.begun = 0

    def begin(self) -> object:
        self.begun += 1
        self.open.append(self.begun)
        return self.begun

    def end(self, activity: Any) -> None:
        self.open.remove(activity)


def event(kind: type, run_id: int) -> Event:
    """An event of which nothing but its kind and its run counts."""
    made: Event = object.__new__(kind)
    object.__setattr__(made, "run_id", run_id) if hasattr(kind, "run_id") else None
    return made


@each_seed(range(5))
def test_it_is_held_off_exactly_while_answers_are_written(seed: int) -> None:
    draw = random.Random(seed)
    counted, runs = Counted(), set[int]()
    nap = AppNap(activities=counted)
    for _ in range(400):
        kind = draw.choice([RunStarted, RunStarted, RunFinished, RunFailed, TextDelta, EngineFailed, ModelClosed])
        run_id = draw.randrange(4)
        nap.follow(event(kind, run_id))
        if kind is RunStarted:
            runs.add(run_id)
        elif kind in (RunFinished, RunFailed):
            runs.discard(run_id)
        elif kind is not TextDelta:
            runs.clear()
        assert len(counted.open) == bool(runs)
    nap.close()
    nap.follow(event(RunStarted, 9))
    assert counted.open == []
    assert counted.begun > 10


class Failing(Counted):
    """Activities of a system that is another one than was thought, from so many calls on."""

    def __init__(self, good: int) -> None:
        super().__init__()
        self._good = good

    def begin(self) -> object:
        self._count()
        return super().begin()

    def end(self, activity: Any) -> None:
        super().end(activity)
        self._count()

    def _count(self) -> None:
        self._good -= 1
        if self._good < 0:
            raise OSError("no such function")


@each_seed(range(8))
def test_a_system_that_cannot_be_told_is_not_told_and_answers_go_on(seed: int) -> None:
    draw = random.Random(seed)
    failing = Failing(seed)
    nap = AppNap(activities=failing)
    for _ in range(40):
        nap.follow(event(draw.choice([RunStarted, RunFinished, RunFailed]), draw.randrange(2)))
    nap.close()
    assert failing.open == []


def test_elsewhere_nothing_is_told(qapp: object) -> None:
    nap = AppNap(activities=None)
    nap.follow(event(RunStarted, 1))
    nap.close()
    assert nap._activity is None or system_activities() is not None
