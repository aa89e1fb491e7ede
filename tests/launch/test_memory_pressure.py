"""Pressure is told when it comes, and when it has been gone for a while."""

from __future__ import annotations

import random
import sys
from itertools import pairwise

import pytest

from app.launch.memory_pressure import CRITICAL, NORMAL, WARNING, MemoryWatch, reader
from tests.seeds import each_seed


@pytest.fixture(autouse=True)
def _application(qapp: object) -> None:
    """Timers need one."""


def watched(levels: list[int]) -> list[int]:
    told: list[int] = []
    coming = iter(levels)
    watch = MemoryWatch(read=lambda: next(coming), every_ms=1_000_000)
    watch.changed.connect(told.append)
    for _ in levels:
        watch.look()
    watch.close()
    return told


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ([NORMAL] * 20, []),
        ([WARNING, WARNING], [WARNING]),
        ([WARNING, CRITICAL, CRITICAL], [WARNING, CRITICAL]),
        ([WARNING, *[NORMAL] * 9, WARNING, *[NORMAL] * 9], [WARNING]),
        ([WARNING, *[NORMAL] * 10], [WARNING, NORMAL]),
        ([CRITICAL, WARNING, WARNING, *[NORMAL] * 10], [CRITICAL, NORMAL]),
        ([0, 3, -1, 99], []),
    ],
)
def test_it_is_told_once_and_over_only_after_a_while(levels: list[int], expected: list[int]) -> None:
    assert watched(levels) == expected


@each_seed(range(5))
def test_whatever_comes_the_news_alternate_and_end_with_calm(seed: int) -> None:
    draw = random.Random(seed)
    levels = [draw.choice([NORMAL, NORMAL, NORMAL, WARNING, CRITICAL]) for _ in range(500)] + [NORMAL] * 10
    told = watched(levels)
    assert told[-1] == NORMAL
    assert all(one != other for one, other in pairwise(told))


@pytest.mark.skipif(sys.platform == "darwin", reason="there the system tells it")
def test_nothing_is_looked_at_where_nothing_tells(qapp: object) -> None:
    assert reader() is None
    watch = MemoryWatch()
    assert not watch._timer.isActive()
