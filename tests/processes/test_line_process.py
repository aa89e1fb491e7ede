"""Lines are answered by a process of their own, and whatever it does, whoever waits is told and can ask again."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QProcess
from pytestqt.qtbot import QtBot

from app.processes import line_process
from app.processes.line_process import LineProcess

LONGEST = 1000
ECHO = """
import sys, time
for line in sys.stdin:
    if line == "die\\n": sys.exit(3)
    if line == "hang\\n": time.sleep(60)
    if line == "long\\n": line = "x" * 5000
    for letter in line:
        sys.stdout.write(letter)
        sys.stdout.flush()
"""


@pytest.fixture
def process(qapp: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[LineProcess]:
    monkeypatch.setattr(line_process, "child_command", lambda flag: [sys.executable, "-c", ECHO, flag])
    process = LineProcess("--flag", LONGEST)
    yield process
    process.close()
    assert not any(one.processId() for one in process.findChildren(QProcess))


@pytest.fixture
def told(process: LineProcess) -> list[object]:
    """What the process tells: answers as they came, and "ended"."""
    told: list[object] = []
    process.answered.connect(told.append)
    process.ended.connect(lambda why: told.append("ended"))
    return told


def test_lines_are_answered_in_order_by_one_process(qtbot: QtBot, process: LineProcess, told: list[object]) -> None:
    assert not process.is_running
    for number in range(20):
        process.ask(b"line %d\n" % number)
    qtbot.waitUntil(lambda: len(told) == 20)
    assert told == [b"line %d" % number for number in range(20)]
    assert len(process.findChildren(QProcess)) == 1


@pytest.mark.parametrize("end", [b"die\n", b"long\n"], ids=["dies", "answers too long"])
def test_one_that_ends_is_told_and_replaced(qtbot: QtBot, process: LineProcess, told: list[object], end: bytes) -> None:
    process.ask(end)
    qtbot.waitUntil(lambda: told == ["ended"])
    assert not process.is_running
    process.ask(b"again\n")
    qtbot.waitUntil(lambda: told == ["ended", b"again"])


def test_one_that_is_killed_from_outside_is_told(qtbot: QtBot, process: LineProcess, told: list[object]) -> None:
    process.ask(b"a\n")
    qtbot.waitUntil(lambda: told == [b"a"])
    os.kill(process.findChildren(QProcess)[0].processId(), signal.SIGKILL)
    qtbot.waitUntil(lambda: told == [b"a", "ended"])


def test_one_that_cannot_be_started_is_told(
    qtbot: QtBot, process: LineProcess, told: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_process, "child_command", lambda flag: ["/nowhere/python", flag])
    process.ask(b"a\n")
    qtbot.waitUntil(lambda: told == ["ended"])
    assert not process.is_running


@pytest.mark.parametrize("stop", [LineProcess.stop, LineProcess.close], ids=["stop", "close"])
def test_nothing_of_one_that_was_stopped_is_told(
    qtbot: QtBot, process: LineProcess, told: list[object], stop: Callable[[LineProcess], None]
) -> None:
    process.ask(b"hang\n")
    stop(process)
    process.ask(b"next\n")
    qtbot.waitUntil(lambda: bool(told))
    assert told == [b"next"]


def test_who_is_told_of_an_answer_may_stop_it(qtbot: QtBot, process: LineProcess, told: list[object]) -> None:
    process.answered.connect(process.stop)
    process.ask(b"a\nb\n")
    qtbot.waitUntil(lambda: bool(told))
    qtbot.wait(50)
    assert told == [b"a"]
