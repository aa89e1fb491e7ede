"""Anything in any order, without waiting: what the window shows at rest is what the database holds."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.conversation.store import Store
from app.conversation.tree import MessageTree
from app.viewmodels.app import App
from tests.fakes.engine import Script
from tests.seeds import chosen
from tests.viewmodels.test_app import ready

STEPS = 120


def shape(tree: MessageTree, parent: str | None = None) -> list[object]:
    """Texts of a tree, nested."""
    return [(message.text, message.stop, shape(tree, message.id)) for message in tree.children(parent)]


def path_of(tree: MessageTree) -> list[str]:
    """Texts of the path that a person is on."""
    return [message.text for message in tree.path]


class Person:
    """Presses whatever there is to press."""

    def __init__(self, app: App, dice: random.Random) -> None:
        self.app = app
        self.dice = dice
        self.said = 0
        self.seen: list[str] = []

    def act(self) -> None:
        """One thing, chosen by the dice; how often stands beside it."""
        choices: list[tuple[float, Callable[[], None]]] = [
            (6, self._say),
            (3, self._fork),
            (3, self.app.chat.requests.regenerate),
            (3, self._delete),
            (6, lambda: self.app.act("undo")),
            (4, lambda: self.app.act("redo")),
            (1, lambda: self.app.notices.press()),
            (1, lambda: self.app.library.edits.prune(self.app.library.open_id)),
            (1, lambda: self.app.act("delete_conversation")),
            (2, lambda: self.app.chat.open_branch.select_version(None, self.dice.choice((-1, 1)))),
            (2, self._open),
            (1, self.app.library.new_conversation),
            (1, self.app.chat.requests.stop),
            (1, lambda: self.app.act("favourite")),
            (1, lambda: self.app.act("new_folder")),
            (1, lambda: self.app.library.edits.rename(self.app.library.open_id, f"Title {self.said}")),
            (1, self._restore),
            (0.3, self.app.library.trash_list.empty),
            (1, self._find),
        ]
        weights, acts = zip(*choices, strict=True)
        (chosen,) = self.dice.choices(acts, weights)
        chosen()

    def _say(self) -> None:
        self.said += 1
        self.app.chat.requests.send(f"question {self.said}")

    def _fork(self) -> None:
        questions = [row for row in self.app.chat.chat_model.rows if row.role == "user"]
        if questions:
            self.app.chat.open_draft.begin_edit(self.dice.choice(questions).id)
            self._say()

    def _delete(self) -> None:
        rows = self.app.chat.chat_model.rows
        if rows:
            self.app.chat.open_branch.delete_message(self.dice.choice(rows).id)

    def _open(self) -> None:
        """A row, or one that has been deleted since it was looked at."""
        if self.dice.random() < 0.1 and self.seen:
            self.app.library.open(self.dice.choice(self.seen))
            return
        self.seen.append(self.app.library.open_id)
        rows = [row for row in self.app.library.conversation_model.rows if not row.is_folder]
        self.app.library.open(self.dice.choice(rows).id)

    def _restore(self) -> None:
        trash = self.app.library.trash_list
        trash.read()
        if trash.rows.rows:
            trash.restore(self.dice.choice(trash.rows.rows).id)

    def _find(self) -> None:
        search = self.app.library.search
        search.look_for(f"question {self.dice.randint(0, 9)}")
        search.ask()
        found = [row for row in search.rows.rows if row.id]
        if found:
            row = self.dice.choice(found)
            self.app.library.go_to(row.conversation_id, row.id)


def at_rest(app: App) -> bool:
    return not list(app.chat.questions) and not app.library.changes.is_pending and not app.chat.drafts.sent


@pytest.mark.parametrize("seed", chosen(range(8)))
def test_what_is_shown_is_what_is_stored(qtbot: QtBot, app: App, script: Script, seed: int) -> None:
    ready(qtbot, app)
    dice = random.Random(seed)
    person = Person(app, dice)
    for _ in range(STEPS):
        person.act()
        for _ in range(dice.choice((0, 0, 1, 3, 10))):
            QApplication.processEvents()
        if dice.random() < 0.2:
            qtbot.wait(dice.choice((1, 5, 20)))
    app.chat.drafts.hold(app.library.open_id)
    qtbot.waitUntil(lambda: at_rest(app), timeout=20_000)
    app._store.drain()
    QApplication.processEvents()

    def read(store: Store) -> dict[str, tuple[list[str], list[object]]]:
        trees = [store.messages.load(one.id) for one in store.conversations.all()]
        return {tree.conversation_id: (path_of(tree), shape(tree)) for tree in trees}

    stored: list[dict[str, tuple[list[str], list[object]]]] = []
    app._store.do(read, stored.append)
    app._store.drain()
    library = app.library.library
    listed = {one.id for one in library.conversations if library.is_stored(one.id)}
    assert listed == set(stored[0])
    for conversation_id, held in library._trees.items():
        assert (path_of(held), shape(held)) == stored[0].get(conversation_id, ([], [])), conversation_id
    assert [row.text for row in app.chat.chat_model.rows] == [message.text for message in app.library.tree.path]
