"""The files of one model's folder, and where they hang in the trie; of other models' folders, how large they are."""

from __future__ import annotations

import gc
import hashlib
import logging
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from app.kvcache.disk import files, index
from app.kvcache.disk.calls import DiskCalls
from app.kvcache.disk.files import DamagedFileError, SnapshotFile
from app.kvcache.disk.identity import Identity, clipped, runs_on
from app.kvcache.disk.index import Entry, Listed
from app.kvcache.disk.layout import Layout
from app.kvcache.disk.writer import Writer
from app.kvcache.node import FileRef
from app.kvcache.snapshot import CacheTrie, TrieNode
from app.protocol.reports import Reason

STALE = 30 * 86_400.0  # seconds without a change, after which another model's files are deleted

UNLISTED = 8  # one file in so many may be missing in the index while the program runs

log = logging.getLogger(__name__)


class SnapshotCatalog:
    """Catalogue of the snapshot files, by name and size, with their index and the order in which they go.

    problem: why the folder could not be read, in the system's words, or "".
    """

    def __init__(
        self, trie: CacheTrie, root: Path, folder: Path, calls: DiskCalls, writer: Writer, layout: Layout
    ) -> None:
        self.problem = ""
        self._calls, self._layout = calls, layout
        self._trie, self._root, self._folder, self._writer = trie, root, folder, writer
        self._files: dict[str, int] = {}
        self._files_bytes = 0  # of all of them
        self._path: tuple[TrieNode, array[int]] = trie.root, array("i")  # see `path_of`
        self._others: dict[Path, _Folder] = {}
        self._changes = 0  # files that came since the index was saved

    @property
    def own_bytes(self) -> int:
        """Bytes of this model's files."""
        return self._files_bytes

    @property
    def nbytes(self) -> int:
        """Bytes of all snapshot files, other models' included."""
        return self._files_bytes + sum(other.nbytes for other in self._others.values())

    def size(self, name: str) -> int:
        """Return the bytes of a file, 0 of one that is not there."""
        return self._files.get(name, 0)

    def add(self, name: str, nbytes: int) -> None:
        """Enter a file that was written."""
        self._files_bytes += nbytes - self.size(name)
        self._files[name] = nbytes
        self._changes += 1

    # From the disk into the trie

    def load(self, has_rows: bool) -> int:
        """Hang what is there. Returns how many files were of no use. Raises nothing: what cannot be read is not there.

        has_rows: the model has rows, so that a state without complete rows above it is of no use.
        """
        try:
            survey = self._calls.read(lambda: _survey(self._root, self._folder))
        except TimeoutError:  # what is there is found when the folder is opened again
            return 0
        except OSError as error:
            log.warning("the snapshots cannot be read: %s", error.strerror or error)
            self.problem = error.strerror or str(error)
            return 0
        self._files, self._writer.root, self._others = survey
        self._files_bytes = sum(self._files.values())
        self._wipe_stale()
        before = len(self._files)
        with _without_garbage():
            for entry, end in sorted(self._located(), key=_wanted_first):
                self._hang(entry, end)
            self._prune(has_rows)
            self._join()
        self.collect()
        for name in self._files.keys() - {ref.name for ref in self._trie.files}:
            self._delete(name)
        return before - len(self._files)

    def _wipe_stale(self) -> None:
        """Delete the files of models that were not opened for long."""
        for folder in [path for path, other in self._others.items() if time.time() - other.changed_at > STALE]:
            del self._others[folder]
            self._writer.wipe(folder)

    def _located(self) -> Iterator[tuple[Entry, TrieNode]]:
        """Give the entry of each file that is there, and the node that ends where it does, made where there is none.

        What the index does not know, the files say themselves.
        """
        unknown = dict(self._files)
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
                self._set_aside(name)
                continue
            except (OSError, DamagedFileError) as error:
                log.warning("a snapshot cannot be used: %s", error)
                continue
            above = ends.get(_digest(path[: entry.start]), self._trie.root)
            end = [above, *self._path_below(above, path[above.end :])][-1]
            if end.end == entry.end:
                ends[_digest(path)] = end
                yield entry, end

    def _shortest_first(self, names: Iterable[str]) -> list[str]:
        """Put the files in the order of the length of their paths, those left out that cannot be read."""
        lengths: dict[str, int] = {}
        for name in names:
            try:
                lengths[name] = self._calls.read(partial(_path_length, self._folder / name))
            except TimeoutError:
                self._set_aside(name)
            except (OSError, DamagedFileError) as error:
                log.warning("a snapshot cannot be used: %s", error)
        return sorted(lengths, key=lengths.__getitem__)

    def _set_aside(self, name: str) -> None:
        """Leave a file alone that cannot be read now: it is found when the folder is opened again."""
        self._files_bytes -= self._files.pop(name)

    def _path_below(self, above: TrieNode, tokens: array[int]) -> list[TrieNode]:
        """Return the nodes that lead from the end of `above` to that of these tokens, made where there are none; none
        when the model has no such tokens.
        """
        found, length = self._trie.match(tokens, above)
        if not self._layout.knows(tokens[length:]):
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
        nodes = list(self._trie)
        for node in nodes:
            above = led_to.get(node.parent.id) if node.parent is not None else None
            if above is None or not _follows(node, above, has_rows):
                self._trie.set_disk(node, (), None)
                continue
            led_to[node.id] = here = above.then(runs_on(node, None))
            if has_rows and node.stored.disk_state is not None and node.stored.disk_state.above != here.text:
                self._trie.set_disk(node, node.stored.disk_rows, None)
        for node in reversed(nodes):
            if node.parent is not None:
                node.parent.usage.last_use = max(node.parent.usage.last_use, node.usage.last_use)

    def _join(self) -> None:
        """Edges that only the files' borders divide become one."""
        for node in list(self._trie.nodes.values()):
            if self._trie.can_merge(node):
                self._trie.merge(node)

    # From the trie onto the disk

    def entry(self, node: TrieNode, kind: index.Kind, ref: FileRef) -> Entry:
        """Return what a file of this node's state says of itself."""
        uses = float(node.usage.uses) if kind == "rows" else node.usage.state_uses
        last_use = node.usage.last_use if kind == "rows" else node.usage.state_used
        times, owners = (uses, last_use, node.usage.used_at), tuple(sorted(node.usage.owners))
        nbytes = self.size(ref.name)
        return Entry(ref.name, nbytes, kind, ref.start, ref.end, *times, owners, ref.runs, ref.above)

    def path_of(self, node: TrieNode) -> array[int]:
        """Return tokens [0, node.end). The one asked for last is kept: mostly it leads to this one."""
        known, path = self._path
        edges = []
        above: TrieNode | None = node
        while above is not None and not (above is known and above.end == len(path)):
            edges.append(above.tokens)
            above = above.parent
        path = path[:] if above is not None else array("i")
        for edge in reversed(edges):
            path.extend(edge)
        self._path = node, path
        return path

    def save_index_if_changed(self) -> None:
        """Have the index written when many files came since: what it does not list is read file by file."""
        if self._changes > len(self._files) // UNLISTED:
            self.save_index()

    def save_index(self) -> None:
        """Have the index written."""
        self._changes = 0
        self._writer.write_index(self._folder, index.save(self._hanging()))

    def _hanging(self) -> Iterator[Listed]:
        path, shared = array("i"), 0  # of the node at hand; how many of its tokens are the last entry's, too
        for node in self._trie.below(self._trie.root, lambda child: child.is_on_disk):
            shared = min(shared, node.start)
            del path[node.start :]
            path.extend(node.tokens)
            for kind, ref in _in_place(node):
                yield Listed(self.entry(node, kind, ref), shared, path[shared : ref.end])
                shared = ref.end

    # What goes

    def forget(self, node: TrieNode, why: Reason = Reason.NONE) -> None:
        """Take down what lies on disk of a node and below it, since its rows are gone; files that it shares go whole.

        why: told of what was nowhere else.
        """
        while node.parent is not None and node.shares_file(node.parent):
            node = node.parent
        if why:
            for one in self._trie.below(node, lambda child: child.is_on_disk):
                one.stored.lost = one.stored.lost if one.holds else why
        self._trie.forget_files(node)

    def erase_elsewhere(self, owner: str) -> None:
        """Delete what only this owner used of other models' files."""
        for folder in self._others:
            self._writer.erase(folder, owner)

    def collect(self) -> set[FileRef]:
        """Delete the files that hang nowhere any more, or not whole. Returns those that are gone."""
        gone: set[FileRef] = set()
        while loosened := self._trie.take_loosened():
            broken = {ref for ref in loosened if 0 < self._trie.files.get(ref, 0) < ref.tokens}
            if broken:
                for node in [node for node in self._trie.nodes.values() if broken.intersection(node.stored.disk_rows)]:
                    self.forget(node)
            gone |= loosened - self._trie.files.keys()
        for ref in gone:
            self.discard(ref.name)
        return gone

    def discard(self, name: str) -> None:
        """Delete a file that hangs nowhere, if it is there."""
        if name in self._files:
            self._delete(name)

    def shrink(self, surplus: int) -> int:
        """Delete files of at least `surplus` bytes, if there are so many. Returns how many bytes went.

        Other models' first, the longest unused of them; then this one's longest unused, deepest first. What is pinned
        goes last.
        """
        before = self.nbytes
        for folder in sorted(self._others, key=lambda path: self._others[path].changed_at):
            if before - self.nbytes >= surplus:
                break
            del self._others[folder]
            self._writer.wipe(folder)
        for nodes, is_state in self._least_wanted():
            if before - self.nbytes >= surplus:
                break
            ids = {node.id for node in nodes}
            if is_state or not any(
                child.is_on_disk and child.id not in ids for node in nodes for child in node.children.values()
            ):
                self._drop(nodes, is_state)
        return before - self.nbytes

    def _least_wanted(self) -> list[tuple[list[TrieNode], bool]]:
        """Return what can go at once, the least wanted first: (nodes whose rows share files, False), (node, is a
        state)."""
        chains: dict[int, list[TrieNode]] = {}  # by the node
        found: list[tuple[list[TrieNode], bool]] = []
        for node in self._trie:
            if node.stored.disk_state:
                found.append(([node], True))
            if node.stored.disk_rows and node.parent is not None:
                chain = chains[node.parent.id] if node.shares_file(node.parent) else []
                if not chain:
                    found.append((chain, False))
                chain.append(node)
                chains[node.id] = chain

        def want(item: tuple[list[TrieNode], bool]) -> tuple[bool, int, int, bool]:
            nodes, is_state = item
            end = max(node.end for node in nodes)
            return (
                any(node.usage.pins for node in nodes),
                max(node.usage.last_use for node in nodes),
                -end,
                not is_state,
            )

        return sorted(found, key=want)

    def wipe(self) -> None:
        """Delete everything, other models' files included."""
        self._files.clear()
        self._files_bytes = 0
        for folder in (self._folder, *self._others):
            self._writer.wipe(folder)
        self._others.clear()

    def _drop(self, nodes: Sequence[TrieNode], is_state: bool) -> None:
        """Take down the states of nodes, and with the rows of an edge all that hangs there; delete their files."""
        for node in nodes:
            refs = node.stored.files if not is_state else node.stored.files[-1:]
            self._trie.set_disk(node, node.stored.disk_rows if is_state else (), None)
            node.stored.lost = node.stored.lost if node.holds else Reason.EVICTED
            for ref in refs:
                self.discard(ref.name)

    def _delete(self, name: str) -> None:
        self._files_bytes -= self._files.pop(name, 0)
        self._writer.delete(self._folder, name)


