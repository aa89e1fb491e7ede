"""Stored state on its way to files: handed to the writer piece by piece, hung in the trie once it is on the disk.

Model thread only. What hangs was computed by the very calls that its file speaks of; see `Tier`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from app.kvcache.disk import index
from app.kvcache.disk.files import Tensor
from app.kvcache.disk.records import Records
from app.kvcache.disk.shelf import Shelf
from app.kvcache.disk.stored import record_tensor, tensors
from app.kvcache.disk.writer import Done, Failed, Writer
from app.kvcache.journal import Journal
from app.kvcache.lane import Lane, TrieNode
from app.kvcache.layers import RowArrays
from app.kvcache.paging import CacheTrie
from app.kvcache.snapshot import StateSnapshot
from app.kvcache.trail import Piece, Trail, cut
from app.kvcache.trie import Part
from app.protocol.cache_events import CacheEventKind
from app.protocol.reports import Reason

FILE_BYTES = 32 << 20  # of rows in one file, so that no step takes long
PAUSE = 30.0  # seconds without writing after a write failed
_NOBODY = -1  # no node's id


@dataclass(eq=False)
class _Save:
    """Something on its way to files: the rows of an edge, [start, end), or the state at `end` when `trail` is given.

    next: where the rows of the next file begin. waiting: files that the writer has and has not told of.
    """

    node_id: int
    start: int
    end: int
    pieces: list[Piece]
    trail: Trail | None = None
    next: int = 0
    waiting: int = 0
    has_failed: bool = False
    parts: list[Part] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        return not self.waiting and (self.has_failed or self.next >= self.end)


class Saver:
    """What is on its way. `forget`: takes down what lies on disk of a node and below it.

    failures: files that were not written. problem: why the last of them was not, "" when the last one was.
    """

    def __init__(
        self,
        trie: CacheTrie,
        lane: Lane,
        journal: Journal,
        folder: Path,
        records: Records,
        writer: Writer,
        shelf: Shelf,
        forget: Callable[[TrieNode], None],
    ) -> None:
        self.failures = 0
        self.problem = ""
        self._trie, self._lane, self._journal, self._folder = trie, lane, journal, folder
        self._records, self._writer, self._shelf, self._forget = records, writer, shelf, forget
        self._saves: dict[int, _Save] = {}  # by the writer's keys
        self._current: _Save | None = None  # its files are not all handed over yet
        self._states: set[int] = set()  # nodes whose state is on its way
        self._last_key = 0
        self._paused_until = 0.0

    @property
    def is_busy(self) -> bool:
        """The writer has something that it will tell of."""
        return bool(self._saves)

    @property
    def is_halfway(self) -> bool:
        """`advance` has more to hand over."""
        return self._current is not None

    @property
    def is_paused(self) -> bool:
        """A write has failed lately."""
        return time.monotonic() < self._paused_until

    @property
    def names(self) -> set[str]:
        """Files that hang nowhere yet."""
        return {part.name for save in self._all() for part in save.parts}

    def has_state(self, node: TrieNode) -> bool:
        """The state at the node's end is on its way."""
        return node.id in self._states

    def keeps_rows(self, node: TrieNode) -> bool:
        """All rows of a node that is being saved are with the writer: it needs them here no more."""
        return self._current is None or not self._current.start <= node.start < self._current.end

    def has_rows_here(self, node: TrieNode) -> bool:
        """The rows of an edge are in memory, stored or live."""
        return node.rows is not None or self._lane.index in node.lanes

    def begin_rows(self, node: TrieNode) -> None:
        """Save the rows of an edge, by as many `advance`s as it takes."""
        self._current = self._rows_save(node)

    def advance(self) -> bool:
        """Hand one file's rows to the writer. False when it has enough already."""
        save = self._current
        if save is None:
            return True
        node = self._trie.nodes.get(save.node_id)
        if node is None or (node.start, node.end) != (save.start, save.end) or not self.has_rows_here(node):
            save.has_failed = True
        elif not self._put_rows(save, node):
            return False
        if save.has_failed or save.next >= save.end:
            self._current = None
            self._settle_if_over(save)
        return True

    def save_rows(self, node: TrieNode) -> bool:
        """Hand all of a node's rows to the writer. False when it has too much already."""
        save = self._rows_save(node)
        while not save.has_failed and save.next < save.end:
            if not self._put_rows(save, node):
                save.has_failed = True
        self._settle_if_over(save)
        return not save.has_failed

    def save_state(self, node: TrieNode, state: StateSnapshot) -> bool:
        """Hand a whole state to the writer. False when it has too much already."""
        if not self._writer.has_room(state.nbytes):
            return False
        save = _Save(node.id, node.end, node.end, list(node.pieces), state.trail, next=node.end)
        record = self._records.write((), (state.trail, node.end))
        written = [record_tensor(record), *tensors(state.layers)]
        if not self._put(save, node, "state", node.start, node.end, written):
            return False
        self._states.add(node.id)
        return True

    def take_finished(self) -> bool:
        """Hang what the writer has finished. False when that is nothing."""
        outcomes = self._writer.finished()
        for outcome in outcomes:
            save = self._saves.pop(outcome.key)
            save.waiting -= 1
            if isinstance(outcome, Failed):
                self._fail(save, outcome)
            else:
                self._shelf.add(outcome.name, outcome.nbytes)
                self._name(save, outcome)
            self._settle_if_over(save)
        return bool(outcomes)

    def abandon_all(self) -> None:
        """What is being written is not wanted any more."""
        for save in self._all():
            save.has_failed = True

    def abandon(self, node: TrieNode) -> None:
        """What is being written of a node is not wanted any more."""
        for save in self._all():
            if save.node_id == node.id:
                save.has_failed, save.node_id = True, _NOBODY
                for one in _edges(node, save.start) if save.trail is None else ():
                    one.saving -= 1
        self._current = None if self._current and self._current.node_id == _NOBODY else self._current
        self._states.discard(node.id)

    def _all(self) -> set[_Save]:
        return {*self._saves.values(), *([self._current] if self._current else [])}

    def _rows_save(self, node: TrieNode) -> _Save:
        node.saving += 1
        return _Save(node.id, node.start, node.end, list(node.pieces), next=node.start)

    def _put_rows(self, save: _Save, node: TrieNode) -> bool:
        each = max(1, self._lane.row_bytes)
        start, end = save.next, min(save.end, save.next + max(1, FILE_BYTES // each))
        if not self._writer.has_room((end - start) * each):
            return False
        if node.rows is not None:
            rows: Sequence[RowArrays] = node.rows.part(start - node.start, end - node.start)
        else:
            rows = self._lane.copy_rows(start, end).layers
        record = self._records.write(cut(cut(save.pieces, end)[0], start)[1])
        if not self._put(save, node, "rows", start, end, [record_tensor(record), *tensors(rows)]):
            return False
        save.next = end
        return True

    def _put(self, save: _Save, node: TrieNode, kind: index.Kind, start: int, end: int, data: list[Tensor]) -> bool:
        entry = self._shelf.entry(node, kind, start, end)
        self._last_key += 1
        if not self._writer.put(self._last_key, self._folder, [index.path_tensor(entry.path), *data], entry.about):
            return False
        save.waiting += 1
        self._saves[self._last_key] = save
        if kind == "rows":
            save.parts.append(Part("", start, end))
        return True

    def _fail(self, save: _Save, failure: Failed) -> None:
        save.has_failed = True
        self.failures += 1
        self.problem = failure.error
        self._paused_until = time.monotonic() + PAUSE
        self._journal.add(CacheEventKind.FAULT, save.start, save.end - save.start, 0, Reason.DISK)

    def _name(self, save: _Save, done: Done) -> None:
        """The writer tells of files in the order they were put."""
        self.problem = ""
        if save.trail is not None:
            save.parts.append(Part(done.name, save.start, save.end))
        else:
            at = next(at for at, part in enumerate(save.parts) if not part.name)
            save.parts[at] = save.parts[at]._replace(name=done.name)

    def _settle_if_over(self, save: _Save) -> None:
        """When the last of its files is told of, what was saved hangs in the trie, or nowhere."""
        if not save.is_over:
            return
        node = self._trie.nodes.get(save.node_id)
        if save.trail is not None:
            self._states.discard(save.node_id)
            if node is not None and not save.has_failed:
                self._hang_state(node, save)
        else:
            self._hang_rows(node, save)

    def _hang_state(self, node: TrieNode, save: _Save) -> None:
        is_same = node.end == save.end and (node.state is None or node.state.trail is save.trail)
        is_same = is_same and node.pieces == save.pieces
        if is_same and (not self._lane.rows or node.will_have_rows):
            self._trie.set_disk(node, node.disk_rows, save.parts[0].name)
            self._journal.add(CacheEventKind.WRITTEN, node.end, 0, self._shelf.size(save.parts[0].name))

    def _hang_rows(self, node: TrieNode | None, save: _Save) -> None:
        """The edge may have been split meanwhile: all its parts get their files."""
        trails = {piece.trail for piece in save.pieces}
        for one in reversed(list(_edges(node, save.start)) if node is not None else []):
            one.saving -= 1
            above = one.parent
            is_led_to = above is not None and (above.parent is None or above.will_have_rows)
            if not save.has_failed and is_led_to and all(piece.trail in trails for piece in one.pieces):
                parts = tuple(part for part in save.parts if part.start < one.end and part.end > one.start)
                self._trie.set_disk(one, parts, one.disk_state)
            elif not one.has_rows:
                one.lost = Reason.DISK if save.has_failed else one.lost
                self._forget(one)
        if not save.has_failed:
            moved = sum(self._shelf.size(part.name) for part in save.parts)
            self._journal.add(CacheEventKind.WRITTEN, save.start, save.end - save.start, moved)


def _edges(node: TrieNode, start: int) -> Iterator[TrieNode]:
    """The node and those above it, up to the one that holds the token at `start`."""
    return takewhile(lambda one: one.end > start, upwards(node))


def upwards(node: TrieNode) -> Iterator[TrieNode]:
    """The node and those above it, without the root."""
    while node.parent is not None:
        yield node
        node = node.parent
