"""What lies on disk survives the program, and is never the reason for a wrong token."""

from __future__ import annotations

import errno
import os
import random
import shutil
import threading
import time
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.kvcache.disk import catalog, files, index, saving, tier
from app.kvcache.disk.writer import Writer
from app.kvcache.invariants import check
from app.protocol.reports import Reason
from tests.kvcache.disk.restarts import close_all, damage, files_in, opened, play, reopened, tier_of, write_everything
from tests.kvcache.ledger import MIXES, ROWS, ask
from tests.seeds import chosen, each_seed


@pytest.fixture(autouse=True)
def _close_all() -> Iterator[None]:
    yield
    close_all()


@pytest.mark.parametrize("mix", list(MIXES))
def test_everything_that_was_warm_is_warm_after_a_restart(mix: str, tmp_path: Path) -> None:
    cache, _ = opened(mix, tmp_path)
    first = [1, 2, 3, 4, 5, 6, 7, 8]
    ask(cache, first, [9, 10, 11], points=[3, 6])
    second = [*first, 9, 10, 11, 12, 13, 14]
    ask(cache, second, [15, 16], points=[3, 6, 11])
    fork = [*first[:6], 20, 21, 22]
    ask(cache, fork, [23, 24], points=[3, 6])
    cache, model = reopened(cache, mix, tmp_path)
    for prompt in ([*second, 15, 30, 31], [*fork, 23, 30], [*first[:6], 40, 41], [*first[:3], 50], [*first, 9, 10, 60]):
        priced = cache.price(prompt)
        total, _, cached, left = ask(cache, prompt)
        check(cache)
        assert (priced.cached, priced.excess) == (cached, 0 if mix in ROWS else priced.excess)
        assert model.calls[-1] == 1
        assert sum(model.calls) == left
        model.calls.clear()
        assert total == cached + left
    assert cache.price([*fork, 23, 30]).excess == 0


@pytest.mark.parametrize("mix", list(MIXES))
def test_what_eviction_takes_from_memory_is_read_back(mix: str, tmp_path: Path) -> None:
    cache, model = opened(mix, tmp_path)
    branches = [[1, 2, 3, 4, 10 + branch, 20, 21, 22] for branch in range(6)]
    for branch in branches:
        ask(cache, branch, [30, 31], points=[4])
        write_everything(cache)
    cache.set_budget(0)
    check(cache)
    assert cache.paged_bytes == 0
    cache.set_budget(1 << 30)
    for branch in branches:
        model.calls.clear()
        assert ask(cache, [*branch, 30, 40])[2:] == (9, 1)
        assert model.calls == [1]
        check(cache)


@pytest.mark.parametrize("has_index", [True, False])
def test_branches_that_fork_inside_others_are_all_found_again(has_index: bool, tmp_path: Path) -> None:
    for seed in chosen(range(6)):
        dice, root = random.Random(seed), tmp_path / str(seed)
        cache, _ = opened("T", root)
        known = [[dice.randrange(4) for _ in range(12)]]
        for _ in range(12):
            kept = dice.choice(known)[: dice.randrange(12)]
            known.append([*kept, *(dice.randrange(4) for _ in range(dice.randrange(2, 12)))])
        for tokens in known:
            ask(cache, tokens)
            write_everything(cache)
        if has_index:
            cache, _ = reopened(cache, "T", root)
        else:
            cache, _ = opened("T", root)
        assert tier_of(cache).dropped == 0, f"seed {seed}"
        for node in cache.trie.nodes.values():
            above, here = node.parent.usage if node.parent else node.usage, node.usage
            assert 0 < here.used_at <= above.used_at, f"seed {seed}: {node.start}-{node.end}"
            assert here.last_use <= above.last_use, f"seed {seed}: {node.start}-{node.end}"
        for tokens in known:
            assert cache.price(tokens).cached == len(tokens) - 1, f"seed {seed}: {tokens}"


