"""A path of the trie that is live: the sequence that calls are made on, and its moves between the trie and the arrays.

Properties it keeps at rest:

1. Its live layers stand at the offset where its path, a chain of nodes from the root, ends.
2. `tail` is what was computed beyond the path and is not in the trie yet. It is empty at rest.
3. Rows exist only above complete rows. Stored rows win over recomputed ones, so that what was built on them stays
   exactly reproducible from its record.
4. A move never changes the sum of live and stored bytes, so within the budget it needs no room. First the whole suffix
   is paged out, then the new path is entered layer by layer: the peak is both suffixes and one layer's buffer.
5. A failed move costs recomputation, and never yields a mixture of offsets.

Several of them may be live over one trie. One moves at a time, and the others were recorded before. Each has arrays of
its own: no move of one changes a bit of another's.
"""

from __future__ import annotations

import logging
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import chain, takewhile
from typing import Protocol

import mlx.core as mx

from app.kvcache.call_log import CallLog, Provenance, last_prefill_end, provenances_before
from app.kvcache.event_log import EventLog
from app.kvcache.layers.rows import STEP
from app.kvcache.live_layers import LiveLayers, RowSource
from app.kvcache.restore_plan import RestorePlan
from app.kvcache.seat import Seat, Seats
from app.kvcache.snapshot import Bookmark, CacheTrie, StateSnapshot, TrieNode
from app.kvcache.usage import supersede_answer_end
from app.protocol.cache_events import CacheEventKind
from app.protocol.reports import Reason
from app.protocol.sequences import count_common

BOUNDARY_USES = 0.1  # a restore point that nobody came back to yet; the end of an answer counts as used once
GRID_USES = 0.01

log = logging.getLogger(__name__)


class Peers(Protocol):
    """All active paths over one trie, and the disk below it, as far as one of them needs the others.

    used_bytes: of the arrays of all of them. stored_rows, kept_rows, stored_state: of a node, wherever they are.
    disk_bytes: of a way, see `ActivePaths`. seats: see `Seats`.
    """

    seats: Seats

    @property
    def used_bytes(self) -> int: ...
    def stored_rows(self, node: TrieNode) -> Sequence[RowSource]: ...
    def kept_rows(self, node: TrieNode) -> Sequence[RowSource]: ...
    def stored_state(self, node: TrieNode) -> StateSnapshot: ...
    def disk_bytes(self, nodes: Sequence[TrieNode], end: TrieNode) -> int: ...


class Room(Protocol):
    """Budget as a path needs it. clock: number of the request that is answered now."""

    clock: int

    @property
    def allowed(self) -> int: ...
    def make_room(self, growth: int, is_desperate: bool = True) -> bool: ...
    def fits(self, growth: int) -> bool: ...


