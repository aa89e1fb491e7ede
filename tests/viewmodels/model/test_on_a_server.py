"""A model on a server in the program: chosen from the list, asked, stopped, left, and gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.protocol.reports import Source
from app.viewmodels.actions import enabled
from app.viewmodels.app import App
from app.viewmodels.kit.settings import ServerState, Settings
from app.viewmodels.text import formatting
from app.widgets.kit.style import Style
from app.widgets.kit.theme import LIGHT
from app.widgets.models.context_box import ContextBox
from tests.remote import scripted
from tests.remote.scripted import serving
from tests.viewmodels.test_app import ended, opened, ready, texts

MODEL = "server:a1/tiny"


@pytest.fixture
def server(settings: Settings) -> Iterator[scripted.Script]:
    """A server that was added."""
    with serving(scripted.Script(kind="vLLM")) as server:
        models = {"tiny": 2048, "mlx-community/Other-4B": 0}
        settings.update(servers=(ServerState("a1", "Studio", server.address, "vLLM", models),))
        yield server


@pytest.fixture
def app(make_app: Callable[[], App], server: scripted.Script, qtbot: QtBot) -> App:
    """A program in which the server's model is in use, and the open conversation may be sent to it."""
    app = make_app()
    ready(qtbot, app)
    app.model.open(MODEL)
    opened(qtbot, app, "tiny")
    app.answering.chosen.all.allow(app.library.open_id, "a1")
    return app


def ask(qtbot: QtBot, app: App, words: str, rows: int) -> None:
    app.chat.requests.send(words)
    ended(qtbot, app, rows)


def test_the_models_of_a_server_stand_in_the_list_and_nobody_is_asked_for_that(
    qtbot: QtBot, make_app: Callable[[], App], server: scripted.Script
) -> None:
    app = make_app()
    ready(qtbot, app)
    qtbot.waitUntil(lambda: len([row for row in app.model.list.state.now if row.id.startswith("server:")]) == 2)
    rows = {row.id: row for row in app.model.list.state.now}
    other = rows["server:a1/mlx-community/Other-4B"]
    assert (other.name, other.source) == ("Other-4B", "Studio\u2009·\u2009Server") or "Studio" in other.source
    assert other.matches("studio")
    assert (rows[MODEL].details, other.details) == ("2k\u00a0tokens", "context length unknown")
    assert not server.requests


@pytest.mark.parametrize("is_named", [True, False])
def test_where_it_is_is_said_once(
    is_named: bool, qtbot: QtBot, make_app: Callable[[], App], server: scripted.Script, settings: Settings
) -> None:
    """A server that was given no name is called by its address."""
    host = server.address.removeprefix("http://")
    name = "Studio" if is_named else host
    settings.update(servers=(ServerState("a1", name, server.address, "vLLM", {"tiny": 2048}),))
    app = make_app()
    ready(qtbot, app)
    app.model.open(MODEL)
    where = f"on Studio at {host}" if is_named else f"on {host}"
    qtbot.waitUntil(lambda: app.state.now.activity.text == f"Ready{formatting.DOT}tiny, {where}")


def test_a_server_that_refuses_can_be_tried_again(
    qtbot: QtBot, make_app: Callable[[], App], server: scripted.Script
) -> None:
    server.pages["/v1/models"] = (500, "text/plain", b"out of order")
    app = make_app()
    app.model.open(MODEL)
    qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
    card = app.chat.state.now.card
    assert card is not None
    assert (card.action_label, card.action_id, card.other_id) == ("Try Again", "open_anyway", "use_guide")
    del server.pages["/v1/models"]
    app.act(card.action_id)
    qtbot.waitUntil(lambda: app.model.state.now.is_open and app.chat.state.now.card is None)
    assert app.model.current_model.path == MODEL


def test_one_that_is_refused_beside_a_model_in_use_can_be_tried_again(
    qtbot: QtBot, make_app: Callable[[], App], server: scripted.Script
) -> None:
    server.pages["/v1/models"] = (500, "text/plain", b"out of order")
    app = make_app()
    ready(qtbot, app)
    app.model.open(MODEL)
    qtbot.waitUntil(lambda: app.notices.now.label == "Try Again")
    told = app.notices.now
    assert "Espalier Guide stays in use" in told.text
    del server.pages["/v1/models"]
    assert told.run is not None
    told.run()
    qtbot.waitUntil(lambda: app.model.state.now.is_on_server and app.model.state.now.is_open)
    assert not app.notices.now.text


