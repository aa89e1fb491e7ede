"""The figures of an answer that a server has written."""

from __future__ import annotations

import pytest

from app.protocol.reports import StopReason
from app.remote.chunks import Chunk
from app.remote.written import Written


@pytest.mark.parametrize(("pause", "rate"), [(0.0, 0.0), (0.0001, 0.0), (0.025, 40.0)])
def test_a_speed_is_told_of_words_that_took_their_time(pause: float, rate: float) -> None:
    """Not of those that something on the way held back, to send them all at once."""
    now = 100.0
    written = Written(1, clock=lambda: now)
    for _ in range(5):
        written.take(Chunk(text="word "))
        now += pause
    assert written.stats(StopReason.FINISHED).rate == pytest.approx(rate)
