"""The engine's thread: commands before there is an engine, events on the window's thread, and every way to end."""

from __future__ import annotations

import errno
import os
import threading

import pytest
from PySide6.QtCore import QDeadlineTimer, QObject, QThread, Slot
from pytestqt.qtbot import QtBot

from app.protocol.chat import Turn
from app.protocol.commands import Command, EstimateCost, Generate, LoadModel, Shutdown
from app.protocol.engine import EventSink
from app.protocol.events import EngineFailed, EngineStarted, Event, ModelReady, RunFinished, TextDelta
from app.protocol.reports import StopReason
from app.worker import engine_host
from app.worker.engine_host import EngineHost
from app.worker.engine_thread import local_engine
from tests.fakes.engine import FakeEngine, Script


class Listener(QObject):
    """Notes events and the thread they arrive on."""

    def __init__(self, host: EngineHost) -> None:
        super().__init__()
        self.events: list[Event] = []
        self.threads: set[QThread] = set()
        host.happened.connect(self.hear)

    @Slot(object)
    def hear(self, event: Event) -> None:
        self.events.append(event)
        self.threads.add(QThread.currentThread())

    def has(self, kind: type) -> bool:
        return any(isinstance(event, kind) for event in self.events)


def question(text: str, run_id: int = 1) -> Generate:
    return Generate(run_id, (Turn("user", text),))


def test_commands_wait_for_the_engine_and_events_arrive_here(qtbot: QtBot) -> None:
    script, made_on = Script(), set()

    def factory(sink: EventSink) -> FakeEngine:
        made_on.add(threading.get_ident())
        return FakeEngine(sink, script)

    host = EngineHost(factory)
    listener = Listener(host)
    host.submit(LoadModel("/models/guide"))
    host.submit(question("Hello"))
    assert not made_on
    host.start()
    qtbot.waitUntil(lambda: listener.has(RunFinished))
    host.close()
    assert made_on
    assert threading.get_ident() not in made_on
    assert listener.threads == {QThread.currentThread()}
    kinds = [type(event) for event in listener.events]
    assert kinds.index(EngineStarted) < kinds.index(ModelReady) < kinds.index(TextDelta) < kinds.index(RunFinished)
    assert [type(command) for command in script.commands] == [LoadModel, Generate, Shutdown]


def test_closing_while_writing_delivers_the_end_of_the_answer(qtbot: QtBot) -> None:
    script = Script(hold=3)
    host = EngineHost(lambda sink: FakeEngine(sink, script))
    listener = Listener(host)
    host.submit(LoadModel("/models/guide"))
    host.submit(question("one two three four"))
    host.start()
    qtbot.waitUntil(lambda: listener.has(TextDelta))
    host.close()
    last = listener.events[-1]
    assert isinstance(last, RunFinished)
    assert last.stats.stop is StopReason.CANCELLED


def test_an_engine_that_raises_is_reported_with_its_text_and_replaced(qtbot: QtBot, caplog: object) -> None:
    script = Script(crash="Crash")
    host = EngineHost(lambda sink: FakeEngine(sink, script))
    listener = Listener(host)
    host.submit(LoadModel("/models/guide"))
    host.submit(question("Crash"))
    host.start()
    qtbot.waitUntil(lambda: listener.has(EngineFailed))
    failed = next(event for event in listener.events if isinstance(event, EngineFailed))
    assert "told to crash" in failed.problem.sentence
    assert "safe" in failed.problem.sentence
    listener.events.clear()
    host.restart()
    host.submit(LoadModel("/models/guide"))
    qtbot.waitUntil(lambda: listener.has(ModelReady))
    host.close()


class PanicException(BaseException):
    """What such a library raises when it meets what it did not foresee: no `Exception`."""


