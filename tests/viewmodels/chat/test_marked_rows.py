"""Rows that are marked: the message whose words stand in the composer, and a question that nobody answered."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.viewmodels.actions import enabled
from app.viewmodels.app import App
from tests.fakes.engine import Script
from tests.viewmodels.test_app import ask, ended, ready, texts


def marked(app: App) -> tuple[list[str], list[str]]:
    rows = app.chat.chat_model.rows
    return [one.id for one in rows if one.is_edited], [one.id for one in rows if one.is_unanswered]


def test_the_message_in_the_composer_is_marked_while_it_is_there(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    ask(qtbot, app, "Once")
    ask(qtbot, app, "Twice")
    question, answer = (one.id for one in app.library.tree.path[:2])
    assert marked(app) == ([], [])
    app.chat.open_draft.begin_edit(question)
    assert marked(app) == ([question], [])
    app.chat.open_draft.edit_answer(answer)
    assert marked(app) == ([answer], [])
    app.act("stop")
    assert marked(app) == ([], [])
    app.chat.open_draft.begin_edit(question)
    app.chat.requests.send("Once more")
    ended(qtbot, app, 2)
    assert marked(app) == ([], [])


def test_a_question_that_nobody_answered_is_marked_and_answered(qtbot: QtBot, app: App, script: Script) -> None:
    """Whatever stands in the composer; not while it waits for its answer."""
    ready(qtbot, app)
    script.load_gate.clear()
    app.model.open("/models/other")
    app.chat.requests.send("Once")
    qtbot.waitUntil(lambda: bool(app.chat.questions.waiting))
    assert marked(app) == ([], [])
    app.chat.requests.stop()
    script.load_gate.set()
    ready(qtbot, app)
    (question,) = app.library.tree.path
    qtbot.waitUntil(lambda: marked(app) == ([], [question.id]))
    app.chat.open_draft.write("Something else")
    assert "answer" in enabled(app.state.now)
    assert app.chat.chat_model.rows[0].note == "Not answered yet"
    app.act("answer")
    ended(qtbot, app, 2)
    assert texts(app) == ["Once", "You said: Once"]
    assert marked(app) == ([], [])
    assert "answer" not in enabled(app.state.now)
    assert app.chat.open_draft.now.text == "Something else"
