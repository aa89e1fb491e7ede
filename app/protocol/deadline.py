"""Calls that may hang, as those of a disk that does not answer, with an end to the waiting."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Generic, TypeVar

T = TypeVar("T")
NO_ANSWER = "The disk does not answer"
_WAITS = 10


class DeadlineCaller:
    """A caller of functions on other threads, one at a time, that waits for each at most so long.

    A call that was not answered in time goes on by itself, and until it ends no other is made. No call keeps the
    process from ending. To be used by one thread.
    """

    def __init__(self, name: str, seconds: float) -> None:
        """Set the name of the threads, and the seconds that a call may take."""
        self._name, self._seconds = name, seconds
        self._late: threading.Thread | None = None

    @property
    def is_stuck(self) -> bool:
        """Return whether a call that was given up has not ended yet."""
        return self._late is not None and self._late.is_alive()

    def call(self, function: Callable[[], T]) -> T:
        """Call a function and return what it returns, or raise what it raises; TimeoutError when it takes too long."""
        if self.is_stuck:
            raise no_answer()
        answer = _Answer(function)
        thread = threading.Thread(target=answer.run, name=self._name, daemon=True)
        thread.start()
        if not wait_awake(answer.has_come, self._seconds):
            self._late = thread
            raise no_answer()
        return answer.get()


class _Answer(Generic[T]):
    """Outcome of a function: what it has returned or raised."""

    def __init__(self, function: Callable[[], T]) -> None:
        self.has_come = threading.Event()
        self._function = function
        self._results: list[T] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        with self:
            self._results.append(self._function())

    def get(self) -> T:
        if self._error is not None:
            raise self._error
        return self._results[0]

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._error = error
        self.has_come.set()
        return True


def wait_awake(event: threading.Event, seconds: float) -> bool:
    """Wait for an event at most so long, the time in which the machine sleeps left out. False when it has not come.

    Python waits on a Mac by the clock on the wall: of several short waits a sleep uses up one.
    """
    return any(event.wait(seconds / _WAITS) for _ in range(_WAITS))


def no_answer() -> TimeoutError:
    """Return the error for a disk that does not answer."""
    return TimeoutError(errno.ETIMEDOUT, NO_ANSWER)
