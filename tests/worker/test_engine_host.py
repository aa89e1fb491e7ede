"""Two engines behind one host: what is told is what one engine would tell."""

from __future__ import annotations

import random

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.chat import Sampling, Turn
from app.protocol.commands import (
    CloseModel,
    Command,
    ConfigureDiskCache,
    EraseOwner,
    Generate,
    LoadModel,
    SetBudget,
    Shutdown,
)
from app.protocol.events import (
    EngineFailed,
    EngineStarted,
    Event,
    ModelClosed,
    ModelFailed,
    ModelReady,
    RunFailed,
    RunFinished,
    TextDelta,
    TrieChanged,
)
from app.protocol.reports import StopReason
from app.worker.engine_host import EngineHost
from tests.fakes.engine import FakeEngine, Script

HERE, THERE = "/models/here", "server:a1/there"
LONG = " ".join(f"word{number}" for number in range(60))


class Both:
    """A host of two engines that answer from scripts, and all that it told."""

    def __init__(self) -> None:
        self.here, self.there = Script(), Script()
        self.made: list[str] = []
        self.host = EngineHost(self._make_here, servers=self._make_there, patience=2.0)
        self.events: list[Event] = []
        self.host.happened.connect(self.events.append)

    def _make_here(self, sink: object) -> FakeEngine:
        self.made.append("here")
        return FakeEngine(sink, self.here)  # type: ignore[arg-type]

    def _make_there(self, sink: object) -> FakeEngine:
        self.made.append("there")
        return FakeEngine(sink, self.there)  # type: ignore[arg-type]

    def of(self, kind: object) -> list[Event]:
        return [event for event in self.events if isinstance(event, kind)]  # type: ignore[arg-type]

    def open(self, qtbot: QtBot, path: str) -> None:
        before = len(self.of(ModelReady))
        self.host.submit(LoadModel(path))
        qtbot.waitUntil(lambda: len(self.of(ModelReady)) > before)


@pytest.fixture
def both(qtbot: QtBot) -> Both:
    return Both()


def ask(number: int = 1) -> Generate:
    return Generate(number, (Turn("user", "Long?"),), Sampling())


def plain(commands: list[Command]) -> list[type[Command]]:
    return [type(one) for one in commands]


def test_whoever_asks_servers_alone_starts_no_engine_of_this_machine(qtbot: QtBot, both: Both) -> None:
    both.host.submit(ConfigureDiskCache("/cache"))
    both.host.submit(SetBudget(5))
    both.host.submit(LoadModel(THERE))
    both.host.start()
    qtbot.waitUntil(lambda: bool(both.of(ModelReady)))
    assert both.made == ["there"]
    assert len(both.of(EngineStarted)) == 1
    both.open(qtbot, HERE)
    assert both.made == ["there", "here"]
    assert plain(both.here.commands)[:2] == [ConfigureDiskCache, SetBudget]
    assert len(both.of(EngineStarted)) == 2
    both.host.close()


def test_without_a_model_the_engine_of_this_machine_is_started(qtbot: QtBot, both: Both) -> None:
    both.host.start()
    qtbot.waitUntil(lambda: bool(both.of(EngineStarted)))
    assert both.made == ["here"]
    both.host.close()


def test_the_model_in_use_is_closed_before_the_next_is_said_to_be_ready(qtbot: QtBot, both: Both) -> None:
    both.here.answers["Long?"], both.here.hold = LONG, 5
    both.host.start()
    both.open(qtbot, HERE)
    both.host.submit(ask())
    qtbot.waitUntil(lambda: bool(both.of(TextDelta)))
    before = len(both.events)
    both.open(qtbot, THERE)
    told = [type(one) for one in both.events[before:] if not isinstance(one, TextDelta | TrieChanged)]
    assert told.index(RunFinished) < told.index(ModelClosed) < told.index(ModelReady)
    (outcome,) = both.of(RunFinished)
    assert isinstance(outcome, RunFinished)
    assert outcome.stats.stop is StopReason.CANCELLED
    assert both.of(ModelClosed) == [ModelClosed(HERE)]
    both.host.submit(ask(2))
    qtbot.waitUntil(lambda: len(both.of(RunFinished)) == 2)
    assert [type(one) for one in both.there.commands] == [LoadModel, Generate]
    both.open(qtbot, HERE)
    assert both.of(ModelClosed) == [ModelClosed(HERE), ModelClosed(THERE)]
    assert CloseModel() in both.there.commands
    both.host.close()


