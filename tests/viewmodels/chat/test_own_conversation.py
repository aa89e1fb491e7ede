"""Problems, Stop and drafts belong to the conversation in which they came up."""

from __future__ import annotations

import random

from pytestqt.qtbot import QtBot

from app.protocol.commands import Cancel
from app.viewmodels.actions import enabled
from app.viewmodels.app import App
from tests.fakes.engine import Script
from tests.seeds import chosen
from tests.viewmodels.test_app import ask, ready, texts, wait_for_text

TOO_LONG = "Does all of this fit?"


def fail(qtbot: QtBot, app: App, script: Script) -> str:
    """Ask what cannot be answered; returns the conversation."""
    script.fail = TOO_LONG
    app.chat.requests.send(TOO_LONG)
    left = app.library.open_id
    qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
    return left


def test_a_question_that_failed_stands_in_the_way_only_where_it_was_asked(
    qtbot: QtBot, app: App, script: Script
) -> None:
    ask(qtbot, app, "How are you?")
    left = fail(qtbot, app, script)
    app.library.new_conversation()
    assert app.chat.state.now.card is None
    ask(qtbot, app, "And you?")
    app.library.open(left)
    problem = app.chat.state.now.card
    assert problem is not None
    assert problem.title == "The context is full"
    app.act(problem.action_id)
    assert app.chat.state.now.editing == TOO_LONG
    assert app.chat.state.now.card is None


def test_the_question_that_failed_is_edited_on_its_own_branch(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "How are you?")
    fail(qtbot, app, script)
    app.chat.open_branch.select_version(app.chat.chat_model.rows[0].id, 1)
    app.chat.open_draft.begin_edit(app.chat.chat_model.rows[0].id)
    app.chat.open_draft.cancel_edit()
    fail_id = app.chat.chat_model.rows[-1].id
    app.chat.requests.regenerate(fail_id)
    qtbot.waitUntil(lambda: app.chat.state.now.card is not None)
    app.chat.cards.dismiss()
    app.chat.open_draft.begin_edit(app.chat.chat_model.rows[0].id)
    ask(qtbot, app, "How was it?")
    app.act("edit_failed")
    assert app.chat.state.now.editing is None, "a card that is gone does nothing"


def test_a_question_that_failed_elsewhere_is_told_and_takes_nothing_away(
    qtbot: QtBot, app: App, script: Script
) -> None:
    ready(qtbot, app)
    script.fail, script.hold = TOO_LONG, 0
    script.load_gate.clear()
    app.model.open("/models/one")
    app.chat.requests.send(TOO_LONG)
    app.library.new_conversation()
    app.chat.open_draft.write("half a thought")
    script.load_gate.set()
    qtbot.waitUntil(lambda: "The context is full" in app.notices.now.text)
    assert TOO_LONG in app.notices.now.text
    assert app.chat.state.now.card is None
    assert app.chat.drafts.of(app.library.open_id).text == "half a thought"