def wipe_all(root: Path) -> None:
    """Delete the files of all models. What cannot be deleted is logged and stays."""
    _in_all(root, files.wipe)


def erase_everywhere(root: Path, owner: str) -> None:
    """Delete what only this owner used of all models' files. What cannot be deleted is logged and stays."""
    _in_all(root, partial(files.erase, owner=owner))


def folders_in(root: Path) -> list[Path]:
    """Return the folders of all models. Links are none."""
    return [path for path in root.iterdir() if files.is_folder(path)]


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


def _in_all(root: Path, do: Callable[[Path], None]) -> None:
    try:
        for folder in folders_in(root) if root.exists() else ():
            do(folder)
    except OSError as error:
        log.warning("not all snapshots were deleted: %s", error.strerror or error)


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


def _in_place(node: TrieNode) -> Iterator[tuple[index.Kind, FileRef]]:
    """Give the files that end on an edge, in the order of their ends."""
    for ref in node.stored.disk_rows:
        if ref.name and node.start < ref.end <= node.end:
            yield "rows", ref
    if node.stored.disk_state is not None and node.stored.disk_state.name:
        yield "state", node.stored.disk_state


def _wanted_first(placed: tuple[Entry, TrieNode]) -> tuple[str, int, int]:
    """Rows before states, the last used first, and what leads to others before them."""
    entry = placed[0]
    return entry.kind, -entry.last_use, entry.start


class _Folder(NamedTuple):
    """Snapshots of another model. changed_at: seconds since the epoch."""

    nbytes: int
    changed_at: float


def _survey(root: Path, folder: Path) -> tuple[dict[str, int], files.FolderId, dict[Path, _Folder]]:
    """Return the files of a folder, which is made where there is none, the id of the folder above it, and what else is
    there."""
    files.prepare(folder)
    found = files.sweep(folder)
    others = {path: _Folder(_bytes_in(path), _changed_at(path)) for path in folders_in(root) if path != folder}
    return found, files.folder_id(root), others


def _entry_in(path: Path) -> tuple[Entry, array[int]]:
    return index.read_entry(SnapshotFile(path))


def _bytes_in(folder: Path) -> int:
    """Return the bytes of the snapshots in a folder; one that cannot be listed has none."""
    try:
        return sum(files.sweep(folder).values())
    except OSError as error:
        log.warning("another model's snapshots cannot be listed: %s", error.strerror or error)
        return 0


def _changed_at(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0
