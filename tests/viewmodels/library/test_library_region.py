"""Deleting, undo and redo, through the app, a scripted engine and a real database."""

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
from app.viewmodels.app import App
from app.viewmodels.library.deletion import Deletion
from tests.fakes.engine import Script
from tests.viewmodels.test_app import LONG, ask, ended, ready, texts, wait_for_text


def at_rest(qtbot: QtBot, app: App) -> None:
    """Wait until nothing of what is stored is being changed."""
    qtbot.waitUntil(lambda: not app.library.changes.is_pending)
    app._store.drain()


def titles(app: App) -> list[str]:
    return [row.title for row in app.library.conversation_model.rows]


def shown(data_folder: Path) -> list[str]:
    """The texts of all messages that a reader of the database would see."""
    store = Store(data_folder / "conversations.db")
    found = [message.text for one in store.conversations.all() for message in store.messages.of(one.id)]
    store.close()
    return found


@pytest.fixture
def forked(qtbot: QtBot, app: App) -> App:
    """One, its answer, and below that two versions of a question; the second is shown."""
    ask(qtbot, app, "One")
    ask(qtbot, app, "Two")
    app.chat.open_draft.begin_edit()
    ask(qtbot, app, "Three")
    return app


def test_a_message_goes_with_what_follows_and_comes_back(qtbot: QtBot, forked: App, data_folder: Path) -> None:
    question = forked.chat.chat_model.rows[0].id
    forked.library.edits.delete_message(forked.library.open_id, question)
    at_rest(qtbot, forked)
    assert texts(forked) == []
    notice = forked.notices.now
    assert notice.text.replace("\u00a0", " ") == (
        "6 messages in 2 branches were deleted. They stay in the trash for 30 days."
    )
    assert (notice.label, forked.library.state.now.undo, notice.is_good) == ("Undo", "Delete", True)
    assert shown(data_folder) == []
    forked.notices.press()
    at_rest(qtbot, forked)
    assert texts(forked) == ["One", "You said: One", "Three", "You said: Three"]
    assert forked.chat.chat_model.rows[2].versions == 2
    assert (forked.notices.now.text, forked.library.state.now.redo) == ("", "Delete")
    forked.act("redo")
    at_rest(qtbot, forked)
    assert texts(forked) == []


def test_without_a_message_the_last_question_goes(qtbot: QtBot, forked: App) -> None:
    forked.act("delete_message")
    at_rest(qtbot, forked)
    assert texts(forked) == ["One", "You said: One", "Two", "You said: Two"]
    assert forked.chat.chat_model.rows[2].versions == 1


def test_the_other_branches_go_and_come_back(qtbot: QtBot, forked: App, data_folder: Path) -> None:
    assert "prune" in enabled(forked.state.now)
    asked: list[Deletion] = []
    forked.library.edits.deletionAsked.connect(asked.append)
    forked.act("prune")
    at_rest(qtbot, forked)
    assert [one.sentence for one in asked] == ["2\u00a0messages, none of them visible"]
    assert len(shown(data_folder)) == 6
    forked.library.edits.delete(asked[0])
    at_rest(qtbot, forked)
    assert shown(data_folder) == ["One", "You said: One", "Three", "You said: Three"]
    assert "prune" not in enabled(forked.state.now)
    assert forked.library.state.now.undo == "Delete Other Branches"
    forked.act("undo")
    at_rest(qtbot, forked)
    assert forked.chat.chat_model.rows[2].versions == 2
    assert texts(forked)[2] == "Three"


def test_the_branch_that_is_shown_stays_also_where_the_disk_has_not_heard_of_it(qtbot: QtBot, forked: App) -> None:
    at_rest(qtbot, forked)
    answers_again = threading.Event()
    forked.workspace.store.do(lambda _store: answers_again.wait(20))
    forked.library.edits.rename(forked.library.open_id, "Fruit")
    before = texts(forked)
    forked.chat.open_branch.select_version(None, -1)
    shown = texts(forked)
    assert shown != before
    forked.library.edits.prune(forked.library.open_id)
    answers_again.set()
    at_rest(qtbot, forked)
    assert texts(forked) == shown
    assert len(forked.library.tree) == len(shown)


def test_a_question_is_taken_back_with_its_answer(qtbot: QtBot, forked: App) -> None:
    assert forked.library.state.now.undo == "Message"
    forked.act("undo")
    at_rest(qtbot, forked)
    assert texts(forked) == ["One", "You said: One", "Two", "You said: Two"]
    assert forked.chat.chat_model.rows[2].versions == 1
    forked.act("redo")
    at_rest(qtbot, forked)
    assert texts(forked) == ["One", "You said: One", "Three", "You said: Three"]


