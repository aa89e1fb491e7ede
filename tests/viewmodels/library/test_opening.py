"""Which conversation is shown when several are asked for: always the one that was asked for last."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.conversation.message import Conversation, Message, new_id
from app.conversation.records import Document
from app.viewmodels.app import App
from tests import seeds
from tests.viewmodels.chat.test_long_conversations import long_conversation, put
from tests.viewmodels.test_app import ready


def at_rest(qtbot: QtBot, app: App) -> None:
    """Wait until everything that was asked of the database has been answered."""
    qtbot.waitUntil(lambda: not app._store._pending)


def forked() -> Document:
    """One question with two answers; the second is shown."""
    home = Conversation.new("Forked")
    asked = Message(new_id(), home.id, None, "user", "q", 0.0)
    answers = [Message(new_id(), home.id, asked.id, "assistant", text, 1.0, stop="finished") for text in "ab"]
    return Document(home, (asked, *answers), (asked.id, answers[1].id), answers[1].id)


def test_what_is_asked_for_while_the_program_starts_is_shown(
    qtbot: QtBot, make_app: Callable[[], App], data_folder: Path
) -> None:
    first, _last = put(data_folder, long_conversation(4)), put(data_folder, long_conversation(4))
    app = make_app()
    app.library.open(first)
    ready(qtbot, app)
    at_rest(qtbot, app)
    assert app.library.open_id == first


def test_the_last_that_was_asked_for_is_shown_in_any_order(
    qtbot: QtBot, make_app: Callable[[], App], data_folder: Path
) -> None:
    for seed in seeds.chosen(range(12)):
        dice = random.Random(seed)
        documents = [forked() for _ in range(5)]
        for document in documents:
            put(data_folder, document)
        app = make_app()
        if dice.random() < 0.5:
            ready(qtbot, app)
            at_rest(qtbot, app)
        for _ in range(30):
            asked: str | None = None
            message = ""
            for _ in range(dice.randint(1, 4)):
                document = dice.choice(documents)
                kind = dice.choice(("open", "go", "new", "gone"))
                if kind == "open":
                    asked, message = document.conversation.id, ""
                    app.library.open(asked)
                elif kind == "go":
                    asked, message = document.conversation.id, dice.choice(document.messages).id
                    app.library.go_to(asked, message)
                elif kind == "new":
                    app.library.new_conversation()
                    asked, message = app.library.open_id, ""
                else:
                    app.library.library._trees.pop(document.conversation.id, None)  # to be read again
                    if app.library.open_id == document.conversation.id:
                        app.library.library.open(document.conversation.id, lambda: None)
                        app._store.drain()
                if dice.random() < 0.3:
                    qtbot.wait(0)
            at_rest(qtbot, app)
            if asked is not None:
                assert app.library.open_id == asked, seed
                assert not message or app.library.tree.is_on_path(message), seed


def test_the_conversation_beside_a_deleted_one_is_not_shown_to_who_asked_for_another(
    qtbot: QtBot, make_app: Callable[[], App], data_folder: Path
) -> None:
    ids = [put(data_folder, long_conversation(4)) for _ in range(4)]
    app = make_app()
    ready(qtbot, app)
    at_rest(qtbot, app)
    open_id = app.library.open_id
    beside, *_, other = (one for one in reversed(ids) if one != open_id)
    app.library.edits.delete_conversation(open_id)
    app.library.open(other)
    at_rest(qtbot, app)
    qtbot.waitUntil(lambda: not app.library.changes.is_pending)
    assert app.library.open_id == other != beside


def test_a_conversation_that_cannot_be_read_leaves_the_open_one(
    qtbot: QtBot, make_app: Callable[[], App], data_folder: Path
) -> None:
    put(data_folder, long_conversation(4))
    app = make_app()
    ready(qtbot, app)
    at_rest(qtbot, app)
    open_id = app.library.open_id

    app.library.open("nobody")
    at_rest(qtbot, app)
    assert (app.library.open_id, app.library.is_opening) == (open_id, False)
    assert app.notices.now.text
