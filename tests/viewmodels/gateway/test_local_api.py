"""The local API as a person sees it: on and off, its port and token, what it does; and the window heeds no guest."""

from __future__ import annotations

import logging
import socket
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from pytestqt.qtbot import QtBot

from app.protocol.commands import Generate, Tokenize
from app.viewmodels.app import App
from app.viewmodels.gateway.local_api import TOKEN_FILE, LocalApi
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.settings import API_PORTS, Settings
from app.viewmodels.text.formatting import DOT, HARD
from tests.fakes.engine import Script
from tests.viewmodels.test_app import ask, ready, texts


@pytest.fixture(autouse=True)
def _no_keychain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written to the keychain of this computer."""
    monkeypatch.setattr("app.hub.tokens.SYSTEMS", ())


@pytest.fixture
def folders(data_folder: Path) -> Folders:
    return Folders("/models/guide", database=str(data_folder / "conversations.db"))


@pytest.fixture
def port(settings: Settings) -> int:
    """A port that is free, chosen in the settings."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    settings.update(api_port=port)
    return port


@pytest.fixture
def api(app: App, port: int, qtbot: QtBot) -> LocalApi:
    """The local API, which is on."""
    ready(qtbot, app)
    app.workspace.api.switch(True)
    listen(app.workspace.api, qtbot)
    return app.workspace.api


def listen(api: LocalApi, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: api.state.now.is_listening)


class Asking:
    """A client that asks on a thread of its own. Attribute: answers."""

    def __init__(self, api: LocalApi, path: str = "chat/completions", **body: object) -> None:
        now = api.state.now
        self.answers: list[httpx2.Response] = []
        given = body or {"messages": [{"role": "user", "content": "Hi"}]}
        headers = {"authorization": f"Bearer {now.token}"}
        self._thread = threading.Thread(target=lambda: self._ask(f"{now.address}/{path}", given, headers))
        self._thread.start()

    def _ask(self, url: str, body: object, headers: dict[str, str]) -> None:
        self.answers.append(httpx2.post(url, json=body, headers=headers, timeout=30, trust_env=False))

    def answer(self, qtbot: QtBot) -> httpx2.Response:
        qtbot.waitUntil(lambda: bool(self.answers))
        self._thread.join()
        return self.answers[0]


def test_it_is_off_until_a_person_switches_it_on(app: App, port: int, qtbot: QtBot, data_folder: Path) -> None:
    ready(qtbot, app)
    api, now = app.workspace.api, app.workspace.api.state.now
    assert (now.is_on, now.is_listening, now.token) == (False, False, "")
    assert not any(thread.name == "local API" for thread in threading.enumerate())
    assert not (data_folder / TOKEN_FILE).exists()
    api.switch(True)
    listen(api, qtbot)
    assert (api.state.now.port, api.state.now.address) == (port, f"http://127.0.0.1:{port}/v1")
    assert Asking(api).answer(qtbot).json()["choices"][0]["message"]["content"] == "You said: Hi"
    api.switch(False)
    qtbot.waitUntil(lambda: not any(thread.name == "local API" for thread in threading.enumerate()))
    assert not api.state.now.is_listening


def test_it_is_on_again_at_the_next_start_with_its_token(
    make_app: Callable[[], App], port: int, qtbot: QtBot, data_folder: Path
) -> None:
    api = make_app().workspace.api
    api.switch(True)
    listen(api, qtbot)
    token, file = api.state.now.token, data_folder / TOKEN_FILE
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == (token, 0o600)
    again = make_app().workspace.api
    assert again is not api
    listen(again, qtbot)
    assert again.state.now.token == token


def test_the_token_is_renewed_and_the_one_before_holds_no_more(api: LocalApi, qtbot: QtBot) -> None:
    before, first = Asking(api), api.state.now.token
    assert before.answer(qtbot).status_code == 200
    api.renew_token()
    qtbot.waitUntil(lambda: api.state.now.is_listening and api.state.now.token != first)
    headers = {"authorization": f"Bearer {first}"}
    assert httpx2.get(f"{api.state.now.address}/models", headers=headers, trust_env=False).status_code == 401
    assert Asking(api).answer(qtbot).status_code == 200


@pytest.mark.parametrize("typed", ["", "80", "0", "-1", "65536", "1e4", "١٢٣٤", "80800", "port", "9" * 5000])
def test_what_is_no_port_is_refused(api: LocalApi, settings: Settings, port: int, typed: str) -> None:
    assert api.choose_port(typed) == "A port is a number from 1024 to 65535."
    assert (settings.values.api_port, api.state.now.is_listening) == (port, True)
    assert API_PORTS == (1024, 65535)


