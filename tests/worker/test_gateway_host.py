"""The local API over the window's thread: on and off, at a port, with the engine's answers, and never in its way."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from PySide6.QtCore import QDeadlineTimer
from pytestqt.qtbot import QtBot

from app.protocol.commands import Cancel, Generate, LoadModel
from app.protocol.events import EngineFailed, ModelReady
from app.protocol.reports import Problem
from app.worker import engine_host
from app.worker.engine_host import EngineHost
from app.worker.gateway_host import NO_MODEL, GatewayHost
from tests.fakes.engine import ALL, FakeEngine, Script
from tests.gateway.scripted import MODEL

BODY = {"messages": [{"role": "user", "content": "Hi"}]}


@pytest.fixture(autouse=True)
def _no_keychain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written to the keychain of this computer."""
    monkeypatch.setattr("app.hub.tokens.SYSTEMS", ())


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def host(script: Script) -> Iterator[EngineHost]:
    host = EngineHost(lambda sink: FakeEngine(sink, script))
    host.start()
    yield host
    script.go.set()
    host.close()
    host.deleteLater()


class Watched:
    """The host of the API, with what it told. Attributes: gateway, port, token, counts, problems."""

    def __init__(self, gateway: GatewayHost, qtbot: QtBot) -> None:
        self.gateway, self._qtbot = gateway, qtbot
        self.port, self.token = 0, ""
        self.counts: list[int] = []
        self.problems: list[Problem] = []
        gateway.listening.connect(self._listen)
        gateway.failed.connect(self.problems.append)
        gateway.answering.connect(self.counts.append)

    def _listen(self, port: int, token: str) -> None:
        self.port, self.token = port, token

    def start(self, port: int = 0, *, renews_token: bool = False) -> None:
        self.port = 0
        self.gateway.start(port, renews_token=renews_token)
        self._qtbot.waitUntil(lambda: self.port > 0)

    def ask(self, **more: object) -> httpx2.Response:
        """Ask a question on another thread while this one goes on."""
        answers: list[httpx2.Response] = []
        thread = threading.Thread(target=lambda: answers.append(self.post(**more)))
        thread.start()
        self._qtbot.waitUntil(lambda: bool(answers))
        thread.join()
        return answers[0]

    def post(self, **more: object) -> httpx2.Response:
        url = f"http://127.0.0.1:{self.port}/v1/chat/completions"
        headers = {"authorization": f"Bearer {self.token}"}
        return httpx2.post(url, json=BODY | more, headers=headers, timeout=30, trust_env=False)


@pytest.fixture
def watched(host: EngineHost, tmp_path: Path, qtbot: QtBot) -> Iterator[Watched]:
    gateway = GatewayHost(host, str(tmp_path / "token"))
    yield Watched(gateway, qtbot)
    gateway.close()
    gateway.deleteLater()


def open_model(host: EngineHost, qtbot: QtBot) -> None:
    with qtbot.waitSignal(host.happened, check_params_cb=lambda event: isinstance(event, ModelReady)):
        host.submit(LoadModel("/models/fake"))


def test_the_open_model_answers(watched: Watched, host: EngineHost, script: Script, qtbot: QtBot) -> None:
    open_model(host, qtbot)
    watched.start()
    answer = watched.ask().json()
    assert answer["choices"][0]["message"]["content"] == "You said: Hi"
    assert answer["usage"]["completion_tokens"] == 3
    assert [(one.run_id, one.is_guest) for one in script.commands if isinstance(one, Generate)] == [(-1, True)]
    qtbot.waitUntil(lambda: watched.counts == [1, 0])


def test_without_a_model_that_may_be_asked_it_says_why(watched: Watched, host: EngineHost, qtbot: QtBot) -> None:
    watched.start()
    assert (watched.ask().status_code, NO_MODEL in watched.ask().text) == (503, True)
    open_model(host, qtbot)
    assert watched.ask().status_code == 200
    host.happened.emit(ModelReady(replace(MODEL, place="studio.local")))
    refused = watched.ask()
    assert (refused.status_code, "runs on a server" in refused.text) == (503, True)
    host.happened.emit(ModelReady(replace(MODEL, capabilities=replace(ALL, guests=False))))
    assert watched.ask().status_code == 503
    host.happened.emit(EngineFailed(Problem("The engine stopped", "Restart it.")))
    assert NO_MODEL in watched.ask().text


def test_answers_end_where_the_person_says_so(watched: Watched, host: EngineHost, script: Script, qtbot: QtBot) -> None:
    open_model(host, qtbot)
    script.hold = 1
    watched.start()
    answers: list[httpx2.Response] = []
    thread = threading.Thread(target=lambda: answers.append(watched.post()))
    thread.start()
    qtbot.waitUntil(lambda: watched.counts == [1])
    qtbot.waitUntil(lambda: any(isinstance(one, Generate) for one in script.commands))
    watched.gateway.stop_answers()
    qtbot.waitUntil(lambda: bool(answers))
    thread.join()
    assert answers[0].json()["choices"][0]["finish_reason"] == "length"


