"""What only one conversation used goes from the disk with it, what others built on stays: whatever model is open."""

from __future__ import annotations

import errno
import random
import shutil
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.kvcache.call_log import CallLog
from app.kvcache.disk import catalog, files, index
from app.kvcache.disk.call_log_codec import CallLogCodec
from app.kvcache.disk.files import SnapshotFile
from app.kvcache.disk.index import Entry
from app.kvcache.disk.stored import RECORD, read_record
from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from tests.kvcache.disk.restarts import close_all, files_in, opened, reopened, tier_of, write_everything
from tests.kvcache.ledger import MIXES, ask
from tests.seeds import each_seed

OWNERS = "abcd"
OPENING = [1, 2, 3]
NEXT = 63  # a token that nobody has used


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    yield
    close_all()


class Talks:
    """Conversations that share their first words, and now and then more, at random.

    branches: of each owner, prompts with their answers. Each owner has words of its own, and so has each two of them.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.branches: dict[str, list[list[int]]] = {owner: [] for owner in OWNERS}

    def begun(self, mix: str, root: Path) -> PrefixCache:
        """Return a cache with files in which much was asked, and that was opened again now and then."""
        cache, _ = opened(mix, root)
        for _ in range(12):
            self.ask(cache)
            if self.random.random() < 0.7:
                write_everything(cache)
            if self.random.random() < 0.1:
                cache, _ = reopened(cache, mix, root)
        return cache

    def ask(self, cache: PrefixCache) -> None:
        """Have somebody ask something, at the end of what is known or aside."""
        dice, owner = self.random, self.random.choice(OWNERS)
        of_two = 40 + (OWNERS.index(owner) % 2) * 4  # "a" and "c" have read one text, "b" and "d" another
        begins = [OPENING, [*OPENING, *range(of_two, of_two + 4)], *self.branches[owner]]
        begin = dice.choice(begins)
        prompt = [*begin, *self._words(owner, dice.randrange(1, 5))]
        answer = self._words(owner, dice.randrange(1, 4))
        points, limit = [dice.choice([3, len(begin), len(prompt)])], dice.choice([1, 4, 64])
        ask(cache, prompt, answer, points, limit, owner=owner)
        self.branches[owner].append([*prompt, *answer])

    def kept(self, cache: PrefixCache) -> dict[str, list[int]]:
        """Return of each owner how much of each branch can be restored."""
        priced = {owner: [[*branch, NEXT] for branch in branches] for owner, branches in self.branches.items()}
        return {owner: [cache.price(tokens).cached for tokens in asked] for owner, asked in priced.items()}

    def compare(self, before: dict[str, list[int]], cache: PrefixCache, evicted: list[int]) -> None:
        """Compare what is kept with what was, but for branches that go through what begins with the last of these."""
        for owner, kept in self.kept(cache).items():
            for branch, was, now in zip(self.branches[owner], before[owner], kept, strict=True):
                assert now == was or branch[: len(evicted)] == evicted, f"of {owner} {was} became {now}"

    def erased(self, owner: str) -> set[int]:
        """Forget an owner. Returns the words that nobody is left of who used them."""
        self.branches[owner] = []
        left = {token for branches in self.branches.values() for branch in branches for token in branch}
        return set(range(1, NEXT)) - left

    def _words(self, owner: str, count: int) -> list[int]:
        first = 8 + 8 * OWNERS.index(owner)
        return [self.random.randrange(first, first + 8) for _ in range(count)]


def words_in(root: Path) -> set[int]:
    """All tokens that any file speaks of."""
    found: set[int] = set()
    for path in files_in(root):
        file = SnapshotFile(path)
        entry, tokens = index.read_entry(file)
        found.update(tokens)
        for call_log in call_logs_of(entry, read_record(file.tensor(RECORD))):
            found.update(call_log.upto(call_log.end)[1])
    for path in root.glob("*/" + files.INDEX):
        found.update(token for listed in index.load(path.read_bytes()) for token in listed.fresh)
    return found


def call_logs_of(entry: Entry, record: array[int]) -> Iterator[CallLog]:
    codec = CallLogCodec()
    if entry.kind == "state":
        waiting: list[CallLog | None] = [codec.read_state(record)]
    else:
        waiting = [provenance.call_log for provenance in codec.read_provenances(record)]
    for call_log in waiting:
        while call_log is not None:
            yield call_log
            call_log = call_log.base


def copied(cache: PrefixCache, root: Path, to: Path) -> Path:
    """Close a cache, and return what it has left, once more."""
    write_everything(cache)
    cache.close_disk(2)
    shutil.copytree(root, to)
    return to


@pytest.mark.parametrize("mix", list(MIXES))
@each_seed(range(4))
def test_others_lose_nothing_and_no_word_stays_of_who_is_erased(mix: str, seed: int, tmp_path: Path) -> None:
    """One after the other, with the model open or not; with each restart, as far as before."""
    talks, root = Talks(seed), tmp_path / "first"
    dice = talks.random
    cache = talks.begun(mix, root)
    for number, owner in enumerate(dice.sample(OWNERS, len(OWNERS))):
        root = copied(cache, root, tmp_path / str(number))
        cache, _ = opened(mix, root)
        before = talks.kept(cache)
        is_open = dice.random() < 0.5
        if is_open:
            for one in dice.sample(OWNERS, 2):
                for branch in talks.branches[one][:1]:
                    ask(cache, [*branch, NEXT], owner=one)  # which brings in what is on disk
            before = {one: list(map(max, kept, before[one])) for one, kept in talks.kept(cache).items()}
            cache.erase(owner)
            check(cache)
            write_everything(cache)
        else:
            cache.close_disk(2)
            catalog.erase_everywhere(root, owner)
        gone = talks.erased(owner)
        assert not words_in(root) & gone
        if is_open:
            cache, _ = reopened(cache, mix, root)
        else:
            cache, _ = opened(mix, root)
        after = talks.kept(cache)
        for one, kept in after.items():
            assert kept == before[one][: len(kept)], f"of {one}, {owner} was erased {'open' if is_open else 'closed'}"
    write_everything(cache)
    cache.close_disk(2)
    assert not words_in(root) & set(range(1, NEXT))


@pytest.mark.parametrize("mix", list(MIXES))
@each_seed(range(4))
def test_no_word_stays_where_the_index_is_lost(mix: str, seed: int, tmp_path: Path) -> None:
    """What a file says of its owners is from when it was written: some of them may be gone, some have come since."""
    talks, root = Talks(seed), tmp_path / "caches"
    dice = talks.random
    cache = talks.begun(mix, root)
    for owner in dice.sample(OWNERS, len(OWNERS)):
        write_everything(cache)
        cache.close_disk(2)
        if dice.random() < 0.5:
            for path in root.glob("*/" + files.INDEX):
                path.write_bytes(path.read_bytes()[:-1]) if dice.random() < 0.5 else path.unlink()
        if dice.random() < 0.5:
            catalog.erase_everywhere(root, owner)
            assert not words_in(root) & talks.erased(owner)
            cache, _ = opened(mix, root)
        else:
            cache, _ = opened(mix, root)
            cache.erase(owner)
            write_everything(cache)
            assert not words_in(root) & talks.erased(owner)
        check(cache)
    assert not files_in(root)


@pytest.mark.parametrize("mix", list(MIXES))
@each_seed(range(4))
def test_what_a_person_evicts_takes_nothing_along_that_lies_beside_it(mix: str, seed: int, tmp_path: Path) -> None:
    talks = Talks(seed)
    cache = talks.begun(mix, tmp_path)
    for _ in range(4):
        cache, _ = reopened(cache, mix, tmp_path)
        talks.ask(cache)  # which brings in what is on disk
        top = cache.trie.nodes[talks.random.choice(sorted(cache.trie.nodes))]
        evicted = tier_of(cache)._catalog.path_of(top)[: top.start + 1].tolist()
        before = talks.kept(cache)
        cache.evict([top.id])
        check(cache)
        talks.compare(before, cache, evicted)
        cache, _ = reopened(cache, mix, tmp_path)
        talks.compare(before, cache, evicted)


@pytest.mark.parametrize("mix", list(MIXES))
def test_an_erasure_that_a_kill_broke_off_is_ended_by_the_next_start(mix: str, tmp_path: Path) -> None:
    cache, _ = opened(mix, tmp_path)
    ask(cache, [*OPENING, 50, 51], [52, 53], points=[3], owner="gone")
    ask(cache, [*OPENING, 20, 21], [22], points=[3], owner="kept")
    write_everything(cache)
    cache.close_disk(2)
    files.add_erased(tmp_path / "model", "gone")  # and no more
    cache, _ = opened(mix, tmp_path)
    assert cache.price([*OPENING, 50, 51, 52, 53]).matched == 3
    assert cache.price([*OPENING, 20, 21, NEXT]).excess == 0
    write_everything(cache)
    assert not words_in(tmp_path) & {50, 51, 52, 53}
    ask(cache, [*OPENING, 50, 51], [52, 53], points=[3], owner="gone")  # it is a conversation of which more is left
    write_everything(cache)
    tier_of(cache).wait(5)
    cache.close_disk(2)
    (tmp_path / "model" / files.INDEX).unlink()
    cache, _ = opened(mix, tmp_path)
    assert cache.price([*OPENING, 50, 51, 52, NEXT]).excess == 0


@pytest.mark.parametrize("mix", list(MIXES))
@pytest.mark.parametrize("is_open", [True, False])
def test_a_full_disk_keeps_no_word_of_who_is_erased(
    is_open: bool, mix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    cache, _ = opened(mix, tmp_path)
    ask(cache, [*OPENING, 50, 51], [52, 53], owner="gone")
    write_everything(cache)
    ask(cache, [*OPENING, 20, 21], [22], owner="kept")
    cache, _ = reopened(cache, mix, tmp_path)
    if not is_open:
        cache.close_disk(2)
    monkeypatch.setattr(files, "_write_aside", refuse)
    if is_open:
        cache.erase("gone")
        write_everything(cache)
    else:
        catalog.erase_everywhere(tmp_path, "gone")
    assert not words_in(tmp_path) & {50, 51, 52, 53}
