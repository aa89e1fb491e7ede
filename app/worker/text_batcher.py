"""The batching of new text, which leaves at most once a frame, and less often where tokens come quicker than frames.

Each time the window shows new text it keeps the engine from Python for some milliseconds. As many pictures a second as
a film has read as smoothly as more do, and leave more of its speed to a model that writes a hundred tokens a second.

Properties: the text of the deltas that leave is the text of those that came, in order; nothing of a run overtakes its
text; a delta that was held back for so long leaves with the next event, whichever answer or run that is about, and the
last of a turn at once; thinking and text are never joined.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from app.protocol.engine import EventSink
from app.protocol.events import Event, RunFailed, RunFinished, RunStarted, TextDelta

_FRAME = 0.016  # seconds
_FILM = 0.036  # with the token that is waited for, about a 24th of a second


class _Lane:
    """New text of one answer. held: what has not left, all of one kind. came_at, sent_at: when the last of it did."""

    __slots__ = ("came_at", "held", "is_quick", "sent_at")

    def __init__(self) -> None:
        self.held: list[TextDelta] = []
        self.came_at = self.sent_at = float("-inf")
        self.is_quick = False


class TextBatcher:
    """An event sink that feeds another, between the engine and the window: it joins text that comes within a frame.

    clock: seconds, monotonic.
    """

    def __init__(self, sink: EventSink, clock: Callable[[], float] = time.monotonic) -> None:
        self._sink = sink
        self._clock = clock
        self._lanes: dict[tuple[int, int], _Lane] = {}

    def __call__(self, event: Event) -> None:
        """Pass an event on, or hold it back for less than a frame when it is new text."""
        now = self._clock()
        if isinstance(event, TextDelta):
            self._hold(event, now)
            self._send_due(now)
            return
        self._send_due(now)
        run_id = getattr(event, "run_id", None)
        if run_id is not None:
            of_run = [key for key in self._lanes if key[0] == run_id]
            for key in of_run:
                self._send(self._lanes[key], now)
            if isinstance(event, RunStarted | RunFinished | RunFailed):
                for key in of_run:
                    del self._lanes[key]
        self._sink(event)

    def flush(self) -> None:
        """Send everything that is held back."""
        for lane in self._lanes.values():
            self._send(lane, self._clock())

    def _hold(self, delta: TextDelta, now: float) -> None:
        key = (delta.run_id, delta.lane)
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = _Lane()
        lane.is_quick = now - lane.came_at < _FRAME
        lane.came_at = now
        if lane.held and lane.held[0].kind != delta.kind:
            self._send(lane, now)
        lane.held.append(delta)
        if delta.ends_turn:
            self._send(lane, now)

    def _send_due(self, now: float) -> None:
        """Send what was held back for long enough: of answers that are written by turns, the next word may be far."""
        for lane in self._lanes.values():
            if lane.held and now - lane.sent_at >= (_FILM if lane.is_quick else _FRAME):
                self._send(lane, now)

    def _send(self, lane: _Lane, now: float) -> None:
        if lane.held:
            lane.sent_at = now
            held, lane.held = lane.held, []
            self._sink(_joined(held))


def _joined(held: Sequence[TextDelta]) -> TextDelta:
    if len(held) == 1:
        return held[0]
    return replace(
        held[0],
        text="".join(one.text for one in held),
        tokens=tuple(token for one in held for token in one.tokens),
        uncounted=sum(one.uncounted for one in held),
        ends_turn=held[-1].ends_turn,
    )
