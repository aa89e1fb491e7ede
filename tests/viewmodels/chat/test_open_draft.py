"""What stands in the composer: a hint is of the words that are there, and a row may be of a message that is gone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.viewmodels.chat import chat_text
from tests.viewmodels.test_app import ask, ready

CHANGES: dict[str, Callable[[App, str], object]] = {
    "other words": lambda app, _: app.chat.open_draft.write("Words"),
    "a text": lambda app, _: app.chat.attachments.attach_text("A long text"),
    "a file": lambda app, path: app.chat.attachments.attach_files([path]),
    "another conversation": lambda app, _: app.library.new_conversation(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_hint_stands_until_the_draft_is_another_one(qtbot: QtBot, app: App, tmp_path: Path, change: str) -> None:
    ready(qtbot, app)
    ask(qtbot, app, "Once")
    path = tmp_path / "notes.md"
    path.write_text("# Quinces\n")
    app.chat.open_draft.say("Not now.")
    assert app.chat.state.now.send_price == "Not now."
    CHANGES[change](app, str(path))
    assert app.chat.state.now.send_price != "Not now."
    qtbot.waitUntil(lambda: not app.chat.state.now.attaching)


def test_a_message_that_is_gone_is_not_edited_and_changes_no_words(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    ask(qtbot, app, "Once")
    app.chat.open_draft.write("Words")
    app.chat.open_draft.begin_edit("gone")
    app.chat.open_draft.edit_failed()
    app.chat.open_draft.cancel_edit()
    assert (app.chat.open_draft.now.text, app.chat.open_draft.now.editing) == ("Words", None)


@pytest.mark.parametrize("verb", ["edit_answer", "fork", "branch_here"])
@pytest.mark.parametrize("way", ["return", "escape", "in line", "undo"])
def test_words_of_an_edit_whose_message_is_deleted_are_asked_by_nobody_unseen(
    qtbot: QtBot, app: App, verb: str, way: str
) -> None:
    """They stay, and that they would be a new question is said before they are."""
    ask(qtbot, app, "Pears?")
    ask(qtbot, app, "Plums?")
    tree, draft = app.library.tree, app.chat.open_draft
    edited = tree.path[1 if verb == "branch_here" else -1]
    app.chat.open_draft.write("Put aside")
    if verb == "branch_here":
        draft.begin_after(edited.id)
    else:
        app.act(verb)
    draft.write("My own words")
    gone = tree.path[0] if verb == "branch_here" else tree.path[-1 if verb == "edit_answer" else -2]
    if way == "in line" and verb != "edit_answer":
        app.library.edits.rename(app.library.open_id, "Fruit")
        app.chat.requests.send("My own words")
        assert draft.now.is_sent
    app.library.edits.delete_message(app.library.open_id, gone.id)
    qtbot.waitUntil(lambda: gone.id not in tree and not app.library.changes.is_pending)
    assert app.chat.state.now.send_price == chat_text.EDITED_GONE
    assert draft.now.text == "My own words"
    if way == "undo":
        app.act("undo")
        qtbot.waitUntil(lambda: app.chat.state.now.editing is not None)
        assert draft.now.text == "My own words"
        return
    asked = len(tree)
    act = draft.cancel_edit if way == "escape" else lambda: app.chat.requests.send("My own words")
    act()
    assert (len(tree), draft.now.text) == (asked, "My own words\nPut aside")
    assert app.chat.state.now.send_price == chat_text.NOW_A_QUESTION
    assert not app.chat.state.now.is_editing
    app.chat.requests.send(draft.now.text)
    qtbot.waitUntil(lambda: len(tree) == asked + 2)
