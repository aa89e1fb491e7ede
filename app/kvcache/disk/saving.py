"""Stored state on its way to files: hung in the trie when the writer has it, and read from what the writer has until it
is in place.

Model thread only. What hangs was computed by the very calls that its file speaks of; see `Tier`.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from app.kvcache.active_paths import ActivePaths
from app.kvcache.call_log import Provenance, append_provenances, cut
from app.kvcache.disk import files, index
from app.kvcache.disk.call_log_codec import CallLogCodec
from app.kvcache.disk.catalog import SnapshotCatalog
from app.kvcache.disk.cutting import cut_rows
from app.kvcache.disk.files import Tensor
from app.kvcache.disk.identity import clipped, identity_before, runs_of
from app.kvcache.disk.layout import Layout, kinds_of
from app.kvcache.disk.stored import record_tensor, tensors
from app.kvcache.disk.writer import Failed, Writer
from app.kvcache.event_log import EventLog
from app.kvcache.layers import RowArrays
from app.kvcache.node import FileRef
from app.kvcache.snapshot import CacheTrie, StateSnapshot, TrieNode, concatenated
from app.protocol.cache_events import CacheEventKind
from app.protocol.reports import Reason

FILE_BYTES = 32 << 20  # of rows in one file, so that no step takes long
TOGETHER = 256  # tokens of several edges whose rows are in one file
PAUSE = 30.0  # seconds without writing after a write failed
ROOM = 10.0  # seconds that are waited for room at the writer, where what is not written is lost


@dataclass(eq=False)
class _Save:
    """The rows of edges, each the only child of the one before it. next: where those of the next file begin. refs:
    what the writer has."""

    nodes: Sequence[TrieNode]
    provenances: list[Provenance]
    next: int
    end: int
    refs: list[FileRef] = field(default_factory=list)

    @property
    def start(self) -> int:
        return self.nodes[0].start

    def is_up_to_date(self) -> bool:
        """Return whether the edges are as they were when the save began."""
        linked = all(below.parent is above for above, below in pairwise(self.nodes))
        is_unsaved = not any(node.stored.disk_rows for node in self.nodes)
        return linked and is_unsaved and self.nodes[-1].end == self.end and _joined(self.nodes) == self.provenances


class _Written(NamedTuple):
    """A file that the writer has and has not told of. key: the writer's. tensors: what it will hold, by name."""

    key: int
    tensors: Mapping[str, Tensor]
    nbytes: int


