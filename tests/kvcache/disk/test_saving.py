"""What is being written is used as what is in memory is, and hangs only over the rows that it was computed on.

The models' rows depend on how a prompt was chunked, so that rows of other calls are seen as such.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path

import mlx.core as mx
import pytest

from app.kvcache.disk import saving, tier
from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from app.protocol.reports import RequestReport
from tests.kvcache.comparison import VOCABULARY, cache_of, require_same
from tests.kvcache.disk.restarts import SteppedWriter, close_all, play_model, tier_of, to_close, writer_of
from tests.kvcache.history import PLENTY
from tests.seeds import chosen, each_seed

KINDS = ["falcon_h1", "deepseek_v3", "lfm2", "gemma3"]


@pytest.fixture(autouse=True)
def _stepped(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(tier, "Writer", SteppedWriter)
    yield
    close_all()


def opened(kind: str, root: Path, budget: int = PLENTY) -> PrefixCache:
    cache = cache_of(kind, budget_bytes=budget)
    cache.grid = 0
    cache.open_disk(root, "model", 1 << 30, True)
    to_close(cache)
    return cache


def words(generator: random.Random, count: int) -> list[int]:
    return [generator.randrange(VOCABULARY) for _ in range(count)]


def ask(
    cache: PrefixCache, prompt: Sequence[int], answer: Sequence[int], chunk: int, points: Sequence[int] = ()
) -> tuple[RequestReport, list[int], dict[int, mx.array]]:
    """One request. Returns its report, what the active path stands for, and the logits of single tokens by their
    offset."""
    fed = {}
    with cache.begin(prompt, points) as session:
        while session.prefill(chunk):
            pass
        for token in (prompt[-1], *answer):
            at = cache.active.offset
            fed[at] = session.decode(token)
    check(cache)
    return session.report, list(session.tokens())[: cache.active.offset], fed


def hand_over(cache: PrefixCache) -> None:
    """Give the writer all that is to be written; it writes nothing."""
    while tier_of(cache).tend():
        check(cache)


def evict_all(cache: PrefixCache) -> None:
    cache.set_budget(0)
    check(cache)
    assert cache.paged_bytes == 0
    cache.set_budget(PLENTY)


def two_turns(cache: PrefixCache) -> tuple[list[int], list[int]]:
    """A conversation of two turns, another one after it. Returns the tokens after each turn."""
    generator = random.Random(1)
    first = words(generator, 50)
    _, one, _ = ask(cache, first, words(generator, 5), 16, [30, 49])
    second = one + words(generator, 40)
    _, two, _ = ask(cache, second, words(generator, 5), 16, [len(second) - 1])
    ask(cache, words(generator, 20), words(generator, 3), 16)
    return one, two


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_being_written_is_used_until_it_is_in_place(kind: str, tmp_path: Path) -> None:
    cache = opened(kind, tmp_path)
    _, two = two_turns(cache)
    hand_over(cache)
    evict_all(cache)
    report, tokens, fed = ask(cache, [*two, 5, 6], [7, 8], 3)
    assert report.excess == 0
    assert report.cached == len(two)
    require_same(cache, tokens, fed)
    writer_of(cache).work(1000)
    hand_over(cache)
    evict_all(cache)
    report, tokens, fed = ask(cache, [*two, 9, 6], [7, 8], 16)
    assert report.excess == 0
    require_same(cache, tokens, fed)


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_computed_on_rows_that_are_computed_anew_is_not_used(kind: str, tmp_path: Path) -> None:
    """The first turn is evicted on its way to the disk and asked for again in other chunks; the disk catches up."""
    cache = opened(kind, tmp_path)
    one, two = two_turns(cache)
    hand_over(cache)
    evict_all(cache)
    ask(cache, [*one, 63], [1, 2, 3], 3, [30])
    writer_of(cache).work(1000)
    hand_over(cache)
    _, tokens, fed = ask(cache, [*two, 5, 6], [7, 8], 16)
    require_same(cache, tokens, fed)


@pytest.mark.parametrize("kind", KINDS)
def test_a_failed_write_takes_down_what_was_built_on_it(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "TOGETHER", 0)
    cache = opened(kind, tmp_path)
    _, two = two_turns(cache)
    hand_over(cache)
    evict_all(cache)
    writer_of(cache).work(2)
    writer_of(cache).refuses = True
    writer_of(cache).work(1)
    writer_of(cache).refuses = False
    writer_of(cache).work(1000)
    hand_over(cache)
    assert tier_of(cache).dropped == 1
    hung = {ref for node in cache.trie for ref in node.stored.files}
    assert all(ref.name for ref in hung)
    report, tokens, fed = ask(cache, [*two, 5, 6], [7, 8], 3)
    assert report.cached < len(two)
    assert report.reason == "disk fault"
    require_same(cache, tokens, fed)


@pytest.mark.parametrize("kind", KINDS)
def test_files_of_other_rows_are_not_used_after_a_restart(kind: str, tmp_path: Path) -> None:
    """As a kill leaves them that came before they could be deleted: the second turn over another first one."""
    cache = opened(kind, tmp_path / "old")
    one, two = two_turns(cache)
    hand_over(cache)
    cache.close_disk(1)
    cache = opened(kind, tmp_path / "new")
    ask(cache, one, [63], 3, [30, 49])
    hand_over(cache)
    cache.close_disk(1)
    for path in (tmp_path / "old/model").glob("*.safetensors"):
        shutil.copy(path, tmp_path / "new/model")
    (tmp_path / "new/model/index").unlink()
    cache = opened(kind, tmp_path / "new")
    check(cache)
    _, tokens, fed = ask(cache, [*two, 5, 6], [7, 8], 16)
    require_same(cache, tokens, fed)


def test_what_is_erased_while_it_is_written_is_not_written(tmp_path: Path) -> None:
    cache = opened("lfm2", tmp_path)
    with cache.begin([1, 2, 3, 4, 5], [3], owner="gone") as session:
        while session.prefill(16):
            pass
        session.decode(5)
    hand_over(cache)
    assert tier_of(cache).is_saving
    cache.erase("gone")
    writer_of(cache).work(1000)
    assert not tier_of(cache).is_saving
    assert not list(tmp_path.rglob("*.safetensors"))


@pytest.mark.parametrize("kind", KINDS)
def test_quitting_at_any_moment_leaves_what_can_be_gone_on_with(kind: str, tmp_path: Path) -> None:
    """Two conversations that do not fit into memory together, asked in turn without a pause, and then the end."""
    for seed in chosen(range(3)):
        generator = random.Random(seed)
        cache = opened(kind, tmp_path / str(seed))
        told = [words(generator, 40), words(generator, 40)]
        for turn in range(5):
            asked = told[turn % 2] + words(generator, 10)
            _, told[turn % 2], _ = ask(cache, asked, words(generator, 3), generator.choice([3, 16]), [len(asked) - 1])
            for _ in range(generator.randrange(6)):
                tier_of(cache).tend()
            writer_of(cache).work(generator.randrange(4))
            cache.set_budget(cache.live_bytes + generator.choice([0, 2000, 20_000]))
            cache.set_budget(PLENTY)
        cache.close_disk(1)
        last = cache.active.offset
        assert last
        again = opened(kind, tmp_path / str(seed))
        check(again)
        report, tokens, fed = ask(again, [*told[0], 5, 6], [7], 16)
        assert report.excess == 0, f"{kind}, seed {seed}: {report}"
        require_same(again, tokens, fed)
        again.close_disk(0)


@pytest.mark.parametrize("way", ["no room", "computed anew"])
@each_seed(range(8))
def test_a_kill_between_two_deletions_leaves_no_file_of_no_use(way: str, seed: int, tmp_path: Path) -> None:
    """What needs another file goes before it: states before rows, and what lies deeper first."""
    generator = random.Random(seed)
    cache = opened("lfm2", tmp_path / "disk")
    path = words(generator, 8)
    for _ in range(6):
        path = [*path[: generator.randrange(4, len(path) + 1)], *words(generator, generator.randrange(2, 12))]
        points = generator.sample(range(1, len(path)), generator.randrange(3))
        ask(cache, path, words(generator, 3), 64, sorted(points))
    hand_over(cache)
    writer_of(cache).wait(1)
    assert not tier_of(cache).tend()  # takes note of what is written
    if way == "no room":
        tier_of(cache).set_budget(tier_of(cache).nbytes // 4)
    else:
        tier_of(cache).forget(generator.choice([node for node in cache.trie if node.start == 0]))
        tier_of(cache).collect()
    deletions = len(writer_of(cache)._jobs)
    assert deletions > 1
    for number in range(deletions):
        writer_of(cache).work(1)
        shutil.copytree(tmp_path / "disk", copy := tmp_path / f"killed {number}")
        left = opened("lfm2", copy)
        assert tier_of(left).dropped == 0, f"after {number + 1} of {deletions}"
        left.close_disk(0)


@contextmanager
def few_files_may_be_open() -> Iterator[None]:
    """Forty more than there are now."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    in_use = set(map(int, os.listdir("/dev/fd")))
    few = next(islice((number for number in count() if number not in in_use), 40, None))
    resource.setrlimit(resource.RLIMIT_NOFILE, (few, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@pytest.mark.parametrize("kind", ["falcon_h1", "lfm2"])
def test_a_path_of_many_more_files_than_may_be_open_is_restored_exactly(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each token has a file of its rows and one of its state; then one in the middle is damaged, and one is missing."""
    monkeypatch.setattr(saving, "TOGETHER", 0)
    path = words(random.Random(1), 150)
    cache = opened(kind, tmp_path)
    ask(cache, [*path, 5], [6, 7], 512, range(1, 151))
    for number, cached in ((8, 150), (9, 150), (10, 75), (11, 40)):
        while tier_of(cache).tend() or tier_of(cache).is_saving:
            writer_of(cache).work(1 << 30)
        if number > 8:
            cache.close_disk(1)
            cache = opened(kind, tmp_path)
        evict_all_but_live(cache)
        if cached < 150:
            ref = next(ref for node in cache.trie for ref in node.stored.disk_rows if ref.start <= cached < ref.end)
            (file,) = tmp_path.glob(f"*/{ref.name}")
            if number == 10:
                file.write_bytes(file.read_bytes()[:-1] + b"?")
            else:
                file.unlink()
            assert ref.start == cached
        with few_files_may_be_open():
            report, tokens, fed = ask(cache, [*path, number], [1], 512, range(1, 151))
        assert (report.cached, cache.faults) == (cached, int(cached < 150))
        require_same(cache, tokens, fed)


def evict_all_but_live(cache: PrefixCache) -> None:
    ask(cache, [60, 61], [62], 16)
    evict_all(cache)


@pytest.mark.parametrize("kind", KINDS)
def test_however_far_the_disk_lags_behind_each_path_is_reproduced_bit_for_bit(kind: str, tmp_path: Path) -> None:
    for seed in chosen(range(2)):
        play_model(kind, mx.float32, seed, tmp_path / str(seed), 6)


@pytest.mark.parametrize("kind", ["falcon_h1", "lfm2"])
def test_rows_that_only_states_divide_are_in_one_file(kind: str, tmp_path: Path) -> None:
    """In memory, on the way to the disk, in place and after a restart they are what they were; forks begin anywhere."""
    for seed in chosen(range(3)):
        generator = random.Random(seed)
        cache = opened(kind, tmp_path / str(seed))
        prompt = words(generator, 9)
        with cache.begin(prompt, [8], owner="one") as session:
            while session.prefill(4):
                pass
            session.decode(prompt[-1])
            for token in (answer := words(generator, 30)):
                bookmark = session.bookmark()
                if bookmark is not None and generator.random() < 0.5:
                    session.keep_for_fork(bookmark)
                    check(cache)
                session.decode(token)
        path = [*prompt, *answer]
        ask(cache, words(generator, 20), words(generator, 3), 16)
        for number in range(4):
            hand_over(cache)
            evict_all(cache) if number == 1 else evict_all_but_live(cache)
            if number < 2:
                edges, _ = cache.trie.match(path)
                assert len(edges) > 6
                files = {ref for node in edges for ref in node.stored.disk_rows if ref.start >= len(prompt)}
                assert len(files) <= 2, f"{kind}, seed {seed}: {files}"
            if number == 2:
                cache.close_disk(1)
                cache = opened(kind, tmp_path / str(seed))
            writer_of(cache).work(1000)
            at = generator.randrange(len(prompt), len(path))
            _, tokens, fed = ask(cache, [*path[:at], 60 + number], [7], 16)
            require_same(cache, tokens, fed)
        cache.close_disk(0)
