"""Nothing of a conversation goes to a server before its person has said that it may."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from random import Random

import pytest
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.viewmodels.kit.settings import ServerState, Settings
from tests.remote import scripted
from tests.remote.scripted import serving
from tests.remote.scripted_tokens import Tokens
from tests.viewmodels.test_app import ended, ready, texts

SERVERS = ("a1", "b2", "c3")
NAMES = re.compile(r"name\d+")
ACTS = (
    *["ask"] * 5,
    *["draft"] * 3,
    *["allow"] * 4,
    *["again", "new", "open", "refuse", "model", "model"],
    "guide",
    "stop",
)


@pytest.fixture
def servers(settings: Settings) -> Iterator[dict[str, scripted.Script]]:
    """Servers that were added, by their ids: two that are sent messages, and one that is sent ids."""
    with ExitStack() as stack:
        found = {
            one: stack.enter_context(serving(scripted.Script(kind=kind)))
            for one, kind in zip(SERVERS, ("vLLM", "SGLang", "llama.cpp"), strict=True)
        }
        Tokens(found["c3"], list(b"Yes."))
        settings.update(
            servers=tuple(
                ServerState(one, f"Studio {one}", script.address, script.kind, {"tiny": 0})
                for one, script in found.items()
            )
        )
        yield found


def open_model(qtbot: QtBot, app: App, where: str) -> None:
    path = f"server:{where}/tiny"
    app.model.open(path)
    qtbot.waitUntil(lambda: getattr(app.model.current_model.to_ask, "path", "") == path)


def card(app: App) -> str:
    now = app.chat.state.now.card
    return "" if now is None else now.title


def wait_for_card(qtbot: QtBot, app: App, title: str = "Send this conversation to Studio a1?") -> None:
    qtbot.waitUntil(lambda: card(app) == title)


def test_the_first_question_of_a_conversation_waits_for_consent(
    qtbot: QtBot, make_app: Callable[[], App], servers: dict[str, scripted.Script]
) -> None:
    app = make_app()
    ready(qtbot, app)
    open_model(qtbot, app, "a1")
    app.chat.requests.send("First?")
    wait_for_card(qtbot, app)
    now = app.chat.state.now.card
    assert now is not None
    assert servers["a1"].address.removeprefix("http://") in now.sentence
    assert "Nothing has been sent" in now.sentence
    qtbot.wait(100)
    assert not servers["a1"].asked
    app.act("send_to_server")
    ended(qtbot, app, 2)
    assert card(app) == ""
    app.chat.requests.send("Second?")
    ended(qtbot, app, 4)
    assert len(servers["a1"].asked) == 2
    app.library.new_conversation()
    app.chat.requests.send("Elsewhere?")
    wait_for_card(qtbot, app)
    assert len(servers["a1"].asked) == 2


def test_not_now_leaves_the_question_unanswered_and_what_follows_it_unsent(
    qtbot: QtBot, make_app: Callable[[], App], servers: dict[str, scripted.Script]
) -> None:
    app = make_app()
    ready(qtbot, app)
    open_model(qtbot, app, "a1")
    app.chat.requests.send("First?")
    wait_for_card(qtbot, app)
    app.chat.requests.send("And more?")
    app.act("keep_here")
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    assert card(app) == ""
    assert texts(app) == ["First?"]
    assert app.chat.open_draft.now.text == "And more?"
    app.chat.requests.answer_the_end()
    wait_for_card(qtbot, app)
    app.model.use_guide()
    ended(qtbot, app, 2)
    assert card(app) == ""
    assert texts(app)[1] == "You said: First?"
    assert not servers["a1"].asked


def test_consent_is_for_one_server_and_outlives_the_program(
    qtbot: QtBot, make_app: Callable[[], App], servers: dict[str, scripted.Script]
) -> None:
    app = make_app()
    ready(qtbot, app)
    open_model(qtbot, app, "a1")
    app.chat.requests.send("First?")
    wait_for_card(qtbot, app)
    open_model(qtbot, app, "b2")
    wait_for_card(qtbot, app, "Send this conversation to Studio b2?")
    open_model(qtbot, app, "a1")
    wait_for_card(qtbot, app)
    app.act("send_to_server")
    ended(qtbot, app, 2)
    conversation_id = app.library.open_id
    qtbot.wait(1100)  # it is stored within a second
    again = make_app()
    qtbot.waitUntil(lambda: again.library.open_id == conversation_id)
    open_model(qtbot, again, "a1")
    again.chat.requests.send("Second?")
    ended(qtbot, again, 4)
    open_model(qtbot, again, "b2")
    again.chat.requests.send("Third?")
    wait_for_card(qtbot, again, "Send this conversation to Studio b2?")
    assert not servers["b2"].asked


def test_a_question_elsewhere_is_told_of(
    qtbot: QtBot, make_app: Callable[[], App], servers: dict[str, scripted.Script]
) -> None:
    app = make_app()
    ready(qtbot, app)
    app.model.open("server:a1/tiny")
    app.chat.requests.send("First?")
    first = app.library.open_id
    app.library.new_conversation()
    qtbot.waitUntil(lambda: "Send this conversation to Studio a1?" in app.notices.now.text)
    assert card(app) == ""
    app.library.open(first)
    wait_for_card(qtbot, app)


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_done_nothing_is_sent_without_consent(
    qtbot: QtBot, make_app: Callable[[], App], servers: dict[str, scripted.Script], seed: int
) -> None:
    """Each question's words name its conversation, so that what a server has got tells whose it was.

    What is typed and not sent goes nowhere, even where it might.
    """
    random, app = Random(seed), make_app()
    ready(qtbot, app)
    allowed: set[tuple[str, str]] = set()

    def name_of_open() -> str:
        tree = app.library.tree
        return tree.path[0].text.split()[0] if tree.path else ""

    open_model(qtbot, app, "a1")
    for step in range(80):
        act = random.choice(ACTS)
        path = getattr(app.model.current_model.to_ask, "path", "")
        if act == "new":
            app.library.new_conversation()
        elif act == "open" and app.library.library.conversations:
            app.library.open(random.choice(app.library.library.conversations).id)
            qtbot.wait(20)
        elif act == "ask":
            app.chat.requests.send(f"{name_of_open() or f'name{step}'} asks {step}")
        elif act == "draft":
            app.chat.open_draft.write(f"{name_of_open()} unsent {step}")
        elif act == "again":
            app.chat.requests.regenerate()
        elif act == "allow" and card(app).startswith("Send this conversation"):
            where = path.partition(":")[2].partition("/")[0]
            allowed.add((name_of_open(), where))
            app.act("send_to_server")
        elif act == "refuse" and card(app).startswith("Send this conversation"):
            app.act("keep_here")
        elif act == "model":
            open_model(qtbot, app, random.choice(SERVERS))
        elif act == "guide":
            app.model.use_guide()
        elif act == "stop":
            app.chat.requests.stop()
        qtbot.wait(random.choice([0, 5, 60]))
        for where, server in servers.items():
            got = {name for _, _, body in server.requests for name in NAMES.findall(json.dumps(body))}
            assert all((name, where) in allowed for name in got), step
            assert not any("unsent" in json.dumps(body) for _, _, body in server.requests), step
    assert allowed
    assert any(server.asked for server in servers.values())
