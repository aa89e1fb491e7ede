"""What the cache did lately: a bounded log, without any words of anybody's."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from app.protocol.cache_events import CacheEvent, CacheEventKind
from app.protocol.reports import Reason

LENGTH = 500  # events that are kept


class EventLog:
    """Latest events of the cache, numbered from 1. now: seconds since the epoch."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self.events: deque[CacheEvent] = deque(maxlen=LENGTH)
        self._now = now
        self._last = 0

    def add(
        self, kind: CacheEventKind, offset: int, tokens: int, nbytes: int = 0, reason: Reason = Reason.NONE
    ) -> None:
        """Record that something happened to `tokens` tokens from `offset` on."""
        self._last += 1
        self.events.append(CacheEvent(self._last, self._now(), kind, tokens, nbytes, reason, offset))
