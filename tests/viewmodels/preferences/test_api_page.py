"""The page about the local API: it is off, or on with what programs must be told, or refused with the reason."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.reports import Problem
from app.viewmodels.app import App
from app.viewmodels.preferences.preferences import Preferences
from app.viewmodels.preferences.rows import Buttons, Entry, Toggle
from tests.viewmodels.preferences.test_preferences import preferences_of, rows

TOKEN = "0123abcd" * 8


class Started:
    """What was asked of the host of the API, which starts nothing here. Attributes: starts, stops."""

    def __init__(self, app: App, monkeypatch: pytest.MonkeyPatch) -> None:
        self.starts: list[tuple[int, bool]] = []
        self.stops = 0
        gateway = app.workspace.api.gateway
        monkeypatch.setattr(gateway, "start", self._start)
        monkeypatch.setattr(gateway, "stop", self._stop)

    def _start(self, port: int, *, renews_token: bool = False) -> None:
        self.starts.append((port, renews_token))

    def _stop(self) -> None:
        self.stops += 1


@pytest.fixture
def started(app: App, monkeypatch: pytest.MonkeyPatch) -> Started:
    return Started(app, monkeypatch)


@pytest.fixture
def page(app: App, started: Started, qtbot: QtBot) -> Iterator[Preferences]:
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))
    made = preferences_of(app)
    made.show_page("api")
    yield made
    made.close()


def shown(page: Preferences) -> tuple[bool, str, str, str]:
    """Whether it is on, and the port with what is said and what is wrong there."""
    found = rows(page)
    switch, port = found["api"], found["port"]
    assert isinstance(switch, Toggle)
    assert isinstance(port, Entry)
    return switch.is_on, port.value, port.detail, port.problem


def test_it_is_off_and_tells_nothing_yet(page: Preferences, started: Started) -> None:
    assert shown(page) == (False, "11888", "", "")
    assert rows(page).keys() == {"api", "port"}
    page.act("port", "11999")
    assert shown(page) == (False, "11999", "", "")
    assert (started.starts, started.stops) == ([], 0)


def test_on_it_tells_what_a_program_must_know(page: Preferences, app: App, started: Started) -> None:
    page.act("api", "on")
    assert shown(page) == (True, "11888", "Not listening.", "")
    assert rows(page).keys() == {"api", "port"}
    app.workspace.api.gateway.listening.emit(11888, TOKEN)
    assert shown(page) == (True, "11888", "Listening.", "")
    told = {one.id: one for row in rows(page).values() if isinstance(row, Buttons) for one in row.buttons}
    assert (told["copy_address"].copies, told["copy_token"].copies) == ("http://127.0.0.1:11888/v1", TOKEN)
    assert not any(TOKEN in row.detail for row in rows(page).values()), "who looks over a shoulder reads no token"
    words = shlex.split(told["copy_try"].copies)
    assert words[:2] == ["curl", "http://127.0.0.1:11888/v1/chat/completions"]
    assert f"Authorization: Bearer {TOKEN}" in words
    assert told["renew"].question is not None
    page.act("renew")
    assert started.starts == [(11888, False), (11888, True)]
    page.act("api", "")
    assert (shown(page), started.stops) == ((False, "11888", "", ""), 1)


def test_what_is_wrong_with_the_port_is_said_beside_it(page: Preferences, app: App, started: Started) -> None:
    page.act("api", "on")
    app.workspace.api.gateway.failed.emit(Problem("The port is taken", "Another program has it."))
    assert shown(page) == (True, "11888", "Not listening.", "Another program has it.")
    page.act("port", "80")
    assert shown(page)[3] == "A port is a number from 1024 to 65535."
    page.act("port", " 11999 ")
    assert shown(page) == (True, "11999", "Not listening.", "")
    app.workspace.api.gateway.failed.emit(Problem("The port is taken", "This one, too."))
    page.act("api", "")
    page.act("api", "on")
    assert started.starts == [(11888, False), (11999, False), (11999, False)]
