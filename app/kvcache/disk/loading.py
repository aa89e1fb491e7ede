"""Snapshot files of a folder on their way into an empty trie, when a model is opened."""

from __future__ import annotations

import gc
import hashlib
import logging
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from app.kvcache.disk import files, index
from app.kvcache.disk.files import DamagedFileError, SnapshotFile
from app.kvcache.disk.identity import Identity, clipped, runs_on
from app.kvcache.disk.index import Entry, Listed
from app.kvcache.node import FileRef
from app.kvcache.snapshot import CacheTrie, TrieNode

T = TypeVar("T")
log = logging.getLogger(__name__)


class Reads(Protocol):
    """Way to the disk. It raises TimeoutError when that does not answer."""

    def read(self, function: Callable[[], T]) -> T: ...


class Loader:
    """Loader of one folder's files, by its index and by what they say themselves.

    knows: whether all of these are tokens of the model. erased: the owners that were erased from the folder.
    """

    def __init__(
        self,
        trie: CacheTrie,
        folder: Path,
        calls: Reads,
        knows: Callable[[Sequence[int]], bool] = lambda _tokens: True,
        erased: Sequence[str] = (),
    ) -> None:
        self._trie, self._folder, self._calls = trie, folder, calls
        self._knows, self._erased = knows, erased
        self._unread: list[str] = []
        self._orphans: set[str] = set()  # names of the files whose owners were all erased since they were written

    def load(self, sizes: Mapping[str, int], has_rows: bool | None = None) -> list[str]:
        """Hang the files that are there where they belong, as far as a restore could reach them.

        sizes: bytes of the files, by name. has_rows: the model has rows, so that a state without complete rows above it
        is of no use; None where only the files tell. Returns those that cannot be read now: they are found when the
        folder is opened again.
        """
        with _without_garbage():
            for entry, end in sorted(self._located(sizes), key=_wanted_first):
                self._hang(entry, end)
            self._spread()
            self._drop_orphans()
            is_row = any(node.stored.disk_rows for node in self._trie) if has_rows is None else has_rows
            self._prune(is_row)
            self._join()
        return self._unread

    def _located(self, sizes: Mapping[str, int]) -> Iterator[tuple[Entry, TrieNode]]:
        """Give the entry of each file that is there, and the node that ends where it does, made where there is none.

        What the index does not know, the files say themselves; whose they are, as of when they were written.
        """
        unknown = dict(sizes)
        path, known = array("i"), [self._trie.root]  # of the entry at hand; those of its nodes that were found before
        for entry, shared, fresh in self._indexed():
            del path[shared:]
            path.extend(fresh)
            while known[-1].end > shared:
                known.pop()
            if unknown.get(entry.name) != entry.nbytes:
                continue
            del unknown[entry.name]
            known += self._path_below(known[-1], path[known[-1].end :])
            if known[-1].end == entry.end:
                yield entry, known[-1]
        ends: dict[bytes, TrieNode] = {}  # by the digest of the path; most files begin where another one ends
        for name in self._shortest_first(unknown):
            try:
                entry, path = self._calls.read(partial(_entry_in, self._folder / name))
            except TimeoutError:
                self._unread.append(name)
                continue
            except (OSError, DamagedFileError) as error:
                log.warning("a snapshot cannot be used: %s", error)
                continue
            above = ends.get(_digest(path[: entry.start]), self._trie.root)
            end = [above, *self._path_below(above, path[above.end :])][-1]
            if end.end == entry.end:
                ends[_digest(path)] = end
                owners = self._living(entry)
                if entry.owners and not owners:
                    self._orphans.add(name)
                yield entry._replace(owners=owners), end

    def _shortest_first(self, names: Iterable[str]) -> list[str]:
        """Put the files in the order of the length of their paths, those left out that cannot be read."""
        lengths: dict[str, int] = {}
        for name in names:
            try:
                lengths[name] = self._calls.read(partial(_path_length, self._folder / name))
            except TimeoutError:
                self._unread.append(name)
            except (OSError, DamagedFileError) as error:
                log.warning("a snapshot cannot be used: %s", error)
        return sorted(lengths, key=lengths.__getitem__)

    def _path_below(self, above: TrieNode, tokens: array[int]) -> list[TrieNode]:
        """Return the nodes that lead from the end of `above` to that of these tokens, made where there are none; none
        when the model has no such tokens.
        """
        found, length = self._trie.match(tokens, above)
        if not self._knows(tokens[length:]):
            return []
        last = self._trie.node_ending_at(found, above.end + length)
        nodes = found[1 : found.index(last) + 1]
        if length < len(tokens):
            nodes.append(self._trie.append(last, tokens[length:], ()))
        return nodes

    def _indexed(self) -> list[Listed]:
        try:
            data = self._calls.read(lambda: files.read_index(self._folder))
            return index.load(data) if data is not None else []
        except (OSError, ValueError) as error:
            log.warning("the index of the snapshots is not used: %s", error)
            return []

    def _hang(self, entry: Entry, end: TrieNode) -> None:
        """Put one file where it belongs, so that its rows span whole edges."""
        ref = FileRef(entry.name, entry.start, entry.end, entry.runs, entry.above)
        used_at = min(entry.used_at, time.time())  # the clock may have been put back since
        end.usage.last_use, end.usage.used_at = max(end.usage.last_use, entry.last_use), max(end.usage.used_at, used_at)
        end.usage.owners = end.usage.owners.union(entry.owners)
        if entry.kind == "state":
            end.usage.state_uses, end.usage.state_used = entry.uses, entry.last_use
            self._trie.set_disk(end, end.stored.disk_rows, ref)
            return
        edges = self._edges(end, entry.start)
        if any(
            node.stored.disk_rows for node in edges
        ):  # written twice, which only a crash leaves behind: one of them goes
            return
        for node in edges:
            self._trie.set_disk(node, (ref,), node.stored.disk_state)
            node.usage.uses = max(1, node.usage.uses, int(entry.uses))

    def _living(self, entry: Entry) -> tuple[str, ...]:
        """Return whom a file names as its owners, without those that were erased since it was written.

        None of them where the list of those is not the one that the file speaks of.
        """
        since = self._erased[entry.erased :] if entry.erased <= len(self._erased) else entry.owners
        return tuple(owner for owner in entry.owners if owner not in since)

    def _edges(self, node: TrieNode, start: int) -> list[TrieNode]:
        """Return the nodes from `start` to a node's end, after splitting the edge that spans `start`."""
        path = [node]
        while path[-1].parent is not None and path[-1].end > start:
            path.append(path[-1].parent)
        path.reverse()
        self._trie.node_ending_at(path, start)
        return [edge for edge in path if edge.end > start]

    def _prune(self, has_rows: bool) -> None:
        """Take down what no restore could reach, and what was computed on other rows than those that lead to it: rows
        above a hole, states without their rows, and what an interrupted run left below an edge that it computed again.
        """
        led_to = {self._trie.root.id: Identity()}
        for node in list(self._trie):
            above = led_to.get(node.parent.id) if node.parent is not None else None
            if above is None or not _follows(node, above, has_rows):
                self._trie.set_disk(node, (), None)
                continue
            led_to[node.id] = here = above.then(runs_on(node, None))
            if has_rows and node.stored.disk_state is not None and node.stored.disk_state.above != here.text:
                self._trie.set_disk(node, node.stored.disk_rows, None)

    def _spread(self) -> None:
        """Have the nodes above one be as new, and be theirs too who used it: they passed there, which a file does not
        say that was written before."""
        for node in reversed(list(self._trie)):
            if node.parent is not None:
                usage, below = node.parent.usage, node.usage
                usage.last_use = max(usage.last_use, below.last_use)
                usage.used_at = max(usage.used_at, below.used_at)
                if node.parent is not self._trie.root:
                    usage.owners |= below.owners

    def _drop_orphans(self) -> None:
        """Take down what was written for nobody but owners that were erased since, unless others passed there."""
        for node in list(self._trie) if self._orphans else ():
            if not node.usage.owners and any(ref.name in self._orphans for ref in node.stored.files):
                self._trie.set_disk(node, (), None)

    def _join(self) -> None:
        """Edges that only the files' borders divide become one."""
        for node in list(self._trie.nodes.values()):
            if self._trie.can_merge(node):
                self._trie.merge(node)


@contextmanager
def _without_garbage() -> Iterator[None]:
    """Keep the collector of garbage from running: looking through what is made here again and again takes longer than
    making it."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _path_length(path: Path) -> int:
    """Return how many tokens the path in a file has, as far as its header tells. Raises as `index.read_entry`."""
    return index.path_length(SnapshotFile(path))


def _digest(path: array[int]) -> bytes:
    return hashlib.sha256(path).digest()


def _follows(node: TrieNode, above: Identity, has_rows: bool) -> bool:
    """Return whether the rows of an edge are there, and were computed on those that lead to it."""
    if not has_rows:
        return True
    begun = [ref for ref in node.stored.disk_rows if ref.start >= node.start]
    befores = [above.then(clipped(runs_on(node, None), node.start, ref.start)).text for ref in begun]
    return bool(node.stored.disk_rows) and befores == [ref.above for ref in begun]


def _wanted_first(placed: tuple[Entry, TrieNode]) -> tuple[str, int, int]:
    """Rows before states, the last used first, and what leads to others before them."""
    entry = placed[0]
    return entry.kind, -entry.last_use, entry.start


def _entry_in(path: Path) -> tuple[Entry, array[int]]:
    return index.read_entry(SnapshotFile(path))
