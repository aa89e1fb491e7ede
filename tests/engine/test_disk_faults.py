"""Files that are not what was written, and a clock that is not what it was: time is lost, never a right token."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.protocol.cache_events import CacheEventKind
from app.protocol.chat import Turn
from app.protocol.commands import Shutdown
from app.protocol.events import CacheHappened, TrieChanged
from app.protocol.reports import Reason
from tests.engine.bench import Bench
from tests.engine.test_disk import branches, opened
from tests.fakes.model_folder import write_model_folder

KINDS = ["llama", "gemma3", "lfm2", "falcon_h1", "mamba2"]


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[random.Random(path.name).randrange(len(data))] ^= 4
    path.write_bytes(data)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def snapshots(disk: Path) -> list[Path]:
    return sorted(disk.rglob("*.safetensors"))


def went_on(folder: Path, disk: Path) -> tuple[list[tuple[Turn, ...]], list[tuple[int, ...]]]:
    """Two branches on disk, and what follows on them by an engine that was never ended."""
    bench, stays = opened(folder, disk), opened(folder, disk.with_name("other disk"))
    ends = branches(bench)
    assert branches(stays) == ends
    right = answers(stays, ends)
    bench.do(Shutdown())
    stays.do(Shutdown())
    return ends, right


def answers(bench: Bench, ends: list[tuple[Turn, ...]]) -> list[tuple[int, ...]]:
    """The likeliest answer to what is asked next on each branch."""
    return [bench.ask(*end, max_tokens=6, temperature=0.0).finished.ids for end in ends]


def is_told(bench: Bench) -> bool:
    """Whether the log speaks of a fault of the disk, and the picture of files that were dropped."""
    happened = [one for event in bench.events if isinstance(event, CacheHappened) for one in event.events]
    views = [event.view for event in bench.events if isinstance(event, TrieChanged)]
    is_logged = any(one.kind == CacheEventKind.FAULT and one.reason == Reason.DISK for one in happened)
    return is_logged and views[-1].dropped_files > 0


@pytest.mark.parametrize(("kind", "damage"), [*((kind, flip) for kind in KINDS), ("lfm2", truncate), ("lfm2", empty)])
def test_damaged_snapshots_cost_time_only_and_are_counted(
    kind: str, damage: Callable[[Path], None], tmp_path: Path
) -> None:
    folder, disk = write_model_folder(tmp_path / "model", kind=kind), tmp_path / "disk"
    ends, right = went_on(folder, disk)
    assert snapshots(disk)
    for path in snapshots(disk):
        damage(path)
    bench = opened(folder, disk)
    assert answers(bench, ends) == right
    cache = bench.cache
    assert cache.disk is not None
    assert cache.disk.dropped > 0
    if damage is flip:  # the others are found when the folder is opened: their sizes are not those of the index
        assert is_told(bench)
    further = (*ends[0], bench.ask(*ends[0], max_tokens=6).turn, Turn("user", "Who?"))
    bench.do(Shutdown())
    bench = opened(folder, disk)
    assert bench.ask(*further, max_tokens=1).started.request.cached > 100, "it was written again"
    bench.do(Shutdown())


@pytest.mark.parametrize("damage", [flip, truncate, empty, Path.unlink])
def test_a_damaged_index_costs_nothing(damage: Callable[[Path], None], tmp_path: Path) -> None:
    folder, disk = write_model_folder(tmp_path / "model", kind="lfm2"), tmp_path / "disk"
    bench = opened(folder, disk)
    ends = branches(bench)
    bench.do(Shutdown())
    (index,) = disk.rglob("index")
    damage(index)
    bench = opened(folder, disk)
    for end in ends:
        started = bench.ask(*end, max_tokens=3).started
        assert (started.request.excess, started.request.cached > 100) == (0, True)
    bench.do(Shutdown())


def test_files_that_vanish_while_the_engine_runs_cost_time_only(tmp_path: Path) -> None:
    folder, disk = write_model_folder(tmp_path / "model", kind="lfm2"), tmp_path / "disk"
    ends, right = went_on(folder, disk)
    bench = opened(folder, disk)
    for path in disk.iterdir():  # of each model; a folder of all models that goes away is not made again
        shutil.rmtree(path)
    assert answers(bench, ends) == right
    assert is_told(bench)
    bench.do(Shutdown())
    assert snapshots(disk), "what was computed since is written to a new folder"


@pytest.mark.parametrize("days", [-400.0, 400.0])
def test_a_clock_that_jumps_between_two_starts_changes_nothing(
    days: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was used last is still what is kept when the disk's budget shrinks: requests are counted, not hours."""
    folder, disk = write_model_folder(tmp_path / "model", kind="llama"), tmp_path / "disk"
    bench = opened(folder, disk)
    bench.ask(Turn("user", "!"))  # its file holds what all prompts begin with
    bench.do(Shutdown())
    bench = opened(folder, disk)
    first = (Turn("user", "the fox sleeps " * 40),)
    bench.ask(*first)
    bench.do(Shutdown())
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + days * 86400)
    bench = opened(folder, disk)
    second = (Turn("user", "another branch answers " * 40),)
    bench.ask(*second)
    bench.do(Shutdown())
    bench = opened(folder, disk)
    for turns in (first, second):
        assert bench.price(*turns).excess == 0
    cache = bench.cache
    assert cache.disk is not None
    largest = max(path.stat().st_size for path in snapshots(disk))
    cache.disk.set_budget(cache.disk.nbytes - largest // 2)
    assert bench.price(*second).cached > 100, "the one used last"
    assert bench.price(*first).cached < 100
    bench.do(Shutdown())