@pytest.mark.parametrize("mix", list(MIXES))
def test_eviction_writes_what_was_not_written_yet(mix: str, tmp_path: Path) -> None:
    cache, _ = opened(mix, tmp_path)
    ask(cache, [1, 2, 3, 4, 5, 6], [7, 8], points=[4])
    ask(cache, [20, 21, 22], [23])
    cache.set_budget(cache.live_bytes)
    check(cache)
    write_everything(cache)
    assert cache.price([1, 2, 3, 4, 5, 6, 7, 9]).excess == 0


def test_states_that_lie_close_together_are_written_once(tmp_path: Path) -> None:
    cache, _ = opened("W", tmp_path, writes_all=False)
    prompt = [index % 60 for index in range(700)]
    ask(cache, prompt, [1, 2], points=list(range(50, 700, 50)))
    cache, _ = reopened(cache, "W", tmp_path, writes_all=False)
    states = sorted(node.end for node in cache.trie if node.stored.disk_state)
    assert states == [300, 600, 701]
    for cut in range(50, 700, 50):
        assert cache.price([*prompt[:cut], 61]).excess <= 300
    assert cache.price([*prompt, 1, 63]).excess == 0


@pytest.mark.parametrize("mix", list(MIXES))
@each_seed(range(3))
def test_random_histories_with_restarts_are_never_wrong(mix: str, seed: int, tmp_path: Path) -> None:
    """The model checks at each call what it is given: a wrong restore fails there. Files are damaged now and then."""
    play(mix, seed, tmp_path)


@pytest.mark.parametrize("mix", ["S", "M"])
def test_a_damaged_file_costs_what_it_held_and_says_so(mix: str, tmp_path: Path) -> None:
    cache, _ = opened(mix, tmp_path)
    ask(cache, [1, 2, 3, 4, 5, 6], [7, 8], points=[4])
    cache, _ = reopened(cache, mix, tmp_path)
    for path in files_in(tmp_path):
        damage(path, random.Random(1))
    assert cache.price([1, 2, 3, 4, 5, 6, 7, 9]).excess == 0
    assert ask(cache, [1, 2, 3, 4, 5, 6, 7, 9])[2] == 0
    assert cache.faults >= 1
    assert tier_of(cache).dropped >= 1
    assert any(event.reason == Reason.DISK for event in cache.events)
    check(cache)


