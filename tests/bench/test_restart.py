"""The measuring of a restart, in small. Times are for `make bench-restart`."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.kvcache.disk import files, index
from tests.bench import restart
from tests.bench.restart import Row, forest, index_ms, measure
from tests.kvcache.disk.samples import listed


def test_a_restart_is_measured_with_a_process_before_and_one_after() -> None:
    figures, _ = measure(("llama",), tokens=300, pairs=1, unwritten=1500, nodes=40)
    assert set(figures) == {"rows", "index_1000_ms", "quit_s"}
    (row,) = figures["rows"]
    assert set(row) == {"kind", "tokens", "cold_ms", "warm_ms", "excess"}
    assert (row["kind"], row["excess"]) == ("llama", 0)
    assert 200 < row["tokens"] < 400
    assert row["warm_ms"] > 0
    assert row["cold_ms"] > 0
    assert figures["quit_s"] > 0
    assert figures["index_1000_ms"] > 0


def test_what_is_computed_again_or_not_ten_times_faster_is_not_kept() -> None:
    assert Row("llama", 4000, 1000.0, 100.0, 0).is_kept
    assert not Row("llama", 4000, 1000.0, 100.0, 1).is_kept
    assert not Row("llama", 4000, 999.0, 100.0, 0).is_kept


def test_an_index_that_is_not_believed_is_not_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files hold nothing, so a program that looks into them hangs none."""
    monkeypatch.setattr(files, "read_index", lambda folder: None)
    with pytest.raises(RuntimeError, match="0 of 30 nodes"):
        index_ms(30, tmp_path)


def test_the_forest_forks_and_fills_as_many_files_as_were_asked(tmp_path: Path) -> None:
    entries = list(forest(60, tmp_path))
    assert len(index.load(index.save(listed(entries)))) == 120
    assert len({entry.end for entry, _ in entries}) < 60, "some stand beside each other"
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) == 120 * restart.FILE_BYTES
