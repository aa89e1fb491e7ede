"""Names and stars that an answer gets while it is written stand in the window and in the database."""

from __future__ import annotations

import random
from pathlib import Path
from typing import cast

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.store import Store
from app.viewmodels.app import App
from app.viewmodels.library.edits import MARKED_LATER
from tests.fakes.engine import Script
from tests.seeds import chosen
from tests.viewmodels.test_app import ask

Marks = tuple[str | None, bool]


@pytest.fixture
def written(qtbot: QtBot, app: App, script: Script) -> str:
    """Id of a second answer to a question, of which nothing is there yet."""
    ask(qtbot, app, "hello there you all")
    script.hold = 0
    app.chat.requests.regenerate()
    qtbot.waitUntil(lambda: bool(app.chat.questions.at_engine) and app.library.tree.path[-1].stop is None)
    return app.library.tree.path[-1].id


def marks(app: App, message_id: str) -> Marks:
    """The marks of a message as the window has them."""
    message = app.library.tree.message(message_id)
    return message.name, message.is_favourite


def stored(data_folder: Path, app: App, message_id: str) -> Marks:
    """The marks of a message in the database."""
    store = Store(data_folder / "conversations.db")
    found = {message.id: (message.name, message.is_favourite) for message in store.messages.of(app.library.open_id)}
    store.close()
    return found[message_id]


def go_on(qtbot: QtBot, app: App, script: Script) -> None:
    """Let what is being written come to its end."""
    script.hold = None
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    qtbot.waitUntil(lambda: not app.library.changes.is_pending)


def test_an_answer_without_a_word_is_marked_with_its_first_one(
    qtbot: QtBot, app: App, script: Script, data_folder: Path, written: str
) -> None:
    app.library.edits.name_branch(written, "cheaper")
    app.library.edits.mark_branch(written, True)
    assert app.notices.now.text == MARKED_LATER
    go_on(qtbot, app, script)
    qtbot.waitUntil(lambda: marks(app, written) == ("cheaper", True))
    assert [branch.name for branch in app.library.library.branches] == ["cheaper"]
    app.close()
    assert stored(data_folder, app, written) == ("cheaper", True)


def test_the_marks_of_an_answer_that_says_nothing_go_with_it(
    qtbot: QtBot, app: App, script: Script, written: str
) -> None:
    app.library.edits.name_branch(written, "cheaper")
    app.chat.requests.stop()
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    assert written not in app.library.tree
    assert not app.chat.answer_saver._when_stored
    assert "not there" not in app.notices.now.text


@pytest.mark.parametrize("seed", chosen(range(12)))
def test_marks_given_at_any_moment_stay(
    qtbot: QtBot, app: App, script: Script, data_folder: Path, written: str, seed: int
) -> None:
    """While it is read, at its first word, between two saves, at its end, and when it goes on."""
    dice, wanted = random.Random(seed), cast(Marks, (None, False))
    assert script.hold is not None
    for number in range(dice.randint(2, 4)):
        script.hold = min(3, script.hold + dice.choice((0, 0, 1, 2)))
        qtbot.wait(dice.choice((0, 5, 40, 200)))
        if dice.random() < 0.5:
            wanted = (f"name {number}", wanted[1])
            app.library.edits.name_branch(written, f"name {number}")
        else:
            wanted = (wanted[0], not wanted[1])
            app.library.edits.mark_branch(written, wanted[1])
        if dice.random() < 0.5:
            app.chat.answer_saver._save_all()
        if app.chat.questions.can_end_path(written):
            qtbot.waitUntil(lambda wanted=wanted: marks(app, written) == wanted)
    go_on(qtbot, app, script)
    qtbot.waitUntil(lambda: marks(app, written) == wanted)
    app.close()
    assert stored(data_folder, app, written) == wanted
