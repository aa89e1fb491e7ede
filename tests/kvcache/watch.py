"""Watching a cache's account at every change, and MLX's peak memory around every operation."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import mlx.core as mx
import pytest

from app.kvcache.live_layers import LiveLayers
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.snapshot import Bookmark, StateSnapshot
from app.kvcache.trie import Trie
from app.protocol.cache_events import CacheEventKind

SLACK = 96 * 1024  # bytes: logits, small arrays, and what MLX rounds up
LEFT_OVER = 16 * 1024  # bytes by which a recycled buffer of MLX may be larger than the array that it is given to

T = TypeVar("T")


class AccountError(AssertionError):
    """More is stored than the budget leaves beside what is live, or an operation took more memory than it may."""


class WatchedTrie(Trie[Any, Any]):
    """Tells the watch of each change of what is stored."""

    watch: Watch | None = None
    _paged = 0

    @property
    def paged_bytes(self) -> int:  # type: ignore[override]
        return self._paged

    @paged_bytes.setter
    def paged_bytes(self, nbytes: int) -> None:
        is_more, self._paged = nbytes > self._paged, nbytes
        if self.watch is not None:
            self.watch.look("more is stored" if is_more else "less is stored")


class WatchedLayers(LiveLayers):
    """Tells the watch of each change of what is live."""

    watch: Watch | None = None
    _at = 0
    _mine: StateSnapshot | None = None

    @property
    def offset(self) -> int:  # type: ignore[override]
        return self._at

    @offset.setter
    def offset(self, offset: int) -> None:
        self._at = offset
        self._tell("the active path moved")

    @property
    def shared(self) -> StateSnapshot | None:  # type: ignore[override]
        return self._mine

    @shared.setter
    def shared(self, state: StateSnapshot | None) -> None:
        self._mine = state
        self._tell("the active path has another state")

    def _tell(self, change: str) -> None:
        if self.watch is not None:
            self.watch.look(change)


class Watch:
    """Looks at one cache's account whenever it changes, and at MLX's memory around what is done with `do`.

    looks: how often the account was looked at. done: how often each operation was done. least: of those that took
    memory, the bytes that the tightest left of what it might have taken, slack included. bookmarks: those that the
    session handed out, which hold states that nobody counts. `base`: MLX's active memory without the cache, in bytes.
    """

    def __init__(self, cache: PrefixCache, base: int) -> None:
        self.cache = cache
        self.looks = 0
        self.done: Counter[str] = Counter()
        self.least: dict[str, int] = {}
        self.bookmarks: list[Bookmark] = []
        self._base = base
        self._is_moving = False
        self._moved_from = 0
        self._watch_trie(cache.trie)
        self._watch_layers(cache.active.layers)

    def _watch_trie(self, trie: Any) -> None:
        trie.__class__ = WatchedTrie
        trie._paged = trie.__dict__.pop("paged_bytes")
        trie.watch = self

    def _watch_layers(self, layers: Any) -> None:
        layers.__class__ = WatchedLayers
        layers._at, layers._mine = layers.__dict__.pop("offset"), layers.__dict__.pop("shared")
        layers.watch = self

    @property
    def allowed(self) -> int:
        """Bytes that may be stored now: what the budget leaves beside what is live, or is pinned, if that is more."""
        return max(0, self.cache.budget_bytes - self.cache.live_bytes, self.cache.trie.pinned_bytes)

    def look(self, change: str) -> None:
        """Raise AccountError when more is stored than is allowed. While a path is entered its rows exist twice, in the
        account too, until the live ones are whole: nothing may be added meanwhile."""
        self.looks += 1
        paged = self.cache.paged_bytes
        if paged > (self._moved_from if self._is_moving else self.allowed):
            raise AccountError(f"{change}: {paged} bytes stored, {self.allowed} allowed")

    @contextmanager
    def moving(self) -> Iterator[None]:
        """A path is entered, or the budget was lowered or a pin let go of, and what is too much goes."""
        self._is_moving, self._moved_from = True, self.cache.paged_bytes
        try:
            yield
        finally:
            self._is_moving = False
        self.look("a move ended")

    # Memory

    @property
    def held_bytes(self) -> int:
        """Bytes that the cache's arrays take: stored, live with their padding, and states that bookmarks hold."""
        active = self.cache.active
        own = active.layers.allocated_bytes
        if active.is_state_stored:
            own -= active.layers.state_bytes
        return self.cache.paged_bytes + own + sum(2 * bookmark.state.nbytes for bookmark in self.bookmarks)

    @property
    def live_layer(self) -> int:
        """Bytes of one layer's live buffer, the largest."""
        return max((layer.allocated_bytes for layer in self.cache.active.layers.rows), default=0)

    @property
    def stored_layer(self) -> int:
        """Bytes of one layer's rows of an edge, the largest that are stored."""
        stored = [node.stored.rows.layers for node in self.cache.trie if node.stored.rows is not None]
        return max((sum(x.nbytes for x in layer) for layers in stored for layer in layers), default=0)

    @property
    def active(self) -> int:
        """Bytes that are in use beyond those before the cache was made."""
        return int(mx.get_active_memory()) - self._base

    def do(self, name: str, operation: Callable[[], T], extra: int = 0, is_live: bool = True) -> T:
        """Do one thing; raise AccountError unless MLX's memory grew meanwhile by no more than what is held afterwards
        grew by, what was moved, one layer's buffer, and `extra` bytes. is_live: live buffers may be made anew."""
        held, begun, active = self.held_bytes, self._last_event, self.active
        layer = max(self.stored_layer, self.live_layer if is_live else 0)
        mx.reset_peak_memory()
        outcome = operation()
        taken = int(mx.get_peak_memory()) - self._base - active
        layer = max(layer, self.live_layer if is_live else 0)
        grown, moved = max(0, self.held_bytes - held), self._moved_since(begun)
        left = grown + moved + layer + extra + SLACK - taken
        if left < 0:
            raise AccountError(
                f"{name}: {taken} bytes more at the peak, {grown} that are held, {moved} moved, {layer} of one layer, "
                f"{extra} of its own allowed"
            )
        self.done[name] += 1
        if taken > SLACK:
            self.least[name] = min(self.least.get(name, left), left)
        self.look(name)
        return outcome

    def rest(self) -> None:
        """Raise AccountError unless MLX holds what the cache says that it holds, within 2 %.

        What recycled buffers are larger than their arrays comes on top. A bookmark that was kept where the active path
        stands shares its state with it, and both are counted until the next call.
        """
        held, active = self.held_bytes, self.active
        arrays = sum(
            len(layer) for node in self.cache.trie if node.stored.rows is not None for layer in node.stored.rows.layers
        )
        if (
            not held - self.cache.active.layers.state_bytes - SLACK
            <= active
            <= 1.02 * held + arrays * LEFT_OVER + SLACK
        ):
            raise AccountError(f"{active} bytes are in use, {held} are accounted for")

    @property
    def _last_event(self) -> int:
        return self.cache.events[-1].number if self.cache.events else 0

    def _moved_since(self, number: int) -> int:
        """Bytes that were paged out and in after this event."""
        kinds = (CacheEventKind.PAGED_OUT, CacheEventKind.PAGED_IN)
        return sum(event.bytes for event in self.cache.events if event.number > number and event.kind in kinds)


@contextmanager
def watching(make: Callable[[], PrefixCache]) -> Iterator[Watch]:
    """A new cache under watch. Its arrays are gone afterwards, or AccountError is raised."""
    gc.collect()
    base = int(mx.get_active_memory())
    watch = Watch(make(), base)
    right = watch.cache.active.page_in

    def page_in(*args: Any) -> None:
        with watch.moving():
            right(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watch.cache.active, "page_in", page_in)
        yield watch
    watch.bookmarks.clear()
    watch.cache.close()
    gc.collect()
    if watch.active > SLACK:
        raise AccountError(f"{watch.active} bytes are left of a cache that was closed")
