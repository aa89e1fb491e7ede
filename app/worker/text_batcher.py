"""The batching of new text, which leaves at most once a frame, however fast the tokens come.

Properties: the text of the deltas that leave is the text of those that came, in order; nothing of a run overtakes its
text; a delta that was held back for a frame leaves with the next event, whichever answer or run that is about;
thinking and text are never joined.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from app.protocol.engine import EventSink
from app.protocol.events import Event, RunFailed, RunFinished, RunStarted, TextDelta

FRAME = 0.016


class TextBatcher:
    """An event sink that feeds another, between the engine and the window: it joins text that comes within a frame.

    frame: least time between two deltas of a lane, in seconds. clock: seconds, monotonic.
    """

    def __init__(self, sink: EventSink, frame: float = FRAME, clock: Callable[[], float] = time.monotonic) -> None:
        self._sink = sink
        self._frame = frame
        self._clock = clock
        self._held: dict[tuple[int, int], TextDelta] = {}
        self._sent_at: dict[tuple[int, int], float] = {}

    def __call__(self, event: Event) -> None:
        """Pass an event on, or hold it back for less than a frame when it is new text."""
        if isinstance(event, TextDelta):
            self._hold(event)
            self._send_due()
            return
        self._send_due()
        run_id = getattr(event, "run_id", None)
        if run_id is not None:
            self._flush_run(run_id)
            if isinstance(event, RunStarted | RunFinished | RunFailed):
                self._forget(run_id)
        self._sink(event)

    def flush(self) -> None:
        """Send everything that is held back."""
        for key in tuple(self._held):
            self._send(key)

    def _hold(self, delta: TextDelta) -> None:
        key = (delta.run_id, delta.lane)
        held = self._held.get(key)
        if held is not None and held.kind != delta.kind:
            self._send(key)
            held = None
        self._held[key] = delta if held is None else _joined(held, delta)

    def _send_due(self) -> None:
        """Send what was held back for a frame: of answers that are written by turns, the next word may be far."""
        now = self._clock()
        for key in tuple(self._held):
            if now - self._sent_at.get(key, float("-inf")) >= self._frame:
                self._send(key)

    def _send(self, key: tuple[int, int]) -> None:
        self._sent_at[key] = self._clock()
        self._sink(self._held.pop(key))

    def _flush_run(self, run_id: int) -> None:
        for key in [key for key in self._held if key[0] == run_id]:
            self._send(key)

    def _forget(self, run_id: int) -> None:
        for key in [key for key in self._sent_at if key[0] == run_id]:
            del self._sent_at[key]


def _joined(first: TextDelta, second: TextDelta) -> TextDelta:
    return replace(
        first,
        text=first.text + second.text,
        tokens=first.tokens + second.tokens,
        uncounted=first.uncounted + second.uncounted,
    )
