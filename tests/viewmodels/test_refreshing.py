"""What one question costs beside its answer: reads of the database, and how often the window is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.conversation_store import ConversationStore
from app.conversation.folder_store import FolderStore
from app.viewmodels.app import App
from app.viewmodels.kit.live_state import LiveState
from tests.viewmodels.test_app import ask, ready


def counted(monkeypatch: pytest.MonkeyPatch, owner: type, name: str, times: Counter[str]) -> None:
    original: Callable[..., object] = getattr(owner, name)

    def count(self: object, *arguments: object) -> object:
        times[f"{owner.__name__}.{name}"] += 1
        return original(self, *arguments)

    monkeypatch.setattr(owner, name, count)


def test_a_question_and_its_answer_read_one_row_of_the_list(
    qtbot: QtBot, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(qtbot, app, "An older conversation")
    app.library.new_conversation()
    ask(qtbot, app, "First")
    reads: Counter[str] = Counter()
    for owner, name in ((ConversationStore, "all"), (ConversationStore, "get"), (FolderStore, "all")):
        counted(monkeypatch, owner, name, reads)
    ask(qtbot, app, "Second")
    app._store.drain()
    assert reads == {"ConversationStore.get": 1}


def test_the_list_is_that_of_the_database_without_reading_it(qtbot: QtBot, app: App) -> None:
    """Whoever is used last stands first, also where an answer ends after another conversation was begun."""
    ask(qtbot, app, "One")
    first = app.library.open_id
    app.library.new_conversation()
    ask(qtbot, app, "Two")
    app.library.open(first)
    ask(qtbot, app, "One again")
    shown = app.library.library.conversations
    app.library.library.read_list()
    app._store.drain()
    assert [(one.id, one.title) for one in shown] == [(one.id, one.title) for one in app.library.library.conversations]
    assert [one.updated_at for one in shown] == [one.updated_at for one in app.library.library.conversations]


def test_one_return_tells_each_view_at_most_once_a_turn(qtbot: QtBot, app: App) -> None:
    ready(qtbot, app)
    told: Counter[str] = Counter()
    regions: dict[str, LiveState[object]] = {
        "chat": app.chat.state,  # type: ignore[dict-item]
        "library": app.library.state,  # type: ignore[dict-item]
        "app": app.state,  # type: ignore[dict-item]
    }
    for name, state in regions.items():
        state.tell()
        state.changed.connect(lambda name=name: told.update([name]))
    app.chat.send("How are you?")
    app.chat.composer_changed("and then")
    assert not told
    for state in regions.values():
        state.tell()
    assert max(told.values()) == 1
