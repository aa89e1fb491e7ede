"""The pictures of the trie, and the log of what the cache did, that the window gets.

They are sent after every change of the trie's shape, and while tokens come at most ten a second. The first token of an
answer waits for none but of a small trie.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from itertools import takewhile

from app.engine.model import LoadedModel
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.view import Views, dump
from app.protocol.engine import EventSink
from app.protocol.events import CacheHappened, TrieChanged

log = logging.getLogger(__name__)

_SECONDS_BETWEEN = 0.1
# A picture of fifty thousand edges takes some 20 ms: at most this share of the time goes into them while tokens come.
_LARGEST_SHARE = 0.01
_FEW = 500  # edges; a picture of so many takes a millisecond at most


class TrieFeed:
    """A source of `CacheHappened` and `TrieChanged`, the latter with serial numbers that only grow."""

    def __init__(self, emit: EventSink, now: Callable[[], float] = time.monotonic) -> None:
        self._emit, self._now = emit, now
        self._serial = 0
        self._next = 0.0
        self._told = 0
        self._views: Views | None = None

    def opened(self, model: LoadedModel, cache: PrefixCache) -> None:
        """Send the first picture of a new cache, whose log begins anew."""
        self._told = 0
        self._views = Views(cache, model.codec.label)
        self.changed(model, cache)

    def closed(self) -> None:
        """Drop the views of a cache that is being closed."""
        self._views = None

    def changed(self, model: LoadedModel, cache: PrefixCache) -> None:
        """Send what the cache did, and a picture now."""
        begun = self._now()
        self._tell_events(cache)
        self._serial += 1
        self._views = self._views or Views(cache, model.codec.label)
        self._emit(TrieChanged(self._views.take(self._serial)))
        ended = self._now()
        self._next = begun + max(_SECONDS_BETWEEN, (ended - begun) / _LARGEST_SHARE)

    def begun(self, model: LoadedModel, cache: PrefixCache) -> None:
        """Send what the cache did when a run has found its path, and a picture if it is made in no time."""
        if len(cache.trie.nodes) <= _FEW:
            self.changed(model, cache)
        else:
            self._tell_events(cache)

    def reading(self, model: LoadedModel, cache: PrefixCache) -> None:
        """Send a picture after part of a prompt was read, as `growing` does, if it is made in no time."""
        if len(cache.trie.nodes) <= _FEW:
            self.growing(model, cache)

    def growing(self, model: LoadedModel, cache: PrefixCache) -> None:
        """Send a picture unless one was sent a moment ago."""
        if self._now() >= self._next:
            self.changed(model, cache)

    def ended(self, model: LoadedModel, cache: PrefixCache) -> None:
        """Send a picture when a run has ended, and write the tree to the debug log, without any of its words."""
        self.changed(model, cache)
        if log.isEnabledFor(logging.DEBUG):
            log.debug("%s", dump(cache))

    def _tell_events(self, cache: PrefixCache) -> None:
        new = tuple(takewhile(lambda event: event.number > self._told, reversed(cache.events)))[::-1]
        if new:
            self._told = new[-1].number
            self._emit(CacheHappened(new))
