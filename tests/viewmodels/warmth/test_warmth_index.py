"""The warmth of branches and conversations, looked up by id."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from tests.viewmodels.test_app import ask, ready


def test_the_open_path_is_known_once_it_is_answered(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    index = app.chat.warmth
    assert index.warmth_of_conversation(app.library.open_id) is None
    ask(qtbot, app, "How are you?")

    def is_known() -> bool:
        leaf = app.library.tree.leaf_id
        warmth = index.warmth_of(leaf or "")
        return warmth is not None and warmth == index.warmth_of_conversation(app.library.open_id) and warmth.is_warm

    qtbot.waitUntil(is_known)
    assert index.warmth_of("no such message") is None
    index.forget()
    assert index.warmth_of_conversation(app.library.open_id) is None