def test_a_missing_index_is_made_again_from_the_files(tmp_path: Path) -> None:
    for damaged in (None, b"", b"nonsense", "flip"):
        cache, _ = opened("M", tmp_path / str(damaged))
        ask(cache, [1, 2, 3, 4, 5, 6], [7, 8], points=[4])
        write_everything(cache)
        cache.close_disk(2)
        (index,) = (tmp_path / str(damaged)).glob("*/index")
        if damaged is None:
            index.unlink()
        else:
            data = bytearray(index.read_bytes())
            data[len(data) // 2] ^= 8
            index.write_bytes(data if isinstance(damaged, str) else damaged)
        cache, _ = opened("M", tmp_path / str(damaged))
        assert cache.price([1, 2, 3, 4, 5, 6, 7, 9]).excess == 0


def test_another_models_files_are_not_read_and_go_first(tmp_path: Path) -> None:
    cache, _ = opened("T", tmp_path)
    ask(cache, [1, 2, 3, 4, 5, 6], [7, 8])
    write_everything(cache)
    cache.close_disk(2)
    other, _ = opened("T", tmp_path, model="other")
    assert other.price([1, 2, 3, 4, 5, 6, 7, 9]).cached == 0
    the_tier = tier_of(other)
    before = the_tier.nbytes
    assert before > 0
    ask(other, [20, 21, 22, 23], [24])
    the_tier.set_budget(before)
    write_everything(other)
    assert not list((tmp_path / "model").glob("*.safetensors"))
    assert other.price([20, 21, 22, 23, 9]).excess == 0


def test_models_that_were_not_opened_for_a_month_are_collected(tmp_path: Path) -> None:
    cache, _ = opened("T", tmp_path)
    ask(cache, [1, 2, 3, 4, 5, 6], [7, 8])
    cache, _ = reopened(cache, "T", tmp_path)
    write_everything(cache)
    cache.close_disk(2)
    long_ago = time.time() - catalog.STALE - 60
    os.utime(tmp_path / "model", (long_ago, long_ago))
    other, _ = opened("T", tmp_path, model="other")
    write_everything(other)
    assert files_in(tmp_path) == []
    assert tier_of(other).nbytes == 0


def test_what_had_to_go_from_the_disk_is_told_as_evicted(tmp_path: Path) -> None:
    cache, _ = opened("T", tmp_path)
    ask(cache, [1, 2, 3, 4, 5, 6], [7, 8])
    cache, _ = reopened(cache, "T", tmp_path)
    tier_of(cache).set_budget(1)
    priced = cache.price([1, 2, 3, 4, 5, 6, 7, 9])
    assert (priced.cached, priced.seen, priced.reason) == (0, 7, Reason.EVICTED)


@pytest.mark.parametrize("mix", ["T", "M"])
def test_the_disk_budget_holds_by_real_size(mix: str, tmp_path: Path) -> None:
    cache, _ = opened(mix, tmp_path, budget=12_000)
    for branch in range(20):
        ask(cache, [1, 2, 3, 4, 10 + branch, 20, 21, 22], [30, 31], points=[4])
        write_everything(cache)
        assert tier_of(cache).nbytes <= 12_000
    cache.close_disk(2)
    assert sum(path.stat().st_size for path in files_in(tmp_path)) <= 12_000
    cache, _ = opened(mix, tmp_path, budget=4_000)
    assert tier_of(cache).nbytes <= 4_000
    cache.close_disk(2)
    assert sum(path.stat().st_size for path in files_in(tmp_path)) <= 4_000


def test_a_budget_of_zero_leaves_no_file(tmp_path: Path) -> None:
    cache, _ = opened("M", tmp_path)
    ask(cache, [1, 2, 3, 4, 5, 6], [7, 8], points=[4])
    write_everything(cache)
    assert files_in(tmp_path)
    tier_of(cache).set_budget(0)
    write_everything(cache)
    ask(cache, [1, 2, 3, 4, 5, 6, 7, 8, 9], [7, 8], points=[4])
    write_everything(cache)
    cache.close_disk(2)
    assert not list(tmp_path.rglob("*.safetensors"))


@pytest.mark.parametrize("is_moved", [True, False])
def test_a_folder_that_goes_away_is_not_made_again_and_that_is_told(is_moved: bool, tmp_path: Path) -> None:
    cache, _ = opened("M", tmp_path / "caches")
    ask(cache, [1, 2, 3, 4, 5, 6], [7, 8], points=[4])
    write_everything(cache)
    if is_moved:
        (tmp_path / "caches").rename(tmp_path / "elsewhere")
    else:
        shutil.rmtree(tmp_path / "caches")
    ask(cache, [20, 21, 22], [23])
    write_everything(cache)
    cache.set_budget(0)
    cache.set_budget(1 << 30)
    assert ask(cache, [1, 2, 3, 4, 5, 6, 7, 9])[2] == 0
    check(cache)
    assert "moved or deleted" in tier_of(cache).problem
    cache.close_disk(2)
    assert not (tmp_path / "caches").exists()
    assert bool(files_in(tmp_path / "elsewhere")) == is_moved


def strangers(folder: Path) -> dict[Path, bytes]:
    """Files that are not ours, some of them named as ours are."""
    folder.mkdir()
    made = {folder / name: name.encode() for name in ("index", "a.part", "0" * 16 + ".part", "0" * 64 + files.SUFFIX)}
    for path, data in made.items():
        path.write_bytes(data)
    return made


@pytest.mark.parametrize("place", ["other", "model"])
def test_no_link_is_followed(place: str, tmp_path: Path) -> None:
    """Neither a link in the place of a model's folder nor one in the place of a file."""
    kept, root = strangers(tmp_path / "mine"), tmp_path / "snapshots"
    root.mkdir()
    (root / place).symlink_to(tmp_path / "mine")
    (root / "third").mkdir()
    for name in ("index", "1" * 64 + files.SUFFIX, "1" * 16 + ".part"):
        (root / "third" / name).symlink_to(next(iter(kept)))
    (root / "third" / ("2" * 64 + files.SUFFIX)).mkdir()
    os.mkfifo(root / "third" / ("3" * 64 + files.SUFFIX))
    os.utime(root / "third", (1, 1))
    os.utime(tmp_path / "mine", (1, 1))
    cache, _ = opened("M", root)
    ask(cache, [1, 2, 3, 4, 5, 6], [7, 8], points=[4], owner="gone")
    write_everything(cache)
    assert bool(tier_of(cache).problem) == (place == "model")
    cache.erase("gone")
    write_everything(cache)
    tier_of(cache).wipe()
    write_everything(cache)
    cache.close_disk(2)
    catalog.erase_everywhere(root, "gone")
    catalog.wipe_all(root)
    assert {path: path.read_bytes() for path in kept} == kept
    assert (root / place).is_symlink()


def test_what_is_no_file_in_the_place_of_one_is_not_waited_for(tmp_path: Path) -> None:
    cache, _ = opened("T", tmp_path)
    ask(cache, [1, 2, 3, 4], [5, 6])
    write_everything(cache)
    cache.close_disk(2)
    for path in [*files_in(tmp_path), tmp_path / "model/index"]:
        path.unlink()
        os.mkfifo(path)
    cache, _ = opened("T", tmp_path)
    assert ask(cache, [1, 2, 3, 4, 9])[2] == 0
    write_everything(cache)


def test_a_folder_that_cannot_be_read_is_told_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_folder: Path) -> dict[str, int]:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(files, "sweep", refuse)
    cache, _ = opened("T", tmp_path)
    assert tier_of(cache).problem == "Permission denied"


