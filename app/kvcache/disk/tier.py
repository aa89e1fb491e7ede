"""The disk under the memory: which state is written, what is read back, and what goes when there is too much of it.

Model thread only; a writer thread does what takes time. Properties kept here:

1. Files are written at rest, parents before children, the last used branches first, and what eviction takes from memory
   when it was not written yet. Nothing waits for a disk but a request that needs what lies there.
2. A file hangs in the trie from when the writer has it, and is read from what the writer has until it is in place. It
   hangs only over the very rows that it was computed on, and whole or not at all: of no tokens are there two files that
   could be mixed up. One that hangs nowhere is deleted, or not written any more. Where what goes is the end of what a
   file holds, the rest is written anew: what others built on it stays, and no file holds what is gone.
3. Rows on disk lie below complete rows on disk. What is written is what `Plan` says.
4. The model thread waits for the disk only so long: one that does not answer is away for a while, and what lies there
   is computed again.
5. What cannot be read, or holds other bytes than were written, is dropped with everything that needs it, and counted.
6. Files take no more than `allowed`, by their real size; those of other models go first, then those longest unused.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import takewhile
from pathlib import Path

from app.kvcache.active_paths import ActivePaths
from app.kvcache.disk.call_log_codec import CallLogCodec
from app.kvcache.disk.calls import DiskCalls
from app.kvcache.disk.catalog import SnapshotCatalog
from app.kvcache.disk.layout import Layout
from app.kvcache.disk.plan import Plan
from app.kvcache.disk.reading import Reader
from app.kvcache.disk.saving import Saver
from app.kvcache.disk.space import allowed, disk_of
from app.kvcache.disk.stored import StoredRows
from app.kvcache.disk.writer import Writer
from app.kvcache.event_log import EventLog
from app.kvcache.live_layers import RowSource
from app.kvcache.node import FileRef
from app.kvcache.snapshot import CacheTrie, StateSnapshot, TrieNode, upwards
from app.protocol.cache_events import CacheEventKind
from app.protocol.deadline import NO_ANSWER
from app.protocol.reports import Reason


class Tier:
    """Snapshot files of one model, and what is written, read and dropped of them.

    root: folder of all models' files. fingerprint: of this model, the name of its folder there. layout: what its layers
    keep. budget_bytes: None for the default. writes_all: write every whole state, however near the next one is.
    codec: what writes and reads call logs.
    """

    def __init__(
        self,
        trie: CacheTrie,
        paths: ActivePaths,
        event_log: EventLog,
        root: Path,
        fingerprint: str,
        layout: Layout,
        budget_bytes: int | None = None,
        writes_all: bool = False,
    ) -> None:
        self._trie, self._paths, self._event_log = trie, paths, event_log
        self._root, self._budget = root, budget_bytes
        self._lost = 0
        self._disk_problem = ""
        self._writer = Writer()
        self._calls = DiskCalls()
        folder = root / fingerprint
        self.codec = codec = CallLogCodec(layout.knows)
        self._catalog = SnapshotCatalog(trie, root, folder, self._calls, self._writer, layout)
        self._saver = Saver(trie, paths, event_log, folder, codec, layout, self._writer, self._catalog, self._fail)
        self._reader = Reader(
            *(paths, event_log, folder, self._calls, codec, layout),
            *(self._saver.data, self._catalog.path_of, self._lose),
        )
        self._plan = Plan(trie, paths, self.size_of, writes_all)
        self._has_plan = False

    # What is there

    @property
    def writes_all(self) -> bool:
        """Whether every whole state is written, however near the next one is."""
        return self._plan.writes_all

    @writes_all.setter
    def writes_all(self, writes_all: bool) -> None:
        self._plan.writes_all = writes_all
        self._plan.look_again()

    @property
    def dropped(self) -> int:
        """Count of files that were lost or not written, for whatever reason."""
        return self._lost + self._saver.failures

    @property
    def problem(self) -> str:
        """Reason why the folder cannot be used, or the last file not be written, in the system's words, or empty."""
        away = NO_ANSWER if self.is_away or self._writer.is_stalled else ""
        return away or self._saver.problem or self._catalog.problem or self._disk_problem

    @property
    def is_away(self) -> bool:
        """Whether the disk does not answer, so that what lies there is not to be counted on now."""
        return self._calls.is_away

    @property
    def nbytes(self) -> int:
        """Bytes of all snapshot files, other models' included."""
        return self._catalog.nbytes

    @property
    def coming_bytes(self) -> int:
        """Bytes of the files that are on their way."""
        return self._saver.nbytes

    @property
    def allowed_bytes(self) -> int:
        """Bytes that files may take now; as many as they do while the disk cannot be asked."""
        try:
            disk = self._calls.ask(lambda: disk_of(self._root))
        except TimeoutError:
            return self.nbytes
        except OSError as error:
            self._disk_problem = error.strerror or str(error)
            return self.nbytes
        self._disk_problem = ""
        return allowed(disk, self._budget, self.nbytes)

    def size_of(self, node: TrieNode) -> int:
        """Return the bytes of the files that hold state of this edge; of one that others share, its part by tokens."""
        stored = node.stored
        sizes = [
            self._saver.size(ref) * (min(ref.end, node.end) - max(ref.start, node.start)) // ref.tokens
            for ref in stored.disk_rows
        ]
        return sum(sizes) + (self._saver.size(stored.disk_state) if stored.disk_state is not None else 0)

    @property
    def is_saving(self) -> bool:
        """Whether the writer has something that it will tell of."""
        return self._saver.is_busy

    def wait(self, seconds: float) -> bool:
        """Wait until everything that was asked of the writer is done, at most so long. False when something is not."""
        return self._writer.wait(seconds)

    def load(self) -> int:
        """Hang the files that are there into an empty trie. Returns the number of the last request that used one."""
        self._lost += self._catalog.load(has_rows=self._paths.has_rows)
        self.collect()
        self._enforce()
        return max((max(node.usage.last_use, node.usage.state_used) for node in self._trie.nodes.values()), default=0)

    # Reading

    def verify(self, nodes: Iterable[TrieNode], end: TrieNode) -> bool:
        """Return whether no file is damaged that entering these nodes, which end with `end`, would read. See
        `Reader.verify`."""
        return self._reader.verify(nodes, end)

    def bytes_of(self, nodes: Iterable[TrieNode], end: TrieNode) -> int:
        """Return the bytes that entering these nodes would read from disk, at least."""
        rows = (ref for node in nodes if not node.has_rows_in_memory for ref in node.stored.disk_rows)
        refs = set(rows)
        if end.stored.state is None and end.stored.disk_state is not None:
            refs.add(end.stored.disk_state)
        return sum(self._saver.size(ref) for ref in refs)

    def rows(self, node: TrieNode) -> Sequence[StoredRows]:
        """Open the rows of an edge that lie on disk. See `Reader.rows`."""
        return self._reader.rows(node)

    def recall(self, node: TrieNode) -> Sequence[RowSource]:
        """Read the rows of an edge that is computed again, to stay as they were. See `Reader.recall`."""
        return self._reader.recall(node)

    def state(self, node: TrieNode) -> StateSnapshot:
        """Read the whole state at a node's end. See `Reader.state`."""
        return self._reader.state(node)

    def _lose(self, ref: FileRef, node: TrieNode) -> None:
        """Take down a file that is of no use any more."""
        self._lost += 1
        self._event_log.add(CacheEventKind.FAULT, 0, 0, self._catalog.size(ref.name), Reason.DISK)
        self._take_down(ref, node)
        self.collect()

    def _fail(self, ref: FileRef) -> None:
        """Take down a file that was not written. One that was built on another such does not hang any more."""
        if ref in self._trie.files:
            self._take_down(ref, next(node for node in self._trie.nodes.values() if ref in node.stored.files))

    def _take_down(self, ref: FileRef, node: TrieNode) -> None:
        """Take down a file that hangs on this edge, and what is on disk that was built on its rows."""
        if node.stored.disk_state is ref:
            self._trie.set_disk(node, node.stored.disk_rows, None)
            node.stored.lost = node.stored.lost if node.holds else Reason.DISK
        else:
            self._catalog.forget(node, Reason.DISK)

    def forget(self, node: TrieNode) -> None:
        """Take down what lies on disk of a node and below it, since its rows are gone."""
        self._catalog.forget(node)

    # Writing

    def touch(self) -> None:
        """Plan anew what to write, after a request has ended or something was erased."""
        self._has_plan = False
        self._plan.update()
        self._reader.rest()

    def tend(self) -> bool:
        """Do a little of what is to be written. False when there is nothing to do now. The active paths must be
        at rest."""
        self._take_finished()
        if not self._may_write() or not (self._saver.is_halfway or self._begin_next()):
            return False
        return self._saver.advance()

    def save_rows(self, node: TrieNode) -> bool:
        """Save the rows of a node before they leave memory. Returns whether they are on disk, or on their way there."""
        if node.stored.disk_rows:
            return True
        if node.usage.is_guest or not self._may_write():
            return False
        unsaved = list(takewhile(lambda above: not above.stored.disk_rows, upwards(node)))
        return all(above.has_rows_in_memory and self._saver.save_rows(above) for above in reversed(unsaved))

    def save_state(self, node: TrieNode, state: StateSnapshot) -> bool:
        """Save a whole state before it leaves memory. Returns whether it is on disk, or on its way there, or not worth
        it."""
        if node.stored.disk_state is not None:
            return True
        if node.usage.is_guest or not self._may_write():
            return False
        return self._plan.is_worth_it(node) and self._saver.save_state(node, state)

    def close(self, seconds: float) -> None:
        """Write what can be written in so much time, and the index; then no more."""
        end = time.monotonic() + seconds
        while time.monotonic() < end - seconds / 2 and (self.tend() or self.is_saving):
            self._writer.wait(0.01)
        self._take_finished()
        if self._budget != 0:
            self._catalog.save_index()
        self._lost += self._writer.close(max(0.0, end - time.monotonic()))

    def set_budget(self, budget_bytes: int | None) -> None:
        """Change what files may take; 0 removes them all."""
        self._budget = budget_bytes
        self._has_plan = False
        self._plan.look_again()
        if budget_bytes == 0:
            self.wipe()
        self._enforce()

    def wipe(self) -> None:
        """Remove all snapshot files, other models' included."""
        self._plan.clear()
        for node in list(self._trie.nodes.values()):
            self._trie.set_disk(node, (), None)
        self._saver.abandon_all()
        self._catalog.wipe()

    def erase(self, owner: str) -> None:
        """Delete what only this owner used of other models' files, and what hangs nowhere of this one's.

        The index holds tokens, too: it is written anew at once, and not when the program ends.
        """
        if self._catalog.own_bytes or self._saver.is_busy:
            self._catalog.note_erased(owner)
        self.collect()
        self._catalog.erase_elsewhere(owner)
        if self._budget != 0:
            self._catalog.save_index()
        self.touch()

    def collect(self) -> None:
        """Delete the files that hang nowhere any more, and write none that would; of one that hangs in part only, what
        does is written anew."""
        self._saver.abandon(self._catalog.collect(self._shorten))

    def _shorten(self, ref: FileRef, node: TrieNode) -> FileRef | None:
        """Have a file written anew that ends with this edge, on which the old one still hangs."""
        found = self._reader.contents(ref, node)
        return self._saver.shorten(ref, node, found) if found is not None else None

    def _take_finished(self) -> None:
        if self._saver.take_finished():
            self._has_plan = self._has_plan and not self._saver.problem
            self.collect()
            self._enforce()

    def _may_write(self) -> bool:
        return self._budget != 0 and not self._saver.is_paused

    def _begin_next(self) -> bool:
        """Take the next part of the plan that still makes sense. False when there is none."""
        if not self._has_plan:
            self._has_plan = True
            self.collect()
            self._plan.renew(self._catalog.own_bytes + self._saver.nbytes, self.allowed_bytes)
        item = self._plan.take()
        if item is None:
            if not self._saver.is_busy:
                self._catalog.save_index_if_changed()
            return False
        if not item.is_state:
            self._saver.begin_rows(item.node)
            return True
        state = self._state_of(item.node)
        if state is None or self._saver.save_state(item.node, state):
            return True
        self._plan.put_back(item)
        return False

    def _state_of(self, node: TrieNode) -> StateSnapshot | None:
        """Return the whole state at a node's end: the stored one, or the live one where an active path stands."""
        return node.stored.state or self._paths.live_state(node)

    def _enforce(self) -> None:
        """Bring the files down to what is allowed."""
        surplus = self.nbytes - self.allowed_bytes
        if surplus > 0:
            moved = self._catalog.shrink(surplus)
            self.collect()  # some of it may still have been on its way
            self._event_log.add(CacheEventKind.DROPPED, 0, 0, moved, Reason.EVICTED)
