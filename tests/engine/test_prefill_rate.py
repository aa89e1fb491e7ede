"""How much of a prompt is read in one step."""

from __future__ import annotations

import pytest

from app.engine.prefill_rate import Pace


@pytest.mark.parametrize("rate", [10, 200, 1_000, 5_000, 1_000_000])
def test_a_chunk_takes_about_half_a_second_at_most(rate: int) -> None:
    pace = Pace()
    for _ in range(20):
        pace.measured(pace.chunk, pace.chunk / rate)
    assert pace.chunk & (pace.chunk - 1) == 0
    assert pace.chunk == 16 or pace.chunk / rate <= 0.5
    assert pace.chunk == 2048 or pace.chunk / rate > 0.15


def test_it_follows_a_machine_that_slows_down() -> None:
    pace = Pace()
    pace.measured(2048, 0.1)
    assert pace.chunk == 2048
    for _ in range(20):
        pace.measured(pace.chunk, pace.chunk / 300)
    assert pace.chunk == 64


def test_a_fixed_size_is_kept() -> None:
    pace = Pace(fixed=5)
    pace.measured(1000, 0.01)
    assert pace.chunk == 5
    with pytest.raises(ValueError, match="chunk of 0"):
        Pace(fixed=0)


def test_times_are_known_only_once_something_was_measured() -> None:
    pace = Pace()
    assert pace.seconds(100) is None
    assert pace.rate is None
    pace.measured(50, 0.5)
    assert pace.seconds(100) == pytest.approx(1.0)
