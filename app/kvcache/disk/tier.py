"""The disk under the memory: which state is written, what is read back, and what goes when there is too much of it.

Model thread only; a writer thread does what takes time. Properties kept here:

1. Files are written at rest, parents before children, the last used branches first, and what eviction takes from memory
   when it was not written yet. Nothing waits for a disk but a request that needs what lies there.
2. A file hangs in the trie only once it is whole on the disk, and only if what hangs there was computed by the very
   calls that the file speaks of. One that hangs nowhere is deleted.
3. Rows on disk lie below complete rows, as in memory. Whole states are written where the gap to the one above is worth
   it, and at the end of every branch.
4. What cannot be read, or holds other bytes than were written, is dropped with everything that needs it, and counted.
5. Files take no more than `allowed`, by their real size; those of other models go first, then those longest unused.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.kvcache.disk import index
from app.kvcache.disk.files import DamagedFileError, SnapshotFile, Tensor
from app.kvcache.disk.records import Records
from app.kvcache.disk.shelf import Shelf, path_of
from app.kvcache.disk.space import allowed
from app.kvcache.disk.stored import StoredRows, kinds_of, read_record, read_state, record_tensor, tensors
from app.kvcache.disk.writer import Done, Failed, Writer
from app.kvcache.journal import Journal
from app.kvcache.lane import Lane, RowSource, TrieNode
from app.kvcache.layers import CacheFaultError, RowArrays
from app.kvcache.paging import CacheTrie
from app.kvcache.snapshot import RowsSnapshot, StateSnapshot
from app.kvcache.trail import Piece, Trail, cut, joined
from app.kvcache.trie import Part
from app.protocol.cache_events import CacheEventKind
from app.protocol.reports import Reason

GAP = 300  # tokens: a whole state is written where one must go back at least so far to the nearest written one
FILE_BYTES = 32 << 20  # of rows in one file, so that no step takes long
_NOBODY = -1  # no node's id
PAUSE = 30.0  # seconds without writing after a write failed

log = logging.getLogger(__name__)


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


class Tier:
    """The snapshot files of one model.

    root: folder of all models' files. fingerprint: of this model, the name of its folder there. budget_bytes: None for
    the default. writes_all: write every whole state, however near the next one is. dropped: files that were lost or
    not written, for whatever reason.
    """

    def __init__(
        self,
        trie: CacheTrie,
        lane: Lane,
        journal: Journal,
        root: Path,
        fingerprint: str,
        budget_bytes: int | None = None,
        writes_all: bool = False,
    ) -> None:
        self.dropped = 0
        self.problem = ""
        self.writes_all = writes_all
        self._trie, self._lane, self._journal = trie, lane, journal
        self._root, self._folder = root, root / fingerprint
        self._budget = budget_bytes
        self._records = Records()
        self._writer = Writer()
        self._shelf = Shelf(trie, root, self._folder, self._writer)
        self._saves: dict[int, _Save] = {}  # by the writer's keys
        self._current: _Save | None = None
        self._saving_states: set[int] = set()
        self._last_key = 0
        self._plan: deque[tuple[int, bool]] = deque()
        self._has_plan = False
        self._paused_until = 0.0
        self._recalled: tuple[tuple[int, int, int], Sequence[RowSource]] | None = None

    # What is there

    @property
    def nbytes(self) -> int:
        """Bytes of all snapshot files, other models' included."""
        return self._shelf.nbytes

    @property
    def allowed_bytes(self) -> int:
        """What files may take now."""
        return allowed(self._root, self._budget, self.nbytes)

    def size_of(self, node: TrieNode) -> int:
        """Bytes of the files that hold state of this edge."""
        return sum(self._shelf.size(name) for name in node.file_names)

    @property
    def is_saving(self) -> bool:
        """The writer has something that it will tell of."""
        return bool(self._saves)

    def wait(self, seconds: float) -> bool:
        """Wait until everything that was asked of the writer is done, at most so long. False when something is not."""
        return self._writer.wait(seconds)

    def load(self) -> int:
        """Hang the files that are there into an empty trie. Returns the number of the last request that used one."""
        self.dropped += self._shelf.load(has_rows=bool(self._lane.rows))
        self._enforce()
        return max((max(node.last_use, node.state_used) for node in self._trie.nodes.values()), default=0)

    # Reading

    def verify(self, nodes: Iterable[TrieNode], end: TrieNode) -> bool:
        """Look through the files that entering these nodes, which end with `end`, would read.

        False when one is damaged: it hangs nowhere any more, nor does what needs it.
        """
        for node in nodes:
            names = [part.name for part in node.disk_rows] if node.rows is None and not node.lanes else []
            if node is end and node.state is None and node.disk_state:
                names.append(node.disk_state)
            for name in names:
                if not self._is_sound(name, node):
                    self._lose(name)
                    return False
        return True

    def bytes_of(self, nodes: Iterable[TrieNode], end: TrieNode) -> int:
        """Bytes that entering these nodes would read from disk, at least."""
        rows = (part for node in nodes if node.rows is None and not node.lanes for part in node.disk_rows)
        names = {part.name for part in rows}
        if end.state is None and end.disk_state:
            names.add(end.disk_state)
        return sum(self._shelf.size(name) for name in names)

    def rows(self, node: TrieNode) -> list[StoredRows]:
        """The rows of an edge that lie on disk, file by file; their record is the node's from now on.

        Raises CacheFaultError when a file cannot be read after all.
        """
        try:
            opened = [(part, SnapshotFile(self._folder / part.name)) for part in node.disk_rows]
            if not node.pieces:
                node.pieces = self._pieces(node, opened)
        except (OSError, ValueError, DamagedFileError) as error:
            raise CacheFaultError(f"rows [{node.start}, {node.end}) cannot be read: {error}") from error
        self._journal.add(CacheEventKind.READ, node.start, len(node.tokens), self.bytes_of([node], node))
        return [
            StoredRows(file.path, part.start, max(part.start, node.start), min(part.end, node.end), kinds_of(file))
            for part, file in opened
        ]

    def recall(self, node: TrieNode) -> Sequence[RowSource]:
        """The rows of an edge that is computed again, to stay as they were; held until another edge is asked for.

        None when a file is damaged: then nothing hangs there any more.
        """
        if self._recalled is None or self._recalled[0] != (node.id, node.start, node.end):
            self._recalled = None
            for part in node.disk_rows:
                if not self._is_sound(part.name, node):
                    self._lose(part.name)
                    return ()
            try:
                found = [RowsSnapshot(tuple(rows.layers)) for rows in self.rows(node)]
            except CacheFaultError:
                log.warning("rows [%d, %d) were computed again", node.start, node.end, exc_info=True)
                self.forget(node)
                return ()
            self._recalled = (node.id, node.start, node.end), found
        return self._recalled[1]

    def state(self, node: TrieNode) -> StateSnapshot:
        """The whole state at the node's end, from its file. Raises CacheFaultError when it cannot be read after all."""
        try:
            file = SnapshotFile(self._folder / node.disk_state)
            trail = self._records.read_state(read_record(file))
            found = read_state(file, trail, [len(layer.take()) for layer in self._lane.states])
        except (OSError, ValueError, RuntimeError, DamagedFileError) as error:
            raise CacheFaultError(f"the state at {node.end} cannot be read: {error}") from error
        self._journal.add(CacheEventKind.READ, node.end, 0, found.nbytes)
        return found

    def _pieces(self, node: TrieNode, opened: Sequence[tuple[Part, SnapshotFile]]) -> list[Piece]:
        pieces: list[Piece] = []
        for part, file in opened:
            record = self._records.read_pieces(read_record(file))
            begin, end = max(part.start, node.start), min(part.end, node.end)
            pieces = joined(pieces, cut(cut(record, end)[0], begin)[1])
        if (pieces[0].start, pieces[-1].end) != (node.start, node.end):
            raise ValueError(f"recorded from {pieces[0].start} to {pieces[-1].end}")
        return pieces

    def _is_sound(self, name: str, node: TrieNode) -> bool:
        """The file holds what was written, and belongs to the path of this node."""
        try:
            file = SnapshotFile(self._folder / name)
            file.verify()
            written = index.read_entry(file).path
        except (OSError, DamagedFileError) as error:
            log.warning("a snapshot cannot be used: %s", error)
            return False
        return written[: node.end] == path_of(node)[: len(written)]

    def _lose(self, name: str) -> None:
        """A file is of no use any more, nor is anything that was built on its rows."""
        self.dropped += 1
        self._journal.add(CacheEventKind.FAULT, 0, 0, self._shelf.size(name), Reason.DISK)
        for node in list(self._trie.nodes.values()):
            if any(part.name == name for part in node.disk_rows):
                self.forget(node)
            elif node.disk_state == name:
                self._trie.set_disk(node, node.disk_rows, "")
        self._collect()

    def forget(self, node: TrieNode) -> None:
        """What lies on disk of a node and below it is not wanted: its rows are gone."""
        for child in node.children.values():
            if child.disk_children or child.disk_rows or child.disk_state:
                self.forget(child)
        self._trie.set_disk(node, (), "")

    # Writing

    def touch(self) -> None:
        """A request has ended: there may be more to write."""
        self._has_plan = False
        self._recalled = None

    def tend(self) -> bool:
        """Do a little of what is to be written. False when there is nothing to do now. The lane must be at rest."""
        self._take_finished()
        if not self._may_write():
            return False
        if self._current is None and not self._begin_next():
            return False
        return self._advance()

    def save_rows(self, node: TrieNode) -> bool:
        """Before the rows of a node leave memory: whether they are on disk, or on their way there."""
        if node.disk_rows:
            return True
        if node.saving:  # a save that is not handed over yet cannot go on without them
            return self._current is None or not self._current.start <= node.start < self._current.end
        if not self._may_write():
            return False
        unsaved = [above for above in _upwards(node) if not above.disk_rows and not above.saving]
        return all(self._has_rows_here(above) and self._save_at_once(above) for above in reversed(unsaved))

    def _save_at_once(self, node: TrieNode) -> bool:
        """Hand all of a node's rows to the writer. False when it has too much already."""
        save = self._rows_save(node)
        while not save.has_failed and save.next < save.end:
            if not self._put_rows(save, node):
                save.has_failed = True
        self._settle_if_over(save)
        return not save.has_failed

    def save_state(self, node: TrieNode, state: StateSnapshot) -> bool:
        """Before a whole state leaves memory: whether it is on disk, or on its way there, or not worth it."""
        if node.disk_state or node.id in self._saving_states:
            return True
        if not self._may_write() or not (self.writes_all or self._gap(node) >= GAP or not node.held_children):
            return False
        return self._put_state(node, state)

    def close(self, seconds: float) -> None:
        """Write what can be written in so much time, and the index; then no more."""
        end = time.monotonic() + seconds
        while time.monotonic() < end - seconds / 2 and (self.tend() or self.is_saving):
            self._writer.wait(0.01)
        self._take_finished()
        if self._budget != 0:
            self._shelf.save_index()
        self.dropped += self._writer.close(max(0.0, end - time.monotonic()))

    def set_budget(self, budget_bytes: int | None) -> None:
        """Change what files may take; 0 removes them all."""
        self._budget = budget_bytes
        self._has_plan = False
        if budget_bytes == 0:
            self.wipe()
        self._enforce()

    def wipe(self) -> None:
        """Remove all snapshot files, other models' included."""
        self._plan.clear()
        for node in list(self._trie.nodes.values()):
            self._trie.set_disk(node, (), "")
        for save in {*self._saves.values(), *([self._current] if self._current else [])}:
            save.has_failed = True
        self._shelf.wipe()

    def abandon(self, node: TrieNode) -> None:
        """What is being written of a node is not wanted any more."""
        saves = {*self._saves.values(), *([self._current] if self._current else [])}
        for save in saves:
            if save.node_id == node.id:
                save.has_failed, save.node_id = True, _NOBODY
                for one in _upwards(node) if save.trail is None else ():
                    one.saving -= one.end > save.start
        self._current = None if self._current and self._current.node_id == _NOBODY else self._current
        self._saving_states.discard(node.id)

    def _collect(self) -> None:
        """Delete the files that hang nowhere and are not about to."""
        saves = [*self._saves.values(), *([self._current] if self._current else [])]
        self._shelf.collect(keep={part.name for save in saves for part in save.parts})

    def _may_write(self) -> bool:
        return self._budget != 0 and time.monotonic() >= self._paused_until

    def _begin_next(self) -> bool:
        """Take the next part of the plan that still makes sense. False when there is none."""
        if not self._has_plan:
            self._has_plan = True
            self._collect()
            self._plan = deque(self._planned())
        while self._plan:
            node_id, is_state = self._plan.popleft()
            node = self._trie.nodes.get(node_id)
            if node is None:
                continue
            if is_state:
                state = self._state_of(node)
                if state is not None and not node.disk_state and node.id not in self._saving_states:
                    if not self._put_state(node, state):
                        self._plan.appendleft((node_id, is_state))
                        return False
                    return True
            elif self._has_rows_here(node) and not node.disk_rows and not node.saving and self._is_led_to(node):
                self._current = self._rows_save(node)
                return True
        if not self._saves:
            self._shelf.save_index_if_changed()
        return False

    def _advance(self) -> bool:
        """Hand one file's rows to the writer. False when it has enough already."""
        save = self._current
        if save is None:
            return True
        node = self._trie.nodes.get(save.node_id)
        if node is None or (node.start, node.end) != (save.start, save.end) or not self._has_rows_here(node):
            save.has_failed = True
        elif not self._put_rows(save, node):
            return False
        if save.has_failed or save.next >= save.end:
            self._current = None
            self._settle_if_over(save)
        return True

    def _planned(self) -> Iterator[tuple[int, bool]]:
        """What is worth writing and is not written: (node id, is a state), parents first, last used branches first."""
        order = sorted(self._trie.nodes.values(), key=lambda node: (-node.last_use, node.start))
        has_states = bool(self._lane.states)
        wanted: set[int] = set()
        for node in order if has_states else ():
            if self._state_of(node) is None and not node.disk_state:
                continue
            is_end = not node.held_children
            if node.disk_state or self.writes_all or is_end or self._gap(node, wanted) >= GAP:
                wanted.add(node.id)
        leading = {above.id for node in order if node.id in wanted for above in _upwards(node)}
        room = self.allowed_bytes
        for node in order:
            room -= self.size_of(node)
            is_wanted = not has_states or node.id in leading
            if self._lane.rows and is_wanted and not node.disk_rows and self._has_rows_here(node):
                room -= len(node.tokens) * self._lane.row_bytes
                if room >= 0:
                    yield node.id, False
            if node.id in wanted and not node.disk_state:
                room -= self._lane.state_bytes
                if room >= 0:
                    yield node.id, True

    def _gap(self, node: TrieNode, wanted: set[int] | frozenset[int] = frozenset()) -> int:
        """Tokens back to the nearest whole state that is written, or will be."""
        above = node.parent
        while above is not None and above.parent is not None:
            if above.disk_state or above.id in wanted or above.id in self._saving_states:
                return node.end - above.end
            above = above.parent
        return node.end

    def _has_rows_here(self, node: TrieNode) -> bool:
        return node.rows is not None or self._lane.index in node.lanes

    def _is_led_to(self, node: TrieNode) -> bool:
        above = node.parent
        return above is not None and (above.parent is None or bool(above.disk_rows) or above.saving > 0)

    def _state_of(self, node: TrieNode) -> StateSnapshot | None:
        """The whole state at a node's end: the stored one, or the live one where the lane stands."""
        lane = self._lane
        is_live = node is lane.path[-1] and not lane.tail and lane.is_whole and lane.offset > 0 and bool(lane.states)
        return node.state or (lane.take_state() if is_live else None)

    def _rows_save(self, node: TrieNode) -> _Save:
        node.saving += 1
        return _Save(node.id, node.start, node.end, list(node.pieces), next=node.start)

    def _put_rows(self, save: _Save, node: TrieNode) -> bool:
        each = max(1, self._lane.row_bytes)
        start, end = save.next, min(save.end, save.next + max(1, FILE_BYTES // each))
        if node.rows is not None:
            rows: Sequence[RowArrays] = node.rows.part(start - node.start, end - node.start)
        else:
            rows = self._lane.copy_rows(start, end).layers
        record = self._records.write(cut(cut(save.pieces, end)[0], start)[1])
        if not self._put(save, node, "rows", start, end, [record_tensor(record), *tensors(rows)]):
            return False
        save.next = end
        return True

    def _put_state(self, node: TrieNode, state: StateSnapshot) -> bool:
        save = _Save(node.id, node.end, node.end, [], state.trail, next=node.end)
        record = self._records.write((), (state.trail, node.end))
        written = [record_tensor(record), *tensors(state.layers)]
        if not self._put(save, node, "state", node.start, node.end, written):
            return False
        self._saving_states.add(node.id)
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

    # What the writer tells

    def _take_finished(self) -> None:
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
        if outcomes:
            self._enforce()

    def _fail(self, save: _Save, failure: Failed) -> None:
        save.has_failed = True
        self.dropped += 1
        self.problem = failure.error
        self._paused_until = time.monotonic() + PAUSE
        self._has_plan = False
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
            self._saving_states.discard(save.node_id)
            if node is not None and not save.has_failed:
                self._hang_state(node, save)
        else:
            self._hang_rows(node, save)
        self._collect()

    def _hang_state(self, node: TrieNode, save: _Save) -> None:
        is_same = node.end == save.end and (node.state is None or node.state.trail is save.trail)
        if is_same and (not self._lane.rows or node.will_have_rows):
            self._trie.set_disk(node, node.disk_rows, save.parts[0].name)
            self._journal.add(CacheEventKind.WRITTEN, node.end, 0, self._shelf.size(save.parts[0].name))

    def _hang_rows(self, node: TrieNode | None, save: _Save) -> None:
        """The edge may have been split meanwhile: all its parts get their files."""
        trails = {piece.trail for piece in save.pieces}
        chain = [one for one in _upwards(node) if one.end > save.start] if node is not None else []
        for one in reversed(chain):
            one.saving -= 1
            above = one.parent
            is_led_to = above is not None and (above.parent is None or above.will_have_rows)
            if not save.has_failed and is_led_to and all(piece.trail in trails for piece in one.pieces):
                parts = tuple(part for part in save.parts if part.start < one.end and part.end > one.start)
                self._trie.set_disk(one, parts, one.disk_state)
            elif not one.has_rows:
                one.lost = Reason.DISK if save.has_failed else one.lost
                self.forget(one)
        if not save.has_failed:
            moved = sum(self._shelf.size(part.name) for part in save.parts)
            self._journal.add(CacheEventKind.WRITTEN, save.start, save.end - save.start, moved)

    def _enforce(self) -> None:
        """Bring the files down to what is allowed."""
        surplus = self.nbytes - self.allowed_bytes
        if surplus > 0:
            moved = self._shelf.shrink(surplus, has_rows=bool(self._lane.rows))
            self._journal.add(CacheEventKind.DROPPED, 0, 0, moved, Reason.EVICTED)


def _upwards(node: TrieNode) -> Iterator[TrieNode]:
    """The node and those above it, without the root."""
    while node.parent is not None:
        yield node
        node = node.parent
