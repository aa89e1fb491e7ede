"""Pressure is told when it comes, and when it has been gone for a while."""

from __future__ import annotations

import random
import sys
import threading
from itertools import pairwise

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.launch import memory_pressure
from app.launch.memory_pressure import CRITICAL, NORMAL, WARNING, MemoryWatch, reader
from tests.seeds import each_seed


@pytest.fixture(autouse=True)
def _application(qapp: object) -> None:
    """Timers need one."""


def watched(levels: list[int]) -> list[int]:
    told: list[int] = []
    watch = MemoryWatch(read=lambda: NORMAL, every=1_000_000)
    watch.changed.connect(told.append)
    for level in levels:
        watch.take(level)
    watch.close()
    return told


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ([NORMAL] * 20, []),
        ([WARNING, WARNING], [WARNING]),
        ([WARNING, CRITICAL, CRITICAL], [WARNING, CRITICAL]),
        ([WARNING, *[NORMAL] * 9, WARNING, *[NORMAL] * 9], [WARNING]),
        ([WARNING, *[NORMAL] * 10], [WARNING, NORMAL]),
        ([CRITICAL, WARNING, WARNING, *[NORMAL] * 10], [CRITICAL, NORMAL]),
        ([0, 3, -1, 99], []),
    ],
)
def test_it_is_told_once_and_over_only_after_a_while(levels: list[int], expected: list[int]) -> None:
    assert watched(levels) == expected


@each_seed(range(5))
def test_whatever_comes_the_news_alternate_and_end_with_calm(seed: int) -> None:
    draw = random.Random(seed)
    levels = [draw.choice([NORMAL, NORMAL, NORMAL, WARNING, CRITICAL]) for _ in range(500)] + [NORMAL] * 10
    told = watched(levels)
    assert told[-1] == NORMAL
    assert all(one != other for one, other in pairwise(told))


def test_it_is_read_on_a_thread_of_its_own_and_told_on_the_windows(qtbot: QtBot) -> None:
    readers, told = list[threading.Thread](), list[tuple[int, threading.Thread]]()

    def read() -> int:
        readers.append(threading.current_thread())
        return WARNING

    watch = MemoryWatch(read=read, every=0.001)
    hear = Heard(told)
    watch.changed.connect(hear.take)
    qtbot.waitUntil(lambda: bool(told))
    watch.close()
    assert told == [(WARNING, threading.main_thread())]
    assert threading.main_thread() not in readers


class Heard(QObject):
    """Notes what it hears, and on which thread."""

    def __init__(self, told: list[tuple[int, threading.Thread]]) -> None:
        super().__init__()
        self._told = told

    def take(self, level: int) -> None:
        self._told.append((level, threading.current_thread()))


def test_a_system_that_does_not_answer_holds_nothing_up(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, answers = threading.Event(), threading.Event()

    def read() -> int:
        asked.set()
        answers.wait()
        return CRITICAL

    monkeypatch.setattr(memory_pressure, "_LAST_LOOK", 0.01)
    told: list[int] = []
    watch = MemoryWatch(read=read, every=0.001)
    watch.changed.connect(told.append)
    qtbot.waitUntil(asked.is_set)
    watch.close()  # comes back
    answers.set()
    qtbot.waitUntil(lambda: not watch._thread.is_alive())
    QApplication.processEvents()
    assert told == []


def test_one_that_fails_is_not_asked_again(qtbot: QtBot) -> None:
    def read() -> int:
        raise OSError("no such variable")

    watch = MemoryWatch(read=read, every=0.001)
    qtbot.waitUntil(lambda: not watch._thread.is_alive())
    watch.close()


@pytest.mark.skipif(sys.platform == "darwin", reason="there the system tells it")
def test_nothing_is_looked_at_where_nothing_tells(qapp: object) -> None:
    assert reader() is None
    watch = MemoryWatch()
    assert not watch._thread.is_alive()
    watch.close()
