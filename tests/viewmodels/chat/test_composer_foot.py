"""What Return does at the end of the open path, and what is said about it."""

from __future__ import annotations

from collections.abc import Callable

from pytestqt.qtbot import QtBot

from app.protocol.commands import Generate
from app.viewmodels.actions import enabled
from app.viewmodels.chat.chat_text import CONTEXT_FULL, NOT_ANSWERED, NOTHING_TO_SEND
from app.viewmodels.controller import Controller
from tests.fakes.engine import CONTEXT, Script
from tests.viewmodels.test_controller import ask, ready, texts


def stop_before_a_word(qtbot: QtBot, controller: Controller, script: Script, text: str) -> None:
    script.hold = 0
    controller.send(text)
    qtbot.waitUntil(lambda: bool(controller._questions.at_engine))
    controller.stop()
    qtbot.waitUntil(lambda: texts(controller)[-1] == text)
    script.hold = None


def test_a_question_without_an_answer_is_answered_with_return(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    ready(qtbot, controller)
    stop_before_a_word(qtbot, controller, script, "How are you?")
    now = controller.chat_state.now
    assert (now.can_answer, now.send_price) == (True, NOT_ANSWERED)
    assert "send" in enabled(controller.state.now)
    controller.send("")
    qtbot.waitUntil(lambda: texts(controller) == ["How are you?", "You said: How are you?"])
    now = controller.chat_state.now
    assert not now.can_answer
    controller.send("")
    assert controller.chat_state.now.send_price == NOTHING_TO_SEND


def test_words_after_a_question_without_an_answer_are_said_to_become_another_version(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    ready(qtbot, controller)
    stop_before_a_word(qtbot, controller, script, "How are you?")
    controller.composer_changed("How was it?")
    assert controller.chat_state.now.send_price.lower().endswith("another version of “how are you?”")
    assert not controller.chat_state.now.can_answer
    controller.send("How was it?")
    qtbot.waitUntil(lambda: texts(controller) == ["How was it?", "You said: How was it?"])
    assert controller.chat.rows[0].versions == 2


def test_after_a_restart_too(qtbot: QtBot, make_controller: Callable[..., Controller], script: Script) -> None:
    first = make_controller()
    ready(qtbot, first)
    stop_before_a_word(qtbot, first, script, "How are you?")
    controller = make_controller()
    qtbot.waitUntil(lambda: controller.chat_state.now.can_answer)
    controller.send("")
    qtbot.waitUntil(lambda: texts(controller) == ["How are you?", "You said: How are you?"])


def test_a_question_on_its_way_is_not_offered_to_be_answered(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    script.load_gate.clear()
    controller.model.open("/models/one")
    controller.send("How are you?")
    for _ in range(20):
        qtbot.wait(2)
        assert not controller.chat_state.now.can_answer
    script.load_gate.set()
    qtbot.waitUntil(lambda: texts(controller) == ["How are you?", "You said: How are you?"])


def test_what_does_not_fit_says_so_and_is_not_sent(qtbot: QtBot, controller: Controller, script: Script) -> None:
    ask(qtbot, controller, "How are you?")
    long = "word " * (CONTEXT + 50)
    controller.composer_changed(long)
    qtbot.waitUntil(lambda: controller.chat_state.now.send_price.startswith("Does not fit: "))
    price = controller.chat_state.now.send_price.replace("\u202f", "").replace("\u00a0", " ")
    assert price.endswith(f" of {CONTEXT} tokens")
    assert "send" not in enabled(controller.state.now)
    asked = sum(isinstance(command, Generate) for command in script.commands)
    controller.send(long)
    qtbot.wait(50)
    assert sum(isinstance(command, Generate) for command in script.commands) == asked
    assert controller._drafts.of(controller.archive.open_id).text == long
    controller.composer_changed("short")
    qtbot.waitUntil(lambda: "send" in enabled(controller.state.now))


def test_a_path_that_fills_the_context_says_so(qtbot: QtBot, controller: Controller, script: Script) -> None:
    script.answers["Long?"] = "word " * CONTEXT
    ask(qtbot, controller, "Long?")
    qtbot.waitUntil(lambda: controller.chat_state.now.send_price == CONTEXT_FULL)


def test_words_of_an_edit_survive_the_next_edit(qtbot: QtBot, controller: Controller) -> None:
    ask(qtbot, controller, "One")
    ask(qtbot, controller, "Two")
    controller.composer_changed("a thought")
    controller.begin_edit()
    controller.composer_changed("Two, better")
    controller.begin_edit()
    open_id = controller.archive.open_id
    assert controller._drafts.of(open_id).text == "Two, better"
    controller.begin_edit(controller.chat.rows[0].id)
    assert controller._drafts.of(open_id).text == "One"
    controller.begin_edit(controller.chat.rows[2].id)
    controller.cancel_edit()
    assert controller._drafts.of(open_id).text == "a thought\nTwo, better"


def test_a_new_folder_is_empty(qtbot: QtBot, controller: Controller) -> None:
    ask(qtbot, controller, "How are you?")
    controller.act("new_folder")
    qtbot.waitUntil(lambda: len(controller.archive.folders) == 1)
    assert controller.archive.open_folder == ""
