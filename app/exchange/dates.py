"""The dates in files: what lies outside of our time is none, and never becomes the latest thing there is."""

from __future__ import annotations

import time

EARLIEST = 631_152_000.0  # 1990, in seconds since the epoch
A_DAY = 86_400.0  # by which clocks may differ


def latest() -> float:
    """Return the last moment that a file may speak of, in seconds since the epoch."""
    return time.time() + A_DAY


def moment(value: object) -> float | None:
    """Convert seconds, milli-, micro- or nanoseconds to seconds since the epoch; None for no date of our time."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e20:
        return None
    end = latest()
    for unit in (1.0, 1e3, 1e6, 1e9):
        if EARLIEST <= value / unit <= end:
            return value / unit
    return None


def clamped(value: float) -> float:
    """Return the moment itself, or the nearest of our time."""
    return min(max(value, EARLIEST), latest())
