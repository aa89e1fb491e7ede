"""A script with OpenAI's own client asks the model of the real window while that has it write."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.main import Program
from app.protocol.events import RunFinished, RunStarted, TextDelta
from app.protocol.reports import StopReason
from app.viewmodels.gateway.local_api import LocalApiState
from app.widgets.preferences.preferences_window import PreferencesWindow
from tests.scenarios.test_window import KEY, MODIFIER, STORY, Person, stored

QUESTION = "What is a branch?"
LONG = {"temperature": "0", "frequency_penalty": "-2", "max_tokens": "300"}  # so that it says the same over and over


@pytest.fixture(autouse=True)
def _no_keychain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written to the keychain of this computer, and no proxy is asked."""
    monkeypatch.setattr("app.hub.tokens.SYSTEMS", ())
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def person(qtbot: QtBot, program: Program) -> Person:
    return Person(qtbot, program)


class Script:
    """A script beside the window, with OpenAI's client. Attribute: client."""

    def __init__(self, now: LocalApiState, person: Person) -> None:
        self.client = openai.OpenAI(base_url=now.address, api_key=now.token, max_retries=0)
        self._until, self._threads = person.until, ThreadPoolExecutor(2)

    def begin(self, text: str, **asked: Any) -> Future[ChatCompletion]:
        """Ask, while the window goes on."""
        messages: list[ChatCompletionMessageParam] = [{"role": "user", "content": text}]
        return self._threads.submit(
            lambda: self.client.chat.completions.create(model="guide", messages=messages, **asked)
        )

    def ask(self, text: str, **asked: Any) -> ChatCompletion:
        """Ask, and wait for the answer."""
        asking = self.begin(text, **asked)
        self._until(asking.done)
        return asking.result()

    def close(self) -> None:
        self._threads.shutdown()
        self.client.close()


def switch_on(person: Person) -> LocalApiState:
    """Have the local API answer, on the page of the settings that is about it; returns what it says of itself."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    api = person.program.app.workspace.api
    person.press(KEY.Key_Comma, MODIFIER.ControlModifier)
    (shown,) = person.window.findChildren(PreferencesWindow)
    QTest.mouseClick(shown.buttons["api"], Qt.MouseButton.LeftButton)
    field = shown.page.row("port").stops[-1]
    field.setFocus()
    QTest.keyClick(field, KEY.Key_A, MODIFIER.ControlModifier)
    QTest.keyClicks(field, str(port))
    QTest.keyClick(field, KEY.Key_Return)
    QTest.keyClick(shown.page.row("api").stops[-1], KEY.Key_Space)
    person.until(lambda: api.state.now.is_listening)
    assert api.state.now.port == port
    QTest.keyClick(shown, KEY.Key_Escape)
    return api.state.now


@pytest.fixture
def script(person: Person) -> Iterator[Script]:
    """A script that was given the address and the token, once the window is ready."""
    person.wait_until_ready()
    script = Script(switch_on(person), person)
    yield script
    script.close()


def test_a_script_is_answered_beside_the_window_and_nothing_of_it_stays(
    person: Person, script: Script, data_folder: Path
) -> None:
    app, events = person.program.app, list[object]()
    person.program.host.happened.connect(events.append)
    person.ask(QUESTION)
    for name, text in LONG.items():
        app.chat.settings.type(name, text)
    before = script.begin(STORY, seed=7, temperature=1.0, max_tokens=200)
    person.until(lambda: any(isinstance(one, TextDelta) and one.run_id < 0 for one in events))
    person.type("Tell me a story about a lighthouse")
    person.press(KEY.Key_Return)
    person.until(lambda: len(person.texts) == 4 and len(person.texts[3]) > 10)
    meanwhile = script.begin(QUESTION, temperature=0)
    person.until(lambda: app.workspace.api.state.now.answers == 2)
    assert person.rows[3].is_streaming, "both scripts wait while the window's answer is written"
    assert [before.done(), meanwhile.done()] == [False, False]
    person.until(lambda: not person.rows[3].is_streaming)
    person.until(lambda: before.done() and meanwhile.done())

    ended = [one.run_id for one in events if isinstance(one, RunFinished)]
    begun = [one.run_id for one in events if isinstance(one, RunStarted)]
    window, first, second = ended[1:]
    assert window > 0 > first > second, "the window's first, then the scripts' in their order"
    assert begun.index(first) < begun.index(window) < begun.index(second), "one gave way, the other one waited"

    assert before.result().choices[0].message.content == whole(script, STORY)
    answer = meanwhile.result()
    assert answer.choices[0].finish_reason == "stop"
    assert answer.choices[0].message.content
    usage = answer.usage
    assert usage is not None
    assert usage.prompt_tokens_details is not None
    assert usage.prompt_tokens_details.cached_tokens == usage.prompt_tokens - 1, "the window asked the same before"

    with pytest.raises(openai.AuthenticationError) as refused:
        script.client.with_options(api_key="0" * 64).models.list()
    assert refused.value.status_code == 401
    person.until(lambda: [message.text for message in stored(data_folder)] == person.texts)
    assert len(person.texts) == 4
    assert stored(data_folder)[3].stop == StopReason.LENGTH


def whole(script: Script, text: str) -> str | None:
    """Return what the guide says where nobody disturbs it."""
    return script.ask(text, seed=7, temperature=1.0, max_tokens=200).choices[0].message.content
