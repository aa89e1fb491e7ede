"""The prefix cache: finds what of a request is known, brings it into live arrays, and keeps what is computed.

What it promises (`invariants.check` tests each line, beside those of trie.py, active_path.py and budget.py):

1. `begin` leaves at least one token to evaluate, also when the whole request is known.
2. It never holds state for a token that was not recorded.
3. What is stored fits into the budget beside what is live.
4. Rows exist only above complete rows: they leave leaf first, whole states one by one.
5. A failed restore costs recomputation, is counted, and never yields a mixture of offsets.

Several sessions may be open. Calls are made on the one that is mounted on `active`; the others keep their seats (see
seat.py). What is said of paths holds for as many as there are. Owned by the model thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import count, takewhile
from pathlib import Path
from typing import Any, NamedTuple

from app.kvcache.active_path import ActivePath
from app.kvcache.active_paths import ActivePaths
from app.kvcache.budget import Budget
from app.kvcache.disk.layout import layout_of
from app.kvcache.disk.tier import Tier
from app.kvcache.event_log import EventLog
from app.kvcache.ghosts import Ghosts
from app.kvcache.live_layers import Forward, LiveLayers
from app.kvcache.restore_plan import RestorePlan, captures_for, plan_restore, report_of
from app.kvcache.seat import Seat
from app.kvcache.session import Reread, Session
from app.kvcache.snapshot import CacheTrie, TrieNode, upwards
from app.kvcache.trie import Trie
from app.kvcache.usage import count_uses, disown, own, remember, touch
from app.protocol.cache_events import CacheEvent, CacheEventKind
from app.protocol.reports import Reason, RequestReport
from app.protocol.trie_view import Residency

GRID = 256  # tokens between two whole states when memory allows
_UNKNOWN = -1  # stands for a token that is not known yet


class Freed(NamedTuple):
    """Account of what was let go of.

    tokens: whose state is held nowhere any more. nbytes, disk_bytes: that are free now, in memory and on disk.
    """

    tokens: int
    nbytes: int
    disk_bytes: int


class PrefixCache:
    """Live arrays and stored state of one model.

    forward: tokens [1, n] and the model's cache objects -> logits [1, n, vocabulary]. new_caches: a fresh list of
    those objects. budget_bytes: what live and stored state may take together. grid: tokens between two stored whole
    states when memory allows, 0 for restore points only. active: the path that requests are answered on. unsupported:
    the name of a cache kind that cannot be stored, in which case every request is computed whole. faults: restores that
    failed, files that were damaged, and requests that broke off. session: the one that calls are made on, or None.
    sessions: all that are open, oldest first.
    """

    def __init__(
        self, forward: Forward, new_caches: Callable[[], list[Any]], budget_bytes: int, grid: int = GRID
    ) -> None:
        self.forward, self.new_caches = forward, new_caches
        self.grid = grid
        self.faults = 0
        self.session: Session | None = None
        self.sessions: list[Session] = []
        self._began = 0  # sessions in all
        self.disk: Tier | None = None
        self.trie: CacheTrie = Trie()
        self.event_log = EventLog()
        layers = self._new_layers()
        self.unsupported = layers.unsupported
        self.paths = ActivePaths(self.trie)
        self.budget = Budget(self.trie, self.paths, self.event_log, budget_bytes, bool(layers.states))
        self.active = self.open_path()
        self.ghosts = Ghosts(self.trie)
        self._layer_kinds = Counter(type(cache).__name__ for cache in new_caches())

    @property
    def live_bytes(self) -> int:
        """Bytes of live rows and states, as used by tokens. Rows that several paths share count once, a state that is
        also stored counts as paged."""
        return self.paths.used_bytes - self.paths.copied_bytes

    @property
    def paged_bytes(self) -> int:
        """Bytes of everything that hangs in the trie."""
        return self.trie.paged_bytes

    @property
    def budget_bytes(self) -> int:
        """Bytes that live and stored state may take together."""
        return self.budget.nbytes

    @property
    def events(self) -> Sequence[CacheEvent]:
        """Latest events of the cache, oldest first."""
        return self.event_log.events

    def layer_counts(self) -> tuple[tuple[str, int], ...]:
        """Return how many cache objects of each class the model has."""
        return tuple(sorted(self._layer_kinds.items()))

    def open_path(self) -> ActivePath:
        """Begin one more active path, empty, with arrays of its own."""
        path = ActivePath(self.trie, self._new_layers(), self.budget, self.paths, self.event_log)
        self.paths.add(path)
        return path

    # Requests

    def begin(
        self,
        tokens: Sequence[int],
        restore_points: Sequence[int] = (),
        owner: str = "",
        is_check: bool = False,
        is_guest: bool = False,
    ) -> Session:
        """Match a request, bring its path into live arrays, and return the session that computes the rest.

        restore_points: token offsets that somebody will come back to, anchored for `owner`. is_check: it stands in the
        log as a check, since nobody asked a question. is_guest: another program asks. Another session that calls are
        made on waits from now on, as with `mount`. Raises ValueError on an empty request.
        """
        if not tokens:
            raise ValueError("cannot begin a request of 0 tokens")
        self._park()
        self.budget.clock += 1
        path, points = self.active, set(restore_points)
        plan = self._verified_plan(tokens)
        report = report_of(self.paths, tokens, plan)
        if not self._switch(plan):
            report = RequestReport(len(tokens), plan.seen, plan.matched, 0, Reason.FAULT, report.diverged_at)
        path.claim(is_guest=is_guest)
        count_uses(self.trie, path.path, plan, self.budget.clock)
        for node in path.path[1:]:
            if node.end in points:
                path.anchor(node, owner)
        if path.layers.states and report.cached and report.cached in points:
            path.capture(owner)
        captures = captures_for(plan, report, restore_points, self.grid) if path.layers.states else {}
        self._began += 1
        taken = {session.lane for session in self.sessions}
        lane = next(number for number in count() if number not in taken)
        self.session = Session(self, path, tokens, report, captures, owner, self._began, lane, is_guest)
        self.sessions.append(self.session)
        kind = CacheEventKind.CHECKED if is_check else _request(is_guest)
        self.event_log.add(kind, report.cached, report.left, 0, report.reason)
        return self.session

    @property
    def holds_many(self) -> bool:
        """Whether calls may be made on several sessions by turns, and none has to read again what is computed.

        Where not, one had better end before calls are made on another: what a session computed is lost meanwhile, for
        want of room, or because the model's state cannot be stored.
        """
        return not self.unsupported and self.paths.seats.are_held

    def mount(self, session: Session) -> None:
        """Make calls on this open session from now on, and have the one so far wait.

        What is gone of it, for want of room or by a fault, it reads again: `Session.unread` tells how much. Raises
        RuntimeError when the session has ended, and while a token is launched.
        """
        if self.session is session:
            return
        if session not in self.sessions:
            raise RuntimeError(f"session {session.number} has ended")
        self._park()
        seats, seat = self.paths.seats, self.paths.seats[session.number]
        seats.entering = session.number
        try:
            if not self._resume(seat):
                self._go_back(session, seat)
        finally:
            seats.entering = None
            seats.remove(session.number)
            self.session = session
            self.active.claim(is_guest=session.is_guest)

    def _park(self) -> None:
        """Have the mounted session, if there is one, wait at its seat."""
        session, path = self.session, self.active
        if session is None:
            return
        if path.layers.is_launched:
            raise RuntimeError(f"session {session.number} cannot wait while a token is launched")
        self.session = None
        session.reached = max(session.reached, path.offset)
        seat = path.seat()
        self.paths.seats.add(session.number, seat)
        if seat.reason is Reason.FAULT:
            self.faults += 1
            self._release_broken()

    def _resume(self, seat: Seat) -> bool:
        """Bring what a seat holds into the live arrays. False when it holds nothing, or nothing that fits."""
        if seat.node is None:
            return False
        nodes = [self.trie.root, *reversed(list(upwards(seat.node)))]
        at = seat.node.end
        if not self.active.switch_to(RestorePlan(nodes, at, at, at), seat):
            self.faults += 1
            self.paths.seats.release(seat, Reason.FAULT)
            self._release_broken()
        return seat.node is not None

    def _go_back(self, session: Session, seat: Seat) -> None:
        """Restore what is kept of a session that lost its seat. The rest it has to read again."""
        plan = self._verified_plan([*session.tokens()[: session.reached], _UNKNOWN])
        reason = seat.reason if self._switch(plan) else Reason.FAULT
        lost = session.reached - self.active.offset
        if lost:
            reason = Reason.UNSUPPORTED if self.unsupported else reason
            session.reread = Reread(session.reread.tokens + lost, reason)
            self.event_log.add(_request(session.is_guest), self.active.offset, lost, 0, reason)

    def _release_broken(self) -> None:
        if self.paths.has_rows:
            self.paths.seats.release_broken(Reason.FAULT)

    def record(self) -> None:
        """Bring the trie up to date with the active paths."""
        for path in self.paths:
            path.record(is_final=False)
            new = takewhile(lambda node: not node.usage.last_use and node is not self.trie.root, reversed(path.path))
            touch(self.trie, new, self.budget.clock)

    def finish(self, session: Session, has_failed: bool) -> None:
        """End a session: keep what was computed, or, after a failure, what is known to be whole.

        Raises what the model raises when it computes what was asked of it last, after keeping what is whole.
        """
        self.sessions.remove(session)
        if self.session is not session:
            self._end_waiting(session)
            return
        self.session = None
        try:
            if not has_failed:
                session.path.rest()
        except Exception:
            self._end(session, has_failed=True)
            raise
        self._end(session, has_failed)

    def abandon(self, tokens: Sequence[int]) -> None:
        """Let go of what is live beyond what these tokens share with it, without storing it; pins stay.

        Raises RuntimeError while a session is open.
        """
        self._require_rest("let go of the live branch")
        self.active.page_out(self.active.shared_offset(self._plan_restore(tokens)), stores=False)

    # Questions

    def price(self, tokens: Sequence[int]) -> RequestReport:
        """Return what `begin` would report now. Changes nothing that can be seen."""
        return report_of(self.paths, tokens, self._plan_restore(tokens))

    def bytes_to_enter(self, tokens: Sequence[int]) -> int:
        """Return how many bytes beside what is held `begin` takes, at most, to restore what is kept of these tokens."""
        return self.active.bytes_to_switch(self._plan_restore(tokens))

    def bytes_to_pin(self, tokens: Sequence[int]) -> int:
        """Return how many bytes beside what is held `pin` takes at most."""
        plan = self._plan_restore(tokens)
        return self.active.bytes_to_switch(plan) if self.active.must_read(plan) else 0

    def residencies(self, tokens: Sequence[int], offsets: Sequence[int]) -> list[Residency]:
        """Return for each offset where the state of what lies before it is.

        The last token is allowed to be missing: the one that ended an answer was shown and never fed.
        """
        plan = self._plan_restore(tokens)
        live = max((node.end for node in plan.path if node.active_paths), default=0)
        stored = max((node.end for node in plan.nodes if node.holds), default=0)
        reach: list[tuple[int, Residency]] = [(min(live, plan.seen), "live"), (min(stored, plan.target), "memory")]
        reach.append((plan.target, "disk"))
        return [next((residency for end, residency in reach if offset <= end + 1), "none") for offset in offsets]

    # What is kept

    def set_budget(self, budget_bytes: int) -> None:
        """Change the budget; what no longer fits is evicted at once."""
        self.budget.nbytes = budget_bytes
        self.budget.make_room(self.paths.launched_bytes)
        self.ghosts.update()  # of many that became ghosts at once, so that the next request need not

    def pin(self, tokens: Sequence[int]) -> int:
        """Keep what is held of this path, whatever else needs room, until `unpin`. Returns how many tokens that is.

        What lies on disk is brought in. None are kept, and 0 is returned, when nothing of it is held or all pins
        together would exceed the budget.
        Raises RuntimeError while a session is open.
        """
        self._require_rest("pin")
        path = self.active
        if not self._has_room_to_pin(self._plan_restore(tokens)):
            return 0
        plan = self._verified_plan(tokens)
        if path.must_read(plan):
            if not self._switch(plan):
                return 0
            plan = self._plan_restore(tokens)
        if path.layers.states and plan.target and plan.target == path.offset:
            path.capture("")
        node = self.trie.node_ending_at(plan.path, plan.target)
        if node is self.trie.root or (path.layers.states and node.stored.state is None):
            return 0
        self.trie.pin(node, 1)
        if self.budget.pins_fit():
            for one in reversed([node, *upwards(node)]):
                self.trie.claim(one)
            return node.end
        self.trie.pin(node, -1)
        return 0

    def _has_room_to_pin(self, plan: RestorePlan) -> bool:
        """Return whether pins could keep what a plan restores beside what they keep, before anything is read or
        moved."""
        new = [node for node in plan.nodes if not (node.usage.pins and node.has_rows_in_memory)]
        more = self.paths.row_bytes * sum(min(node.end, plan.target) - node.start for node in new)
        if not (plan.end.is_pinned_end and plan.end.stored.state is not None):
            more += self.paths.state_bytes
        if self.active.must_read(plan):
            more += self.active.layers.window_bytes(plan.target)
        return self.budget.pins_fit(more)

    def is_pinned(self, tokens: Sequence[int]) -> bool:
        """Return whether the place at the end of these tokens is pinned."""
        path, length = self.trie.match(tokens)
        return length == len(tokens) == path[-1].end and path[-1].is_pinned_end

    def unpin(self, tokens: Sequence[int]) -> int:
        """Let the place at the end of these tokens go again. Returns its offset, 0 where it is not pinned."""
        if not self.is_pinned(tokens):
            return 0
        path, length = self.trie.match(tokens)
        node = path[-1]
        self.trie.pin(node, -1)
        self.budget.make_room(0)  # which may join the edge with the next one
        return length

    def evict(self, node_ids: Iterable[int]) -> Freed:
        """Let go of the state of these edges and of all below them, in memory and on disk; their tokens stay known.

        What is pinned stays, with all that leads there; so does what open sessions compute on. Ids of edges that are
        gone are passed over.
        """
        self.record()
        tops = [self.trie.nodes[number] for number in node_ids if number in self.trie.nodes]
        chosen = {node.id: node for top in tops for node in self.trie.below(top)}
        holding = [node for node in chosen.values() if node.holds or node.stored.files]
        memory, disk = self.live_bytes + self.paged_bytes, self._disk_bytes
        if not self.sessions:
            for path in self.paths:
                going = (node.start for node in path.path if node.id in chosen and not node.usage.pins)
                path.page_out(min(going, default=path.offset), stores=False, logs=False)
        for node in sorted(chosen.values(), key=lambda node: node.end, reverse=True):
            if not (node.usage.pins or node.active_paths or node.locks):
                self.trie.set_rows(node, None)
                self.trie.set_state(node, None)
                self.trie.set_disk(node, (), None)
                node.stored.lost = Reason.EVICTED
        if self.disk is not None:
            self.disk.collect()
        self.ghosts.update()
        gone = [node for node in holding if not (node.holds or node.stored.files)]
        freed = Freed(
            tokens=sum(len(node.tokens) for node in gone),
            nbytes=memory - self.live_bytes - self.paged_bytes,
            disk_bytes=disk - self._disk_bytes,
        )
        if gone:
            start = min(node.start for node in gone)
            self.event_log.add(CacheEventKind.EVICTED, start, freed.tokens, freed.nbytes + freed.disk_bytes)
        return freed

    @property
    def _disk_bytes(self) -> int:
        return self.disk.nbytes + self.disk.coming_bytes if self.disk is not None else 0

    def release(self, owner: str) -> None:
        """Remove the anchors of an owner who will not come back, so that they hold nothing together any more."""
        for node in self.trie.nodes.values():
            if owner in node.usage.anchors:
                node.usage.anchors.discard(owner)
                self.trie.used(node)

    def erase(self, owner: str) -> None:
        """Erase all that only an owner who is gone used, in memory and on disk, tokens too.

        Raises RuntimeError while a session is open.
        """
        self._require_rest("erase")
        self.release(owner)
        only = {node.id: node for node in disown(self.trie, owner)}
        for path in self.paths:
            path.page_out(min((node.start for node in path.path if node.id in only), default=path.offset), stores=False)
        for node in reversed(only.values()):
            while node.usage.pins:
                self.trie.pin(node, -1)
            for provenance in node.stored.provenances:
                provenance.call_log.forget(provenance.start)
            self.trie.remove(node)
        if self.disk is not None:
            self.disk.erase(owner)

    # Disk

    def open_disk(self, root: Path, fingerprint: str, budget_bytes: int | None, writes_all: bool = False) -> None:
        """Keep state on disk, too, below `root`, for the model with this fingerprint; what is there is known at once.

        budget_bytes: None for the default. To be called before the first request; without effect on models whose state
        cannot be stored.
        """
        layout = layout_of(self.forward, self.new_caches) if not (self.unsupported or self.trie.nodes) else None
        if layout is not None:
            tier = Tier(self.trie, self.paths, self.event_log, root, fingerprint, layout, budget_bytes, writes_all)
            self.disk = self.paths.disk = self.budget.eviction.disk = tier
            self.active.layers.expect(layout.row_bytes, layout.state_bytes)
            self.budget.clock = tier.load()

    @property
    def is_saving(self) -> bool:
        """Whether something is on its way to the disk."""
        return self.disk is not None and self.disk.is_saving

    def close_disk(self, seconds: float) -> None:
        """Write what is worth it within so much time; from now on there is no disk."""
        if self.disk is not None:
            self.disk.close(seconds)
            self.disk = self.paths.disk = self.budget.eviction.disk = None

    def close(self) -> None:
        """Let go of all arrays at once, without waiting for the garbage collector."""
        self.session = None
        self.sessions.clear()
        self.paths.close()
        for node in self.trie.root.children.values():
            self.trie.forget(node, Reason.EVICTED)
        self.budget.overhead_bytes = 0

    def _new_layers(self) -> LiveLayers:
        return LiveLayers(self.forward, self.new_caches)

    def _require_rest(self, action: str) -> None:
        if self.sessions:
            raise RuntimeError(f"cannot {action} while a session is open")

    def _plan_restore(self, tokens: Sequence[int]) -> RestorePlan:
        if self.session is not None:
            self.record()
        return plan_restore(self.trie, self.paths, tokens, reads_disk=self.disk is None or not self.disk.is_away)

    def _verified_plan(self, tokens: Sequence[int]) -> RestorePlan:
        """Return a plan that needs no damaged file: what needs one is forgotten, and the request planned again.

        Nor does it need a disk that does not answer.
        """
        plan = self._plan_restore(tokens)
        while self.disk is not None and not self.disk.verify(plan.nodes, plan.end):
            self.faults += 1
            plan = self._plan_restore(tokens)
        return plan

    def _switch(self, plan: RestorePlan) -> bool:
        """Switch the active path as `ActivePath.switch_to` does, and count a failure."""
        is_there = self.active.switch_to(plan)
        self.faults += not is_there
        return is_there

    def _end(self, session: Session, has_failed: bool) -> None:
        path = session.path
        reached = max(session.reached, path.offset)
        if has_failed:
            self.faults += 1
            path.salvage()
            self._release_broken()
        elif self.unsupported:
            remember(self.trie, session.tokens()[: path.offset])
        else:
            is_cut = path.offset < session.report.total - 1
            path.end.stored.lost = Reason.CANCELLED if is_cut else Reason.NONE
            touch(self.trie, path.path, self.budget.clock)
            path.tidy()
        own(self.trie, self._known(session.tokens()[:reached]), session.owner)  # of what it lost the tokens are known
        self._rest()

    def _known(self, tokens: Sequence[int]) -> list[TrieNode]:
        """Return the edges of these tokens, as far as they are known; the last of them ends there."""
        path, at = self.trie.match(tokens)
        end = self.trie.node_ending_at(path, at)
        return path[1 : path.index(end) + 1]

    def _end_waiting(self, session: Session) -> None:
        """End a session that calls are not made on: what it computed is kept already, but for its state."""
        seats, seat = self.paths.seats, self.paths.seats[session.number]
        node, state, tokens = seat.node, seat.state, session.tokens()[: session.reached]
        if self.unsupported:
            remember(self.trie, tokens)
        known = self._known(tokens)
        for one in () if session.is_guest else known:
            self.trie.claim(one)
        touch(self.trie, known, self.budget.clock)
        own(self.trie, known, session.owner)
        seats.remove(session.number)
        if node is not None and state is not None and not seats.has_state(state):
            room = self.budget.allowed - self.paths.used_bytes - self.trie.paged_bytes
            self.active.store_answer_end(node, state, room)
        self._rest()

    def _rest(self) -> None:
        """Do what is done whenever a session has ended."""
        if self.session is None:  # else calls may be under way, whose memory is not the cache's
            self.budget.measure()
        self.budget.make_room(self.paths.launched_bytes)
        self.budget.eviction.update(self.budget.clock)
        self.ghosts.forget_oldest()
        if self.disk is not None:
            self.disk.touch()


def _request(is_guest: bool) -> CacheEventKind:
    return CacheEventKind.GUEST if is_guest else CacheEventKind.REQUEST