class ActivePath:
    """Path of the trie whose rows and whole states are in live arrays, `layers`.

    number: its own in the trie and in views. path: its nodes, from the root on. is_guest: what was computed on it last
    was for another program, which leaves no state on edges that others used.
    """

    def __init__(self, trie: CacheTrie, layers: LiveLayers, room: Room, peers: Peers, event_log: EventLog) -> None:
        self.number = trie.open_path()
        self.path = trie.paths[self.number]
        self.layers = layers
        self.tail = array("i")
        self.is_guest = False
        self._copies: list[mx.array] = []  # of states that were stored while a call is under way, not computed yet
        self._trie, self._room, self._peers, self._event_log = trie, room, peers, event_log

    @property
    def offset(self) -> int:
        """Count of the tokens that were computed."""
        return self.layers.offset

    @property
    def end(self) -> TrieNode:
        """Node where the path ends."""
        return self.path[-1]

    @property
    def used_bytes(self) -> int:
        """Bytes of rows and whole states, padding left out; a state that is also stored is counted there."""
        layers = self.layers
        has_own_state = layers.offset > 0 and layers.is_whole and not self.is_state_stored
        return layers.row_bytes_at(layers.offset) + (layers.state_bytes if has_own_state else 0)

    @property
    def launched_bytes(self) -> int:
        """Bytes that a launched call will take when it is confirmed."""
        return self.layers.bytes_at(self.offset + 1) - self.used_bytes if self.layers.is_launched else 0

    @property
    def is_state_stored(self) -> bool:
        """Whether the live whole states are stored, or held by a seat, too, as the same arrays."""
        state = self.layers.shared
        return state is not None and (self.path[-1].stored.state is state or self._peers.seats.has_state(state))

    @property
    def has_state(self) -> bool:
        """Whether the whole states are those where the path ends."""
        return bool(self.layers.states) and self.offset > 0 and self.layers.is_whole and not self.tail

    def shared_offset(self, plan: RestorePlan) -> int:
        """Return up to where the path and a planned one are the same, and wanted."""
        shared = 0
        for ours, theirs in zip(self.path, plan.path, strict=False):
            if ours is not theirs:
                break
            shared = min(ours.end, plan.seen)
        return min(shared, plan.target)

    # Calls

    def compute(self, tokens: Sequence[int]) -> mx.array:
        """Make room for one forward call over the next tokens, and make it. Returns logits [1, n, vocabulary]."""
        layers, start = self.layers, self.layers.offset
        self._room.make_room(layers.bytes_at(start + len(tokens)) - self.used_bytes)
        logits = layers.compute(tokens)
        self.tail.extend(tokens)
        self._keep_stored_rows(start)
        return logits

    def launch(self, token: mx.array) -> mx.array:
        """Make a forward call over one token [1] whose value is not known yet. Returns logits [1, 1, vocabulary]."""
        self._room.make_room(self.layers.bytes_at(self.offset + 1) - self.used_bytes)
        logits = self.layers.launch(token)
        if self._copies:  # are made with the call: to ask for them in between would wait for the one before
            logits, self._copies = mx.depends(logits, self._copies), []
        return logits

    def confirm(self, token: int) -> None:
        """Record the launched call, made with this token."""
        start = self.offset
        self.layers.confirm((token,))
        self.tail.append(token)
        self._keep_stored_rows(start)

    def retract(self) -> None:
        """Take the launched call back: the path stands where its nodes end, as if the call had not been made.

        Layers that cannot be rewound begin anew with the next request.
        """
        if self.layers.unsupported:
            self.layers.discard()
        else:
            self.record()
            self.layers.retract(self._last_prefill_end(self.offset))

    def rest(self) -> None:
        """Come to rest, with everything computed that was asked of the model. Raises what the model raises."""
        if self.layers.is_launched:
            self.retract()
        self.layers.evaluate()
        mx.eval(self._copies)
        self._copies = []
        self.record()

    def claim(self, *, is_guest: bool) -> None:
        """Compute for somebody from now on, whose all of the path is then too. is_guest: for another program."""
        self.is_guest = is_guest
        for node in () if is_guest else self.path[1:]:
            self._trie.claim(node)

    def _may_keep_state(self, node: TrieNode) -> bool:
        return node.usage.is_guest or not self.is_guest

    @property
    def guest_bytes(self) -> int:
        """Bytes of the path that are there for guests only."""
        layers, own = self.layers, list(takewhile(lambda node: node.usage.is_guest, reversed(self.path)))
        if not own and not self.is_guest:
            return 0
        begin = own[-1].start if own else self.end.end
        return self.used_bytes - layers.row_bytes * begin

    # Recording

    def record(self, is_final: bool = True) -> None:
        """Write the tail into the trie, which then knows everything up to where the path stands.

        Unless `is_final`, a tail that runs inside an edge which is known already stays a tail, to save splitting it.
        Nothing is recorded of layers that cannot be stored.
        """
        while self.tail and not self.layers.unsupported:
            child = self.path[-1].children.get(self.tail[0])
            if child is None:
                self._append_tail()
                return
            same = count_common(child.tokens, self.tail)
            if same < len(child.tokens):
                if same == len(self.tail) and not is_final:
                    return
                child = self._trie.split(child, child.start + same)
            self._absorb(child)

    def tidy(self) -> None:
        """Join edges between which nothing ends any more."""
        for node in self.path[1:-1]:
            if self._trie.can_merge(node):
                self._trie.merge(node)

    def _append_tail(self) -> None:
        node, call_log = self.path[-1], self.layers.call_log
        provenances = [Provenance(call_log, node.end, node.end + len(self.tail))]
        if not self._is_growing(node):
            self._trie.enter(self._trie.append(node, self.tail, provenances, is_guest=self.is_guest), self.number)
        else:
            self._trie.extend(node, self.tail, provenances)
        del self.tail[:]

    def _is_growing(self, node: TrieNode) -> bool:
        """Return whether this session made the edge and it may become longer.

        Older ones do not: they were used more than what follows.
        """
        is_own = bool(node.stored.provenances) and node.stored.provenances[-1].call_log is self.layers.call_log
        is_end = node.children or node.stored.state or node.usage.anchors or node.usage.pins or node.locks
        is_written = bool(node.stored.files)  # as it is
        return is_own and not (is_end or is_written) and node.active_paths == {self.number}

    def _absorb(self, child: TrieNode) -> None:
        """Step onto a known edge that the tail covers. Rows that were gone are this path's now, and so is their
        record."""
        if not child.has_rows:
            child.stored.provenances = [Provenance(self.layers.call_log, child.start, child.end)]
        self._trie.enter(child, self.number)
        if not self.is_guest:
            self._trie.claim(child)
        del self.tail[: len(child.tokens)]

    def _keep_stored_rows(self, start: int) -> None:
        """Put rows that are there already in the place of those that a call over [start, offset) computed again.

        Where they lie on disk and cannot be read, the recomputed ones stay and what was built on the others is
        forgotten.
        """
        layers = self.layers
        while self.tail and self.path[-1].children and not layers.unsupported:
            child = self.path[-1].children.get(self.tail[0])
            if child is None:
                return
            same = count_common(child.tokens, self.tail)
            begin, end = max(start, child.start), child.start + same
            if begin < end and layers.rows:
                stored = self._peers.kept_rows(child)
                prefill_end = self._last_prefill_end(end, [child]) if end == self.offset else self.offset
                self._overwrite(stored, child.start, begin, end, prefill_end)
            if same == len(self.tail) and same < len(child.tokens):
                return
            self._absorb(child if same == len(child.tokens) else self._trie.split(child, end))

    def _overwrite(self, stored: Sequence[RowSource], at: int, begin: int, end: int, prefill_end: int) -> None:
        """Put the rows [begin, end) of stored ones, which begin with those of token `at`, in the place of live ones."""
        for rows in stored:
            first, last = max(begin, at), min(end, at + rows.tokens)
            if first < last:
                self.layers.overwrite(first, rows.part(first - at, last - at), prefill_end)
            at += rows.tokens

    # Whole states

    def anchor(self, node: TrieNode, owner: str) -> None:
        """Note that an owner, if there is one, will come back to the end of a node."""
        if owner:
            node.usage.anchors.add(owner)
            self._trie.used(node)

    def capture(self, owner: str) -> None:
        """Store the whole state where the path stands, for an owner who will come back, if there is room beside what
        the path needs."""
        self.record()
        if not self._may_keep_state(self.path[-1]):
            return
        self._hold(self.path[-1], owner)
        if self.path[-1].stored.state is None and self._room.make_room(self.layers.state_bytes, is_desperate=False):
            self._store_state(self.path[-1], self.layers.take_state(), BOUNDARY_USES)
            supersede_answer_end(self._trie, self.path[-1])

    def capture_grid(self) -> None:
        """Store the whole state where the path stands if that costs nobody else anything."""
        if self._room.fits(self.layers.state_bytes):
            self.record()
            if self.path[-1].stored.state is None and self._may_keep_state(self.path[-1]):
                self._store_state(self.path[-1], self.layers.take_state(), GRID_USES)

    def bookmark(self) -> Bookmark | None:
        """Return where the path stands, to be kept later if that turns out to be wanted; None without whole states.

        It copies nothing and waits for nothing; until it is dropped, one more state than counted stays in memory.
        """
        state = None if self.layers.unsupported else self.layers.bookmark
        return None if state is None else Bookmark(self.offset, state)

    def keep(self, bookmark: Bookmark, owner: str) -> None:
        """Store the whole state at a bookmark of the path, if there is room for it."""
        self.record()
        node = self._trie.node_ending_at(self.path, bookmark.offset)
        if not self._may_keep_state(node):
            return
        self._hold(node, owner)
        if node.stored.state is None and self._room.make_room(bookmark.state.nbytes, is_desperate=False):
            self._store_state(node, bookmark.state.detached(), BOUNDARY_USES)
            supersede_answer_end(self._trie, node)

    def keep_for_fork(self, bookmark: Bookmark) -> bool:
        """Store the whole state at a bookmark of the path that somebody may come back to, if there is room for it."""
        self.record()
        node = self._trie.node_ending_at(self.path, bookmark.offset)
        is_wanted = node.stored.state is None and self._may_keep_state(node)
        if is_wanted and self._room.make_room(bookmark.state.nbytes, is_desperate=False):
            state = bookmark.state.lazily_detached()
            self._copies += state.arrays
            self._store_state(node, state, GRID_USES)
        return node.stored.state is not None

    def drop_fork(self, offset: int) -> None:
        """Let go of the state at an offset of the path that was kept for a fork, unless it is one to come back to."""
        node = next((node for node in self.path if node.end == offset), None)
        if node is not None and node.usage.state_uses == GRID_USES and not (node.usage.anchors or node.usage.pins):
            self._trie.set_state(node, None)

    def _hold(self, node: TrieNode, owner: str) -> None:
        """Note that somebody will come back to the end of a node, follow-up or not."""
        node.stored.is_answer_end = False
        self.anchor(node, owner)

    def _store_state(self, node: TrieNode, state: StateSnapshot, uses: float) -> None:
        self._trie.set_state(node, state)
        node.usage.state_uses, node.usage.state_used = node.usage.state_uses or uses, self._room.clock
        self._event_log.add(CacheEventKind.CAPTURED, node.end, 0, state.nbytes)
        self._trie.set_disk(node, node.stored.disk_rows, None)  # of another state at this place, if any

    # Moving

    def seat(self) -> Seat:
        """Come to rest, and return what is to be held so that a session can go on from here later.

        Nothing is held when the model raises as it computes what was asked of it last: that is computed again.
        """
        layers = self.layers
        try:
            self.rest()
        except Exception:  # whatever a model raises: it is another session that goes on now
            log.warning("what was computed last of %d tokens failed", self.offset, exc_info=True)
            call_log = layers.call_log
            self.salvage()
            return Seat(None, call_log, None, Reason.FAULT)
        state = layers.take_state() if layers.states and layers.offset and not layers.unsupported else None
        return Seat(None if layers.unsupported else self.end, layers.call_log, state)

    def switch_to(self, plan: RestorePlan, seat: Seat | None = None) -> bool:
        """Leave what a plan does not go through, and restore what it does.

        seat: that the plan leads to, whose session goes on from its own state, with its own record.

        Returns False when what was stored did not fit: then the path is empty, and what did not fit is forgotten.
        """
        if self.layers.unsupported:
            self.renew()
            return True
        try:
            self.page_out(self.shared_offset(plan))
            self._make_room_to_enter(plan)
            self.page_in(plan.path, plan.target, seat.state if seat is not None else None)
            if seat is not None:
                self.layers.call_log = seat.call_log
            self._room.make_room(0)
        except Exception:  # whatever stored state may bring about, it costs time and nothing else
            log.warning("restoring %d tokens failed; they are computed again", plan.target, exc_info=True)
            self.salvage()
            # From the top: entering may have split the first edge of the path above the node that was found.
            for node in plan.path[1:2]:
                self._trie.forget(self._trie.top_of(node), Reason.FAULT)
            self.layers.start_call_log(None)
            return False
        return True

    def page_out(self, keep: int, stores: bool = True, logs: bool = True) -> None:
        """Go back to `keep` from rest. What was held beyond goes to the trie, as far as it fits into the budget.

        stores: False lets none of it go there but what is pinned. logs: False has the caller tell of what is
        lost so. The whole states are left undefined unless the path already stood at `keep`.
        """
        if keep == self.offset:
            return
        layers, last = self.layers, self.path[-1]
        room = self._room_at(keep) if stores else 0
        fits = self._end_of_fitting(keep, room)
        self._trie.node_ending_at(self.path, fits)
        self._node_ending_at(self.path, keep)
        end_state = layers.take_state() if layers.states and layers.is_whole else None
        suffix = self.path[bisect_right(self.path, keep, key=_end) :]
        own = [node for node in suffix if node.end <= fits and len(node.active_paths) == 1]
        rows = [layers.copy_rows(node.start, node.end) for node in own] if layers.rows else []
        layers.restore(keep, keep, last_prefill_end=self._last_prefill_end(keep))
        for _ in suffix:
            self._trie.leave(self.number)
        gone = [node for node in suffix if node.end > fits and not node.active_paths]
        for node in gone:
            node.stored.lost = Reason.EVICTED
        hollow = next((node for node in gone if layers.rows and not node.has_rows), None)  # those above are on disk
        if hollow is not None:
            self._trie.forget(hollow, Reason.EVICTED)  # with what is stored of branches that leave the path there
        for node, snapshot in zip(own, rows, strict=False):
            self._trie.set_rows(node, snapshot)
        if layers.rows and gone:
            self._peers.seats.release_broken(Reason.EVICTED if stores else Reason.FAULT)
        moved = sum(snapshot.nbytes for snapshot in rows)
        self._event_log.add(CacheEventKind.PAGED_OUT, keep, fits - keep, moved)
        if fits < last.end:
            if logs:
                self._event_log.add(CacheEventKind.EVICTED, fits, last.end - fits, 0, Reason.EVICTED)
        elif end_state is not None and not self._peers.seats.has_state(end_state):
            self.store_answer_end(last, end_state, room - moved)

    def store_answer_end(self, node: TrieNode, state: StateSnapshot, room: int) -> None:
        """Store the whole state at a node where an answer ends, unless there is one, if it fits into so much room."""
        if node.stored.state is None and state.nbytes <= room and self._may_keep_state(node):
            self._trie.set_state(node, state, is_answer_end=True)
            node.usage.state_uses, node.usage.state_used = max(1.0, node.usage.state_uses), node.usage.last_use

    def page_in(self, path: list[TrieNode], target: int, own: StateSnapshot | None = None) -> None:
        """Go on over the nodes of `path`, on whose beginning this one stands, to `target`, from what is stored there.

        own: the whole state to go on from, whatever is stored there. Raises CacheFaultError or ValueError when what is
        stored does not fit; the layers are then undefined beyond the path.
        """
        layers, base, keep = self.layers, self.layers.call_log, self.path[-1].end
        nodes = self._nodes_between(path, keep, target)
        end = nodes[-1] if nodes else self.path[-1]
        if not (layers.offset == target and layers.is_whole and (own is None or own is layers.shared)):
            rows = [source for node in nodes for source in self._peers.stored_rows(node)] if layers.rows else []
            state = own or (self._peers.stored_state(end) if layers.states and target else None)
            layers.restore(keep, target, rows, state, self._last_prefill_end(target, nodes))
            if state is not None:
                base = state.call_log
                if own is None and end.stored.state is None:
                    # It was on disk, live on another path or held by a seat, and counts as stored now.
                    self._trie.set_state(end, state)
                for node in nodes:
                    if not node.stored.provenances:  # a model without rows: the state's calls are all that is known
                        node.stored.provenances = provenances_before(base, node.start, node.end)
            moved = sum(node.stored.rows.nbytes for node in nodes if node.stored.rows) + (
                end.stored.state.nbytes if end.stored.state else 0
            )
            if moved:
                self._event_log.add(CacheEventKind.PAGED_IN, keep, target - keep, moved)
        for node in nodes:
            self._trie.enter(node, self.number)
        layers.start_call_log(base if target else None)

    def bytes_to_switch(self, plan: RestorePlan) -> int:
        """Return how many bytes `switch_to` takes at most, beside what is held.

        It is what is stored of what the path leaves, what it enters, and one layer once more; what is let go of
        meanwhile may stay in MLX's buffers. None where nothing is ever restored.
        """
        layers, keep, target = self.layers, self.shared_offset(plan), plan.target
        if layers.unsupported or keep == self.offset == target:
            return 0
        state_on_disk = self._peers.disk_bytes((), plan.end)
        rows_on_disk = self._peers.disk_bytes(plan.nodes, plan.end) - state_on_disk
        entering = target - keep
        row_bytes = layers.row_bytes
        leaving = row_bytes * (self._end_of_fitting(keep, self._room_at(keep)) - keep)
        growth = 2 * STEP if layers.windows else STEP  # a window's rows are taken out of it before
        rows = row_bytes * (entering + growth) + layers.window_bytes(target)
        layer = (row_bytes * (max(self.offset, target) + STEP) + rows_on_disk) // max(len(layers.rows), 1)
        return leaving + rows + layer + 2 * state_on_disk

    def must_read(self, plan: RestorePlan) -> bool:
        """Return whether something of what a plan restores lies on disk only."""
        has_rows = all(node.has_rows_in_memory for node in plan.nodes) or not self.layers.rows
        has_state = plan.end.stored.state is not None or plan.target in (0, self.offset) or not self.layers.states
        return not (has_rows and has_state)

    def _make_room_to_enter(self, plan: RestorePlan) -> None:
        """Stored rows only move when a path is entered; sliding windows and what is read from disk need room."""
        growth = self.layers.window_bytes(plan.target) - self.layers.window_bytes(self.offset)
        growth += self._peers.disk_bytes(plan.nodes, plan.end)
        if growth > 0:
            end = self._node_ending_at(plan.path, plan.target)  # what lies beyond need not stay
            self._trie.pin(end, 1)
            self._room.make_room(growth)
            self._trie.pin(end, -1)

    def _room_at(self, keep: int) -> int:
        """Bytes that may be stored when the path stands at `keep`; the state there is stored or none."""
        others = self._peers.used_bytes - self.used_bytes
        return max(0, self._room.allowed - others - self.layers.row_bytes_at(keep)) - self._trie.paged_bytes

    def _end_of_fitting(self, keep: int, room: int) -> int:
        """Return up to where what lies beyond `keep` fits into so much room, pins in any case."""
        if not self.layers.row_bytes:
            return self.offset
        pinned = max((node.end for node in self.path if node.usage.pins), default=0)
        return min(max(keep, pinned, keep + room // self.layers.row_bytes), self.offset)

    def _node_ending_at(self, path: list[TrieNode], offset: int) -> TrieNode:
        """Return the node of a path that ends at `offset`, see `Trie.node_ending_at`; a split is told to the log."""
        edges = len(path)
        node = self._trie.node_ending_at(path, offset)
        if len(path) > edges:
            (below,) = node.children.values()
            self._event_log.add(CacheEventKind.SPLIT, offset, below.end - node.start)
        return node

    def _nodes_between(self, path: list[TrieNode], start: int, end: int) -> list[TrieNode]:
        """Return the nodes of `path` that cover [start, end), after splitting the edge that spans `end`."""
        if start == end:
            return []
        self._node_ending_at(path, end)
        first = bisect_right(path, start, key=_end)
        return path[first : bisect_left(path, end, lo=first, key=_end) + 1]

    def _last_prefill_end(self, at: int, more: Sequence[TrieNode] = ()) -> int:
        """Return what `call_log.last_prefill_end` does, with `more` after the path; 0 where no layer depends on it."""
        if not self.layers.windows:
            return 0
        nodes = chain(reversed(more), reversed(self.path))
        return last_prefill_end((provenance for node in nodes for provenance in reversed(node.stored.provenances)), at)

    # After a fault

    def salvage(self) -> None:
        """Keep the rows of the path, which are whole, and empty it, after a call or a restore failed half-way.

        Raises nothing, so as to hide no fault.
        """
        self._event_log.add(CacheEventKind.FAULT, self.path[-1].end, len(self.tail), 0, Reason.FAULT)
        try:
            self._salvage()
        except Exception:  # whatever a model that failed has left in its caches
            log.warning("nothing of the live branch could be kept", exc_info=True)
            self.drop(Reason.FAULT)

    def drop(self, reason: Reason) -> None:
        """Let go of the live arrays, whatever they hold, of what this session made, and of what stands on either."""
        live, call_log = self.path[1:], self.layers.call_log
        self.renew()
        hollow = [node for node in live if not node.has_rows] if self.layers.rows else []
        for node in live:
            node.stored.lost = reason
        for node in (*hollow, *_made_by(call_log, live)):
            self._trie.forget(node, reason)

    def renew(self) -> None:
        """Begin anew at the root, with empty arrays."""
        del self.tail[:]
        self.layers.renew()
        while len(self.path) > 1:
            self._trie.leave(self.number)

    def _salvage(self) -> None:
        layers, end = self.layers, self.path[-1].end
        del self.tail[:]
        layers.discard()
        layers.restore(end, end, last_prefill_end=self._last_prefill_end(end))
        # What another session waits on was whole when that one came to rest.
        suspects = [node for node in _made_by(layers.call_log, self.path[1:]) if not node.locks]
        if suspects:
            self.page_out(suspects[0].start, stores=False)
        self.page_out(0)
        for node in suspects:
            self._trie.forget(node, Reason.FAULT)


def _end(node: TrieNode) -> int:
    return node.end


def _made_by(call_log: CallLog, nodes: Sequence[TrieNode]) -> list[TrieNode]:
    """Return the nodes of which a call log's session computed rows."""
    return [node for node in nodes if any(provenance.call_log is call_log for provenance in node.stored.provenances)]
