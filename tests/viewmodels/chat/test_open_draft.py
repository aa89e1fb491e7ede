"""What stands in the composer: a hint is of the words that are there, and a row may be of a message that is gone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
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
