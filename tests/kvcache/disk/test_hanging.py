"""A disk that hangs: what lies there is computed again, no token is wrong, and nobody waits for ever."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.kvcache.disk import files, tier, writer
from app.kvcache.disk.calls import DiskCalls
from app.kvcache.disk.files import SnapshotFile
from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from app.protocol.cache_events import CacheEventKind
from app.protocol.deadline import NO_ANSWER
from app.protocol.reports import Reason
from tests.kvcache.disk.restarts import close_all, files_in, opened, reopened, tier_of, write_everything
from tests.kvcache.ledger import MIXES, ask
from tests.seeds import chosen

LONG = 60.0
# Each way to reach the disk that the model thread waits for.
WAYS: list[tuple[object, str]] = [
    (SnapshotFile, "__init__"),
    (SnapshotFile, "tensor"),
    (SnapshotFile, "verify"),
    (files, "read_index"),
    (files, "sweep"),
    (files, "prepare"),
    (tier, "disk_of"),
]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(tier, "DiskCalls", lambda: DiskCalls(0.1, 0.1, rest=0.0))
    yield
    close_all()
    for thread in threading.enumerate():
        if thread.name.startswith("snapshot"):
            thread.join(LONG)


@contextmanager
def hanging(*ways: tuple[Any, str], after: int = 0) -> Iterator[None]:
    """Within, these ways do not answer from the call number `after` on; whoever waits is let go at the end."""
    over, left = threading.Event(), [after]

    def hang(function: Callable[..., object]) -> Callable[..., object]:
        def wait(*arguments: Any) -> object:
            left[0] -= 1
            if left[0] < 0 and threading.current_thread().name.startswith("snapshot "):
                over.wait(LONG)
            return function(*arguments)

        return wait

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in ways:
            patch.setattr(owner, name, hang(getattr(owner, name)))
        try:
            yield
        finally:
            over.set()
    for thread in threading.enumerate():
        if thread.name.startswith("snapshot "):
            thread.join(LONG)


def is_told(cache: PrefixCache) -> bool:
    return any(one.kind == CacheEventKind.FAULT and one.reason == Reason.DISK for one in cache.events)


@pytest.mark.parametrize("mix", list(MIXES))
def test_a_read_that_hangs_costs_time_and_no_file(mix: str, tmp_path: Path) -> None:
    cache, _ = opened(mix, tmp_path)
    ask(cache, [1, 2, 3, 4, 5, 6], [7, 8], points=[4])
    ask(cache, [20, 21, 22, 23], [24], points=[2])
    cache, model = reopened(cache, mix, tmp_path)
    written = files_in(tmp_path)
    with hanging((SnapshotFile, "verify")):
        assert ask(cache, [1, 2, 3, 4, 5, 6, 7, 8, 9])[2] == 0
        check(cache)
        assert sum(model.calls) == 9
        assert tier_of(cache).problem == NO_ANSWER
        assert cache.price([20, 21, 22, 23, 24, 9]).cached == 0, "it is not counted on meanwhile"
        assert cache.price([20, 21, 22, 23, 24, 9]).reason == Reason.DISK
    assert is_told(cache)
    assert cache.faults == 1
    write_everything(cache)
    assert tier_of(cache).problem == ""
    assert len(set(files_in(tmp_path)) & set(written)) > 0
    priced = cache.price([20, 21, 22, 23, 24, 9])
    assert 0 < priced.cached == ask(cache, [20, 21, 22, 23, 24, 9])[2]
    check(cache)


@pytest.mark.parametrize("mix", list(MIXES))
def test_a_file_that_cannot_be_read_now_is_not_thrown_away(mix: str, tmp_path: Path) -> None:
    cache, _ = opened(mix, tmp_path)
    ask(cache, [1, 2, 3, 4, 5, 6], [7, 8], points=[4])
    cache, _ = reopened(cache, mix, tmp_path)
    written, prompt = files_in(tmp_path), [1, 2, 3, 4, 5, 6, 7, 9]
    priced = cache.price(prompt)
    with hanging((SnapshotFile, "verify")):
        assert not tier_of(cache).verify((plan := cache._plan_restore(prompt)).nodes, plan.end)
    assert is_told(cache)
    assert tier_of(cache).dropped == 0
    assert cache.price(prompt) == priced
    write_everything(cache)
    assert files_in(tmp_path) == written


@pytest.mark.parametrize("mix", ["S", "M"])
@pytest.mark.parametrize("way", WAYS, ids=[name for _, name in WAYS])
def test_wherever_and_whenever_the_disk_hangs_no_token_is_wrong(
    mix: str, way: tuple[object, str], tmp_path: Path
) -> None:
    """The model checks at each call what it is given: a wrong restore fails there."""
    for seed in chosen(range(2)):
        dice = random.Random(seed)
        root = tmp_path / str(seed)
        cache, _ = opened(mix, root)
        known: list[list[int]] = [[]]
        for _ in range(6):
            with hanging(way, after=dice.randrange(6)):
                if dice.random() < 0.4:
                    cache.close_disk(2)
                    cache.close()
                    cache, _ = opened(mix, root)
                for _ in range(2):
                    base = dice.choice(known)
                    prompt = [*base[: dice.randrange(len(base) + 1)], *dice.sample(range(1, 60), 4)]
                    answer = dice.sample(range(1, 60), 3)
                    ask(cache, prompt, answer, [dice.randrange(1, len(prompt) + 1)])
                    check(cache)
                    known.append([*prompt, *answer])
                    if dice.random() < 0.5:
                        cache.set_budget(dice.choice([0, 500, 1 << 30]))
                    for _ in range(dice.randrange(8)):
                        tier_of(cache).tend()
                    check(cache)
            write_everything(cache)
        assert tier_of(cache).problem == ""


def test_a_write_that_hangs_is_told_and_costs_nobody_a_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, over, write = threading.Event(), threading.Event(), files.write

    def hang(*arguments: Any) -> files.Written:
        begun.set()
        over.wait(LONG)
        return write(*arguments)

    cache, _ = opened("M", tmp_path)
    monkeypatch.setattr(files, "write", hang)
    ask(cache, [1, 2, 3, 4, 5, 6], [7, 8], points=[4])
    while tier_of(cache).tend():
        check(cache)
    assert tier_of(cache).is_saving
    assert tier_of(cache).problem == ""
    assert begun.wait(LONG)  # a write that waits for its turn does not hang
    monkeypatch.setattr(writer, "STALLED", 0.0)
    assert tier_of(cache).problem == NO_ANSWER
    assert cache.price([1, 2, 3, 4, 5, 6, 7, 9]).excess == 0
    over.set()
    write_everything(cache)
    assert tier_of(cache).problem == ""
    assert files_in(tmp_path)


def test_a_folder_that_cannot_be_read_now_is_left_as_it_is(tmp_path: Path) -> None:
    cache, _ = opened("M", tmp_path)
    ask(cache, [1, 2, 3, 4, 5, 6], [7, 8], points=[4])
    for way in ((files, "sweep"), (files, "read_index"), (SnapshotFile, "__init__")):
        write_everything(cache)
        cache.close_disk(2)
        cache.close()
        before = files_in(tmp_path)
        if way[1] == "__init__":
            next(tmp_path.rglob("index")).unlink()
        with hanging(way):
            cache, _ = opened("M", tmp_path)
            assert tier_of(cache).problem == NO_ANSWER, way
            assert cache.price([1, 2, 3, 4, 5, 6, 7, 8, 9]).cached == 0
            cache.close_disk(1)
            cache.close()
        assert files_in(tmp_path) == before, way
        cache, _ = opened("M", tmp_path)
        assert cache.price([1, 2, 3, 4, 5, 6, 7, 8, 9]).excess == 0, way


def test_a_disk_that_did_not_answer_is_left_alone_for_a_while() -> None:
    calls = DiskCalls(LONG, 0.05, rest=LONG)
    over, made = threading.Event(), list[int]()
    with pytest.raises(TimeoutError):
        calls.ask(lambda: over.wait(LONG))
    over.set()
    for _ in range(3):
        with pytest.raises(TimeoutError):
            calls.read(lambda: made.append(1))
    assert calls.is_away
    assert made == []
