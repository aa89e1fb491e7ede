"""The prefix cache: finds what of a request is known, brings it into live arrays, and keeps what is computed.

What it promises (`invariants.check` tests each line, beside those of trie.py and active_path.py):

1. `begin` leaves at least one token to evaluate, also when the whole request is known.
2. It never holds state for a token that was not recorded.
3. paged_bytes <= max(0, budget - live_bytes - overhead_bytes) at every change of the account, or what is pinned where
   that is more. Room is made before anything is copied. What MLX holds beyond what is counted is measured at the end of
   each request: its buffers may be larger than the arrays in them, which small arrays make many of.
4. Rows exist only above complete rows: they leave leaf first, whole states one by one.
5. Stored rows win over recomputed ones, so that what was built on them stays exactly reproducible from its record.
6. A failed restore costs recomputation, is counted, and never yields a mixture of offsets.

Owned by the model thread. There is one active path for now; nodes and views name it by its number all the same.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any

import mlx.core as mx

from app.kvcache.active_path import ActivePath, Forward, TrieNode
from app.kvcache.disk.layout import layout_of
from app.kvcache.disk.tier import Tier
from app.kvcache.event_log import EventLog
from app.kvcache.eviction import PIECE, Eviction
from app.kvcache.ghosts import Ghosts
from app.kvcache.paging import (
    CacheTrie,
    bytes_to_switch,
    end_at,
    forget,
    keep_stored_rows,
    page_in,
    page_out,
    record,
    retract,
    salvage,
    tidy,
)
from app.kvcache.restore_plan import RestorePlan, plan_restore, report_of
from app.kvcache.session import Session
from app.kvcache.snapshot import Bookmark, StateSnapshot
from app.kvcache.trie import Trie
from app.kvcache.usage import count_uses, disown, own, remember, supersede_answer_end, touch
from app.protocol.cache_events import CacheEvent, CacheEventKind
from app.protocol.reports import Reason, RequestReport
from app.protocol.trie_view import Residency

BOUNDARY_USES = 0.1  # a restore point that nobody came back to yet; the end of an answer counts as used once
GRID = 256  # tokens between two whole states when memory allows
GRID_USES = 0.01
LEAST_MEASURED = 64 << 20  # bytes that MLX holds; with less its overhead is not looked at
TOLERANCE = 0.02  # of what is held: a smaller overhead is none

log = logging.getLogger(__name__)


class PrefixCache:
    """Live arrays and stored state of one model.

    forward: tokens [1, n] and the model's cache objects -> logits [1, n, vocabulary]. new_caches: a fresh list of
    those objects. budget_bytes: what live and stored state may take together. grid: tokens between two stored whole
    states when memory allows, 0 for restore points only. unsupported: the name of a cache kind that cannot be stored,
    in which case every request is computed whole. overhead_bytes: what MLX held beyond the stored and live arrays when
    the last request ended; 0 in a small cache, where that is next to nothing, or more than small arrays can explain.
    """

    def __init__(
        self, forward: Forward, new_caches: Callable[[], list[Any]], budget_bytes: int, grid: int = GRID
    ) -> None:
        self.trie: CacheTrie = Trie()
        self.event_log = EventLog()
        self.grid = grid
        self.budget_bytes = budget_bytes
        self.requests = 0
        self.faults = 0
        self.session: Session | None = None
        self.disk: Tier | None = None
        self.forward, self.new_caches = forward, new_caches
        self.active = self._new_active_path()
        self.unsupported = self.active.unsupported
        self.eviction = Eviction(self.trie, bool(self.active.states), self.event_log)
        self.ghosts = Ghosts(self.trie)
        self._layers = Counter(type(cache).__name__ for cache in new_caches())
        self._base = mx.get_active_memory()  # the model, and whatever else is there
        self.overhead_bytes = 0

    @property
    def live_bytes(self) -> int:
        """Bytes of live rows and states, as used by tokens. A state that is also stored counts as paged."""
        return self.active.used_bytes

    @property
    def paged_bytes(self) -> int:
        """Bytes of everything that hangs in the trie."""
        return self.trie.paged_bytes

    @property
    def events(self) -> Sequence[CacheEvent]:
        """Latest events of the cache, oldest first."""
        return self.event_log.events

    def layer_counts(self) -> tuple[tuple[str, int], ...]:
        """Return how many cache objects of each class the model has."""
        return tuple(sorted(self._layers.items()))

    def begin(
        self,
        tokens: Sequence[int],
        restore_points: Sequence[int] = (),
        owner: str = "",
        is_check: bool = False,
    ) -> Session:
        """Match a request, bring its path into live arrays, and return the session that computes the rest.

        restore_points: token offsets that somebody will come back to, anchored for `owner`. is_check: it stands in the
        log as a check, since nobody asked a question. Raises ValueError on an empty request and RuntimeError while
        another session is open.
        """
        if self.session is not None:
            raise RuntimeError("a session is open already")
        if not tokens:
            raise ValueError("cannot begin a request of 0 tokens")
        self.requests += 1
        points = set(restore_points)
        plan = self._verified_plan(tokens)
        report = report_of(self.active, tokens, plan)
        if not self._switch(plan):
            report = RequestReport(len(tokens), plan.seen, plan.matched, 0, Reason.FAULT, report.diverged_at)
        count_uses(self.trie, plan, self.requests)
        for node in self.active.path[1:]:
            if node.end in points:
                self._anchor(node, owner)
        if self.active.states and report.cached and report.cached in points:
            self.capture(owner)
        self.session = Session(self, tokens, report, self._captures(restore_points, plan, report), owner)
        kind = CacheEventKind.CHECKED if is_check else CacheEventKind.REQUEST
        self.event_log.add(kind, report.cached, report.left, 0, report.reason)
        return self.session

    def price(self, tokens: Sequence[int]) -> RequestReport:
        """Return what `begin` would report now. Changes nothing that can be seen."""
        return report_of(self.active, tokens, self._plan_restore(tokens))

    def bytes_to_enter(self, tokens: Sequence[int]) -> int:
        """Return how many bytes beside what is held `begin` takes, at most, to restore what is kept of these tokens."""
        return self._bytes_to_switch(self._plan_restore(tokens))

    def abandon(self, tokens: Sequence[int]) -> None:
        """Let go of what is live beyond what these tokens share with it, without storing it; pins stay.

        Raises RuntimeError while a session is open.
        """
        if self.session is not None:
            raise RuntimeError("cannot let go of the live branch while a session is open")
        page_out(self.trie, self.active, self._shared_offset(self._plan_restore(tokens)), 0, self.event_log)

    def residencies(self, tokens: Sequence[int], offsets: Sequence[int]) -> list[Residency]:
        """Return for each offset where the state of what lies before it is.

        The last token is allowed to be missing: the one that ended an answer was shown and never fed.
        """
        plan = self._plan_restore(tokens)
        live = max((node.end for node in plan.path if self.active.index in node.active_paths), default=0)
        inner = (node for node in plan.path if node.start < plan.target)
        stored = max((node.end for node in inner if node.holds), default=0)
        reach: list[tuple[int, Residency]] = [(min(live, plan.seen), "live"), (min(stored, plan.target), "memory")]
        reach.append((plan.target, "disk"))
        return [next((residency for end, residency in reach if offset <= end + 1), "none") for offset in offsets]

    def set_budget(self, budget_bytes: int) -> None:
        """Change the budget; what no longer fits is evicted at once."""
        self.budget_bytes = budget_bytes
        self._make_room(
            self.active.bytes_at(self.active.offset + 1) - self.active.used_bytes if self.active.is_launched else 0
        )
        self.ghosts.update()  # of many that became ghosts at once, so that the next request need not

    def release(self, owner: str) -> None:
        """Remove the anchors of an owner who will not come back, so that they hold nothing together any more."""
        for node in self.trie.nodes.values():
            if owner in node.anchors:
                node.anchors.discard(owner)
                self.trie.used(node)

    def erase(self, owner: str) -> None:
        """Erase all that only an owner who is gone used, in memory and on disk, tokens too.

        Raises RuntimeError while a session is open.
        """
        if self.session is not None:
            raise RuntimeError("cannot erase while a session is open")
        self.release(owner)
        only = {node.id: node for node in disown(self.trie, owner)}
        on_path = [node.start for node in self.active.path if node.id in only]
        if on_path:
            page_out(self.trie, self.active, min(on_path), 0, self.event_log)
        for node in reversed(only.values()):
            while node.pins:
                self.trie.pin(node, -1)
            if self.disk is not None:
                self.disk.forget(node)
            self.trie.remove(node)
        if self.disk is not None:
            self.disk.erase(owner)

    def pin(self, tokens: Sequence[int]) -> int:
        """Keep what is held of this path, whatever else needs room, until `unpin`. Returns how many tokens that is.

        What lies on disk is brought in. None are kept, and 0 is returned, when nothing of it is held or all pins
        together would exceed the budget.
        Raises RuntimeError while a session is open.
        """
        if self.session is not None:
            raise RuntimeError("cannot pin while a session is open")
        plan = self._verified_plan(tokens)
        if self._must_be_read(plan):
            if self.active.row_bytes_at(plan.target) > self.budget_bytes or not self._switch(plan):
                return 0
            plan = self._plan_restore(tokens)
        node = self._end_of(plan)
        if node is self.trie.root or (self.active.states and node.state is None):
            return 0
        self.trie.pin(node, 1)
        if self._pinned_need() <= self.budget_bytes:
            return node.end
        self.trie.pin(node, -1)
        return 0

    def bytes_to_pin(self, tokens: Sequence[int]) -> int:
        """Return how many bytes beside what is held `pin` takes at most."""
        plan = self._plan_restore(tokens)
        return self._bytes_to_switch(plan) if self._must_be_read(plan) else 0

    def _bytes_to_switch(self, plan: RestorePlan) -> int:
        """Return the bytes that a switch takes at most; none where nothing is ever restored."""
        if self.unsupported:
            return 0
        nodes, end = self._to_enter(plan)
        state = self.disk.bytes_of((), end) if self.disk is not None else 0
        rows = self.disk.bytes_of(nodes, end) - state if self.disk is not None else 0
        keep = self._shared_offset(plan)
        return bytes_to_switch(self.trie, self.active, keep, plan.target, self._allowed, rows, state)

    def _must_be_read(self, plan: RestorePlan) -> bool:
        """Return whether something of what can be restored lies on disk only."""
        nodes, end = self._to_enter(plan)
        has_rows = all(node.rows is not None or node.active_paths for node in nodes) or not self.active.rows
        has_state = not self.active.states or end.state is not None or plan.target in (0, self.active.offset)
        return not (has_rows and has_state)

    def unpin(self, tokens: Sequence[int]) -> int:
        """Let the deepest pinned place of this path go again. Returns its offset, 0 when there is none."""
        for node in reversed(self.trie.match(tokens).path[1:]):
            if node.end <= len(tokens) and node.pins and node.is_pinned_end:
                self.trie.pin(node, -1)
                self._make_room(0)
                return node.end
        return 0

    def open_disk(self, root: Path, fingerprint: str, budget_bytes: int | None, writes_all: bool = False) -> None:
        """Keep state on disk, too, below `root`, for the model with this fingerprint; what is there is known at once.

        budget_bytes: None for the default. To be called before the first request; without effect on models whose state
        cannot be stored.
        """
        layout = layout_of(self.forward, self.new_caches) if not (self.unsupported or self.trie.nodes) else None
        if layout is not None:
            self.disk = Tier(
                self.trie, self.active, self.event_log, root, fingerprint, layout, budget_bytes, writes_all
            )
            self.eviction.disk = self.disk
            self.requests = self.disk.load()

    @property
    def is_saving(self) -> bool:
        """Whether something is on its way to the disk."""
        return self.disk is not None and self.disk.is_saving

    def close_disk(self, seconds: float) -> None:
        """Write what is worth it within so much time; from now on there is no disk."""
        if self.disk is not None:
            self.disk.close(seconds)
            self.disk = self.eviction.disk = None

    def close(self) -> None:
        """Let go of all arrays at once, without waiting for the garbage collector."""
        self._drop_live(Reason.EVICTED)
        for node in self.trie.root.children.values():
            forget(self.trie, node, Reason.EVICTED)
        self.overhead_bytes = 0

    # What a session calls.

    def compute(self, tokens: Sequence[int]) -> mx.array:
        """Make one forward call on the active path. Returns logits [1, n, vocabulary]."""
        start = self.active.offset
        self._make_room(self.active.bytes_at(start + len(tokens)) - self.active.used_bytes)
        logits = self.active.compute(tokens)
        if self.active.path[-1].children and not self.unsupported:
            keep_stored_rows(self.trie, self.active, start, self.disk)
        return logits

    def launch(self, token: mx.array) -> mx.array:
        """Make a forward call over one token [1] whose value is not known yet. Returns logits [1, 1, vocabulary]."""
        self._make_room(self.active.bytes_at(self.active.offset + 1) - self.active.used_bytes)
        return self.active.launch(token)

    def confirm(self, token: int) -> None:
        """Record the launched call, made with this token."""
        start = self.active.offset
        self.active.confirm((token,))
        if self.active.path[-1].children and not self.unsupported:
            keep_stored_rows(self.trie, self.active, start, self.disk)

    def retract(self) -> None:
        """Take the launched call back. A model whose caches cannot be rewound begins anew with the next request."""
        if self.unsupported:
            self.active.discard()
        else:
            retract(self.trie, self.active)

    def capture(self, owner: str) -> None:
        """Store the whole state where the active path stands, if there is room for it beside what the active path
        needs."""
        record(self.trie, self.active, is_final=True)
        node = self.active.path[-1]
        node.is_answer_end = False  # somebody will come back to it, follow-up or not
        self._anchor(node, owner)
        if node.state is None and self._make_room(self.active.state_bytes, is_desperate=False):
            self._store_state(node, self.active.take_state(), BOUNDARY_USES)
            supersede_answer_end(self.trie, node)

    def capture_grid(self) -> None:
        """Store the whole state where the active path stands if that costs nobody else anything."""
        growth = self.active.state_bytes
        if self._fits(growth):
            record(self.trie, self.active, is_final=True)
            if self.active.path[-1].state is None:
                self._store_state(self.active.path[-1], self.active.take_state(), GRID_USES)

    def bookmark(self) -> Bookmark | None:
        """Return where the active path stands, to be kept later if that turns out to be wanted; None without whole
        states.

        It copies nothing and waits for nothing; until it is dropped, one more state than counted stays in memory.
        """
        state = None if self.unsupported else self.active.bookmark
        return None if state is None else Bookmark(self.active.offset, state)

    def keep(self, bookmark: Bookmark, owner: str) -> None:
        """Store the whole state at a bookmark of the live path, if there is room for it."""
        record(self.trie, self.active, is_final=True)
        node = self.trie.node_ending_at(self.active.path, bookmark.offset)
        node.is_answer_end = False
        self._anchor(node, owner)
        if node.state is None and self._make_room(bookmark.state.nbytes, is_desperate=False):
            self._store_state(node, bookmark.state.detached(), BOUNDARY_USES)
            supersede_answer_end(self.trie, node)

    def _anchor(self, node: TrieNode, owner: str) -> None:
        if owner:
            node.anchors.add(owner)
            self.trie.used(node)

    def _store_state(self, node: TrieNode, state: StateSnapshot, uses: float) -> None:
        self.trie.set_state(node, state)
        node.state_uses, node.state_used = node.state_uses or uses, self.requests
        self.event_log.add(CacheEventKind.CAPTURED, node.end, 0, state.nbytes)
        self.trie.set_disk(node, node.disk_rows, None)  # of another state at this place, if any

    def record(self) -> None:
        """Bring the trie up to date with the live path."""
        if not self.unsupported:
            record(self.trie, self.active, is_final=False)
            new = takewhile(lambda node: not node.last_use and node is not self.trie.root, reversed(self.active.path))
            touch(self.trie, new, self.requests)

    def finish(self, session: Session, has_failed: bool) -> None:
        """End a session: keep what was computed, or, after a failure, what is known to be whole.

        Raises what the model raises when it computes what was asked of it last, after keeping what is whole.
        """
        self.session = None
        try:
            if not has_failed:
                self._rest()
        except Exception:
            self._end(session, has_failed=True)
            raise
        self._end(session, has_failed)

    def _rest(self) -> None:
        """Bring the active path to rest, with everything computed that was asked of the model."""
        if self.active.is_launched:
            self.retract()
        self.active.evaluate()
        if not self.unsupported:
            record(self.trie, self.active, is_final=True)

    def _end(self, session: Session, has_failed: bool) -> None:
        if has_failed:
            self._salvage()
        elif self.unsupported:
            remember(self.trie, session.tokens()[: self.active.offset])
        else:
            is_cut = self.active.offset < session.report.total - 1
            self.active.path[-1].lost = Reason.CANCELLED if is_cut else Reason.NONE
            touch(self.trie, self.active.path, self.requests)
            tidy(self.trie, self.active)
        own(self.active.path[1:], session.owner)
        self._measure()
        self._make_room(0)
        self.eviction.update(self.requests)
        self.ghosts.forget_oldest()
        if self.disk is not None:
            self.disk.touch()

    def _plan_restore(self, tokens: Sequence[int]) -> RestorePlan:
        if self.session is not None:
            self.session.record()
        return plan_restore(self.trie, self.active, tokens, reads_disk=self.disk is None or not self.disk.is_away)

    def _captures(self, restore_points: Sequence[int], plan: RestorePlan, report: RequestReport) -> dict[int, bool]:
        """Where whole states will be wanted, and whether only for the grid: the restore points, the place where this
        request leaves what is known, and what lies further than the grid from any of these."""
        if not self.active.states:
            return {}
        points = {offset for offset in (*restore_points, plan.matched) if report.cached < offset < report.total}
        captures = dict.fromkeys(points, False)
        at = report.cached
        for point in (*sorted(points), report.total):
            if self.grid:
                captures |= dict.fromkeys(range(at + self.grid, point, self.grid), True)
            at = point
        return captures

    def _salvage(self) -> None:
        """After a fault: nothing is left live, what was whole is stored. Raises nothing, so as to hide no fault."""
        self.faults += 1
        self.event_log.add(CacheEventKind.FAULT, self.active.path[-1].end, len(self.active.tail), 0, Reason.FAULT)
        try:
            salvage(self.trie, self.active, self._allowed, self.event_log)
        except Exception:  # whatever a model that failed has left in its caches
            log.warning("nothing of the live branch could be kept", exc_info=True)
            self._drop_live(Reason.FAULT)

    def _drop_live(self, reason: Reason) -> None:
        """Let go of the live arrays, whatever they hold, of what this session made, and of what stands on either."""
        live = [node for node in self.trie.nodes.values() if node.active_paths]
        made = [
            node for node in live if any(provenance.call_log is self.active.call_log for provenance in node.provenances)
        ]
        self.active.renew(self.trie.root, self.new_caches())
        for node in live:
            self.trie.leave(node, self.active.index)
            node.lost = reason
        hollow = [node for node in live if not node.has_rows] if self.active.rows else []
        for node in (*hollow, *made):
            forget(self.trie, node, reason)

    # Moving

    def _switch(self, plan: RestorePlan) -> bool:
        """Bring the active path to `plan.target`. False when what was stored did not fit and the active path is empty
        instead."""
        if self.unsupported:
            self.active = self._new_active_path()
            return True
        try:
            keep = self._shared_offset(plan)
            page_out(self.trie, self.active, keep, self._allowed, self.event_log)
            self._make_room_for_entering(plan)
            page_in(self.trie, self.active, plan.path, plan.target, self.event_log, self.disk)
            self._make_room(0)
        except Exception:  # whatever stored state may bring about, it costs time and nothing else
            log.warning("restoring %d tokens failed; they are computed again", plan.target, exc_info=True)
            self._salvage()
            # From the top: entering may have split the first edge of the path above the node that was found.
            for node in plan.path[1:2]:
                forget(self.trie, self.trie.root.children[self._first_token(node)], Reason.FAULT)
            self.active.start_call_log(None)
            return False
        return True

    def _first_token(self, node: TrieNode) -> int:
        """Return the first token of the branch that a node is on."""
        while node.parent is not None and node.parent.parent is not None:
            node = node.parent
        return node.tokens[0]

    def _make_room_for_entering(self, plan: RestorePlan) -> None:
        """Stored rows only move when a path is entered; sliding windows and what is read from disk need room."""
        growth = self.active.window_bytes(plan.target) - self.active.window_bytes(self.active.offset)
        if self.disk is not None:
            growth += self.disk.bytes_of(*self._to_enter(plan))
        if growth > 0:
            end = self._cut_at_target(plan)
            self.trie.pin(end, 1)
            self._make_room(growth)
            self.trie.pin(end, -1)

    def _cut_at_target(self, plan: RestorePlan) -> TrieNode:
        """Return the node that ends where the active path will stand, cut off the edge beyond, which need not stay."""
        return end_at(self.trie, plan.path, plan.target, self.event_log)

    def _to_enter(self, plan: RestorePlan) -> tuple[list[TrieNode], TrieNode]:
        """Return the nodes that a switch goes through, and the one whose state it takes."""
        nodes = [node for node in plan.path[1:] if node.start < plan.target]
        return nodes, nodes[-1] if nodes else self.trie.root

    def _verified_plan(self, tokens: Sequence[int]) -> RestorePlan:
        """Return a plan that needs no damaged file: what needs one is forgotten, and the request planned again.

        Nor does it need a disk that does not answer.
        """
        plan = self._plan_restore(tokens)
        while self.disk is not None and not self.disk.verify(*self._to_enter(plan)):
            self.faults += 1
            plan = self._plan_restore(tokens)
        return plan

    def _shared_offset(self, plan: RestorePlan) -> int:
        """Return up to where the live path and the wanted one are the same, and wanted."""
        shared = 0
        for ours, theirs in zip(self.active.path, plan.path, strict=False):
            if ours is not theirs:
                break
            shared = min(ours.end, plan.seen)
        return min(shared, plan.target)

    # Pins

    def _end_of(self, plan: RestorePlan) -> TrieNode:
        """Return the node that ends where what can be restored ends; an edge that spans that offset is split there."""
        at = plan.target
        if self.active.states and at and at == self.active.offset:
            self.capture("")
        path = self.active.path if self._shared_offset(plan) == at else plan.path
        return self.trie.node_ending_at(path, at)

    def _pinned_need(self) -> int:
        """Return the bytes that the pins take at least: live rows count as what they will be when stored."""
        live = [node for node in self.active.path[1:] if node.pins]
        return self.trie.pinned_bytes + self.active.row_bytes * sum(len(node.tokens) for node in live)

    # Room

    def _make_room(self, growth: int, is_desperate: bool = True) -> bool:
        """Evict until live bytes could grow by `growth`, and by a little more, so that it is not asked at every token.

        False when there is no room even so. is_desperate: let it take the first states of branches too.
        """
        if self._surplus(growth) <= 0:
            return self._fits(growth)
        if self.active.tail and not self.unsupported:
            # The tail may run inside a stored edge whose rows it has taken over: record whose they are before any go.
            record(self.trie, self.active, is_final=True)
        ahead = growth + PIECE // 2 * self.active.row_bytes
        for desperate in (False, True) if is_desperate else (False,):
            if self._surplus(growth) > 0:
                self.eviction.run(self.requests, partial(self._surplus, growth if desperate else ahead), desperate)
        return self._fits(growth)

    def _measure(self) -> None:
        """Take note of what MLX holds beyond what is counted."""
        held = self.paged_bytes + self.active.allocated_bytes
        held -= self.active.state_bytes if self.active.is_state_stored else 0
        beyond = mx.get_active_memory() - self._base - held
        is_much = held + beyond >= LEAST_MEASURED and beyond > TOLERANCE * held
        # A buffer is at most twice as large as its array: what is more is something else, as a model being opened.
        self.overhead_bytes = beyond if is_much and beyond <= self.paged_bytes else 0

    @property
    def _allowed(self) -> int:
        """Bytes that live and stored arrays may take together."""
        return self.budget_bytes - self.overhead_bytes

    def _fits(self, growth: int) -> bool:
        return self.paged_bytes + self.live_bytes + growth <= self._allowed

    def _surplus(self, growth: int) -> int:
        """Stored bytes beyond what the budget leaves, or beyond what is pinned where that is more.

        A live state that was shared with an evicted one counts as live then.
        """
        surplus = self.paged_bytes - max(0, self._allowed - self.live_bytes - growth)
        return min(surplus, self.paged_bytes - self.trie.pinned_bytes) if surplus > 0 else surplus

    def _new_active_path(self) -> ActivePath:
        return ActivePath(0, self.trie.root, self.forward, self.new_caches())
