"""The nudge after words that came quickly, on an event loop whose time is the test's."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from random import Random

import pytest

from app.remote.nudge import FRAME, Nudge

STEP = FRAME / 8


class Loop(asyncio.SelectorEventLoop):
    """A loop on which nothing but `pass_by` makes time go by."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 100.0

    def time(self) -> float:
        return self.now

    async def pass_by(self, steps: int) -> None:
        """Let so many steps go by, and do what is due at each."""
        for _ in range(steps):
            self.now += STEP
            for _ in range(3):
                await asyncio.sleep(0)


@pytest.fixture
def loop() -> Iterator[Loop]:
    made = Loop()
    yield made
    made.close()


@pytest.mark.parametrize("seed", range(10))
def test_it_comes_a_frame_after_the_last_of_quick_words_and_at_no_other_time(loop: Loop, seed: int) -> None:
    shown: list[float] = []
    due: list[float] = []

    async def write() -> None:
        nudge, dice, before = Nudge(lambda: shown.append(loop.now)), Random(seed), 0.0
        for _ in range(200):
            nudge.came()
            is_quick, before = loop.now - before < FRAME, loop.now
            rest = dice.choice((0, 1, 2, 3, 5, 7, 9, 12, 30))
            if is_quick and rest * STEP > FRAME:
                due.append(loop.now + FRAME)
            await loop.pass_by(rest)

    loop.run_until_complete(write())
    assert len(due) > 10
    late = [at - wanted for at, wanted in zip(shown, due, strict=True)]
    assert max(map(abs, late)) <= STEP * 1.01


def test_it_does_not_come_after_the_end(loop: Loop) -> None:
    shown: list[float] = []

    async def write() -> None:
        nudge = Nudge(lambda: shown.append(loop.now))
        nudge.came()
        nudge.came()
        nudge.end()
        await loop.pass_by(40)

    loop.run_until_complete(write())
    assert shown == []
