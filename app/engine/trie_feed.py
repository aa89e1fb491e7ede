"""The pictures of the trie, and the log of what the cache did, that the window gets.

They are sent after every change of the trie's shape, and while tokens come at most two a second. The first token of an
answer waits for none but of a small trie.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from itertools import takewhile

from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.view import Label, Views, dump
from app.protocol.engine import EventSink
from app.protocol.events import CacheHappened, TrieChanged

log = logging.getLogger(__name__)

_SECONDS_BETWEEN = 0.5
# A picture of fifty thousand edges takes some 20 ms: at most this share of the time goes into them while tokens come.
_LARGEST_SHARE = 0.01
_FEW = 500  # edges; a picture of so many takes a millisecond at most


class TrieFeed:
    """A source of `CacheHappened` and `TrieChanged` for one cache."""

    def __init__(
        self,
        cache: PrefixCache,
        label: Label,
        emit: EventSink,
        serials: Iterator[int],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Send nothing yet. label: see `view`. serials: growing numbers for the pictures, of all caches together."""
        self._cache, self._emit, self._serials, self._now = cache, emit, serials, now
        self._views = Views(cache, label)
        self._next = 0.0
        self._told = 0

    def changed(self) -> None:
        """Send what the cache did, and a picture now."""
        begun = self._now()
        self._tell_events()
        self._emit(TrieChanged(self._views.take(next(self._serials))))
        ended = self._now()
        self._next = begun + max(_SECONDS_BETWEEN, (ended - begun) / _LARGEST_SHARE)

    def begun(self) -> None:
        """Send what the cache did when a run has found its path, and a picture if it is made in no time."""
        if len(self._cache.trie.nodes) <= _FEW:
            self.changed()
        else:
            self._tell_events()

    def reading(self) -> None:
        """Send a picture after part of a prompt was read, as `growing` does, if it is made in no time."""
        if len(self._cache.trie.nodes) <= _FEW:
            self.growing()

    def growing(self) -> None:
        """Send a picture unless one was sent a moment ago."""
        if self._now() >= self._next:
            self.changed()

    def ended(self) -> None:
        """Send a picture when a run has ended, and write the tree to the debug log, without any of its words."""
        self.changed()
        if log.isEnabledFor(logging.DEBUG):
            log.debug("%s", dump(self._cache))

    def _tell_events(self) -> None:
        new = tuple(takewhile(lambda event: event.number > self._told, reversed(self._cache.events)))[::-1]
        if new:
            self._told = new[-1].number
            self._emit(CacheHappened(new))
