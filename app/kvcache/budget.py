"""What live and stored arrays may take together, and the making of room for more.

Properties kept here:

1. paged_bytes <= max(0, `allowed` - live and copied bytes) at every change of the account, or what is pinned where that
   is more. Room is made before anything is copied.
2. What only guests used goes first while there is more of it than a quarter of the budget, what is computed for a guest
   and what it is about to take included. So they take nothing from what others used, while that fits into three
   quarters, unless one request of theirs needs more than a quarter by itself.
3. What MLX holds beyond what is counted is measured at the end of each request: its buffers may be larger than the
   arrays in them, which small arrays make many of.
"""

from __future__ import annotations

from functools import partial

import mlx.core as mx

from app.kvcache.active_paths import ActivePaths
from app.kvcache.event_log import EventLog
from app.kvcache.eviction import PIECE, Eviction
from app.kvcache.snapshot import CacheTrie, RowsSnapshot, StateSnapshot
from app.protocol.cache_events import CacheEventKind
from app.protocol.reports import Reason

LEAST_MEASURED = 64 << 20  # bytes that MLX holds; with less its overhead is not looked at
TOLERANCE = 0.02  # of what is held: a smaller overhead is none


class Budget:
    """Account of a trie and its active paths.

    nbytes: what live and stored state may take together. clock: number of the latest request. overhead_bytes: what MLX
    held beyond the stored and live arrays when the last request ended; 0 in a small cache, where that is next to
    nothing, or more than small arrays can explain. eviction: what chooses what goes.
    """

    def __init__(self, trie: CacheTrie, paths: ActivePaths, event_log: EventLog, nbytes: int, has_states: bool) -> None:
        self.nbytes = nbytes
        self.clock = 0
        self.overhead_bytes = 0
        self.eviction: Eviction[RowsSnapshot, StateSnapshot] = Eviction(trie, has_states, event_log)
        self._trie, self._paths, self._event_log = trie, paths, event_log
        self._base = mx.get_active_memory()  # the model, and whatever else is there

    @property
    def allowed(self) -> int:
        """Bytes that live and stored arrays may take together."""
        return self.nbytes - self.overhead_bytes

    def fits(self, growth: int) -> bool:
        """Return whether live bytes may grow by `growth` without anything going."""
        return self._trie.paged_bytes + self._paths.used_bytes + growth <= self.allowed

    def make_room(self, growth: int, is_desperate: bool = True) -> bool:
        """Evict until live bytes could grow by `growth`, and by a little more, so that it is not asked at every token.

        False when there is no room even so. is_desperate: let it take the first states of branches too, and, when that
        is not enough, what open sessions hold that wait for their turn, the youngest first.
        """
        while not self.fits(growth):
            self._evict(growth, is_desperate)
            if self.fits(growth) or not is_desperate or not self._release_youngest():
                break
        return self.fits(growth)

    def _evict(self, growth: int, is_desperate: bool) -> None:
        """Evict what is stored, as `make_room` says, if that is of any use."""
        if self._surplus(growth) <= 0:
            return
        for path in self._paths:
            # A tail may run inside a stored edge whose rows it has taken over: record whose they are before any go.
            path.record()
        ahead = growth + PIECE // 2 * self._paths.row_bytes
        for desperate in (False, True) if is_desperate else (False,):
            if self._surplus(growth) > 0:
                wanted = growth if desperate else ahead
                surplus, beyond = partial(self._surplus, wanted), partial(self._guests_beyond, wanted)
                self.eviction.run(self.clock, surplus, desperate, beyond)

    def _guests_beyond(self, growth: int) -> int:
        """Return how many bytes guests hold beyond their share, with the growth where it is theirs."""
        share = max(0, self.allowed - self.nbytes * 3 // 4)
        live = sum(path.guest_bytes for path in self._paths)
        is_theirs = any(path.is_guest for path in self._paths)
        return self._trie.guest_bytes + live + growth * is_theirs - share

    def _release_youngest(self) -> bool:
        """Release the youngest session that waits for its turn. False when none is held."""
        seat = self._paths.seats.release_youngest()
        if seat is not None:
            self._event_log.add(CacheEventKind.EVICTED, seat.call_log.end, 0, 0, Reason.EVICTED)
        return seat is not None

    def measure(self) -> None:
        """Take note of what MLX holds beyond what is counted."""
        held = self._trie.paged_bytes + self._paths.allocated_bytes
        held -= sum(path.layers.state_bytes for path in self._paths if path.is_state_stored)
        beyond = mx.get_active_memory() - self._base - held
        is_much = held + beyond >= LEAST_MEASURED and beyond > TOLERANCE * held
        # A buffer is at most twice as large as its array: what is more is something else, as a model being opened.
        self.overhead_bytes = beyond if is_much and beyond <= self._trie.paged_bytes else 0

    def pins_fit(self, more: int = 0) -> bool:
        """Return whether what the pins keep, and so many bytes more, fits into the budget: live rows count as what they
        will be when stored."""
        live = {node.id: node for path in self._paths for node in path.path[1:] if node.usage.pins}
        tokens = sum(len(node.tokens) for node in live.values())
        return self._trie.pinned_bytes + self._paths.row_bytes * tokens + more <= self.nbytes

    def _surplus(self, growth: int) -> int:
        """Stored bytes beyond what the budget leaves, or beyond what is pinned where that is more.

        A live state that was shared with an evicted one counts as live then.
        """
        paged = self._trie.paged_bytes
        surplus = paged - max(0, self.allowed - self._paths.used_bytes - growth)
        return min(surplus, paged - self._trie.pinned_bytes) if surplus > 0 else surplus
