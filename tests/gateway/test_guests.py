"""What is held for clients that take it late, or never: joined, bounded, in order, and let go of."""

from __future__ import annotations

import asyncio
import random
from itertools import count
from typing import get_args

import pytest

from app.gateway.guests import LARGEST_HELD, Guest, GuestEvent, Guests
from app.gateway.refused import RefusedError
from app.protocol.commands import MOST_GUESTS, Cancel, Command, Generate
from app.protocol.events import (
    EngineStarted,
    Event,
    PrefillProgress,
    RunFailed,
    RunFinished,
    RunStarted,
    TextDelta,
    TextKind,
    Tokenized,
)
from app.protocol.reports import Problem, RunStats, StopReason
from tests.fakes.engine import ALL
from tests.gateway.scripted import REPORT
from tests.seeds import each_seed

PROBLEM = Problem("It failed", "Try again.")


def finished(run_id: int = -1) -> RunFinished:
    return RunFinished(run_id, 0, "", (), RunStats(REPORT, StopReason.FINISHED, 1, 0.1, 1.0, 1.0, 7))


@each_seed(range(50))
def test_however_late_it_is_taken_the_words_come_in_order_and_joined(seed: int) -> None:
    draw = random.Random(seed)
    said: list[tuple[TextKind, str]] = []
    heard: list[tuple[TextKind, str]] = []

    async def play() -> None:
        guest = Guest(-1)
        guest.put(RunStarted(-1, REPORT, ()))
        for number in range(200):
            if draw.random() < 0.2:
                guest.put(PrefillProgress(-1, number, 200, 0, 1.0))
            kind: TextKind = draw.choice(["text", "thinking"] if draw.random() < 0.1 else ["text"])
            said.append((kind, chr(97 + number % 26)))
            guest.put(TextDelta(-1, 0, said[-1][1], (), kind))
            while draw.random() < 0.3:
                take(await guest.next(0))
        guest.put(finished())
        guest.put(TextDelta(-1, 0, "after the end", ()))
        while not isinstance(event := await guest.next(0), RunFinished):
            take(event)
        assert await guest.next(0) is None

    def take(event: GuestEvent | None) -> None:
        if isinstance(event, TextDelta):
            heard.append((event.kind, event.text))

    asyncio.run(play())
    for kind in get_args(TextKind):
        assert "".join(w for k, w in heard if k == kind) == "".join(w for k, w in said if k == kind)
    flat = [(kind, letter) for kind, words in heard for letter in words]
    assert flat == said


def test_a_thousand_pieces_that_nobody_takes_are_one() -> None:
    async def play() -> None:
        guest = Guest(-1)
        for number in range(1000):
            guest.put(TextDelta(-1, 0, "word ", ()))
            assert not guest.is_stalled
            guest.put(PrefillProgress(-1, number, 1000, 0, 1.0)) if number < 3 else None
        events = [await guest.next(0) for _ in range(7)]
        assert sum(isinstance(one, TextDelta) for one in events) == 4
        assert events[-1] is not None
        assert len(events[-1].text) == 5 * 997

    asyncio.run(play())


def test_who_takes_nothing_of_a_long_answer_is_given_up() -> None:
    commands: list[Command] = []

    async def play() -> None:
        guests = Guests(commands.append, lambda _count: None, count(-1, -1))
        guests.open()
        guest = guests.begin(lambda run_id: Generate(run_id, (), text="a", is_guest=True))
        for _ in range(30):
            guests.take(TextDelta(-1, 0, "a" * (LARGEST_HELD // 8), ()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert commands[1:] == [Cancel(-1)]
        words = await guest.next(0)
        assert isinstance(words, TextDelta)
        assert len(words.text) <= LARGEST_HELD * 9 // 8
        assert isinstance(await guest.next(0), RunFailed)
        guests.end(guest)
        assert commands[1:] == [Cancel(-1)]

    asyncio.run(play())


@each_seed(range(30))
def test_every_run_ends_once_and_only_what_has_not_ended_is_cancelled(seed: int) -> None:
    """Whoever comes, leaves and is told of in whatever order: at most so many, each cancelled or ended, none twice."""
    draw = random.Random(seed)
    commands: list[Command] = []
    counts: list[int] = []
    ended: set[int] = set()

    async def play() -> None:
        guests = Guests(commands.append, counts.append, count(-1, -1))
        guests.open()
        there: list[Guest] = []
        for _ in range(200):
            kind = draw.random()
            if kind < 0.4 and len(there) == MOST_GUESTS:
                with pytest.raises(RefusedError) as caught:
                    guests.begin(lambda run_id: Generate(run_id, (), text="a", is_guest=True))
                assert caught.value.status == 429
            elif kind < 0.4:
                there.append(guests.begin(lambda run_id: Generate(run_id, (), text="a", is_guest=True)))
            elif there and kind < 0.6:
                ended.add(draw.choice(there).run_id)
                for run_id in ended:
                    guests.take(finished(run_id))
            elif kind < 0.7:
                guests.take(draw.choice(others))
            elif there:
                gone = there.pop(draw.randrange(len(there)))
                guests.end(gone)
                guests.end(gone)
            await asyncio.sleep(0)
        for one in there:
            guests.end(one)

    others: list[Event] = [
        finished(3),
        TextDelta(5, 0, "window", ()),
        EngineStarted(ALL),
        Tokenized(9, (1,)),
        RunFailed(-999, PROBLEM),
    ]
    asyncio.run(play())
    asked = [one.run_id for one in commands if isinstance(one, Generate)]
    cancelled = [one.run_id for one in commands if isinstance(one, Cancel)]
    assert asked == [-1 - number for number in range(len(asked))]
    assert len(cancelled) == len(set(cancelled))
    assert set(asked) == set(cancelled) | ended
    assert not set(cancelled) & ended
    assert max(counts) <= MOST_GUESTS
    assert counts[-1] == 0


def test_events_before_and_after_it_is_open_harm_nobody() -> None:
    guests = Guests(lambda _command: None, lambda _count: None, count(-1, -1))
    guests.take(finished())
    guests.stop()

    async def play() -> None:
        guests.open()

    asyncio.run(play())
    guests.take(finished())
    guests.fail(PROBLEM)


def test_what_the_window_asked_does_not_wake_the_thread_of_the_api(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> None:
        guests = Guests(lambda _command: None, lambda _count: None, count(-1, -1))
        guests.open()
        woken: list[object] = []
        monkeypatch.setattr(asyncio.get_running_loop(), "call_soon_threadsafe", lambda *what: woken.append(what[-1]))
        for number in (1, 0, -1):
            guests.take(TextDelta(number, 0, "word", ()))
            guests.take(finished(number))
            guests.take(Tokenized(number, ()))
        assert len(woken) == 3

    asyncio.run(play())


def test_where_all_fail_the_engine_writes_no_more_and_the_end_that_it_tells_is_not_taken() -> None:
    commands: list[Command] = []

    async def play() -> None:
        guests = Guests(commands.append, lambda _count: None, count(-1, -1))
        guests.open()
        whole, cut = (guests.begin(lambda run_id: Generate(run_id, (), text="a", is_guest=True)) for _ in "ab")
        whole.put(finished(whole.run_id))
        guests.fail(PROBLEM)
        guests.fail(PROBLEM)
        await asyncio.sleep(0)
        assert isinstance(await whole.next(0), RunFinished)
        assert await cut.next(0) == RunFailed(cut.run_id, PROBLEM)
        assert (await whole.next(0), await cut.next(0)) == (None, None)
        assert [one for one in commands if isinstance(one, Cancel)] == [Cancel(cut.run_id)]

    asyncio.run(play())