def test_the_model_in_use_stays_when_another_cannot_be_opened(qtbot: QtBot, both: Both) -> None:
    both.there.broken.add(THERE)
    both.host.start()
    both.open(qtbot, HERE)
    both.host.submit(LoadModel(THERE))
    qtbot.waitUntil(lambda: bool(both.of(ModelFailed)))
    assert not both.of(ModelClosed)
    both.host.submit(ask())
    qtbot.waitUntil(lambda: bool(both.of(RunFinished)))
    assert any(isinstance(one, Generate) for one in both.here.commands)
    both.host.close()


def test_an_engine_that_dies_while_it_opens_a_model_leaves_the_one_in_use_alone(qtbot: QtBot, both: Both) -> None:
    both.there.deadly.add(THERE)
    both.host.start()
    both.open(qtbot, HERE)
    both.host.submit(LoadModel(THERE))
    qtbot.waitUntil(lambda: bool(both.of(ModelFailed)))
    assert not both.of(EngineFailed)
    assert not both.host.has_failed
    both.there.deadly.clear()
    both.open(qtbot, THERE)
    assert both.made == ["here", "there", "there"]
    both.host.close()


def test_an_engine_in_use_that_dies_is_started_again(qtbot: QtBot, both: Both) -> None:
    both.there.crash = "Long?"
    both.host.start()
    both.open(qtbot, THERE)
    both.host.submit(ask())
    qtbot.waitUntil(lambda: bool(both.of(EngineFailed)))
    assert both.host.has_failed
    both.there.crash = ""
    both.host.restart()
    both.open(qtbot, THERE)
    both.host.submit(ask(2))
    qtbot.waitUntil(lambda: bool(both.of(RunFinished)))
    both.host.close()


def test_what_belongs_to_the_cache_goes_to_the_engine_of_this_machine(qtbot: QtBot, both: Both) -> None:
    both.host.start()
    both.open(qtbot, THERE)
    before = len(both.there.commands)
    for command in (SetBudget(7), ConfigureDiskCache("/cache"), EraseOwner("gone")):
        both.host.submit(command)
    qtbot.waitUntil(lambda: EraseOwner("gone") in both.here.commands)
    assert both.there.commands[before:] == [EraseOwner("gone")], "what was sent is to be forgotten everywhere"
    both.host.close()


def test_whoever_closes_hears_the_end_of_every_answer(qtbot: QtBot, both: Both) -> None:
    both.there.answers["Long?"], both.there.hold = LONG, 5
    both.host.start()
    both.open(qtbot, THERE)
    both.host.submit(ask())
    qtbot.waitUntil(lambda: bool(both.of(TextDelta)))
    both.host.close()
    assert len(both.of(RunFinished)) == 1
    assert plain(both.there.commands).count(Shutdown) == 1


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_opened_and_asked_every_run_has_one_outcome(qtbot: QtBot, both: Both, seed: int) -> None:
    dice = random.Random(seed)
    both.host.start()
    asked = 0
    for _ in range(25):
        if dice.random() < 0.5:
            both.host.submit(LoadModel(dice.choice((HERE, THERE, "/models/other", "server:b2/other"))))
        else:
            asked += 1
            both.host.submit(ask(asked))
        if dice.random() < 0.5:
            qtbot.wait(dice.randrange(12))
    last = dice.choice((HERE, THERE))
    both.host.submit(LoadModel(last))
    qtbot.waitUntil(lambda: _in_use(both.events) == last)
    both.host.close()
    ended = [one.run_id for one in both.events if isinstance(one, RunFinished | RunFailed)]
    assert sorted(ended) == list(range(1, asked + 1))


def _in_use(events: list[Event]) -> str:
    """The model in use by what was told, which is one at a time."""
    path = ""
    for event in events:
        if isinstance(event, ModelReady):
            assert not path, f"{event.info.path} is ready and {path} is still open"
            path = event.info.path
        elif isinstance(event, ModelClosed):
            assert event.path == path
            path = ""
    return path
