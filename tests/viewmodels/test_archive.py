"""Deleting, undo and redo, through the controller, a scripted engine and a real database."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.conversation import store
from app.conversation.store import Store
from app.protocol.commands import EraseOwner, Generate
from app.viewmodels.actions import enabled
from app.viewmodels.controller import Controller
from tests.fakes.engine import Script
from tests.viewmodels.test_controller import LONG, ask, ended, ready, texts, wait_for_text


def at_rest(qtbot: QtBot, controller: Controller) -> None:
    """Wait until nothing of what is stored is being changed."""
    qtbot.waitUntil(lambda: not controller._parts.changes.is_pending)
    controller._parts.store.drain()


def titles(controller: Controller) -> list[str]:
    return [row.title for row in controller.conversations.rows]


def shown(data_folder: Path) -> list[str]:
    """The texts of all messages that a reader of the database would see."""
    store = Store(data_folder / "conversations.db")
    found = [message.text for one in store.conversations.all() for message in store.messages.of(one.id)]
    store.close()
    return found


@pytest.fixture
def forked(qtbot: QtBot, controller: Controller) -> Controller:
    """One, its answer, and below that two versions of a question; the second is shown."""
    ask(qtbot, controller, "One")
    ask(qtbot, controller, "Two")
    controller.begin_edit()
    ask(qtbot, controller, "Three")
    return controller


def test_a_message_goes_with_what_follows_and_comes_back(qtbot: QtBot, forked: Controller, data_folder: Path) -> None:
    question = forked.chat.rows[0].id
    forked.archive.delete_message(question)
    at_rest(qtbot, forked)
    assert texts(forked) == []
    notice = forked.notices.now
    assert notice.text.replace("\u00a0", " ") == (
        "6 messages in 2 branches were deleted. They stay in the trash for 30 days."
    )
    assert (notice.label, forked.library_state.now.undo, notice.is_good) == ("Undo", "Delete", True)
    assert shown(data_folder) == []
    forked.notices.press()
    at_rest(qtbot, forked)
    assert texts(forked) == ["One", "You said: One", "Three", "You said: Three"]
    assert forked.chat.rows[2].versions == 2
    assert (forked.notices.now.text, forked.library_state.now.redo) == ("", "Delete")
    forked.act("redo")
    at_rest(qtbot, forked)
    assert texts(forked) == []


def test_without_a_message_the_last_question_goes(qtbot: QtBot, forked: Controller) -> None:
    forked.act("delete_message")
    at_rest(qtbot, forked)
    assert texts(forked) == ["One", "You said: One", "Two", "You said: Two"]
    assert forked.chat.rows[2].versions == 1


def test_the_other_branches_go_and_come_back(qtbot: QtBot, forked: Controller, data_folder: Path) -> None:
    assert "prune" in enabled(forked.state.now)
    forked.act("prune")
    at_rest(qtbot, forked)
    assert shown(data_folder) == ["One", "You said: One", "Three", "You said: Three"]
    assert "prune" not in enabled(forked.state.now)
    assert forked.library_state.now.undo == "Delete Other Branches"
    forked.act("undo")
    at_rest(qtbot, forked)
    assert forked.chat.rows[2].versions == 2
    assert texts(forked)[2] == "Three"


def test_a_question_is_taken_back_with_its_answer(qtbot: QtBot, forked: Controller) -> None:
    assert forked.library_state.now.undo == "Message"
    forked.act("undo")
    at_rest(qtbot, forked)
    assert texts(forked) == ["One", "You said: One", "Two", "You said: Two"]
    assert forked.chat.rows[2].versions == 1
    forked.act("redo")
    at_rest(qtbot, forked)
    assert texts(forked) == ["One", "You said: One", "Three", "You said: Three"]


def test_another_answer_is_a_step_of_its_own(qtbot: QtBot, controller: Controller, script: Script) -> None:
    ask(qtbot, controller, "One")
    script.answers["One"] = "Again"
    controller.regenerate()
    qtbot.waitUntil(lambda: texts(controller) == ["One", "Again"])
    ended(qtbot, controller, 2)
    controller.act("undo")
    at_rest(qtbot, controller)
    assert texts(controller) == ["One", "You said: One"]
    controller.act("redo")
    at_rest(qtbot, controller)
    assert texts(controller) == ["One", "Again"]


def test_undo_of_the_first_message_takes_its_conversation(qtbot: QtBot, controller: Controller) -> None:
    ask(qtbot, controller, "One")
    assert controller.library_state.now.undo == "New Conversation"
    controller.act("undo")
    at_rest(qtbot, controller)
    assert (texts(controller), titles(controller)) == ([], ["Welcome to Espalier"])
    controller.act("redo")
    qtbot.waitUntil(lambda: texts(controller) == ["One", "You said: One"])
    assert titles(controller) == ["One"]


def test_a_deleted_conversation_makes_room_for_the_one_beside_it(
    qtbot: QtBot, controller: Controller, make_controller: Callable[[], Controller]
) -> None:
    for text in ("One", "Two", "Three"):
        controller.new_conversation()
        ask(qtbot, controller, text)
    middle = controller.conversations.rows[1].id
    controller.open_conversation(middle)
    controller.act("delete_conversation")
    qtbot.waitUntil(lambda: texts(controller) == ["One", "You said: One"])
    assert titles(controller) == ["Three", "One"]
    assert controller.notices.now.text == "“Two” was deleted. It stays in the trash for 30 days."
    controller.open_conversation(controller.conversations.rows[0].id)
    controller.act("undo")
    qtbot.waitUntil(lambda: texts(controller) == ["Two", "You said: Two"])
    assert sorted(titles(controller)) == ["One", "Three", "Two"]


def test_what_is_being_written_is_not_taken_away(
    qtbot: QtBot, controller: Controller, script: Script, data_folder: Path
) -> None:
    ask(qtbot, controller, "One")
    script.answers["Long?"], script.hold = LONG, 30
    controller.send("Long?")
    wait_for_text(qtbot, controller)
    for verb in ("undo", "delete_message", "delete_conversation"):
        controller.notices.dismiss()
        controller.act(verb)
        at_rest(qtbot, controller)
        assert controller.notices.now.text.startswith("An answer is being written."), verb
        assert not controller.notices.now.is_good
    assert texts(controller)[:3] == ["One", "You said: One", "Long?"]
    assert controller.library_state.now.undo == "Message"
    script.go.set()
    ended(qtbot, controller, 4)
    assert texts(controller)[-1] == LONG
    controller.act("undo")
    at_rest(qtbot, controller)
    assert texts(controller) == ["One", "You said: One"]


def test_undo_right_after_send_is_refused_and_nothing_is_lost(
    qtbot: QtBot, controller: Controller, script: Script, data_folder: Path
) -> None:
    ready(qtbot, controller)
    controller.send("One")
    controller.act("undo")
    at_rest(qtbot, controller)
    ended(qtbot, controller, 2)
    assert texts(controller) == ["One", "You said: One"]
    assert shown(data_folder) == ["One", "You said: One"]
    assert sum(isinstance(command, Generate) for command in script.commands) == 1


def test_elsewhere_things_are_deleted_while_an_answer_is_written(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    ask(qtbot, controller, "Other")
    controller.new_conversation()
    script.answers["Long?"], script.hold = LONG, 10
    controller.send("Long?")
    wait_for_text(qtbot, controller)
    other = controller.conversations.rows[1].id
    controller.archive.edits.delete_conversation(other)
    at_rest(qtbot, controller)
    assert titles(controller) == ["Long?"]
    assert controller.chat.rows[-1].is_streaming
    script.go.set()
    ended(qtbot, controller, 2)
    assert texts(controller) == ["Long?", LONG]


def test_a_branch_is_deleted_beside_the_answer_that_is_written(
    qtbot: QtBot, forked: Controller, script: Script
) -> None:
    """The tree that comes back from the database is without the last words; they are not lost on the way."""
    script.answers["Long?"], script.hold = LONG, 10
    other = forked.tree.siblings(forked.chat.rows[2].id)[0].id
    forked.send("Long?")
    wait_for_text(qtbot, forked)
    forked.archive.delete_message(other)
    at_rest(qtbot, forked)
    assert forked.chat.rows[2].versions == 1
    assert forked.chat.rows[-1].is_streaming
    script.go.set()
    ended(qtbot, forked, 6)
    assert texts(forked)[-2:] == ["Long?", LONG]


def test_words_sent_while_something_is_deleted_follow_what_is_left(qtbot: QtBot, forked: Controller) -> None:
    """They wait for the change and are not said below what is gone."""
    forked.archive.delete_message(forked.chat.rows[2].id)
    forked.send("Four")
    qtbot.waitUntil(lambda: texts(forked)[-1:] == ["You said: Four"])
    ended(qtbot, forked, 6)
    assert texts(forked) == ["One", "You said: One", "Two", "You said: Two", "Four", "You said: Four"]


def test_the_banners_undo_is_for_what_it_says_only(qtbot: QtBot, forked: Controller) -> None:
    forked.archive.delete_message(forked.chat.rows[2].id)
    at_rest(qtbot, forked)
    assert forked.notices.now.label == "Undo"
    ask(qtbot, forked, "Four")
    assert forked.notices.now.label == ""
    forked.notices.press()
    at_rest(qtbot, forked)
    assert texts(forked)[-2:] == ["Four", "You said: Four"]


def test_what_is_deleted_twice_is_deleted_once(qtbot: QtBot, forked: Controller) -> None:
    question = forked.chat.rows[2].id
    forked.archive.delete_message(question)
    forked.archive.delete_message(question)
    at_rest(qtbot, forked)
    forked.act("undo")
    at_rest(qtbot, forked)
    assert texts(forked)[2] == "Three"


def test_a_restart_finds_what_was_deleted_gone(
    qtbot: QtBot, forked: Controller, make_controller: Callable[[], Controller]
) -> None:
    forked.act("delete_message")
    at_rest(qtbot, forked)
    again = make_controller()
    qtbot.waitUntil(lambda: bool(again.chat.rows))
    assert texts(again) == ["One", "You said: One", "Two", "You said: Two"]
    assert again.library_state.now.undo == ""


def test_what_time_has_emptied_takes_its_cached_state_along(
    qtbot: QtBot,
    forked: Controller,
    make_controller: Callable[[], Controller],
    script: Script,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gone = EraseOwner(forked.tree.conversation_id)
    forked.act("delete_message")
    at_rest(qtbot, forked)
    assert gone not in script.commands
    monkeypatch.setattr(store, "THIRTY_DAYS", -60.0)
    make_controller()
    qtbot.waitUntil(lambda: gone in script.commands)


def test_what_is_deleted_before_its_answer_is_saved_is_deleted_after(
    qtbot: QtBot, controller: Controller, script: Script, data_folder: Path
) -> None:
    """Nothing is being written any more for the person, though the database has not heard of the end."""
    ready(qtbot, controller)
    script.hold, is_slow = 1, threading.Event()
    controller.send("One")
    wait_for_text(qtbot, controller)
    controller._parts.store.do(lambda _store: is_slow.wait(5))
    script.go.set()
    qtbot.waitUntil(lambda: not controller.chat.rows[-1].is_streaming)
    controller.act("delete_message")
    assert controller._questions.unsaved
    is_slow.set()
    qtbot.waitUntil(lambda: texts(controller) == [])
    assert controller.notices.now.label == "Undo"
    at_rest(qtbot, controller)
    assert shown(data_folder) == []


@pytest.mark.parametrize("is_asked", [False, True])
def test_closing_ends_a_search(qtbot: QtBot, make_controller: Callable[[], Controller], is_asked: bool) -> None:
    controller = make_controller()
    ready(qtbot, controller)
    search = controller.archive.search
    search.look_for("pears")
    if is_asked:
        search.ask()
    controller.close()
    search.renew()
    search.ask()
    assert not search._timer.isActive()
    assert not search.rows.rows