def test_files_stay_while_the_disk_cannot_be_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, _ = opened("T", tmp_path)
    ask(cache, [1, 2, 3, 4], [5, 6])
    write_everything(cache)
    written = files_in(tmp_path)

    def refuse(_folder: Path) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(tier, "disk_of", refuse)
    tier_of(cache).set_budget(None)
    write_everything(cache)
    assert files_in(tmp_path) == written
    assert tier_of(cache).problem == "Input/output error"


@pytest.mark.parametrize("mix", ["T", "W"])
def test_nothing_is_copied_for_a_writer_that_has_enough(
    mix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, _ = opened(mix, tmp_path)
    ask(cache, [1, 2, 3, 4, 5, 6], [7, 8], points=[4])
    with monkeypatch.context() as patch:
        patch.setattr(Writer, "_has_room", lambda *_: False)
        patch.setattr(saving, "tensors", lambda _: pytest.fail("copied"))
        for _ in range(5):
            tier_of(cache).tend()
    assert files_in(tmp_path) == []
    write_everything(cache)
    assert files_in(tmp_path)


def test_a_disk_that_refuses_is_left_alone_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, _ = opened("M", tmp_path)

    def refuse(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "write", refuse)
    ask(cache, [1, 2, 3, 4, 5, 6], [7, 8], points=[4])
    write_everything(cache)
    the_tier = tier_of(cache)
    assert the_tier.problem == "No space left on device"
    dropped = the_tier.dropped
    assert dropped > 0
    ask(cache, [20, 21, 22], [23])
    write_everything(cache)
    assert the_tier.dropped == dropped, "it is not asked again for each answer"
    monkeypatch.undo()
    monkeypatch.setattr(the_tier._saver, "_paused_until", 0.0)
    write_everything(cache)
    assert files_in(tmp_path)
    assert not the_tier.problem


@pytest.mark.parametrize("mix", list(MIXES))
def test_what_only_one_conversation_used_goes_with_it(mix: str, tmp_path: Path) -> None:
    cache, _ = opened(mix, tmp_path)
    shared = [1, 2, 3, 4]
    ask(cache, [*shared, 50, 51, 52], [53, 54], points=[4], owner="gone")
    ask(cache, [*shared, 20, 21], [22], points=[4], owner="kept")
    ask(cache, [*shared, 50, 51, 52, 53, 54, 55], [56], points=[4], owner="gone")
    tier_of(cache).tend()
    cache.erase("gone")
    check(cache)
    assert cache.price([*shared, 50, 51, 52, 53]).seen == 4
    assert cache.price([*shared, 20, 21, 60]).excess == 0
    cache, _ = reopened(cache, mix, tmp_path)
    assert cache.price([*shared, 50, 51, 52, 53]).seen == 4
    assert cache.price([*shared, 20, 21, 60]).excess == 0
    secret = b"".join(number.to_bytes(4, "little") for number in (50, 51, 52))
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and secret in path.read_bytes()]


