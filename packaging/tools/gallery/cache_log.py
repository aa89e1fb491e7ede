"""What the sample engine's cache did: its log, with the figures of the samples."""

from __future__ import annotations

import time
from collections.abc import Sequence

from app.protocol.cache_events import CacheEvent, CacheEventKind
from app.protocol.reports import Reason, RequestReport


class CacheLog:
    """Numbers events. token_bytes: of one token's state in all layers."""

    def __init__(self, token_bytes: int) -> None:
        self._bytes = token_bytes
        self._last = 0

    def before(self, system: int, sizes: Sequence[int]) -> tuple[CacheEvent, ...]:
        """How the open path came about: a question, its answer left for another branch, the return, and the fork.

        system, sizes: tokens of the instructions and of each message of the path.
        """
        first = system + sizes[0]
        fork = first + sizes[1]
        return (
            self._event(1081, CacheEventKind.REQUEST, system, sizes[0], reason=Reason.NEW),
            self._event(762, CacheEventKind.PAGED_OUT, system, 87),
            self._event(735, CacheEventKind.EVICTED, 502, 64, reason=Reason.EVICTED),
            self._event(722, CacheEventKind.REQUEST, fork, 8, reason=Reason.DIVERGED),
            self._event(41, CacheEventKind.PAGED_OUT, fork, 66),
            self._event(41, CacheEventKind.REQUEST, fork, sizes[2], reason=Reason.DIVERGED),
        )

    def request(self, report: RequestReport) -> tuple[CacheEvent, ...]:
        """A question that is being answered now."""
        return (self._event(0, CacheEventKind.REQUEST, report.cached, report.left, reason=report.reason),)

    def _event(
        self, ago: float, kind: CacheEventKind, offset: int, size: int, reason: Reason = Reason.NONE
    ) -> CacheEvent:
        self._last += 1
        held = 0 if kind is CacheEventKind.REQUEST else size * self._bytes
        return CacheEvent(self._last, time.time() - ago, kind, size, held, reason, offset)
