"""Answers in several conversations at a time, with an engine that writes more than one."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.commands import Cancel, Generate
from app.viewmodels.app import App
from tests.fakes.engine import Script
from tests.viewmodels.test_app import ask, ready, texts


@pytest.fixture
def both(qtbot: QtBot, app: App, script: Script) -> list[str]:
    """Two conversations in which an answer is being written, the second one open."""
    ready(qtbot, app)
    app.chat.question_queue.most_at_once = 2
    script.hold = 2
    opened = []
    for number, text in enumerate(("How are you?", "And you there?", "And they?")):
        app.library.new_conversation()
        opened.append(app.library.open_id)
        app.chat.requests.send(text)
        if number < 2:
            qtbot.waitUntil(lambda: texts(app)[-1:] == ["You said:"])
    qtbot.waitUntil(lambda: app.chat.questions.is_waiting_in(opened[2]))
    assert sum(isinstance(command, Generate) for command in script.commands) == 2
    app.library.open(opened[1])
    return opened


def test_each_answer_grows_where_it_was_asked_for(qtbot: QtBot, app: App, script: Script, both: list[str]) -> None:
    assert {row.id for row in app.library.conversation_model.rows if row.is_writing} == set(both[:2])
    script.go.set()
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    found = []
    for conversation_id in both:
        app.library.open(conversation_id)
        found.append(texts(app))
    said = ["How are you?", "And you there?", "And they?"]
    assert found == [[text, f"You said: {text}"] for text in said]


def test_two_branches_of_a_conversation_are_answered_at_once(qtbot: QtBot, app: App, script: Script) -> None:
    """Each is seen, and stopped, on its own path."""
    ready(qtbot, app)
    app.chat.question_queue.most_at_once = 2
    ask(qtbot, app, "How are you?")
    app.chat.open_draft.begin_edit()
    ask(qtbot, app, "And you?")
    script.hold = 2
    first, second = app.library.tree.children(None)
    for question in (first, second):
        app.chat.open_branch.show(question.id)
        app.chat.requests.send("Why?")
        qtbot.waitUntil(lambda: texts(app)[-1:] == ["You said:"])
    assert len(app.chat.questions.at_engine) == 2
    app.chat.open_branch.show(first.id)
    assert app.chat.state.now.is_writing
    assert app.chat.chat_model.rows[-1].is_streaming
    app.chat.requests.stop()
    qtbot.waitUntil(lambda: app.chat.chat_model.rows[-1].note == "Stopped")
    assert "And you?" not in texts(app)
    app.chat.open_branch.show(second.id)
    assert app.chat.chat_model.rows[-1].is_streaming
    script.go.set()
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    assert texts(app)[-2:] == ["Why?", "You said: Why?"]


def test_only_the_answer_that_is_seen_is_stopped(qtbot: QtBot, app: App, script: Script, both: list[str]) -> None:
    app.chat.requests.stop()
    qtbot.waitUntil(lambda: app.chat.chat_model.rows[-1].note == "Stopped")
    stopped = [command for command in script.commands if isinstance(command, Cancel)]
    assert len(stopped) == 1
    script.go.set()
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    assert texts(app) == ["And you there?", "You said:"]
    app.library.open(both[0])
    assert texts(app) == ["How are you?", "You said: How are you?"]


def answers(app: App) -> list[str]:
    """Texts of all versions of the answer that ends the open path."""
    tree = app.library.tree
    assert tree.leaf_id is not None
    return [one.text for one in tree.siblings(tree.leaf_id)]


THREE = [f"You said: Why? ({letter})" for letter in "ABC"]


def test_a_question_gets_as_many_answers_as_were_chosen(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    app.chat.requests.choose_count(3)
    assert (app.chat.state.now.answers, app.chat.state.now.most_answers) == (3, 8)
    script.hold = 2
    app.chat.requests.send("Why?")
    qtbot.waitUntil(lambda: [one.text for one in app.chat.questions.at_engine] == ["You said:"] * 3)
    assert texts(app) == ["Why?", "You said:"]
    assert app.chat.chat_model.rows[-1].versions == 3
    activity = app.chat.state.now.activity
    assert activity is not None
    assert activity.text.startswith("Writing 3 answers")
    script.go.set()
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    assert answers(app) == THREE
    assert texts(app) == ["Why?", THREE[0]]
    assert len([command for command in script.commands if isinstance(command, Generate)]) == 1
    seeds = [(one.stats or {})["seed"] for one in app.library.tree.siblings(app.library.tree.leaf_id or "")]
    assert len(set(seeds)) == 3


def test_more_answers_stand_behind_the_others_and_are_taken_back_together(
    qtbot: QtBot, app: App, script: Script
) -> None:
    ask(qtbot, app, "Why?")
    app.chat.requests.choose_count(3)
    app.chat.requests.regenerate()
    qtbot.waitUntil(lambda: not list(app.chat.questions) and len(answers(app)) == 4)
    assert answers(app) == ["You said: Why?", *THREE]
    assert texts(app) == ["Why?", THREE[0]]
    home = app.library.open_id
    app.act("undo")
    qtbot.waitUntil(lambda: answers(app) == ["You said: Why?"])
    app.act("redo")
    qtbot.waitUntil(lambda: answers(app) == ["You said: Why?", *THREE])
    stored: list[list[str]] = []
    app.workspace.store.do(lambda store: [one.text for one in store.messages.of(home)], stored.append)
    qtbot.waitUntil(lambda: bool(stored))
    assert stored == [["Why?", "You said: Why?", *THREE]]


def test_stopping_ends_all_answers_to_the_question_that_is_seen(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    app.chat.requests.choose_count(3)
    script.hold = 2
    app.chat.requests.send("Why?")
    qtbot.waitUntil(lambda: [one.text for one in app.chat.questions.at_engine] == ["You said:"] * 3)
    app.act("stop")
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    assert answers(app) == ["You said:"] * 3


def test_answers_that_got_no_word_are_gone(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    app.chat.requests.choose_count(3)
    script.hold = 0
    app.chat.requests.send("Why?")
    qtbot.waitUntil(lambda: len(app.chat.questions.at_engine) == 3)
    app.act("stop")
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    assert texts(app) == ["Why?"]
    assert app.chat.state.now.can_answer


def test_the_number_belongs_to_a_conversation(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "Why?")
    here = app.library.open_id
    app.chat.requests.choose_count(4)
    app.library.new_conversation()
    assert app.chat.state.now.answers == 1
    app.library.open(here)
    assert app.chat.state.now.answers == 4


def test_an_engine_that_writes_one_at_a_time_is_asked_for_one(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    app.chat.question_queue.most_at_once = 1
    app.chat.requests.choose_count(4)
    app.chat.requests.send("Why?")
    qtbot.waitUntil(lambda: texts(app) == ["Why?", "You said: Why?"])
    assert app.chat.state.now.answers == 1