def test_what_an_engine_that_hangs_was_asked_fails_when_another_one_starts(
    script: Script, tmp_path: Path, qtbot: QtBot
) -> None:
    host = EngineHost(lambda sink: FakeEngine(sink, script), patience=0.1)
    gateway = GatewayHost(host, str(tmp_path / "token"))
    watched = Watched(gateway, qtbot)
    host.start()
    open_model(host, qtbot)
    watched.start()
    script.hang = "Hi"
    answers: list[httpx2.Response] = []
    thread = threading.Thread(target=lambda: answers.append(watched.post()))
    thread.start()
    qtbot.waitUntil(lambda: any(isinstance(one, Generate) for one in script.commands))
    host.restart()
    qtbot.waitUntil(lambda: bool(answers))
    thread.join()
    assert (answers[0].status_code, "started again" in answers[0].text) == (503, True)
    gateway.close()
    script.go.set()
    host.close()
    hanging = engine_host._stuck.pop()
    assert hanging.wait(QDeadlineTimer(10_000))
    hanging.deleteLater()


FAULTS = {
    PermissionError(13, "Permission denied"): "Permission denied",
    RuntimeError("nobody foresaw this"): "nobody foresaw",
    ImportError("gone"): "nobody foresaw",
}


@pytest.mark.parametrize("part", ["app.worker.gateway_token.kept_token", "app.gateway.server.Server"])
@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_keeps_it_from_listening_is_said(
    part: str, fault: Exception, watched: Watched, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    def fails(*_arguments: object) -> None:
        raise fault

    with monkeypatch.context() as patch:
        patch.setattr(part, fails)
        watched.gateway.start(0)
        qtbot.waitUntil(lambda: len(watched.problems) == 1)
    said = FAULTS[fault] if part.endswith("token") else "nobody foresaw"
    assert said in watched.problems[0].sentence
    watched.start()
    assert watched.port


def test_a_port_that_is_taken_is_said(watched: Watched, qtbot: QtBot) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        watched.gateway.start(port)
        qtbot.waitUntil(lambda: len(watched.problems) == 1)
        assert str(port) in watched.problems[0].sentence
    watched.start(port)
    assert watched.port == port


def test_it_moves_and_renews_its_token(watched: Watched, qtbot: QtBot) -> None:
    watched.start()
    first, token = watched.port, watched.token
    watched.start(first)
    assert (watched.port, watched.token) == (first, token)
    watched.start(first, renews_token=True)
    assert watched.port == first
    new, watched.token = watched.token, token
    assert new != token
    assert watched.ask().status_code == 401
    watched.token = new
    assert watched.ask().status_code == 503
    watched.gateway.stop()
    qtbot.waitUntil(lambda: not is_open(first))
    assert watched.problems == []


def is_open(port: int) -> bool:
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


def test_it_is_switched_on_and_off_at_any_speed(watched: Watched, qtbot: QtBot) -> None:
    watched.start()
    port = watched.port
    for number in range(20):
        if number % 3 == 2:
            watched.gateway.stop()
        else:
            watched.gateway.start(port)
    watched.start(port)
    assert watched.ask().status_code == 503
    assert watched.problems == []


def test_answers_that_end_with_a_token_or_a_port_are_counted_no_more(
    watched: Watched, host: EngineHost, script: Script, qtbot: QtBot
) -> None:
    open_model(host, qtbot)
    script.hold = 1
    asked = set()
    for renews_token in (False, True):
        watched.start()
        answers: list[httpx2.Response] = []
        thread = threading.Thread(target=lambda into=answers: into.append(watched.post()))
        thread.start()
        qtbot.waitUntil(lambda: watched.counts[-1:] == [1])
        watched.start(renews_token=renews_token)
        qtbot.waitUntil(lambda answers=answers: bool(answers))
        thread.join()
        assert answers[0].status_code == 503
        assert watched.counts[-1] == 0
        (run,) = [one for one in script.commands if isinstance(one, Generate)]
        qtbot.waitUntil(lambda run=run: Cancel(run.run_id) in script.commands)
        asked.add(run.run_id)
        script.commands.clear()
    assert asked == {-1, -2}, "what is told late of one is not taken for another's"


def test_it_may_be_closed_twice_and_nothing_is_asked_after_that(
    watched: Watched, host: EngineHost, script: Script, qtbot: QtBot
) -> None:
    open_model(host, qtbot)
    script.hold = 1
    watched.start()
    thread = threading.Thread(target=watched.post)
    thread.start()
    qtbot.waitUntil(lambda: any(isinstance(one, Generate) for one in script.commands))
    watched.gateway.close()
    watched.gateway.close()
    thread.join()
    before = list(script.commands)
    qtbot.wait(50)
    assert script.commands == before


def test_while_it_is_off_nothing_of_it_is_imported_and_no_socket_is_open() -> None:
    code = """
import socket, sys
opened = []
class Noted(socket.socket):
    def __init__(self, *arguments, **named):
        opened.append(arguments)
        super().__init__(*arguments, **named)
socket.socket = Noted
import app.main
from PySide6.QtCore import QCoreApplication, QDeadlineTimer
application = QCoreApplication([])
from app.worker import engine_host
from app.worker.engine_host import EngineHost
from app.worker.gateway_host import GatewayHost
host = EngineHost()
gateway = GatewayHost(host)
gateway.stop()
gateway.stop_answers()
gateway.close()
print(sorted({name.split(".")[0] for name in sys.modules} & {"uvicorn", "h11", "asyncio", "keyring"}))
print([name for name in sys.modules if name.startswith("app.gateway")], opened)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.splitlines() == ["[]", "[] []"]
