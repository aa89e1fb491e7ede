"""Work in steps that comes to a value: a generator that yields while there is nothing to do but wait."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import TypeVar

T = TypeVar("T")
Steps = Generator[None, None, T]


def finish(steps: Steps[T]) -> T:
    """Take all steps, and return what they come to."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            value: T = end.value
            return value


def finish_within(steps: Steps[T], seconds: float) -> T | None:
    """Take all steps, as `finish` does, unless there is not so much time: then return None."""
    until = time.monotonic() + seconds
    return finish(take_while(steps, lambda: time.monotonic() < until))


def take_while(steps: Steps[T], goes_on: Callable[[], bool]) -> Steps[T | None]:
    """Take steps as long as this goes on, and then no more: return what they come to, or None."""
    while goes_on():
        try:
            next(steps)
        except StopIteration as end:
            value: T = end.value
            return value
        yield
    return None
