"""The computer goes to sleep in the middle of an answer and wakes hours later: what becomes of it, and of its figures.

While it sleeps no thread runs, and of the clocks the one on the wall alone goes on.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.viewmodels.actions import enabled
from app.viewmodels.app import App
from app.viewmodels.kit.settings import ServerState, Settings
from tests.fakes.engine import Script
from tests.remote import scripted
from tests.remote.scripted import serving
from tests.viewmodels.test_app import ended, opened, ready, texts

NIGHT = 8 * 3600.0
LONG = 60.0  # seconds, more than any of these tests takes
_STANDING_STILL = ("mach_absolute_time()", "clock_gettime(CLOCK_MONOTONIC)")
Sleep = Callable[[], None]


@pytest.fixture
def sleep(monkeypatch: pytest.MonkeyPatch) -> Sleep:
    """Put the computer to sleep for a night: it is awake again when this returns."""
    slept, now = [0.0], time.time
    monkeypatch.setattr(time, "time", lambda: now() + slept[0])

    def night() -> None:
        slept[0] += NIGHT

    return night


@pytest.fixture
def server(settings: Settings) -> Iterator[scripted.Script]:
    with serving(scripted.Script(kind="vLLM", words=["One", " two", " three", " four"])) as server:
        settings.update(servers=(ServerState("a1", "Studio", server.address, "vLLM", {"tiny": 2048}),))
        yield server


def use_server(qtbot: QtBot, app: App) -> None:
    app.model.open("server:a1/tiny")
    opened(qtbot, app, "tiny")
    app.answering.chosen.all.allow(app.library.open_id, "a1")


def nothing_is_wrong(app: App) -> bool:
    return app.chat.state.now.card is None and not app.notices.now.text


def seconds_told(app: App) -> list[float]:
    """All durations among the figures of the last answer."""
    stats = app.library.tree.path[-1].stats or {}
    return [float(stats[name] or 0) for name in ("seconds", "first_token", "thinking_seconds") if name in stats]


def test_the_clocks_of_all_durations_stand_still_while_the_computer_sleeps() -> None:
    """A rate, a duration and a patience are told by these, here as on a Mac."""
    for name in ("monotonic", "perf_counter"):
        assert time.get_clock_info(name).implementation in _STANDING_STILL  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(3))
def test_an_answer_of_this_computer_goes_on(qtbot: QtBot, app: App, script: Script, sleep: Sleep, seed: int) -> None:
    """Put to sleep after any token, also of a thought; what is told meanwhile and in the end knows nothing of it."""
    draw = random.Random(seed)
    ready(qtbot, app)
    script.thoughts["Long?"] = "let me think of it"
    script.answers["Long?"] = "one two three four five six"
    script.hold = draw.randrange(1, 8)
    app.chat.requests.send("Long?")
    (question,) = app.chat.questions
    qtbot.waitUntil(lambda: question.tokens >= (script.hold or 0))
    before = question.tokens
    sleep()
    qtbot.wait(20)
    assert app.state.now.chat.is_writing
    assert question.tokens == before
    assert max(question.silence, question.thinking_seconds) < LONG
    assert question.rate is None or question.rate > question.tokens / LONG
    assert nothing_is_wrong(app)
    script.go.set()
    ended(qtbot, app, 2)
    assert texts(app) == ["Long?", "one two three four five six"]
    assert nothing_is_wrong(app)
    assert max(seconds_told(app), default=0.0) < LONG
    answer = app.library.tree.path[-1]
    qtbot.waitUntil(lambda: not app.chat.questions.unsaved)
    assert answer.stop == "finished"


def test_an_answer_of_a_server_goes_on_where_the_connection_held(
    qtbot: QtBot, make_app: Callable[[], App], server: scripted.Script, sleep: Sleep
) -> None:
    app = make_app()
    ready(qtbot, app)
    use_server(qtbot, app)
    server.hold = 2
    app.chat.requests.send("First?")
    qtbot.waitUntil(lambda: texts(app)[-1] == "One two")
    sleep()
    qtbot.wait(20)
    assert app.state.now.chat.is_writing
    assert nothing_is_wrong(app)
    server.go.set()
    ended(qtbot, app, 2)
    assert texts(app)[-1] == "One two three four"
    assert seconds_told(app)
    assert max(seconds_told(app)) < LONG
    rate = (app.library.tree.path[-1].stats or {}).get("rate")
    assert rate is None or rate > 4 / LONG


def test_half_of_it_stays_and_can_go_on_where_the_server_has_hung_up(
    qtbot: QtBot, make_app: Callable[[], App], server: scripted.Script, sleep: Sleep
) -> None:
    """As it does with a client that says nothing for a night."""
    app = make_app()
    ready(qtbot, app)
    use_server(qtbot, app)
    server.hold = server.at = 2
    server.drops = 1
    app.chat.requests.send("First?")
    qtbot.waitUntil(lambda: texts(app)[-1] == "One two")
    sleep()
    server.go.set()
    qtbot.waitUntil(lambda: app.library.tree.path[-1].stop == "failed")
    assert texts(app)[-1] == "One two"
    qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
    assert "continue" in enabled(app.state.now)
    server.hold, server.words = None, [" and", " more"]
    app.act("ask_failed")
    ended(qtbot, app, 2)
    assert texts(app)[-1] == "One two and more"
    assert app.library.tree.path[-1].stop == "finished"
    assert max(seconds_told(app), default=0.0) < LONG