class Saver:
    """State on its way to files. lose: told of a file that was not written.

    failures: files that were not written. problem: why the last of them was not, "" when the last one was.
    """

    def __init__(
        self,
        trie: CacheTrie,
        paths: ActivePaths,
        event_log: EventLog,
        folder: Path,
        codec: CallLogCodec,
        layout: Layout,
        writer: Writer,
        catalog: SnapshotCatalog,
        lose: Callable[[FileRef], None],
    ) -> None:
        self.failures = 0
        self.problem = ""
        self._trie, self._paths, self._event_log, self._folder = trie, paths, event_log, folder
        self._codec, self._writer, self._catalog, self._lose = codec, writer, catalog, lose
        self._layout = layout
        self._written: dict[FileRef, _Written] = {}
        self._refs: dict[int, FileRef] = {}  # by the writer's keys
        self._current: _Save | None = None  # its files are not all handed over yet
        self._last_key = 0
        self._paused_until = 0.0

    @property
    def is_busy(self) -> bool:
        """Whether the writer has something that it will tell of."""
        return bool(self._written)

    @property
    def is_halfway(self) -> bool:
        """Whether `advance` has more to hand over."""
        return self._current is not None

    @property
    def is_paused(self) -> bool:
        """Whether a write has failed lately."""
        return time.monotonic() < self._paused_until

    def data(self, ref: FileRef) -> Mapping[str, Tensor] | None:
        """Return what a file will hold, by name; None when it is in place."""
        written = self._written.get(ref)
        return written.tensors if written is not None else None

    @property
    def nbytes(self) -> int:
        """Bytes of the files that the writer has."""
        return sum(written.nbytes for written in self._written.values())

    def size(self, ref: FileRef) -> int:
        """Return the bytes of a file, also of one that is being written."""
        written = self._written.get(ref)
        return written.nbytes if written is not None else self._catalog.size(ref.name)

    def begin_rows(self, node: TrieNode) -> None:
        """Save the rows of an edge, by as many `advance`s as it takes, with those of short ones that go on with it."""
        self._current = _save_of(_with_short_ones(node))

    def advance(self) -> bool:
        """Hand one file's rows to the writer. False when it has enough already."""
        save = self._current
        if save is None:
            return True
        is_there = all(self._trie.nodes.get(one.id) is one and one.has_rows_in_memory for one in save.nodes)
        if not is_there or not save.is_up_to_date():
            self._drop(save)
        elif not self._put_rows(save):
            return False
        elif save.next >= save.end:
            self._current = None
            self._hang_rows(save)
        return True

    def save_rows(self, node: TrieNode) -> bool:
        """Hand all of a node's rows to the writer. False when it has too much already."""
        current = self._current
        save = current if current is not None and current.nodes == [node] and current.is_up_to_date() else None
        save = save or _save_of([node])
        while save.next < save.end:
            if not self._put_rows(save):
                if save is not current:
                    self._drop(save)
                return False
        self._current = None if save is current else current
        self._hang_rows(save)
        return True

    def save_state(self, node: TrieNode, state: StateSnapshot) -> bool:
        """Hand a whole state to the writer, unless it could not be read back. False when it has too much already."""
        if not self._layout.fits_state(kinds_of(state.layers)):
            return True
        if not self._writer.has_room(state.nbytes):
            return False
        above = identity_before(node, node.end, self._codec).text if self._paths.has_rows else ""
        ref = FileRef("", node.start, node.end, (), above)
        record = self._codec.write((), (state.call_log, node.end))
        if not self._put(ref, node, "state", [record_tensor(record), *tensors(state.layers)]):
            return False
        self._trie.set_disk(node, node.stored.disk_rows, ref)
        return True

    def shorten(self, ref: FileRef, node: TrieNode, found: Iterable[Tensor]) -> FileRef | None:
        """Hand what a file holds up to the end of an edge to the writer, as a file to hang in its place.

        None when that makes no sense, or the writer finds no room. found: all that is in the file.
        """
        new = FileRef("", ref.start, node.end, clipped(ref.runs, ref.start, node.end), ref.above)
        try:
            data = cut_rows(found, new.start, new.end, self._codec)
        except ValueError:
            return None
        if self._put(new, node, "rows", data):
            return new
        self._writer.wait(ROOM)
        return new if self._put(new, node, "rows", data) else None

    def take_finished(self) -> bool:
        """Take note of what the writer has finished. Returns whether that is anything."""
        outcomes = self._writer.finished()
        for outcome in outcomes:
            ref = self._refs.pop(outcome.key, None)
            if not isinstance(outcome, Failed):
                self._catalog.add(outcome.name, outcome.nbytes)
                if ref is None:  # given up meanwhile
                    self._catalog.discard(outcome.name)
            if ref is None:
                continue
            del self._written[ref]
            if isinstance(outcome, Failed):
                self._fail(ref, outcome)
            else:
                ref.name, self.problem = outcome.name, ""
                tokens = ref.tokens if ref.runs else 0
                self._event_log.add(CacheEventKind.WRITTEN, ref.end - tokens, tokens, outcome.nbytes)
        return bool(outcomes)

    def abandon_all(self) -> None:
        """Give up what is on its way."""
        self._drop(self._current)
        self.abandon(list(self._written))

    def abandon(self, refs: Iterable[FileRef]) -> None:
        """Give up those of these files that are on their way: they will hang nowhere."""
        for ref in refs:
            written = self._written.pop(ref, None)
            if written is not None:
                del self._refs[written.key]
                self._writer.cancel(written.key)

    def _drop(self, save: _Save | None) -> None:
        """Hang nothing of a save: what was handed over of it is collected."""
        if save is not None:
            self._trie.loosened.update(save.refs)
        if save is self._current:
            self._current = None

    def _put_rows(self, save: _Save) -> bool:
        each = max(1, self._paths.row_bytes)
        start, end = save.next, min(save.end, save.next + max(1, FILE_BYTES // each))
        if not self._writer.has_room((end - start) * each):
            return False
        within = [node for node in save.nodes if node.start < end and start < node.end]
        rows = concatenated([self._rows_of(node, start, end) for node in within])
        provenances = cut(cut(save.provenances, end)[0], start)[1]
        above = identity_before(within[0], start, self._codec).text
        ref = FileRef("", start, end, runs_of(provenances, self._codec), above)
        if not self._put(ref, within[-1], "rows", [record_tensor(self._codec.write(provenances)), *tensors(rows)]):
            return False
        save.refs.append(ref)
        save.next = end
        return True

    def _rows_of(self, node: TrieNode, start: int, end: int) -> Sequence[RowArrays]:
        """Return those of rows [start, end) that are an edge's."""
        start, end = max(start, node.start), min(end, node.end)
        if node.stored.rows is not None:
            return node.stored.rows.part(start - node.start, end - node.start)
        return self._paths.copy_rows(node, start, end).layers

    def _put(self, ref: FileRef, node: TrieNode, kind: index.Kind, data: list[Tensor]) -> bool:
        entry = self._catalog.entry(node, kind, ref)
        self._last_key += 1
        put = [index.path_tensor(self._catalog.path_of(node)[: ref.end]), *data]
        # No two files are alike, so that one can be deleted whatever else was written since.
        about = {**entry.about, "id": secrets.token_hex(8)}
        if not self._writer.put(self._last_key, self._folder, put, about):
            return False
        nbytes = files.size_of(put, about)
        self._written[ref] = _Written(self._last_key, {tensor.name: tensor for tensor in put}, nbytes)
        self._refs[self._last_key] = ref
        return True

    def _hang_rows(self, save: _Save) -> None:
        for node in save.nodes:
            refs = [ref for ref in save.refs if ref.start < node.end and node.start < ref.end]
            self._trie.set_disk(node, refs, node.stored.disk_state)

    def _fail(self, ref: FileRef, failure: Failed) -> None:
        self.failures += 1
        self.problem = failure.error
        self._paused_until = time.monotonic() + PAUSE
        self._event_log.add(CacheEventKind.FAULT, ref.start, ref.end - ref.start, 0, Reason.DISK)
        if self._current is not None and ref in self._current.refs:
            self._drop(self._current)
        self._lose(ref)


def _save_of(nodes: Sequence[TrieNode]) -> _Save:
    return _Save(nodes, _joined(nodes), nodes[0].start, nodes[-1].end)


def _joined(nodes: Sequence[TrieNode]) -> list[Provenance]:
    """Return the provenances of edges that follow each other."""
    found: list[Provenance] = []
    for node in nodes:
        append_provenances(found, node.stored.provenances)
    return found


def _with_short_ones(node: TrieNode) -> list[TrieNode]:
    """Return an edge with those below it that are saved in its files: a state between them is all that divides them.

    States are stored at many places in an answer, and a file for the few tokens between each two of them would be one
    to be written, listed and read for nothing.
    """
    nodes = [node]
    while len(nodes[-1].children) == 1 and _divides_little(last := nodes[-1]):
        (below,) = last.children.values()
        is_alike = below.usage.owners == last.usage.owners and below.usage.pins == last.usage.pins
        fits = below.end - node.start <= TOGETHER
        if not (fits and is_alike and below.has_rows_in_memory and not below.stored.disk_rows):
            break
        nodes.append(below)
    return nodes


def _divides_little(node: TrieNode) -> bool:
    """Return whether nobody is known to come back to the end of an edge, and no file speaks of it."""
    stored = node.stored
    return not (node.usage.anchors or node.is_pinned_end or stored.is_answer_end or stored.disk_state)
