"""How much of a prompt is read in one step."""

from __future__ import annotations

import pytest

from app.engine.prefill_rate import PrefillRate


@pytest.mark.parametrize("rate", [10, 200, 1_000, 5_000, 1_000_000])
def test_a_chunk_takes_about_half_a_second_at_most(rate: int) -> None:
    prefill_rate = PrefillRate()
    for _ in range(20):
        prefill_rate.measured(prefill_rate.chunk, prefill_rate.chunk / rate)
    assert prefill_rate.chunk & (prefill_rate.chunk - 1) == 0
    assert prefill_rate.chunk == 16 or prefill_rate.chunk / rate <= 0.5
    assert prefill_rate.chunk == 2048 or prefill_rate.chunk / rate > 0.15


def test_it_follows_a_machine_that_slows_down() -> None:
    prefill_rate = PrefillRate()
    prefill_rate.measured(2048, 0.1)
    assert prefill_rate.chunk == 2048
    for _ in range(20):
        prefill_rate.measured(prefill_rate.chunk, prefill_rate.chunk / 300)
    assert prefill_rate.chunk == 64


def test_a_fixed_size_is_kept() -> None:
    prefill_rate = PrefillRate(fixed=5)
    prefill_rate.measured(1000, 0.01)
    assert prefill_rate.chunk == 5
    with pytest.raises(ValueError, match="chunk of 0"):
        PrefillRate(fixed=0)


def test_times_are_known_only_once_something_was_measured() -> None:
    prefill_rate = PrefillRate()
    assert prefill_rate.seconds(100) is None
    assert prefill_rate.rate is None
    prefill_rate.measured(50, 0.5)
    assert prefill_rate.seconds(100) == pytest.approx(1.0)
