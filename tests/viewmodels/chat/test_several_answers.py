"""Answers in several conversations at a time, with an engine that writes more than one."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.commands import Cancel, Generate
from app.viewmodels.chat import question_queue
from app.viewmodels.controller import Controller
from tests.fakes.engine import Script
from tests.viewmodels.test_controller import ready, texts


@pytest.fixture
def both(qtbot: QtBot, controller: Controller, script: Script, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two conversations in which an answer is being written, the second one open."""
    monkeypatch.setattr(question_queue, "MOST_AT_ONCE", 2)
    ready(qtbot, controller)
    script.hold = 2
    opened = []
    for number, text in enumerate(("How are you?", "And you there?", "And they?")):
        controller.new_conversation()
        opened.append(controller.archive.open_id)
        controller.send(text)
        if number < 2:
            qtbot.waitUntil(lambda: texts(controller)[-1:] == ["You said:"])
    qtbot.waitUntil(lambda: controller._questions.is_waiting_in(opened[2]))
    assert sum(isinstance(command, Generate) for command in script.commands) == 2
    controller.open_conversation(opened[1])
    return opened


def test_each_answer_grows_where_it_was_asked_for(
    qtbot: QtBot, controller: Controller, script: Script, both: list[str]
) -> None:
    assert {row.id for row in controller.conversations.rows if row.is_writing} == set(both[:2])
    script.go.set()
    qtbot.waitUntil(lambda: not list(controller._questions))
    found = []
    for conversation_id in both:
        controller.open_conversation(conversation_id)
        found.append(texts(controller))
    said = ["How are you?", "And you there?", "And they?"]
    assert found == [[text, f"You said: {text}"] for text in said]


def test_only_the_answer_that_is_seen_is_stopped(
    qtbot: QtBot, controller: Controller, script: Script, both: list[str]
) -> None:
    controller.stop()
    qtbot.waitUntil(lambda: controller.chat.rows[-1].note == "Stopped")
    stopped = [command for command in script.commands if isinstance(command, Cancel)]
    assert len(stopped) == 1
    script.go.set()
    qtbot.waitUntil(lambda: not list(controller._questions))
    assert texts(controller) == ["And you there?", "You said:"]
    controller.open_conversation(both[0])
    assert texts(controller) == ["How are you?", "You said: How are you?"]
