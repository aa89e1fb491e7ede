"""Nothing about a path on disk depends on its depth: work grows with how much is there, and no faster."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from app.kvcache.disk import tier
from app.kvcache.invariants import check
from app.kvcache.layers import CacheFaultError
from app.kvcache.node import FileRef
from app.kvcache.prefix_cache import PrefixCache
from tests.kvcache.disk.restarts import SteppedWriter, close_all, files_in, opened, tier_of, writer_of
from tests.kvcache.ledger import ask
from tests.kvcache.test_deep import lines_run

END = [61, 62]


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    close_all()


class Life:
    """What may be done with the files of one path, each token of which is an edge with a file of its rows and one of
    its state, by name, in an order that makes sense.

    turns: requests that made it, each going on from the one before.
    """

    def __init__(self, depth: int, root: Path, turns: int = 1) -> None:
        self._root, self._path = root, [random.Random(at).randrange(60) for at in range(depth)]
        self.cache = self._opened()
        for turn in range(1, turns + 1):
            end = depth * turn // turns
            ask(self.cache, [*self._path[:end], 60], points=range(1, end + 1), owner="one")
        self.operations: dict[str, Callable[[], object]] = {
            "write": self._write,
            "save the index": lambda: tier_of(self.cache)._catalog.save_index(),
            "leave": lambda: ask(self.cache, END),
            "evict": self._evict,
            "restore": lambda: ask(self.cache, [*self._path, 61]),
            "leave once more": lambda: ask(self.cache, END),
            "evict once more": self._evict,
            "close": lambda: self.cache.close_disk(60),
            "open": self._open,
            "restore after that": lambda: ask(self.cache, [*self._path, 61]),
            "close once more": lambda: self.cache.close_disk(60),
            "open without an index": self._open_without_index,
            "restore without an index": lambda: ask(self.cache, [*self._path, 61]),
            "leave for good": lambda: ask(self.cache, END),
            "evict for good": self._evict,
            "shrink": self._shrink,
            "lose a file": self._lose,
            "fail to restore": self._fail,
            "read it again": self._read_again,
            "lose the states": self._lose_states,
            "erase": lambda: self.cache.erase("one"),
        }

    def _opened(self) -> PrefixCache:
        with patch.object(tier, "Writer", SteppedWriter):
            return opened("R", self._root)[0]

    def _open(self) -> None:
        self.cache = self._opened()

    def _open_without_index(self) -> None:
        next(self._root.glob("*/index")).unlink()
        self.cache = self._opened()

    def _write(self) -> None:
        while tier_of(self.cache).tend() or tier_of(self.cache).is_saving:
            writer_of(self.cache).work(1)
        writer_of(self.cache).work(1 << 30)

    def _evict(self) -> None:
        self.cache.set_budget(0)
        self.cache.set_budget(1 << 30)

    def _shrink(self) -> None:
        tier_of(self.cache).set_budget(tier_of(self.cache).nbytes * 3 // 4)
        writer_of(self.cache).work(1 << 30)

    def _lose(self) -> None:
        """A file at three quarters of what is left is not what was written."""
        names = {path.name for path in files_in(self._root)}
        refs: list[FileRef] = [
            ref for node in self.cache.trie.match(self._path).path for ref in node.stored.disk_rows if ref.name in names
        ]
        ref = refs[len(refs) * 3 // 4]
        (path,) = self._root.glob(f"*/{ref.name}")
        path.write_bytes(path.read_bytes()[:-1])
        assert ask(self.cache, [*self._path, 61])[2] <= ref.start
        ask(self.cache, END)
        self._evict()

    def _read_again(self) -> None:
        tier_of(self.cache).set_budget(1 << 30)
        ask(self.cache, [*self._path, 61], points=range(1, len(self._path) + 1), owner="one")
        ask(self.cache, END)
        self._evict()
        self._write()

    def _lose_states(self) -> None:
        """All of them, while the rows are there."""
        for node in self.cache.trie.match(self._path).path:
            if node.stored.disk_state is not None:
                next(self._root.glob(f"*/{node.stored.disk_state.name}")).unlink()
        dropped = tier_of(self.cache).dropped
        assert ask(self.cache, [*self._path, 61])[2] == 0
        assert tier_of(self.cache).dropped > dropped + len(self._path) // 2

    def _fail(self) -> None:
        """The rows of an edge in the middle cannot be read when they are entered."""
        right, calls = tier.Tier.rows, 0

        def rows(disk: tier.Tier, node: object) -> object:
            nonlocal calls
            calls += 1
            if calls == len(self._path) // 4:
                raise CacheFaultError("on purpose")
            return right(disk, node)  # type: ignore[arg-type]

        faults = self.cache.faults
        with patch.object(tier.Tier, "rows", rows):
            assert ask(self.cache, [*self._path, 61])[2] == 0
        assert self.cache.faults == faults + 1


def test_work_grows_with_the_depth_and_no_faster(tmp_path: Path) -> None:
    """Four times the depth is at most six times the lines; a look at the whole path for each file would be sixteen."""
    short, long = Life(40, tmp_path / "short"), Life(160, tmp_path / "long")
    for name in short.operations:
        few, many = lines_run(short.operations[name]), lines_run(long.operations[name])
        assert many <= 6 * few + 2_000, f"{name}: {few} lines at a depth of 40, {many} at 160"
        check(long.cache)


def test_what_is_read_of_many_turns_grows_no_faster_either(tmp_path: Path) -> None:
    """The record in each file speaks of all turns before it: what was read of the file above is not read again."""
    short, long = Life(20, tmp_path / "short", 20), Life(80, tmp_path / "long", 80)
    for name in short.operations:
        few, many = lines_run(short.operations[name]), lines_run(long.operations[name])
        if name != "write":
            assert many <= 6 * few + 2_000, f"{name}: {few} lines after 20 turns, {many} after 80"
        check(long.cache)