def test_another_answer_is_a_step_of_its_own(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "One")
    script.answers["One"] = "Again"
    app.chat.requests.regenerate()
    qtbot.waitUntil(lambda: texts(app) == ["One", "Again"])
    ended(qtbot, app, 2)
    app.act("undo")
    at_rest(qtbot, app)
    assert texts(app) == ["One", "You said: One"]
    app.act("redo")
    at_rest(qtbot, app)
    assert texts(app) == ["One", "Again"]


def test_undo_of_the_first_message_takes_its_conversation(qtbot: QtBot, app: App) -> None:
    ask(qtbot, app, "One")
    assert app.library.state.now.undo == "New Conversation"
    app.act("undo")
    at_rest(qtbot, app)
    assert (texts(app), titles(app)) == ([], ["Welcome to Espalier"])
    app.act("redo")
    qtbot.waitUntil(lambda: texts(app) == ["One", "You said: One"])
    assert titles(app) == ["One"]


def test_a_deleted_conversation_makes_room_for_the_one_beside_it(
    qtbot: QtBot, app: App, make_app: Callable[[], App]
) -> None:
    for text in ("One", "Two", "Three"):
        app.library.new_conversation()
        ask(qtbot, app, text)
    middle = app.library.conversation_model.rows[1].id
    app.library.open(middle)
    app.act("delete_conversation")
    qtbot.waitUntil(lambda: texts(app) == ["One", "You said: One"])
    assert titles(app) == ["Three", "One"]
    assert app.notices.now.text == "“Two” was deleted. It stays in the trash for 30 days."
    app.library.open(app.library.conversation_model.rows[0].id)
    app.act("undo")
    qtbot.waitUntil(lambda: texts(app) == ["Two", "You said: Two"])
    assert sorted(titles(app)) == ["One", "Three", "Two"]


def test_what_is_being_written_is_not_taken_away(qtbot: QtBot, app: App, script: Script, data_folder: Path) -> None:
    ask(qtbot, app, "One")
    script.answers["Long?"], script.hold = LONG, 30
    app.chat.requests.send("Long?")
    wait_for_text(qtbot, app)
    for verb in ("undo", "delete_message", "delete_conversation"):
        app.notices.dismiss()
        app.act(verb)
        at_rest(qtbot, app)
        assert app.notices.now.text.startswith("An answer is being written."), verb
        assert not app.notices.now.is_good
    assert texts(app)[:3] == ["One", "You said: One", "Long?"]
    assert app.library.state.now.undo == "Message"
    script.go.set()
    ended(qtbot, app, 4)
    assert texts(app)[-1] == LONG
    app.act("undo")
    at_rest(qtbot, app)
    assert texts(app) == ["One", "You said: One"]


def test_undo_right_after_send_is_refused_and_nothing_is_lost(
    qtbot: QtBot, app: App, script: Script, data_folder: Path
) -> None:
    ready(qtbot, app)
    app.chat.requests.send("One")
    app.act("undo")
    at_rest(qtbot, app)
    ended(qtbot, app, 2)
    assert texts(app) == ["One", "You said: One"]
    assert shown(data_folder) == ["One", "You said: One"]
    assert sum(isinstance(command, Generate) for command in script.commands) == 1


def test_elsewhere_things_are_deleted_while_an_answer_is_written(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "Other")
    app.library.new_conversation()
    script.answers["Long?"], script.hold = LONG, 10
    app.chat.requests.send("Long?")
    wait_for_text(qtbot, app)
    other = app.library.conversation_model.rows[1].id
    app.library.edits.delete_conversation(other)
    at_rest(qtbot, app)
    assert titles(app) == ["Long?"]
    assert app.chat.chat_model.rows[-1].is_streaming
    script.go.set()
    ended(qtbot, app, 2)
    assert texts(app) == ["Long?", LONG]


def test_a_branch_is_deleted_beside_the_answer_that_is_written(qtbot: QtBot, forked: App, script: Script) -> None:
    """The tree that comes back from the database is without the last words; they are not lost on the way."""
    script.answers["Long?"], script.hold = LONG, 10
    other = forked.library.tree.siblings(forked.chat.chat_model.rows[2].id)[0].id
    forked.chat.requests.send("Long?")
    wait_for_text(qtbot, forked)
    forked.library.edits.delete_message(forked.library.open_id, other)
    at_rest(qtbot, forked)
    assert forked.chat.chat_model.rows[2].versions == 1
    assert forked.chat.chat_model.rows[-1].is_streaming
    script.go.set()
    ended(qtbot, forked, 6)
    assert texts(forked)[-2:] == ["Long?", LONG]


