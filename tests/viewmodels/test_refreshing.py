"""What one question costs beside its answer: reads of the database, and how often the window is told."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.conversation_store import ConversationStore
from app.conversation.folder_store import FolderStore
from app.viewmodels.app import App
from app.viewmodels.app_state import AppState
from app.viewmodels.kit.live_state import LiveState
from tests.fakes.engine import Script
from tests.seeds import chosen
from tests.viewmodels.test_app import ask, ready
from tests.viewmodels.test_app_stress import Restless


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
    regions: dict[str, LiveState[Any]] = {
        "chat": app.chat.state,
        "library": app.library.state,
        "app": app.state,
    }
    for name, state in regions.items():
        state.tell()
        state.changed.connect(lambda name=name: told.update([name]))
    app.chat.requests.send("How are you?")
    app.chat.open_draft.write("and then")
    assert not told
    for state in regions.values():
        state.tell()
    assert max(told.values()) == 1


def as_computed(app: App) -> AppState:
    """Return the state of the window made anew from all that it is made from."""
    return AppState(
        app.chat._state(),
        app.library._state(),
        app.cache._state(),
        app.model._state(),
        app.hub._state(),
        app.settings.values,
        edges=app.edges._state(),
        token_line=app.tokens._state().line,
        can_show_tokens=app.tokens.can_open(),
        has_answer=app.tokens.has_answer,
        is_answer_written=app.tokens.is_written(),
        api=app.workspace.api._state(),
    )


def library_verbs(app: App) -> list[Callable[[], object]]:
    library, open_id = app.library, app.library.open_id
    verbs: list[Callable[[], object]] = [library.edits.undo, library.edits.redo, library.create_folder]
    verbs += [lambda: library.edits.mark(open_id), lambda: library.edits.delete_conversation(open_id)]
    verbs += [lambda: library.edits.prune(open_id), app.chat.open_branch.delete_message]
    return [
        *verbs,
        lambda: app.settings.toggle("keeps_every_fork"),
        lambda: app.edges.pin(app.chat.open_branch.path, True),
    ]


def test_no_state_is_older_than_what_it_is_made_from(qtbot: QtBot, make_app: Callable[[], App], script: Script) -> None:
    """Whatever is done and whatever comes back: every state is read as it would be if it were made anew."""
    script.broken.add("/models/gone")
    for seed in chosen(range(6)):
        dice = random.Random(seed)
        app = make_app()
        restless = Restless(app, script, dice)
        for number in range(60):
            dice.choice([restless.act, restless.act, dice.choice(library_verbs(app))])()
            for moment in ("at once", "later"):
                where = f"seed {seed}, after {number} steps, {moment}"
                shown, made = app.state.now, as_computed(app)
                if app.chat.questions.at_engine:
                    shown, made = shown.without_figures, made.without_figures
                assert shown == made, where
                qtbot.wait(dice.choice([0, 1, 5]))
