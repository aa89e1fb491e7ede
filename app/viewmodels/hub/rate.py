"""The rate of a download, and what time it leaves, smoothed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import monotonic

_LONGEST = 20.0  # seconds that are looked back on
_LEAST = 1.5  # seconds before anything is said


class Rate:
    """The rate over the last seconds. clock: seconds, monotonic."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque()

    def forget(self) -> None:
        """Begin anew, as after a pause."""
        self._seen.clear()

    def take(self, done: int) -> None:
        """Note how many bytes have arrived by now."""
        now = self._clock()
        if self._seen and done < self._seen[-1][1]:
            self._seen.clear()  # a file is fetched once more
        self._seen.append((now, done))
        while now - self._seen[0][0] > _LONGEST:
            self._seen.popleft()

    @property
    def per_second(self) -> float | None:
        """Return bytes per second, None before that can be said."""
        if not self._seen:
            return None
        (since, before), (now, done) = self._seen[0], self._seen[-1]
        return (done - before) / (now - since) if now - since >= _LEAST else None

    def seconds_left(self, left: int) -> float | None:
        """Return how long the rest will take, None before that can be said, or while nothing arrives."""
        rate = self.per_second
        return left / rate if rate else None