def test_questions_are_answered_forked_and_gone_back_to(qtbot: QtBot, app: App, server: scripted.Script) -> None:
    server.usage = {"prompt_tokens": 40, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 32}}
    assert app.model.state.now.detail == "on Studio"
    ask(qtbot, app, "First?", 2)
    server.words = ["Second", " answer"]
    ask(qtbot, app, "And then?", 4)
    app.chat.open_draft.begin_edit(app.chat.chat_model.rows[2].id)
    server.words = ["Another", " one"]
    ask(qtbot, app, "Or what?", 4)
    assert texts(app) == ["First?", "Hello, world", "Or what?", "Another one"]
    assert [one["content"] for one in server.asked[-1]["messages"]] == ["First?", "Hello, world", "Or what?"]
    footer = app.chat.chat_model.rows[-1].footer
    assert footer is not None
    assert (footer.reused, footer.computed, footer.tokens, footer.is_about) == (32, 8, 3, False)
    app.chat.open_branch.select_version(app.chat.chat_model.rows[2].id, -1)
    assert texts(app)[-1] == "Second answer"
    answer = app.library.tree.path[-1]
    assert (answer.model_name, answer.ids, (answer.stats or {})["request"]["source"]) == ("tiny", None, Source.REPORTED)


def test_only_what_can_be_done_with_it_is_offered(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "First?", 2)
    now = enabled(app.state.now)
    assert {"regenerate", "edit_answer", "fork"} <= now
    assert not now & {"pin", "verify", "warm_up", "forget_cache"}
    app.model.use_guide()
    qtbot.waitUntil(lambda: app.model.state.now.is_guide and app.model.state.now.is_open)
    qtbot.waitUntil(lambda: "verify" in enabled(app.state.now))


def test_an_answer_is_stopped_and_half_of_one_stays(qtbot: QtBot, app: App, server: scripted.Script) -> None:
    server.words, server.hold = ["Half", " an", " answer"], 2
    app.chat.requests.send("First?")
    qtbot.waitUntil(lambda: texts(app)[-1] == "Half an")
    app.chat.requests.stop()
    ended(qtbot, app, 2)
    assert app.library.tree.path[-1].stop == "stopped"
    server.hold = None
    server.drops, server.at = 1, 1
    app.chat.requests.regenerate()
    qtbot.waitUntil(lambda: app.library.tree.path[-1].stop == "failed")
    assert texts(app)[-1] == "Half"
    qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
    card = app.chat.state.now.card
    assert card is not None
    assert (card.action_label, card.action_id) == ("Go On", "ask_failed")
    assert "Studio" in card.title
    assert "continue" in enabled(app.state.now)
    server.words = [" and", " more"]
    app.act("ask_failed")
    ended(qtbot, app, 2)
    assert texts(app)[-1] == "Half and more"
    assert app.chat.state.now.card is None


def test_half_a_thought_is_answered_again_and_stays(qtbot: QtBot, app: App, server: scripted.Script) -> None:
    """Messages begin an answer with its text: nobody can be asked to go on inside a thought by them."""
    server.thought, server.drops, server.at = ["Let me", " see"], 1, 2
    app.chat.requests.send("First?")
    qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
    card = app.chat.state.now.card
    assert card is not None
    assert (card.action_label, card.action_id) == ("Answer Again", "ask_failed")
    assert (app.library.tree.path[-1].thinking, app.library.tree.path[-1].text) == ("Let me see", "")
    assert "continue" not in enabled(app.state.now)
    app.act("ask_failed")
    ended(qtbot, app, 2)
    half, whole = app.library.tree.siblings(app.library.tree.path[-1].id)
    assert (half.thinking, half.text) == ("Let me see", "")
    assert (whole.thinking, whole.text) == ("Let me see", "Hello, world")


def test_a_question_that_got_nothing_is_asked_again_on_its_own_branch(
    qtbot: QtBot, app: App, server: scripted.Script
) -> None:
    ask(qtbot, app, "First?", 2)
    server.refusals = [(500, b"{}", {})]
    app.chat.requests.send("Second?")
    qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
    card = app.chat.state.now.card
    assert card is not None
    assert (card.action_label, card.choices) == ("Answer Again", (("Edit the Question", "edit_failed"),))
    app.chat.open_branch.show(app.library.tree.path[0].id)
    server.words = ["At", " last"]
    app.act("ask_failed")
    ended(qtbot, app, 4)
    assert texts(app)[2:] == ["Second?", "At last"]


def test_a_server_that_is_gone_leaves_the_model_in_use_alone(
    qtbot: QtBot, make_app: Callable[[], App], server: scripted.Script, settings: Settings
) -> None:
    settings.update(servers=(ServerState("a1", "Studio", "http://127.0.0.1:9", "vLLM", {"tiny": 0}),))
    app = make_app()
    ready(qtbot, app)
    app.model.open(MODEL)
    qtbot.waitUntil(lambda: "cannot be reached" in app.notices.now.text)
    assert app.model.state.now.is_guide
    app.model.open("server:ff/gone")
    qtbot.waitUntil(lambda: "not known" in app.notices.now.text)