@pytest.mark.parametrize("error", [PanicException("called `Option::unwrap()`"), SystemExit(3), KeyboardInterrupt()])
def test_whatever_ends_an_engine_is_told(qtbot: QtBot, error: BaseException) -> None:
    script = Script(crash="Crash", error=error)
    host = EngineHost(lambda sink: FakeEngine(sink, script))
    listener = Listener(host)
    host.submit(LoadModel("/models/guide"))
    host.submit(question("Crash"))
    host.start()
    qtbot.waitUntil(lambda: listener.has(EngineFailed))
    failed = next(event for event in listener.events if isinstance(event, EngineFailed))
    assert type(error).__name__ in failed.problem.sentence
    assert host.has_failed
    listener.events.clear()
    host.restart()
    assert not host.has_failed
    host.submit(LoadModel("/models/guide"))
    qtbot.waitUntil(lambda: listener.has(ModelReady))
    host.close()
    assert not host.is_stuck


def test_too_few_open_files_are_named_as_the_reason(qtbot: QtBot) -> None:
    def factory(sink: EventSink) -> FakeEngine:
        try:
            raise OSError(errno.EMFILE, "Too many open files")
        except OSError as cause:
            raise ImportError("cannot import this") from cause

    host = EngineHost(factory)
    listener = Listener(host)
    host.start()
    qtbot.waitUntil(lambda: listener.has(EngineFailed))
    failed = next(event for event in listener.events if isinstance(event, EngineFailed))
    assert "Too many files are open" in failed.problem.sentence
    assert "ulimit -n" in failed.problem.sentence
    host.close()


def test_an_engine_that_hangs_is_not_waited_for(qtbot: QtBot) -> None:
    script = Script(hang="Hang")
    host = EngineHost(lambda sink: FakeEngine(sink, script), patience=0.2)
    listener = Listener(host)
    host.submit(LoadModel("/models/guide"))
    host.submit(question("Hang"))
    host.start()
    qtbot.waitUntil(lambda: listener.has(ModelReady))
    host.close()
    assert host.is_stuck
    listener.events.clear()
    host.start()
    host.submit(LoadModel("/models/guide"))
    qtbot.waitUntil(lambda: listener.has(ModelReady))
    script.go.set()
    host.close()
    assert not [event for event in listener.events if isinstance(event, RunFinished)]
    hanging = engine_host._stuck.pop()
    assert hanging.wait(QDeadlineTimer(10_000))
    hanging.deleteLater()


def test_an_engine_that_cannot_even_be_made_is_reported(qtbot: QtBot) -> None:
    def factory(sink: EventSink) -> FakeEngine:
        raise ImportError("no such library")

    host = EngineHost(factory)
    listener = Listener(host)
    host.start()
    qtbot.waitUntil(lambda: listener.has(EngineFailed))
    host.submit(EstimateCost(1, ()))
    host.close()


def test_closing_twice_or_before_the_start_is_harmless() -> None:
    host = EngineHost(lambda sink: FakeEngine(sink, Script()))
    host.close()
    host.submit(LoadModel("/models/guide"))
    host.close()
    host.close()


def test_a_command_never_gets_lost_between_two_threads(qtbot: QtBot) -> None:
    """Commands submitted at the very moment the engine comes to life arrive once each, in order."""
    script = Script()
    host = EngineHost(lambda sink: FakeEngine(sink, script))
    sent: list[Command] = [EstimateCost(number, ()) for number in range(500)]
    host.start()
    for command in sent:
        host.submit(command)
    host.close()
    assert script.commands == [*sent, Shutdown()]


@pytest.mark.parametrize(
    ("system", "before", "after"), [("linux", 0, [7]), ("linux", 10, [10]), ("linux", -5, [7]), ("darwin", 0, [])]
)
def test_the_window_gives_way_to_a_model_that_computes_on_its_cores(
    system: str, before: int, after: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = list[int]()
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr(os, "getpriority", lambda _kind, _number: before)
    monkeypatch.setattr(
        os, "setpriority", lambda _kind, number, nice: given.append(nice) if number == os.getpid() else 0
    )
    local_engine(list[Event]().append)
    assert given == after
