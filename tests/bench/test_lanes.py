"""The measuring of answers by turns, in small. Times are for `make bench-lanes`."""

from __future__ import annotations

from pathlib import Path

from tests.bench.decode import SMALL, write_model
from tests.bench.lanes import MOST_BYTES, MOST_BYTES_A_TOKEN, bytes_per_token, measure


def test_answers_by_turns_are_measured_by_their_number(tmp_path: Path) -> None:
    rows = measure("small", write_model(tmp_path / "m", SMALL), 2, lanes=(2, 3))
    assert [row.lanes for row in rows] == [2, 3]
    for row in rows:
        assert row.turns_ms > 0
        assert row.alone_ms > 0
        assert row.turns_ratio > 0
        assert 0.98 < row.bytes_over_least <= MOST_BYTES


def test_what_is_kept_of_each_token_is_measured() -> None:
    assert 1 < bytes_per_token() <= MOST_BYTES_A_TOKEN