def test_no_file_holds_what_was_erased_while_the_program_runs(tmp_path: Path) -> None:
    """Whoever erases a conversation need not end the program for it: a crash leaves nothing of it either."""
    for seed, mix in enumerate(MIXES):
        generator, root = random.Random(seed), tmp_path / mix
        cache, _ = opened(mix, root)
        secret = generator.sample(range(40, 60), 6)
        shared = generator.sample(range(1, 8), generator.randrange(1, 5))
        for number in range(generator.randrange(1, 20)):
            ask(cache, [*shared, 8 + number, 30, 31], [32], points=[len(shared)], owner="kept")
        ask(cache, [*shared, *secret], [61, 62], points=[len(shared)], owner="gone")
        write_everything(cache)
        if generator.random() < 0.5:
            cache, _ = reopened(cache, mix, root)
        cache.erase("gone")
        write_everything(cache)
        data = b"".join(number.to_bytes(4, "little") for number in secret[1:])
        assert not [path for path in root.rglob("*") if path.is_file() and data in path.read_bytes()], (seed, mix)


@pytest.mark.parametrize("mix", list(MIXES))
def test_a_conversation_can_go_after_a_restart(mix: str, tmp_path: Path) -> None:
    cache, _ = opened(mix, tmp_path)
    ask(cache, [1, 2, 3, 50, 51], [53], points=[3], owner="gone")
    ask(cache, [1, 2, 3, 20, 21], [22], points=[3], owner="kept")
    cache, _ = reopened(cache, mix, tmp_path)
    cache.erase("gone")
    write_everything(cache)
    assert cache.price([1, 2, 3, 50, 51, 53]).seen == 3
    assert cache.price([1, 2, 3, 20, 21, 60]).excess == 0
    cache.erase("kept")
    write_everything(cache)
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("mix", list(MIXES))
def test_what_another_conversation_built_on_stays_after_a_restart(mix: str, tmp_path: Path) -> None:
    """A file tells whose it was when it was written, and the index may be lost."""
    cache, _ = opened(mix, tmp_path)
    ask(cache, [1, 2, 3, 4, 5], [6], points=[3], owner="gone")
    cache, _ = reopened(cache, mix, tmp_path)
    ask(cache, [1, 2, 3, 4, 5, 6, 7], [8], points=[5], owner="kept")
    write_everything(cache)
    cache.close_disk(2)
    for path in tmp_path.glob("*/index"):
        path.unlink()
    cache, _ = opened(mix, tmp_path)
    before = cache.price([1, 2, 3, 4, 5, 6, 7, 60]).cached
    cache.erase("gone")
    check(cache)
    assert cache.price([1, 2, 3, 4, 5, 6, 7, 60]).cached == before > 0


