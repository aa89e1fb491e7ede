"""Moving state between an active path's live arrays and the trie: paging out what a path leaves, paging in what it
enters.

A move never changes the sum of live and stored bytes, so within the budget it needs no room. First the whole suffix is
paged out, then the new path is entered layer by layer: the peak is both suffixes and one layer's buffer.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import chain
from typing import Protocol

from app.kvcache.active_path import ActivePath, RowSource, TrieNode
from app.kvcache.call_log import CallLog, Provenance, last_prefill_end
from app.kvcache.event_log import EventLog
from app.kvcache.layers import CacheFaultError
from app.kvcache.layers.rows import STEP
from app.kvcache.snapshot import RowsSnapshot, StateSnapshot
from app.kvcache.trie import Trie, common
from app.protocol.cache_events import CacheEventKind
from app.protocol.reports import Reason

CacheTrie = Trie[RowsSnapshot, StateSnapshot]


def page_out(trie: CacheTrie, active: ActivePath, keep: int, budget: int, event_log: EventLog) -> None:
    """Take an active path at rest back to `keep`.

    Beyond it, what was held goes to the trie, or is lost when over the budget.

    Its whole states are left undefined unless it already stood at `keep`.
    """
    if keep == active.offset:
        return
    room = _room_beside(trie, active, keep, budget)
    fits = _end_of_fitting(trie, active, keep, budget)
    trie.node_ending_at(active.path, fits)
    end_at(trie, active.path, keep, event_log)
    suffix = active.path[bisect_right(active.path, keep, key=lambda node: node.end) :]
    end_state = active.take_state() if active.states and active.is_whole else None
    kept = [node for node in suffix if node.end <= fits]
    rows = [active.copy_rows(node.start, node.end) for node in kept] if active.rows else []
    del active.path[len(active.path) - len(suffix) :]
    active.restore(keep, keep, last_prefill_end=_last_prefill_end(active, keep))
    for node in suffix:
        trie.leave(node, active.index)
        if node.end > fits:
            node.lost = Reason.EVICTED
            if active.rows and not node.has_rows:
                forget_files(trie, node)
    for node, snapshot in zip(kept, rows, strict=False):
        trie.set_rows(node, snapshot)
    moved = sum(snapshot.nbytes for snapshot in rows)
    room -= moved
    event_log.add(CacheEventKind.PAGED_OUT, keep, fits - keep, moved)
    if fits < suffix[-1].end:
        event_log.add(CacheEventKind.EVICTED, fits, suffix[-1].end - fits, 0, Reason.EVICTED)
    last = suffix[-1]
    if end_state is not None and last.state is None and len(kept) == len(suffix) and end_state.nbytes <= room:
        trie.set_state(last, end_state, is_answer_end=True)
        last.state_uses, last.state_used = max(1.0, last.state_uses), last.last_use


def _room_beside(trie: CacheTrie, active: ActivePath, keep: int, budget: int) -> int:
    """Bytes that may be stored when the active path stands at `keep`; the state there is stored or none."""
    return max(0, budget - active.row_bytes_at(keep)) - trie.paged_bytes


def _end_of_fitting(trie: CacheTrie, active: ActivePath, keep: int, budget: int) -> int:
    """Return up to where what lies beyond `keep` fits into the budget when the active path goes back there."""
    pinned = max((node.end for node in active.path if node.pins), default=0)
    room = _room_beside(trie, active, keep, budget)
    fits = max(keep, pinned, keep + room // active.row_bytes) if active.row_bytes else active.offset
    return min(fits, active.offset)


def bytes_to_switch(
    trie: CacheTrie, active: ActivePath, keep: int, target: int, budget: int, rows_on_disk: int, state_on_disk: int
) -> int:
    """Return how many bytes a switch to `target` takes at most, beside what is held.

    keep: up to where the active path and the wanted one are the same. rows_on_disk, state_on_disk: bytes that are read.
    It is what is stored of what the active path leaves, what it enters, and one layer once more; what is let go of
    meanwhile may stay in MLX's buffers.
    """
    if keep == active.offset == target:
        return 0
    entering = target - keep
    # Until something was computed the size of a row is not known.
    row_bytes = active.row_bytes or rows_on_disk // max(entering, 1)
    leaving = row_bytes * (_end_of_fitting(trie, active, keep, budget) - keep)
    growth = 2 * STEP if active.windows else STEP  # a window's rows are taken out of it before
    rows = row_bytes * (entering + growth) + active.window_bytes(target)
    layer = (row_bytes * (max(active.offset, target) + STEP) + rows_on_disk) // max(len(active.rows), 1)
    return leaving + rows + layer + 2 * state_on_disk


class DiskTier(Protocol):
    """Disk, as far as entering a path needs it. Raises CacheFaultError when something cannot be read."""

    def rows(self, node: TrieNode) -> Sequence[RowSource]: ...
    def recall(self, node: TrieNode) -> Sequence[RowSource]: ...
    def state(self, node: TrieNode) -> StateSnapshot: ...


def page_in(
    trie: CacheTrie,
    active: ActivePath,
    path: list[TrieNode],
    target: int,
    event_log: EventLog,
    disk: DiskTier | None = None,
) -> None:
    """Bring an active path that stands on the beginning of `path` to `target`, from what is stored there.

    Raises CacheFaultError when what is stored does not fit; the active path's layers are then undefined beyond its
    path.
    """
    base = active.call_log
    keep = active.path[-1].end
    was_there = active.offset == target and active.is_whole
    nodes = _nodes_between(trie, path, keep, target, event_log)
    end = nodes[-1] if nodes else active.path[-1]
    if not was_there:
        rows = [source for node in nodes for source in _stored_rows(node, disk)] if active.rows else []
        state = _stored_state(end, disk) if active.states and target else None
        prefill_end = _last_prefill_end(active, target, nodes)
        active.restore(keep, target, rows, state, prefill_end)
        base = state.call_log if state is not None else base
        if state is not None and end.state is None:
            trie.set_state(end, state)
        for node in nodes:
            if (
                state is not None and not node.provenances
            ):  # a model without rows: the state's calls are all that is known
                node.provenances = _provenances_before(state.call_log, node.start, node.end)
        moved = sum(node.rows.nbytes for node in nodes if node.rows) + (end.state.nbytes if end.state else 0)
        if moved:
            event_log.add(CacheEventKind.PAGED_IN, keep, target - keep, moved)
    for node in nodes:
        trie.enter(node, active.index)
    active.path += nodes
    active.start_call_log(base if target else None)


def _provenances_before(call_log: CallLog, start: int, end: int) -> list[Provenance]:
    """Return the calls of [start, end) on the way to the state that a call log leaves there or later."""
    provenances: list[Provenance] = []
    while end > start:
        if call_log.start < end:
            provenances.insert(0, Provenance(call_log, max(start, call_log.start), end))
            end = provenances[0].start
        elif call_log.base is None:
            raise CacheFaultError(f"no calls are on record for [{start}, {end})")
        if call_log.base is not None:
            call_log = call_log.base
    return provenances


def _stored_rows(node: TrieNode, disk: DiskTier | None) -> Sequence[RowSource]:
    if node.rows is not None:
        return (node.rows,)
    if disk is None or not node.disk_rows:
        raise CacheFaultError(f"rows [{node.start}, {node.end}) are missing")
    return disk.rows(node)


def _stored_state(node: TrieNode, disk: DiskTier | None) -> StateSnapshot:
    if node.state is not None:
        return node.state
    if disk is None or not node.disk_state:
        raise CacheFaultError(f"the state at {node.end} is gone")
    return disk.state(node)


def salvage(trie: CacheTrie, active: ActivePath, budget: int, event_log: EventLog) -> None:
    """Keep the rows of the path, which are whole, and empty it, after a call or a restore failed half-way."""
    del active.tail[:]
    active.discard()
    end = active.path[-1].end
    active.restore(end, end, last_prefill_end=_last_prefill_end(active, end))
    suspects = [
        node
        for node in active.path[1:]
        if any(provenance.call_log is active.call_log for provenance in node.provenances)
    ]
    if suspects:
        page_out(trie, active, suspects[0].start, 0, event_log)
    page_out(trie, active, 0, budget, event_log)
    for node in suspects:
        forget(trie, node, Reason.FAULT)


def retract(trie: CacheTrie, active: ActivePath) -> None:
    """Undo a call that was launched: the active path stands where its nodes end, as if the call had not been made."""
    record(trie, active, is_final=True)
    active.retract(_last_prefill_end(active, active.offset))


def forget(trie: CacheTrie, node: TrieNode, reason: Reason) -> None:
    """Let go of what is stored on a node and below it, deepest first, and say why."""
    for one in reversed(list(trie.below(node))):
        if not one.active_paths:
            trie.set_rows(one, None)
            trie.set_state(one, None)
            trie.set_disk(one, (), None)
            one.lost = reason


def forget_files(trie: CacheTrie, node: TrieNode) -> None:
    """Take down what lies on disk of a node and below it, since its rows are gone."""
    for one in reversed(list(trie.below(node, lambda child: child.is_on_disk))):
        trie.set_disk(one, (), None)


def tidy(trie: CacheTrie, active: ActivePath) -> None:
    """Join edges of the active path between which nothing ends any more."""
    kept = []
    for node in active.path[1:-1]:
        if trie.can_merge(node):
            trie.merge(node)
        else:
            kept.append(node)
    active.path[1:-1] = kept


def _last_prefill_end(active: ActivePath, at: int, more: Sequence[TrieNode] = ()) -> int:
    """See `call_log.last_prefill_end`, on an active path's nodes with `more` after it; 0 where no layer depends on
    it."""
    if not active.windows:
        return 0
    nodes = chain(reversed(more), reversed(active.path))
    return last_prefill_end((provenance for node in nodes for provenance in reversed(node.provenances)), at)


def end_at(trie: CacheTrie, path: list[TrieNode], offset: int, event_log: EventLog) -> TrieNode:
    """Return the node of a path that ends at `offset`, see `Trie.node_ending_at`; a split is told to the log."""
    edges = len(path)
    node = trie.node_ending_at(path, offset)
    if len(path) > edges:
        (below,) = node.children.values()
        event_log.add(CacheEventKind.SPLIT, offset, below.end - node.start)
    return node


def _nodes_between(trie: CacheTrie, path: list[TrieNode], start: int, end: int, event_log: EventLog) -> list[TrieNode]:
    """Return the nodes of `path` that cover [start, end), after splitting the edge that spans `end`."""
    first = bisect_right(path, start, key=lambda node: node.end)
    nodes = path[first : bisect_left(path, end, lo=first, key=lambda node: node.start)]
    if nodes and nodes[-1].end > end:
        event_log.add(CacheEventKind.SPLIT, end, len(nodes[-1].tokens))
        nodes[-1] = trie.split(nodes[-1], end)
    return nodes


def record(trie: CacheTrie, active: ActivePath, is_final: bool) -> None:
    """Write the active path's tail into the trie, which then knows everything up to where it stands.

    Unless `is_final`, a tail that runs inside an edge which is known already stays a tail, to save splitting it.
    """
    while active.tail:
        node = active.path[-1]
        child = node.children.get(active.tail[0])
        if child is None:
            _append_tail(trie, active)
            return
        same = common(child.tokens, active.tail)
        if same < len(child.tokens):
            if same == len(active.tail) and not is_final:
                return
            child = trie.split(child, child.start + same)
        _absorb(trie, active, child)


def keep_stored_rows(trie: CacheTrie, active: ActivePath, start: int, disk: DiskTier | None = None) -> None:
    """Put rows that are stored in the place of those a call over [start, active.offset) computed again.

    Where they lie on disk and cannot be read, the recomputed ones stay and what was built on the others is forgotten.
    """
    while active.tail:
        child = active.path[-1].children.get(active.tail[0])
        if child is None:
            return
        same = common(child.tokens, active.tail)
        begin, end = max(start, child.start), child.start + same
        if begin < end and active.rows and not child.active_paths:
            stored = _rows_kept_of(child, disk)
            prefill_end = _last_prefill_end(active, end, [child]) if end == active.offset else active.offset
            _overwrite(active, stored, child.start, begin, end, prefill_end)
        if same == len(active.tail) and same < len(child.tokens):
            return
        _absorb(trie, active, child if same == len(child.tokens) else trie.split(child, end))


def _rows_kept_of(node: TrieNode, disk: DiskTier | None) -> Sequence[RowSource]:
    """Rows that are stored for a node in memory or on disk, or none."""
    if node.rows is not None:
        return (node.rows,)
    return disk.recall(node) if disk is not None and node.disk_rows else ()


def _overwrite(
    active: ActivePath, stored: Sequence[RowSource], at: int, begin: int, end: int, prefill_end: int
) -> None:
    """Put the rows [begin, end) of stored ones, which begin with those of token `at`, in the place of live ones."""
    for rows in stored:
        first, last = max(begin, at), min(end, at + rows.tokens)
        if first < last:
            active.overwrite(first, rows.part(first - at, last - at), prefill_end)
        at += rows.tokens


def _absorb(trie: CacheTrie, active: ActivePath, child: TrieNode) -> None:
    """Step onto a known edge that the tail covers. Rows that were gone are this active path's now, and so is their
    record."""
    if not child.has_rows:
        child.provenances = [Provenance(active.call_log, child.start, child.end)]
    trie.enter(child, active.index)
    del active.tail[: len(child.tokens)]
    active.path.append(child)


def _is_growing(node: TrieNode, active: ActivePath) -> bool:
    """Return whether this session made the edge and it may become longer.

    Older ones do not: they were used more than what follows.
    """
    is_own = bool(node.provenances) and node.provenances[-1].call_log is active.call_log
    is_end = node.children or node.state or node.anchors or node.pins
    return is_own and not is_end and node.active_paths == {active.index}


def _append_tail(trie: CacheTrie, active: ActivePath) -> None:
    node = active.path[-1]
    provenances = [Provenance(active.call_log, node.end, node.end + len(active.tail))]
    if not _is_growing(node, active):
        node = trie.append(node, active.tail, provenances)
        trie.enter(node, active.index)
        active.path.append(node)
    else:
        trie.extend(node, active.tail, provenances)
    del active.tail[:]
