"""An engine that answers, and can do nothing else, is enough to have a conversation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

from pytestqt.qtbot import QtBot

from app.protocol.commands import Generate
from app.protocol.events import Capabilities
from app.viewmodels.actions import ACTIONS, TABLE, enabled
from app.viewmodels.controller import Controller
from tests.fakes.engine import NONE, Script
from tests.viewmodels.test_controller import ask, row, texts, wait_for_text


def test_a_conversation_grows_forks_and_is_gone_on_with(
    qtbot: QtBot, make_controller: Callable[[], Controller], script: Script
) -> None:
    script.capabilities = NONE
    controller = make_controller()
    ask(qtbot, controller, "How are you?")
    ask(qtbot, controller, "And now?")
    controller.select_version(row(controller, 0).id, 1)
    controller.begin_edit(row(controller, 2).id)
    ask(qtbot, controller, "And then?")
    assert texts(controller) == ["How are you?", "You said: How are you?", "And then?", "You said: And then?"]
    last = [command for command in script.commands if isinstance(command, Generate)][-1]
    assert [turn.text for turn in last.turns] == texts(controller)[:3]
    assert {turn.ids for turn in last.turns} == {None}
    controller.cache.verify(controller.open_turns)
    qtbot.waitUntil(lambda: "cannot" in str(controller.chat_state.now.card) + controller.notices.now.text)


def test_what_the_engine_cannot_do_is_not_offered(
    qtbot: QtBot, make_controller: Callable[[], Controller], script: Script
) -> None:
    wanting = {"pin", "unpin", "verify", "copy_cache", "keep_every_fork", "show_files", "delete_files"} | {
        "forget_cache"
    }
    assert {action.id for action in ACTIONS if action.needs} == wanting
    controller = make_controller()
    ask(qtbot, controller, "How are you?")
    qtbot.waitUntil(lambda: {"pin", "verify", "copy_cache"} <= enabled(controller.state.now))
    script.capabilities = NONE
    controller.model.restart_engine()
    qtbot.waitUntil(lambda: not wanting & enabled(controller.state.now))
    ask(qtbot, controller, "And now?")
    assert not wanting & enabled(controller.state.now)
    assert not controller.cache.state.now.disk_trouble


def test_every_need_is_an_ability_of_engines() -> None:
    assert {row.needs for row in TABLE} - {""} <= {field.name for field in fields(Capabilities)}


def test_an_answer_without_ids_is_being_written_from_its_first_word_on(
    qtbot: QtBot, make_controller: Callable[[], Controller], script: Script
) -> None:
    script.capabilities, script.hold = NONE, 2
    controller = make_controller()
    qtbot.waitUntil(lambda: controller.state.now.activity.text.startswith("Ready"))
    controller.send("one two three four")
    wait_for_text(qtbot, controller)
    assert [question.is_reading for question in controller._questions.at_engine] == [False]
    script.go.set()
