"""The nudge by which words that came quickly one after another are shown, also where nothing follows them for long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

FRAME = 0.02  # seconds, a little more than within which the window is told of new words once


class Nudge:
    """Calls back a frame after the last words, where they came within a frame of those before.

    To be used on one event loop. Its one timer goes on while words come; it is not put off by each of them.
    """

    def __init__(self, show: Callable[[], object]) -> None:
        self._show = show
        self._came_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def came(self) -> None:
        """Note that words have come just now, and were told."""
        loop = asyncio.get_running_loop()
        before, self._came_at = self._came_at, loop.time()
        if self._timer is None and self._came_at - before < FRAME:
            self._timer = loop.call_later(FRAME, self._look)

    def end(self) -> None:
        """Call back no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        due = self._came_at + FRAME
        if loop.time() < due:
            self._timer = loop.call_at(due, self._look)
        else:
            self._timer = None
            self._show()
