"""Long sequences that follow each other, at random."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest

from app.viewmodels.kit import differing as under_test
from app.viewmodels.kit.differing import RunningSum, differing


@dataclass(frozen=True)
class Thing:
    worth: int


def another(dice: Random, things: tuple[Thing, ...]) -> tuple[Thing, ...]:
    """Exchange some of the things for others, or for equal ones, put some in and take some out."""
    at = dice.randint(0, len(things))
    end = min(len(things), at + dice.choice((0, 1, 3, 30)))
    kept = [Thing(one.worth) if dice.random() < 0.5 else one for one in things[at:end]]
    new = [Thing(dice.randrange(3)) for _ in range(dice.choice((0, 0, 1, 5)))]
    return (*things[:at], *kept[: dice.randint(0, len(kept))], *new, *things[end:])


@pytest.mark.parametrize("seed", range(20))
def test_all_outside_of_what_differs_is_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(under_test, "_CHUNK", 4)
    dice = Random(seed)
    total = RunningSum[Thing](lambda thing: thing.worth)
    things: tuple[Thing, ...] = ()
    for _ in range(200):
        before, things = things, another(dice, things)
        old, new = differing(before, things)
        assert before[: old.start] == things[: new.start]
        assert before[old.stop :] == things[new.stop :]
        assert old.start <= old.stop <= len(before)
        assert new.start <= new.stop <= len(things)
        total.follow(things)
        assert total.now == sum(thing.worth for thing in things)


@pytest.mark.parametrize("number", [0, 1, 127, 128, 129, 300, 511])
def test_one_other_thing_is_all_that_differs(number: int) -> None:
    things = tuple(map(Thing, range(512)))
    others = (*things[:number], Thing(-1), *things[number + 1 :])
    only = slice(number, number + 1)
    assert differing(things, others) == (only, only)
    assert differing(things, things) == (slice(512, 512), slice(512, 512))
    assert differing(things, others[:number] + others[number + 1 :]) == (only, slice(number, number))
