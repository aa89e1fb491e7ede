"""The files of one model's folder, and where they hang in the trie; of other models' folders, how large they are."""

from __future__ import annotations

import logging
import time
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from app.kvcache.disk import erasing, files, index
from app.kvcache.disk.calls import DiskCalls
from app.kvcache.disk.hanging import Shorten, entry_of, forget, listed, settle
from app.kvcache.disk.index import Entry
from app.kvcache.disk.layout import Layout
from app.kvcache.disk.loading import Loader
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
        self._erased = 0  # owners in the folder's list of those that were erased from it

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

        has_rows: the model has rows, so that a state without complete rows above it is of no use. To be followed by
        `collect`, for the files of which not all is.
        """
        try:
            survey = self._calls.read(lambda: _survey(self._root, self._folder))
        except TimeoutError:  # what is there is found when the folder is opened again
            return 0
        except OSError as error:
            log.warning("the snapshots cannot be read: %s", error.strerror or error)
            self.problem = error.strerror or str(error)
            return 0
        self._files, erased, self._writer.root, self._others = survey
        self._erased = len(erased)
        self._files_bytes = sum(self._files.values())
        self._wipe_stale()
        before = len(self._files)
        loader = Loader(self._trie, self._folder, self._calls, self._layout.knows, erased)
        for name in loader.load(self._files, has_rows):
            self._files_bytes -= self._files.pop(name)
        for name in self._files.keys() - {ref.name for ref in self._trie.files}:
            self._delete(name)
        return before - len(self._files)

    def _wipe_stale(self) -> None:
        """Delete the files of models that were not opened for long."""
        for folder in [path for path, other in self._others.items() if time.time() - other.changed_at > STALE]:
            del self._others[folder]
            self._writer.wipe(folder)

    # From the trie onto the disk

    def entry(self, node: TrieNode, kind: index.Kind, ref: FileRef) -> Entry:
        """Return what a file of this node's state says of itself."""
        return entry_of(node, kind, ref, self.size(ref.name), self._erased)

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
        self._writer.write_index(self._folder, index.save(listed(self._trie, self.size)))

    # What goes

    def forget(self, node: TrieNode, why: Reason = Reason.NONE) -> None:
        """Take down what lies on disk of a node and below it, since its rows are gone; files that it shares go whole.

        why: told of what was nowhere else.
        """
        forget(self._trie, node, why)

    def note_erased(self, owner: str) -> None:
        """Note in the folder that an owner is being erased, before anything is."""
        self._erased += 1
        self._writer.note_erased(self._folder, owner)

    def erase_elsewhere(self, owner: str) -> None:
        """Delete what only this owner used of other models' files."""
        for folder in self._others:
            self._writer.erase(folder, owner)

    def collect(self, shorten: Shorten) -> set[FileRef]:
        """Delete the files that hang nowhere any more, or not whole. Returns those that are gone.

        shorten: writes anew what of a file still hangs.
        """
        gone = settle(self._trie, shorten)
        self._delete_all(gone)
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
        self._files_bytes = self._erased = 0
        for folder in (self._folder, *self._others):
            self._writer.wipe(folder)
        self._others.clear()

    def _drop(self, nodes: Sequence[TrieNode], is_state: bool) -> None:
        """Take down the states of nodes, and with the rows of an edge all that hangs there; delete their files."""
        for node in nodes:
            refs = node.stored.files if not is_state else node.stored.files[-1:]
            self._trie.set_disk(node, node.stored.disk_rows if is_state else (), None)
            node.stored.lost = node.stored.lost if node.holds else Reason.EVICTED
            self._delete_all(refs)

    def _delete_all(self, refs: Iterable[FileRef]) -> None:
        """Delete files, each before those that it needs: a kill in between leaves none that is of no use."""
        for ref in sorted(refs, key=lambda ref: (bool(ref.runs), -ref.start)):
            self.discard(ref.name)

    def _delete(self, name: str) -> None:
        self._files_bytes -= self._files.pop(name, 0)
        self._writer.delete(self._folder, name)


def wipe_all(root: Path) -> None:
    """Delete the files of all models. What cannot be deleted is logged and stays."""
    _in_all(root, files.wipe)


def erase_everywhere(root: Path, owner: str) -> None:
    """Delete what only this owner used of all models' files. What cannot be deleted is logged and stays."""
    _in_all(root, partial(erasing.erase, owner=owner))


def folders_in(root: Path) -> list[Path]:
    """Return the folders of all models. Links are none."""
    return [path for path in root.iterdir() if files.is_folder(path)]


def _in_all(root: Path, do: Callable[[Path], None]) -> None:
    try:
        for folder in folders_in(root) if root.exists() else ():
            do(folder)
    except OSError as error:
        log.warning("not all snapshots were deleted: %s", error.strerror or error)


class _Folder(NamedTuple):
    """Snapshots of another model. changed_at: seconds since the epoch."""

    nbytes: int
    changed_at: float


class _Survey(NamedTuple):
    """Content of a folder, and of those beside it. erased: owners; root: of the folder above it."""

    files: dict[str, int]
    erased: list[str]
    root: files.FolderId
    others: dict[Path, _Folder]


def _survey(root: Path, folder: Path) -> _Survey:
    """Return what is there of a folder, which is made where there is none, and of those beside it."""
    files.prepare(folder)
    found = files.sweep(folder)
    others = {path: _Folder(_bytes_in(path), _changed_at(path)) for path in folders_in(root) if path != folder}
    return _Survey(found, files.erased(folder), files.folder_id(root), others)


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
