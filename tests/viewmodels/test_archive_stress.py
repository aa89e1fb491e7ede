"""Anything in any order, without waiting: what the window shows at rest is what the database holds."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.conversation.store import Store
from app.conversation.tree import MessageTree
from app.viewmodels.controller import Controller
from tests.fakes.engine import Script
from tests.viewmodels.test_controller import ready

STEPS = 120


def shape(tree: MessageTree, parent: str | None = None) -> list[object]:
    """Texts of a tree, nested."""
    return [(message.text, message.stop, shape(tree, message.id)) for message in tree.children(parent)]


def path_of(tree: MessageTree) -> list[str]:
    """Texts of the path that a person is on."""
    return [message.text for message in tree.path]


class Person:
    """Presses whatever there is to press."""

    def __init__(self, controller: Controller, dice: random.Random) -> None:
        self.controller = controller
        self.dice = dice
        self.said = 0
        self.seen: list[str] = []

    def act(self) -> None:
        """One thing, chosen by the dice; how often stands beside it."""
        choices: list[tuple[float, Callable[[], None]]] = [
            (6, self._say),
            (3, self._fork),
            (3, self.controller.regenerate),
            (3, self._delete),
            (6, lambda: self.controller.act("undo")),
            (4, lambda: self.controller.act("redo")),
            (1, lambda: self.controller.notices.press()),
            (1, lambda: self.controller.act("prune")),
            (1, lambda: self.controller.act("delete_conversation")),
            (2, lambda: self.controller.select_version(None, self.dice.choice((-1, 1)))),
            (2, self._open),
            (1, self.controller.new_conversation),
            (1, self.controller.stop),
            (1, lambda: self.controller.act("favourite")),
            (1, lambda: self.controller.act("new_folder")),
            (1, lambda: self.controller.archive.edits.rename(self.controller.archive.open_id, f"Title {self.said}")),
            (1, self._restore),
            (0.3, self.controller.archive.trash.empty),
            (1, self._find),
        ]
        weights, acts = zip(*choices, strict=True)
        (chosen,) = self.dice.choices(acts, weights)
        chosen()

    def _say(self) -> None:
        self.said += 1
        self.controller.send(f"question {self.said}")

    def _fork(self) -> None:
        questions = [row for row in self.controller.chat.rows if row.role == "user"]
        if questions:
            self.controller.begin_edit(self.dice.choice(questions).id)
            self._say()

    def _delete(self) -> None:
        rows = self.controller.chat.rows
        if rows:
            self.controller.archive.delete_message(self.dice.choice(rows).id)

    def _open(self) -> None:
        """A row, or one that has been deleted since it was looked at."""
        if self.dice.random() < 0.1 and self.seen:
            self.controller.open_conversation(self.dice.choice(self.seen))
            return
        self.seen.append(self.controller.archive.open_id)
        rows = [row for row in self.controller.conversations.rows if not row.is_folder]
        self.controller.open_conversation(self.dice.choice(rows).id)

    def _restore(self) -> None:
        trash = self.controller.archive.trash
        trash.read()
        if trash.rows.rows:
            trash.restore(self.dice.choice(trash.rows.rows).id)

    def _find(self) -> None:
        search = self.controller.archive.search
        search.look_for(f"question {self.dice.randint(0, 9)}")
        search.ask()
        found = [row for row in search.rows.rows if row.id]
        if found:
            row = self.dice.choice(found)
            self.controller.archive.go_to(row.conversation_id, row.id)


def at_rest(controller: Controller) -> bool:
    return not list(controller._questions) and not controller._parts.changes.is_pending and not controller._drafts.sent


@pytest.mark.parametrize("seed", range(8))
def test_what_is_shown_is_what_is_stored(qtbot: QtBot, controller: Controller, script: Script, seed: int) -> None:
    ready(qtbot, controller)
    dice = random.Random(seed)
    person = Person(controller, dice)
    for _ in range(STEPS):
        person.act()
        for _ in range(dice.choice((0, 0, 1, 3, 10))):
            QApplication.processEvents()
        if dice.random() < 0.2:
            qtbot.wait(dice.choice((1, 5, 20)))
    controller._drafts.hold(controller.archive.open_id)
    qtbot.waitUntil(lambda: at_rest(controller), timeout=20_000)
    controller._parts.store.drain()
    QApplication.processEvents()

    def read(store: Store) -> dict[str, tuple[list[str], list[object]]]:
        trees = [store.messages.load(one.id) for one in store.conversations.all()]
        return {tree.conversation_id: (path_of(tree), shape(tree)) for tree in trees}

    stored: list[dict[str, tuple[list[str], list[object]]]] = []
    controller._parts.store.do(read, stored.append)
    controller._parts.store.drain()
    library = controller._library
    listed = {one.id for one in library.conversations if library.is_stored(one.id)}
    assert listed == set(stored[0])
    for conversation_id, held in library._trees.items():
        assert (path_of(held), shape(held)) == stored[0].get(conversation_id, ([], [])), conversation_id
    assert [row.text for row in controller.chat.rows] == [message.text for message in controller.tree.path]
