"""The runs of guests: who waits for which, and what has come of each that its client has not taken yet.

Properties: ids of guests are negative, and those of the window are not; a run whose client has left is cancelled; what
is held of a run that its client does not take is joined text, and beyond a measure the run ends. All of it is used on
the thread of the API, but for `take`, `stop` and `fail`, which any thread may call and which wait for nothing.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from app.gateway.refused import RefusedError
from app.protocol.commands import MOST_GUESTS, Cancel, Command
from app.protocol.events import Event, PrefillProgress, RunFailed, RunFinished, RunStarted, TextDelta, Tokenized
from app.protocol.reports import Problem

LARGEST_HELD = 1 << 20  # characters
GuestEvent = RunStarted | PrefillProgress | TextDelta | RunFinished | RunFailed | Tokenized
_STALLED = Problem("The client does not read", "What was written was not taken, so the answer was ended.")


class Guest:
    """One run, or one count of tokens, that a client waits for.

    has_ended: nothing more comes of it. is_lost: there is nobody to answer it any more.
    """

    def __init__(self, run_id: int) -> None:
        self.run_id = run_id
        self.has_ended = self.is_lost = False
        self._events: deque[GuestEvent] = deque()
        self._held = 0
        self._has_come = asyncio.Event()

    def put(self, event: GuestEvent) -> None:
        """Take an event that the client has not seen. Text is joined, and of how far it is only the last is kept."""
        if self.has_ended:
            return
        self.has_ended = isinstance(event, RunFinished | RunFailed | Tokenized)
        last = self._events[-1] if self._events else None
        if isinstance(event, TextDelta):
            self._held += len(event.text)
            if isinstance(last, TextDelta) and last.kind == event.kind:
                event = replace(event, text=last.text + event.text, tokens=())
                self._events.pop()
        elif isinstance(event, PrefillProgress) and isinstance(last, PrefillProgress):
            self._events.pop()
        self._events.append(event)
        self._has_come.set()

    @property
    def is_stalled(self) -> bool:
        """Return whether more is held than a client that reads leaves."""
        return self._held > LARGEST_HELD

    async def next(self, seconds: float | None = None) -> GuestEvent | None:
        """Return the next event, None where none comes within so many seconds."""
        if not self._events:
            self._has_come.clear()
            try:
                async with asyncio.timeout(seconds):
                    await self._has_come.wait()
            except TimeoutError:
                return None
        event = self._events.popleft()
        if isinstance(event, TextDelta):
            self._held -= len(event.text)
        return event


class Guests:
    """The runs and counts of tokens that clients of the local API wait for.

    submit: tells the engine. tell: told how many answers there are, when that changes. ids: of runs, all below 0, none
    of which the engine has heard before: what it tells late of a run is no other's.
    """

    def __init__(self, submit: Callable[[Command], None], tell: Callable[[int], None], ids: Iterator[int]) -> None:
        self._submit, self._tell = submit, tell
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ids = ids
        self._guests: dict[int, Guest] = {}

    def open(self) -> None:
        """Begin to take events, on the thread and in the loop that runs now."""
        self._loop = asyncio.get_running_loop()

    def begin(self, command_of: Callable[[int], Command]) -> Guest:
        """Ask the engine for something. Raises RefusedError where too many wait already."""
        if len(self._guests) >= MOST_GUESTS:
            raise RefusedError(429, f"{MOST_GUESTS} requests are answered or wait already. Try again later.")
        guest = Guest(next(self._ids))
        self._guests[guest.run_id] = guest
        self._tell(len(self._guests))
        self._submit(command_of(guest.run_id))
        return guest

    def end(self, guest: Guest) -> None:
        """Let a run go that its client waits for no more; one that has not ended is cancelled."""
        if self._guests.pop(guest.run_id, None) is not None:
            self._tell(len(self._guests))
            if not guest.has_ended:
                self._submit(Cancel(guest.run_id))

    # From any thread

    def take(self, event: Event) -> None:
        """Hand an event of the engine to the client that waits for it; the window's are none of its business."""
        if isinstance(event, GuestEvent) and _id_of(event) < 0:
            self._call(self._put, event)

    def stop(self) -> None:
        """Have all answers end with what they have, as the person at this computer says."""
        self._call(self._cancel_all)

    def fail(self, problem: Problem) -> None:
        """Have all answers fail, and the engine write no more of them: there is nobody to give them any more."""
        self._call(self._fail_all, problem)

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(function, *arguments)

    def _put(self, event: GuestEvent) -> None:
        guest = self._guests.get(_id_of(event))
        if guest is None:
            return
        guest.put(event)
        if guest.is_stalled and not guest.has_ended:
            self._submit(Cancel(guest.run_id))
            guest.put(RunFailed(guest.run_id, _STALLED))

    def _cancel_all(self) -> None:
        for guest in self._guests.values():
            self._submit(Cancel(guest.run_id))

    def _fail_all(self, problem: Problem) -> None:
        for guest in self._guests.values():
            guest.is_lost = True
            if not guest.has_ended:  # what the engine says of its end comes after this, and is nobody's
                guest.put(RunFailed(guest.run_id, problem))
                self._submit(Cancel(guest.run_id))


def _id_of(event: GuestEvent) -> int:
    return event.query_id if isinstance(event, Tokenized) else event.run_id
