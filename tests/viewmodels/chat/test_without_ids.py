"""Answers of an engine that does not know the ids of its tokens, and what is kept of one that breaks off."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.protocol.events import RunFailed, TextDelta
from app.protocol.reports import Problem
from app.viewmodels.app import App
from tests.fakes.engine import Script
from tests.viewmodels.test_app import LONG, ended, ready, texts

GONE = Problem("The server went away", "What it wrote stays.")


def begin(qtbot: QtBot, app: App, script: Script) -> int:
    """Have an answer stand still after some words; returns its run."""
    script.answers["Long?"], script.hold = LONG, 5
    ready(qtbot, app)
    app.chat.requests.send("Long?")
    qtbot.waitUntil(lambda: texts(app)[-1].endswith("word4"))
    (question,) = app.chat.questions.at_engine
    assert question.run_id is not None
    return question.run_id


def test_tokens_without_ids_are_counted(qtbot: QtBot, app: App, script: Script) -> None:
    run_id = begin(qtbot, app, script)
    (question,) = app.chat.questions.at_engine
    before = question.tokens
    app.workspace._on_event(TextDelta(run_id, 0, " more", (), uncounted=3))
    assert question.tokens == before + 3
    script.go.set()


def test_half_an_answer_keeps_the_ids_that_are_known_of_it(qtbot: QtBot, app: App, script: Script) -> None:
    run_id = begin(qtbot, app, script)
    app.workspace._on_event(RunFailed(run_id, GONE, 0, (7, 8, 9)))
    ended(qtbot, app, 2)
    answer = app.library.tree.path[-1]
    assert (answer.stop, answer.ids) == ("failed", (7, 8, 9))
    script.go.set()
