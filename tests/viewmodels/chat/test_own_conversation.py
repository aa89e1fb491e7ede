"""Problems, Stop and drafts belong to the conversation in which they came up."""

from __future__ import annotations

import random

from pytestqt.qtbot import QtBot

from app.protocol.commands import Cancel
from app.viewmodels.actions import enabled
from app.viewmodels.controller import Controller
from tests.fakes.engine import Script
from tests.viewmodels.test_controller import ask, ready, texts, wait_for_text

TOO_LONG = "Does all of this fit?"


def fail(qtbot: QtBot, controller: Controller, script: Script) -> str:
    """Ask what cannot be answered; returns the conversation."""
    script.fail = TOO_LONG
    controller.send(TOO_LONG)
    left = controller.archive.open_id
    qtbot.waitUntil(lambda: controller.chat_state.now.card is not None)
    return left


def test_a_question_that_failed_stands_in_the_way_only_where_it_was_asked(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    ask(qtbot, controller, "How are you?")
    left = fail(qtbot, controller, script)
    controller.new_conversation()
    assert controller.chat_state.now.card is None
    ask(qtbot, controller, "And you?")
    controller.open_conversation(left)
    problem = controller.chat_state.now.card
    assert problem is not None
    assert problem.title == "The context is full"
    controller.act(problem.action_id)
    assert controller.chat_state.now.editing == TOO_LONG
    assert controller.chat_state.now.card is None


def test_the_question_that_failed_is_edited_on_its_own_branch(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    ask(qtbot, controller, "How are you?")
    fail(qtbot, controller, script)
    controller.select_version(controller.chat.rows[0].id, 1)
    controller.begin_edit(controller.chat.rows[0].id)
    controller.cancel_edit()
    fail_id = controller.chat.rows[-1].id
    controller.regenerate(fail_id)
    qtbot.waitUntil(lambda: controller.chat_state.now.card is not None)
    controller._display.drop_card()
    controller.begin_edit(controller.chat.rows[0].id)
    ask(qtbot, controller, "How was it?")
    controller.act("edit_failed")
    assert controller.chat_state.now.editing is None, "a card that is gone does nothing"


def test_a_question_that_failed_elsewhere_is_told_and_takes_nothing_away(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    ready(qtbot, controller)
    script.fail, script.hold = TOO_LONG, 0
    script.load_gate.clear()
    controller.model.open("/models/one")
    controller.send(TOO_LONG)
    controller.new_conversation()
    controller.composer_changed("half a thought")
    script.load_gate.set()
    qtbot.waitUntil(lambda: "The context is full" in controller.notices.now.text)
    assert TOO_LONG in controller.notices.now.text
    assert controller.chat_state.now.card is None
    assert controller._drafts.of(controller.archive.open_id).text == "half a thought"


def test_another_model_may_do_what_the_one_before_could_not(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    ready(qtbot, controller)
    fail(qtbot, controller, script)
    controller.model.open("/models/one")
    ready(qtbot, controller)
    assert controller.chat_state.now.card is None


def test_stop_in_one_conversation_leaves_the_answer_in_another(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    ready(qtbot, controller)
    script.hold = 2
    controller.send("How are you?")
    wait_for_text(qtbot, controller)
    left = controller.archive.open_id
    controller.new_conversation()
    assert not controller.chat_state.now.can_stop
    assert "stop" not in enabled(controller.state.now)
    controller.act("stop")
    controller.stop()
    assert not [command for command in script.commands if isinstance(command, Cancel)]
    assert "How are you?" in controller.state.now.activity.text, "where it is written is told"
    controller.open_conversation(left)
    assert controller.chat_state.now.can_stop
    controller.act("stop")
    qtbot.waitUntil(lambda: not controller.chat.rows[-1].is_streaming)


def test_a_question_that_waits_elsewhere_is_not_withdrawn(qtbot: QtBot, controller: Controller, script: Script) -> None:
    script.load_gate.clear()
    controller.model.open("/models/one")
    controller.send("How are you?")
    left = controller.archive.open_id
    qtbot.waitUntil(lambda: controller._questions.is_waiting_in(left))
    controller.new_conversation()
    controller.stop()
    script.load_gate.set()
    controller.open_conversation(left)
    qtbot.waitUntil(lambda: texts(controller) == ["How are you?", "You said: How are you?"])


def test_whatever_happens_elsewhere_a_draft_is_only_what_was_typed_there(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    """Typing, failing, editing and stopping in several conversations, in any order."""
    ready(qtbot, controller)
    for seed in range(6):
        dice = random.Random(seed)
        typed: dict[str, str] = {}
        conversations = [controller.archive.open_id]
        for step in range(30):
            here = controller.archive.open_id
            match dice.randrange(6):
                case 0:
                    typed[here] = f"draft {seed} {step}"
                    controller.composer_changed(typed[here])
                case 1:
                    ask_here = f"question {seed} {step}"
                    script.fail = ask_here if dice.random() < 0.5 else ""
                    controller.send(ask_here)
                    typed[here] = ""
                    qtbot.waitUntil(lambda: not controller._questions.held)
                case 2 if controller.chat.rows:
                    controller.begin_edit(dice.choice(controller.chat.rows).id)
                    controller.cancel_edit()
                case 3:
                    controller.stop()
                case 4:
                    controller.new_conversation()
                    conversations.append(controller.archive.open_id)
                case _:
                    controller.open_conversation(dice.choice(conversations))
            here = controller.archive.open_id
            shown = controller._drafts.of(here)
            assert (shown.text, shown.editing) == (typed.get(here, ""), None), f"seed {seed}, step {step}"


def test_a_question_here_does_not_wait_to_be_said_for_an_answer_elsewhere(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    ready(qtbot, controller)
    script.hold = 1
    controller.send("How are you?")
    wait_for_text(qtbot, controller)
    controller.new_conversation()
    controller.send("And you?")
    here = controller.archive.open_id
    qtbot.waitUntil(lambda: controller._questions.is_waiting_in(here))
    assert texts(controller) == ["And you?"]
    qtbot.waitUntil(lambda: controller._library.is_stored(here))
    assert controller.chat_state.now.send_price == "Answered after the one in “How are you?”"
    controller.new_conversation()
    assert controller.archive.open_id != here
    script.hold = None
    controller.open_conversation(here)
    qtbot.waitUntil(lambda: texts(controller) == ["And you?", "You said: And you?"])


def test_a_question_that_waits_for_an_answer_elsewhere_can_be_withdrawn(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    ready(qtbot, controller)
    script.hold = 1
    controller.send("How are you?")
    wait_for_text(qtbot, controller)
    controller.new_conversation()
    controller.send("And you?")
    here = controller.archive.open_id
    qtbot.waitUntil(lambda: controller._questions.is_waiting_in(here))
    controller.act("stop")
    assert controller.chat_state.now.can_answer
    script.hold = None
    qtbot.waitUntil(lambda: not controller._questions.held)
    assert texts(controller) == ["And you?"]


def test_another_answer_that_is_stopped_while_it_waits_leaves_the_one_there_was_in_sight(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    ask(qtbot, controller, "How are you?")
    here = controller.archive.open_id
    script.hold = 1
    controller.new_conversation()
    controller.send("And you?")
    wait_for_text(qtbot, controller)
    controller.open_conversation(here)
    controller.regenerate()
    assert texts(controller) == ["How are you?"]
    controller.act("stop")
    assert texts(controller) == ["How are you?", "You said: How are you?"]
    script.hold = None
    qtbot.waitUntil(lambda: not controller._questions.held)
