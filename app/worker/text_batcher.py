"""The batching of new text, which leaves at most once a frame, and once in two where tokens come quicker than frames.

Each time the window shows new text it keeps the engine from Python for some milliseconds. Thirty times a second read as
smoothly as more do, and leave more of its speed to a model that writes a hundred tokens a second.

Properties: the text of the deltas that leave is the text of those that came, in order; nothing of a run overtakes its
text; a delta that was held back for so long leaves with the next event, whichever answer or run that is about, and the
last of a turn at once; thinking and text are never joined.
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

    frame: least time between two deltas of a lane, in seconds; twice that where they come quicker. clock: seconds,
    monotonic.
    """

    def __init__(self, sink: EventSink, frame: float = FRAME, clock: Callable[[], float] = time.monotonic) -> None:
        self._sink = sink
        self._frame = frame
        self._clock = clock
        self._held: dict[tuple[int, int], TextDelta] = {}
        self._came_at: dict[tuple[int, int], float] = {}
        self._sent_at: dict[tuple[int, int], float] = {}
        self._quick: set[tuple[int, int]] = set()

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
        self._note_pace(key)
        held = self._held.get(key)
        if held is not None and held.kind != delta.kind:
            self._send(key)
            held = None
        self._held[key] = delta if held is None else _joined(held, delta)
        if delta.ends_turn:
            self._send(key)

    def _note_pace(self, key: tuple[int, int]) -> None:
        now = self._clock()
        if now - self._came_at.get(key, float("-inf")) < self._frame:
            self._quick.add(key)
        else:
            self._quick.discard(key)
        self._came_at[key] = now

    def _send_due(self) -> None:
        """Send what was held back for long enough: of answers that are written by turns, the next word may be far."""
        now = self._clock()
        for key in tuple(self._held):
            pause = 2 * self._frame if key in self._quick else self._frame
            if now - self._sent_at.get(key, float("-inf")) >= pause:
                self._send(key)

    def _send(self, key: tuple[int, int]) -> None:
        self._sent_at[key] = self._clock()
        self._sink(self._held.pop(key))

    def _flush_run(self, run_id: int) -> None:
        for key in [key for key in self._held if key[0] == run_id]:
            self._send(key)

    def _forget(self, run_id: int) -> None:
        for key in [key for key in self._came_at if key[0] == run_id]:
            del self._came_at[key]
            self._sent_at.pop(key, None)
            self._quick.discard(key)


def _joined(first: TextDelta, second: TextDelta) -> TextDelta:
    return replace(
        first,
        text=first.text + second.text,
        tokens=first.tokens + second.tokens,
        uncounted=first.uncounted + second.uncounted,
        ends_turn=second.ends_turn,
    )