def test_another_model_may_do_what_the_one_before_could_not(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    fail(qtbot, app, script)
    app.model.open("/models/one")
    ready(qtbot, app)
    assert app.chat.state.now.card is None


def test_stop_in_one_conversation_leaves_the_answer_in_another(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    script.hold = 2
    app.chat.requests.send("How are you?")
    wait_for_text(qtbot, app)
    left = app.library.open_id
    app.library.new_conversation()
    assert not app.chat.state.now.can_stop
    assert "stop" not in enabled(app.state.now)
    app.act("stop")
    app.chat.requests.stop()
    assert not [command for command in script.commands if isinstance(command, Cancel)]
    assert app.state.now.activity.text.startswith("Writing in “How are you?”"), "where it is written is told"
    place = app.state.now.activity.place
    assert place is not None
    app.library.go_to(*place)
    assert app.library.open_id == left
    assert app.state.now.activity.text.startswith("Writing  ·  ")
    assert app.state.now.activity.place is None
    assert app.chat.state.now.can_stop
    app.act("stop")
    qtbot.waitUntil(lambda: not app.chat.chat_model.rows[-1].is_streaming)


def test_an_answer_on_another_branch_is_shown_and_stopped_there(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "How are you?")
    script.hold = 2
    app.chat.requests.regenerate()
    wait_for_text(qtbot, app)
    app.chat.open_branch.select_version(None, -1)
    app.catch_up()
    assert "stop" not in enabled(app.state.now)
    place = app.state.now.activity.place
    assert place is not None
    app.library.go_to(*place)
    assert app.chat.chat_model.rows[-1].id == place[1]
    assert "stop" in enabled(app.state.now)


def test_of_what_is_written_here_and_elsewhere_that_is_told_which_is_written_here(
    qtbot: QtBot, app: App, script: Script
) -> None:
    ready(qtbot, app)
    script.hold = 2
    app.chat.requests.send("How are you?")
    wait_for_text(qtbot, app)
    app.library.new_conversation()
    app.chat.requests.send("And you?")
    wait_for_text(qtbot, app)
    assert app.state.now.activity.place is None
    app.act("stop")
    qtbot.waitUntil(lambda: not app.chat.chat_model.rows[-1].is_streaming)
    app.catch_up()
    assert "How are you?" in app.state.now.activity.text
    assert len(app.chat.questions.at_engine) == 1


def test_a_question_that_waits_elsewhere_is_not_withdrawn(qtbot: QtBot, app: App, script: Script) -> None:
    script.load_gate.clear()
    app.model.open("/models/one")
    app.chat.requests.send("How are you?")
    left = app.library.open_id
    qtbot.waitUntil(lambda: app.chat.questions.is_waiting_in(left))
    app.library.new_conversation()
    app.chat.requests.stop()
    qtbot.waitUntil(lambda: not app.model.state.now.is_loading)
    script.load_gate.set()
    app.model.open("/models/one")
    app.library.open(left)
    qtbot.waitUntil(lambda: texts(app) == ["How are you?", "You said: How are you?"])


def test_whatever_happens_elsewhere_a_draft_is_only_what_was_typed_there(
    qtbot: QtBot, app: App, script: Script
) -> None:
    """Typing, failing, editing and stopping in several conversations, in any order."""
    ready(qtbot, app)
    for seed in chosen(range(6)):
        dice = random.Random(seed)
        typed: dict[str, str] = {}
        conversations = [app.library.open_id]
        for step in range(30):
            here = app.library.open_id
            match dice.randrange(6):
                case 0:
                    typed[here] = f"draft {seed} {step}"
                    app.chat.open_draft.write(typed[here])
                case 1:
                    ask_here = f"question {seed} {step}"
                    script.fail = ask_here if dice.random() < 0.5 else ""
                    app.chat.requests.send(ask_here)
                    typed[here] = ""
                    qtbot.waitUntil(lambda: not app.chat.questions.held)
                case 2 if app.chat.chat_model.rows:
                    app.chat.open_draft.begin_edit(dice.choice(app.chat.chat_model.rows).id)
                    app.chat.open_draft.cancel_edit()
                case 3:
                    app.chat.requests.stop()
                case 4:
                    app.library.new_conversation()
                    conversations.append(app.library.open_id)
                case _:
                    app.library.open(dice.choice(conversations))
            here = app.library.open_id
            shown = app.chat.drafts.of(here)
            assert (shown.text, shown.editing) == (typed.get(here, ""), None), f"seed {seed}, step {step}"


def test_a_question_here_does_not_wait_to_be_said_for_an_answer_elsewhere(
    qtbot: QtBot, app: App, script: Script
) -> None:
    ready(qtbot, app)
    app.chat.question_queue.most_at_once = 1
    script.hold = 1
    app.chat.requests.send("How are you?")
    wait_for_text(qtbot, app)
    app.library.new_conversation()
    app.chat.requests.send("And you?")
    here = app.library.open_id
    qtbot.waitUntil(lambda: app.chat.questions.is_waiting_in(here))
    assert texts(app) == ["And you?"]
    qtbot.waitUntil(lambda: app.library.library.is_stored(here))
    assert app.chat.state.now.send_price == "Answered after the one in “How are you?”"
    app.library.new_conversation()
    assert app.library.open_id != here
    script.hold = None
    app.library.open(here)
    qtbot.waitUntil(lambda: texts(app) == ["And you?", "You said: And you?"])


def test_a_question_that_waits_for_an_answer_elsewhere_can_be_withdrawn(qtbot: QtBot, app: App, script: Script) -> None:
    ready(qtbot, app)
    app.chat.question_queue.most_at_once = 1
    script.hold = 1
    app.chat.requests.send("How are you?")
    wait_for_text(qtbot, app)
    app.library.new_conversation()
    app.chat.requests.send("And you?")
    here = app.library.open_id
    qtbot.waitUntil(lambda: app.chat.questions.is_waiting_in(here))
    app.act("stop")
    assert app.chat.state.now.can_answer
    script.hold = None
    qtbot.waitUntil(lambda: not app.chat.questions.held)
    assert texts(app) == ["And you?"]


def test_another_answer_that_is_stopped_while_it_waits_leaves_the_one_there_was_in_sight(
    qtbot: QtBot, app: App, script: Script
) -> None:
    ask(qtbot, app, "How are you?")
    app.chat.question_queue.most_at_once = 1
    here = app.library.open_id
    script.hold = 1
    app.library.new_conversation()
    app.chat.requests.send("And you?")
    wait_for_text(qtbot, app)
    app.library.open(here)
    app.chat.requests.regenerate()
    assert texts(app) == ["How are you?"]
    app.act("stop")
    assert texts(app) == ["How are you?", "You said: How are you?"]
    script.hold = None
    qtbot.waitUntil(lambda: not app.chat.questions.held)


def test_a_question_that_is_still_being_stored_can_be_withdrawn(qtbot: QtBot, app: App) -> None:
    qtbot.waitUntil(lambda: app.chat.state.now.activity is None)
    app.chat.requests.send("never mind")
    assert app.chat.state.now.can_stop
    app.chat.requests.stop()
    qtbot.waitUntil(lambda: app.chat.state.now.can_answer)
    assert [row.text for row in app.chat.chat_model.rows] == ["never mind"]
    app.chat.requests.send("")
    qtbot.waitUntil(lambda: [row.text for row in app.chat.chat_model.rows] == ["never mind", "You said: never mind"])
