"""Pictures of the trie for the window: after every change of its shape, and while tokens come at most ten a second."""

from __future__ import annotations

import time
from collections.abc import Callable

from app.engine.model import LoadedModel
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.view import view
from app.protocol.engine import EventSink
from app.protocol.events import TrieChanged

_SECONDS_BETWEEN = 0.1


class TrieFeed:
    """Emits `TrieChanged` with serial numbers that only grow."""

    def __init__(self, emit: EventSink, now: Callable[[], float] = time.monotonic) -> None:
        self._emit, self._now = emit, now
        self._serial = 0
        self._last = -_SECONDS_BETWEEN

    def changed(self, model: LoadedModel, cache: PrefixCache) -> None:
        """Send a picture now."""
        self._serial += 1
        self._last = self._now()
        self._emit(TrieChanged(view(cache, self._serial, model.codec.label)))

    def growing(self, model: LoadedModel, cache: PrefixCache) -> None:
        """Send a picture unless one was sent a moment ago."""
        if self._now() - self._last >= _SECONDS_BETWEEN:
            self.changed(model, cache)