def test_a_port_that_is_taken_is_said_until_another_one_is_chosen(
    app: App, port: int, qtbot: QtBot, settings: Settings
) -> None:
    ready(qtbot, app)
    api = app.workspace.api
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        api.switch(True)
        qtbot.waitUntil(lambda: bool(api.state.now.problem))
        sentence = f"Another program listens on port {port}. Choose another port, or end that program."
        assert api.state.now.problem == sentence
        assert app.notices.now.text == f"The local API is off: the port is taken. {sentence}"
        assert settings.values.api_port == port
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            chosen = free.getsockname()[1]
        assert api.choose_port(str(chosen)) == ""
        listen(api, qtbot)
        assert (api.state.now.problem, api.state.now.port) == ("", chosen)
        assert api.choose_port(str(port)) == ""
        qtbot.waitUntil(lambda: bool(api.state.now.problem))
    api.switch(True)
    listen(api, qtbot)
    assert api.state.now.port == port


def test_the_status_line_tells_of_answers_and_ends_them(app: App, api: LocalApi, script: Script, qtbot: QtBot) -> None:
    script.hold = 1
    resting = app.state.now.activity.text
    asking = [Asking(api), Asking(api)]
    qtbot.waitUntil(lambda: app.state.now.activity.text == f"API, 2{HARD}answers{DOT}Stop")
    assert app.state.now.activity.stops_guests
    api.stop_answers()
    for one in asking:
        assert one.answer(qtbot).json()["choices"][0]["finish_reason"] == "length"
    qtbot.waitUntil(lambda: app.state.now.activity.text == resting)


def test_what_is_answered_here_is_told_before_what_others_are_answered(
    app: App, api: LocalApi, script: Script, qtbot: QtBot
) -> None:
    script.hold = 1
    asking = Asking(api)
    qtbot.waitUntil(lambda: app.state.now.activity.stops_guests)
    app.chat.requests.send("Hello")
    qtbot.waitUntil(lambda: app.chat.state.now.activity is not None and not app.state.now.activity.stops_guests)
    script.go.set()
    assert asking.answer(qtbot).status_code == 200


def test_the_window_heeds_no_guest(app: App, api: LocalApi, script: Script, qtbot: QtBot) -> None:
    """Neither a message nor a conversation nor a notice comes of it, and what is answered here goes on untouched."""
    ask(qtbot, app, "Hello there")
    before = texts(app), len(app.library.library.conversations)
    told: list[str] = []
    app.notices.changed.connect(lambda: told.append(app.notices.now.text))
    script.fail = "Hi"
    assert Asking(api).answer(qtbot).status_code == 400
    script.fail = ""
    script.thoughts["Hi"] = "Hm."
    assert Asking(api).answer(qtbot).status_code == 200
    assert Asking(api, "completions", prompt="Once upon").answer(qtbot).status_code == 200
    assert Asking(api, "tokenize", prompt="Once upon").answer(qtbot).json()["count"] > 0
    assert not app.answering.is_writing()
    after = texts(app), len(app.library.library.conversations)
    assert (after, [one for one in told if one]) == (before, [])
    ids = [one.run_id for one in script.commands if isinstance(one, Generate)]
    assert [number for number in ids if number > 0] == [1]
    assert [one.query_id for one in script.commands if isinstance(one, Tokenize)] == [-4]


def test_answers_are_in_the_log_without_their_words(
    api: LocalApi, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "app"):
        Asking(api).answer(qtbot)
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("app.gateway")]
    assert len(ours) == 1
    assert ours[0].startswith("the local API gave an answer: ")
    assert "You said" not in ours[0]


def test_an_engine_that_dies_fails_what_it_was_asked(app: App, api: LocalApi, script: Script, qtbot: QtBot) -> None:
    script.hold, script.crash = 1, "Crash"
    waiting = Asking(api)
    qtbot.waitUntil(lambda: api.state.now.answers == 1)
    Asking(api, messages=[{"role": "user", "content": "Crash"}]).answer(qtbot)
    assert waiting.answer(qtbot).status_code == 503
    assert Asking(api).answer(qtbot).status_code == 503
    script.crash, script.hold = "", None
    app.workspace.host.restart()
    app.model.open("/models/guide")
    ready(qtbot, app)
    assert Asking(api).answer(qtbot).status_code == 200