def test_the_next_start_opens_it_again(qtbot: QtBot, app: App, make_app: Callable[[], App], settings: Settings) -> None:
    ask(qtbot, app, "First?", 2)
    assert settings.values.model == MODEL
    again = make_app()
    again.model.open(settings.values.model)
    opened(qtbot, again, "tiny")


def test_what_the_server_should_hold_is_shown_and_priced(qtbot: QtBot, app: App, server: scripted.Script) -> None:
    server.usage = {"prompt_tokens": 40, "completion_tokens": 24, "prompt_tokens_details": {"cached_tokens": 0}}
    ask(qtbot, app, "First?", 2)
    qtbot.waitUntil(lambda: app.chat.state.now.subtitle.startswith("Should be warm"))
    assert app.cache.view.place == "Studio"
    assert {node.residency for node in app.cache.view.nodes} == {"believed"}
    qtbot.waitUntil(lambda: app.state.now.cache_line == "About 64\u00a0tokens on Studio")
    asked = len(server.asked)
    app.library.new_conversation()
    qtbot.waitUntil(lambda: app.chat.state.now.is_empty)
    app.chat.open_draft.write("Something else entirely")
    qtbot.wait(300)
    assert len(server.asked) == asked, "nothing is sent to find out what it would cost"
    app.model.use_guide()
    qtbot.waitUntil(lambda: app.model.state.now.is_guide and app.model.state.now.is_open)
    qtbot.waitUntil(lambda: not app.cache.view.place)


def test_an_ollama_is_told_to_read_more_where_a_conversation_is_too_long(
    qtbot: QtBot, make_app: Callable[[], App], settings: Settings
) -> None:
    """As for a model of this machine: it is said, the limit is raised from its card, and the question is answered."""

    def answer(body: Any) -> Any:
        if len(body["messages"][-1]["content"]) / 2 > body["options"]["num_ctx"]:
            return 400, {"error": "the input length exceeds the context length"}
        return ollama.events()

    ollama = scripted.Script(kind="Ollama", routes={"/api/chat": answer})
    with serving(ollama):
        settings.update(servers=(ServerState("a1", "Studio", ollama.address, "Ollama", {"tiny": 0}),))
        app = make_app()
        ready(qtbot, app)
        app.model.open(MODEL)
        opened(qtbot, app, "tiny")
        app.answering.chosen.all.allow(app.library.open_id, "a1")
        assert app.model.state.now.context_length == 8192
        box = ContextBox(Style(LIGHT, 13), app.model, MODEL, "tiny")
        qtbot.addWidget(box)
        said = " ".join(label.text() for label in box.findChildren(QLabel))
        assert "loads the model again" in said
        assert "empty for 8\u202f192" in said.replace("\u00a0", " ")
        assert "allows 40\u202f960" in said
        app.chat.requests.send("word " * 5000)
        for raised in (11_264, 15_360):
            qtbot.waitUntil(partial(_raises, app, raised))
            card = app.chat.state.now.card
            assert card is not None
            assert "too long" in card.title
            app.chat.context_overflow.raise_limit()
            qtbot.waitUntil(partial(_reads, app, raised))
            assert settings.values.context_limits == {MODEL: raised}
            app.chat.requests.regenerate(card.message_id)
        ended(qtbot, app, 2)
        assert [one["options"]["num_ctx"] for one in ollama.asked] == [8192, 11_264, 15_360]
        assert "loads it again" in str(app.notices.now)


def _reads(app: App, limit: int) -> bool:
    return app.model.state.now.context_length == limit


def _raises(app: App, limit: int) -> bool:
    card = app.chat.state.now.card
    return card is not None and card.action_label == f"Raise the Limit to {formatting.plural(limit, 'Token')}"


def test_a_question_says_that_it_waits_for_its_server_and_is_stopped_at_once(
    qtbot: QtBot, app: App, server: scripted.Script
) -> None:
    server.is_loading = True
    app.chat.requests.send("Hello?")
    qtbot.waitUntil(lambda: "Waiting for Studio" in str(app.chat.state.now.activity))
    server.is_loading = False
    ended(qtbot, app, 2)
    assert texts(app)[-1] == "Hello, world"
    server.is_loading = True
    app.chat.requests.send("And then?")
    qtbot.waitUntil(lambda: "Waiting for Studio" in str(app.chat.state.now.activity))
    app.chat.requests.stop()
    qtbot.waitUntil(lambda: not app.answering.questions.at_engine, timeout=2000)
    server.is_loading = False
