"""Requests to the store and their answers, on the right threads and in order."""

from __future__ import annotations

import random
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.faults import Fault, store_error
from app.conversation.store import Store
from app.conversation.store_thread import StoreThread
from app.protocol.reports import Problem
from app.viewmodels.kit import store_link
from app.viewmodels.kit.store_link import StoreLink


@pytest.fixture
def link() -> Iterator[StoreLink]:
    link = StoreLink(StoreThread(None))
    yield link
    link.close()


def fail(_store: Store) -> None:
    raise store_error(Fault.LOCKED, None)


def test_work_is_done_there_and_answered_here(qtbot: QtBot, link: StoreLink) -> None:
    worked_on: list[int] = []
    answered_on: list[int] = []
    link.do(
        lambda store: worked_on.append(threading.get_ident()), lambda _none: answered_on.append(threading.get_ident())
    )
    qtbot.waitUntil(lambda: bool(answered_on))
    assert answered_on == [threading.get_ident()]
    assert worked_on != answered_on


def test_a_request_that_is_done_at_once_is_answered_after_those_before_it(
    link: StoreLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit = StoreThread.submit

    def slowly(thread: StoreThread, request: Callable[[Store], object]) -> Future[object]:
        future = submit(thread, request)
        wait([future])  # as when the system looks away from this thread for a moment
        return future

    answers: list[int] = []
    link.do(lambda _: 0, answers.append)
    monkeypatch.setattr(StoreThread, "submit", slowly)
    link.do(lambda _: 1, answers.append)
    assert answers == []
    link.drain()
    assert answers == [0, 1]


def test_answers_come_in_order_and_once(qtbot: QtBot, link: StoreLink) -> None:
    answers: list[int] = []
    for number in range(100):
        link.do(lambda store, number=number: number, answers.append)
    link.drain()
    assert answers == list(range(100))
    qtbot.wait(20)
    assert len(answers) == 100


def test_what_was_wrong_is_told_to_whoever_asked_or_to_all(qtbot: QtBot, link: StoreLink) -> None:
    own: list[Problem] = []
    common: list[Problem] = []
    link.failed.connect(common.append)
    link.do(fail, refused=own.append)
    link.do(fail)
    link.drain()
    assert [problem.title for problem in own] == ["The conversations are in use"]
    assert common == own


def test_draining_includes_what_the_answers_ask_for(link: StoreLink) -> None:
    seen: list[str] = []

    def again(_none: None) -> None:
        seen.append("first")
        link.do(lambda store: None, lambda _none: seen.append("second"))

    link.do(lambda store: None, again)
    link.drain()
    assert seen == ["first", "second"]


ERRORS = (LookupError, ValueError, MemoryError, RuntimeError, RecursionError, OSError, KeyboardInterrupt, SystemExit)
SQLITE_ERRORS = (sqlite3.OperationalError, sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.InterfaceError)


def test_what_waits_for_rest_is_done_once_when_nothing_is_unanswered(qtbot: QtBot, link: StoreLink) -> None:
    """Also where answers ask for more, raise, or where nothing was asked at all."""
    done: list[str] = []
    link.when_idle(lambda: done.append("at once"))
    assert done == ["at once"]

    def ask(more: int) -> None:
        done.append(f"answer {more}")
        if more:
            link.do(lambda _store: more - 1, ask)

    link.do(lambda _store: 2, ask)
    link.do(fail, None, lambda _problem: done.append("refused"))
    link.when_idle(lambda: done.append("idle"))
    link.do(lambda _store: None, lambda _none: done.append("late"))
    qtbot.waitUntil(lambda: "idle" in done)
    assert done[1:] == ["answer 2", "refused", "late", "answer 1", "answer 0", "idle"]


def test_whatever_a_request_raises_is_told_once_and_in_its_turn(link: StoreLink) -> None:
    rng = random.Random(3)
    told: list[int] = []

    def request(_store: Store, error: BaseException | None) -> None:
        if error is not None:
            raise error

    for number in range(200):
        kind = rng.choice([None, *ERRORS, *SQLITE_ERRORS])
        error = kind("Which pears keep?") if kind else None

        def refuse(problem: Problem, number: int = number) -> None:
            assert "pears" not in problem.sentence  # an error's own words could be the person's
            told.append(number)

        link.do(
            lambda store, error=error: request(store, error), lambda _none, number=number: told.append(number), refuse
        )
    link.drain()
    assert told == list(range(200))


def test_an_answer_that_raises_keeps_no_other_from_coming(link: StoreLink) -> None:
    told: list[int] = []

    def take(number: int) -> None:
        told.append(number)
        if number % 3 == 0:
            raise KeyError(number)

    for number in range(10):
        link.do(lambda _store, number=number: number, take)
    with pytest.raises(KeyError):
        link.drain()
    assert told == list(range(10))
    link.do(lambda _store: 0, take)
    with pytest.raises(KeyError):
        link.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("store")]


def test_a_slow_disk_is_told_once_with_what_it_owes_and_again_when_it_has_caught_up(
    qtbot: QtBot, link: StoreLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_link, "SLOW", 0.05)
    link._watch.setInterval(5)
    told: list[Problem] = []
    over: list[Problem] = []
    link.slowed.connect(told.append)
    link.eased.connect(over.append)
    for _ in range(2):
        disk = threading.Event()
        link.do(lambda _store, disk=disk: disk.wait(30), characters=1200)
        link.do(lambda _store: None, characters=34)
        qtbot.waitUntil(lambda: len(told) > len(over))
        qtbot.wait(30)
        disk.set()
        qtbot.waitUntil(lambda: len(told) == len(over))
    assert len(told) == 2
    assert over == told
    assert "1,234 characters" in told[0].sentence
    link.do(lambda _store: None)
    qtbot.waitUntil(lambda: not link._watch.isActive())
    assert len(told) == 2