def test_an_index_that_hangs_a_file_in_the_wrong_place_is_found_out(tmp_path: Path) -> None:
    cache, _ = opened("T", tmp_path)
    ask(cache, [1, 2, 3, 4], [5, 6])
    write_everything(cache)
    cache.close_disk(2)
    (path,) = tmp_path.glob("*/index")
    entries = index.load(path.read_bytes())
    path.write_bytes(
        index.save(one if one.shared else one._replace(fresh=array("i", [7, *one.fresh[1:]])) for one in entries)
    )
    cache, _ = opened("T", tmp_path)
    assert cache.price([7, 2, 3, 4, 9]).cached == 4
    assert ask(cache, [7, 2, 3, 4, 9])[2] == 0


@pytest.mark.parametrize("mix", list(MIXES))
def test_a_pin_brings_in_what_lies_on_disk(mix: str, tmp_path: Path) -> None:
    cache, _ = opened(mix, tmp_path)
    ask(cache, [1, 2, 3, 4, 5, 6], [7, 8], points=[4])
    cache, model = reopened(cache, mix, tmp_path)
    assert cache.pin([1, 2, 3, 4, 5, 6, 7, 9]) == 7
    assert model.calls == [], "nothing is computed"
    check(cache)
    ask(cache, [20, 21, 22], [23])
    cache.set_budget(0)
    check(cache)
    assert cache.paged_bytes > 0
    tier_of(cache).wipe()
    cache.set_budget(1 << 30)
    assert ask(cache, [1, 2, 3, 4, 5, 6, 7, 9])[2] == 7
    assert cache.pin([40, 41]) == 0


@pytest.mark.timeout(60)
def test_a_disk_that_hangs_holds_back_neither_an_answer_nor_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the writer has is used all the while, and closing leaves it behind."""
    is_back = threading.Event()

    def hang(*_arguments: object) -> None:
        is_back.wait()
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(files, "write", hang)
    cache, model = opened("M", tmp_path)
    try:
        ask(cache, [1, 2, 3, 4, 5, 6], [7, 8], points=[4])
        ask(cache, [20, 21, 22], [23])
        while tier_of(cache).tend():
            check(cache)
        cache.set_budget(0)
        cache.set_budget(1 << 30)
        model.calls.clear()
        assert ask(cache, [1, 2, 3, 4, 5, 6, 7, 9])[2:] == (7, 1)
        assert model.calls == [1]
        cache.close_disk(0.1)
    finally:
        is_back.set()


@each_seed(range(6))
def test_edges_tell_each_byte_of_a_file_once(seed: int, tmp_path: Path) -> None:
    """Edges that share a file tell its bytes among them, whatever forks cut it, goes, or comes back from the disk."""
    rng = random.Random(seed)
    mix = rng.choice(list(MIXES))
    cache, _ = opened(mix, tmp_path)
    talks = [[1, 2, 3]]
    for _ in range(rng.randint(3, 9)):
        talk = rng.choice(talks)
        prompt = [*talk[: rng.randint(1, len(talk))], *rng.choices(range(4, 9), k=rng.randint(2, 9))]
        said = rng.choices(range(9, 14), k=3)
        ask(cache, prompt, said, points=sorted(rng.sample(range(1, len(prompt)), min(2, len(prompt) - 1))))
        talks.append([*prompt, *said])
        if rng.random() < 0.3 and cache.trie.nodes:
            cache.evict([rng.choice([node.id for node in cache.trie])])
        if rng.random() < 0.3:
            cache, _ = reopened(cache, mix, tmp_path)
        write_everything(cache)
        edges = list(cache.trie)
        told = sum(tier_of(cache).size_of(node) for node in edges)
        there = sum(path.stat().st_size for path in files_in(tmp_path))
        assert there - len(edges) * len(talks) <= told <= there, "less than a byte is lost for each part"
        assert cache.disk is not None
        assert cache.disk.nbytes == there