def test_words_sent_while_something_is_deleted_follow_what_is_left(qtbot: QtBot, forked: App) -> None:
    """They wait for the change and are not said below what is gone."""
    forked.library.edits.delete_message(forked.library.open_id, forked.chat.chat_model.rows[2].id)
    forked.chat.requests.send("Four")
    qtbot.waitUntil(lambda: texts(forked)[-1:] == ["You said: Four"])
    ended(qtbot, forked, 6)
    assert texts(forked) == ["One", "You said: One", "Two", "You said: Two", "Four", "You said: Four"]


def test_the_banners_undo_is_for_what_it_says_only(qtbot: QtBot, forked: App) -> None:
    forked.library.edits.delete_message(forked.library.open_id, forked.chat.chat_model.rows[2].id)
    at_rest(qtbot, forked)
    assert forked.notices.now.label == "Undo"
    ask(qtbot, forked, "Four")
    assert forked.notices.now.label == ""
    forked.notices.press()
    at_rest(qtbot, forked)
    assert texts(forked)[-2:] == ["Four", "You said: Four"]


def test_what_is_deleted_twice_is_deleted_once(qtbot: QtBot, forked: App) -> None:
    question = forked.chat.chat_model.rows[2].id
    forked.library.edits.delete_message(forked.library.open_id, question)
    forked.library.edits.delete_message(forked.library.open_id, question)
    at_rest(qtbot, forked)
    forked.act("undo")
    at_rest(qtbot, forked)
    assert texts(forked)[2] == "Three"


def test_a_restart_finds_what_was_deleted_gone(qtbot: QtBot, forked: App, make_app: Callable[[], App]) -> None:
    forked.act("delete_message")
    at_rest(qtbot, forked)
    again = make_app()
    qtbot.waitUntil(lambda: bool(again.chat.chat_model.rows))
    assert texts(again) == ["One", "You said: One", "Two", "You said: Two"]
    assert again.library.state.now.undo == ""


def test_what_time_has_emptied_takes_its_cached_state_along(
    qtbot: QtBot,
    forked: App,
    make_app: Callable[[], App],
    script: Script,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gone = EraseOwner(forked.library.tree.conversation_id)
    forked.act("delete_message")
    at_rest(qtbot, forked)
    assert gone not in script.commands
    monkeypatch.setattr(store, "THIRTY_DAYS", -60.0)
    make_app()
    qtbot.waitUntil(lambda: gone in script.commands)


def test_what_is_deleted_before_its_answer_is_saved_is_deleted_after(
    qtbot: QtBot, app: App, script: Script, data_folder: Path
) -> None:
    """Nothing is being written any more for the person, though the database has not heard of the end."""
    ready(qtbot, app)
    script.hold, is_slow = 1, threading.Event()
    app.chat.requests.send("One")
    wait_for_text(qtbot, app)
    app._store.do(lambda _store: is_slow.wait(5))
    script.go.set()
    qtbot.waitUntil(lambda: not app.chat.chat_model.rows[-1].is_streaming)
    app.act("delete_message")
    assert app.chat.questions.unsaved
    is_slow.set()
    qtbot.waitUntil(lambda: texts(app) == [])
    assert app.notices.now.label == "Undo"
    at_rest(qtbot, app)
    assert shown(data_folder) == []


@pytest.mark.parametrize("is_asked", [False, True])
def test_closing_ends_a_search(qtbot: QtBot, make_app: Callable[[], App], is_asked: bool) -> None:
    app = make_app()
    ready(qtbot, app)
    search = app.library.search
    search.look_for("pears")
    if is_asked:
        search.ask()
    app.close()
    search.renew()
    search.ask()
    assert not search._timer.isActive()
    assert not search.rows.rows


def test_folded_folders_are_folded_after_a_restart(qtbot: QtBot, make_app: Callable[..., App]) -> None:
    make_app().library.fold("a" * 32, True)
    app = make_app()
    assert app.library.stored.folds.folded == ("a" * 32,)
    app.library.fold("a" * 32, False)
    again = make_app().library.stored.folds
    assert (again.folded, again.unfolded) == ((), ("a" * 32,))
