"""Somebody who does everything at once: whatever the order, no word is lost and the window says what is stored."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from app.conversation.message import Message
from app.conversation.store import Store
from app.protocol.choices import unpack
from app.viewmodels.app import App
from tests.fakes.engine import OTHER, STOP, Script
from tests.seeds import chosen

FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal
ACTIONS = 70


class Restless:
    """Chooses actions by chance and remembers what was said."""

    def __init__(self, app: App, script: Script, rng: random.Random) -> None:
        self.app = app
        self.script = script
        self.rng = rng
        self.count = 0
        self.composer = ""
        app.chat.open_draft.textReplaced.connect(self.set_composer)

    def set_composer(self, text: str) -> None:
        """As the real composer does: its text is told back at once."""
        self.composer = text
        self.app.chat.open_draft.write(text)

    def type_and_send(self) -> None:
        self.count += 1
        self.composer = f"question {self.count} " + "and more " * self.rng.randint(0, 6)
        self.app.chat.open_draft.write(self.composer)
        self.app.chat.requests.send(self.composer)

    def type_on(self) -> None:
        self.composer += " x"
        self.app.chat.open_draft.write(self.composer)

    def edit(self) -> None:
        self.app.chat.open_draft.begin_edit(self.some_message())

    def edit_answer(self) -> None:
        self.app.chat.open_draft.edit_answer(self.some_message())

    def go_on_from(self) -> None:
        """Cut a little of what stands in the composer, and have it go on where it is an answer's."""
        self.composer = self.composer[: self.rng.randint(0, len(self.composer))]
        self.rng.choice([self.app.chat.requests.go_on_from, self.app.chat.requests.send])(self.composer)

    def fork(self) -> None:
        ids = self.rng.choice([[OTHER], [STOP], [STOP, OTHER], [OTHER, 11], [STOP, OTHER, 11]])
        self.app.chat.requests.fork_at(self.some_message() or "", self.rng.randrange(5), ids)

    def write_at(self) -> None:
        self.app.chat.requests.write_at(self.some_message() or "", self.rng.randrange(5), " but")

    def branch_after(self) -> None:
        self.app.chat.open_draft.begin_after(self.some_message())

    def answer_the_end(self) -> None:
        self.app.chat.requests.answer_the_end()

    def again(self) -> None:
        self.app.chat.requests.regenerate(self.some_message())

    def version(self) -> None:
        self.app.chat.open_branch.select_version(self.some_message(), self.rng.choice([-1, 1]))

    def other_conversation(self) -> None:
        rows = self.app.library.conversation_model.rows
        self.app.library.open(self.rng.choice(rows).id)

    def other_model(self) -> None:
        self.app.model.open(self.rng.choice(["/models/guide", "/models/one", "/models/gone"]))

    def crash(self) -> None:
        self.script.crash = "now"
        self.app.chat.open_draft.write("now")
        self.app.chat.requests.send("now")

    def card(self) -> None:
        card = self.app.chat.state.now.card
        if card is not None:
            self.app.act(card.other_id or card.action_id)

    def some_message(self) -> str | None:
        rows = self.app.chat.chat_model.rows
        return self.rng.choice([None, *(row.id for row in rows)])

    def act(self) -> None:
        usual = [self.type_and_send] * 5 + [self.edit, self.again, self.version, self.card] * 2
        usual += [self.edit_answer, self.go_on_from, self.branch_after, self.answer_the_end]
        usual += [self.fork, self.fork, self.write_at]
        rare = [
            self.type_on,
            self.app.chat.requests.stop,
            self.app.chat.open_draft.cancel_edit,
            self.app.library.new_conversation,
        ]
        rarer = [self.other_conversation, self.other_model]
        self.rng.choice([*usual, *rare, *rarer, *([self.crash] if self.rng.random() < 0.2 else [])])()


def stored(data_folder: Path) -> dict[str, Message]:
    store = Store(data_folder / "conversations.db")
    found = {message.id: message for one in store.conversations.all() for message in store.messages.of(one.id)}
    for message in found.values():
        packed = store.messages.choices(message.id)
        choices = unpack(packed) if packed else ()
        assert len(choices) <= len(message.ids or ())
        assert sum(one.length for one in choices) <= len(message.text) + len(message.thinking)
    store.close()
    return found


@pytest.mark.parametrize("seed", chosen(range(8)))
def test_no_order_of_events_loses_a_word(
    qtbot: QtBot, make_app: Callable[[], App], script: Script, data_folder: Path, seed: int
) -> None:
    rng = random.Random(seed)
    script.broken.add("/models/gone")
    app = make_app()
    testers = [
        QAbstractItemModelTester(model, FATAL) for model in (app.chat.chat_model, app.library.conversation_model)
    ]
    restless = Restless(app, script, rng)
    said: set[str] = set()
    app.chat.question_queue.moved.connect(
        lambda _id: said.update(row.text for row in app.chat.chat_model.rows if row.role == "user")
    )
    for _ in range(ACTIONS):
        restless.act()
        qtbot.wait(rng.choice([0, 1, 5, 30]))
        assert [row.id for row in app.chat.chat_model.rows] == [message.id for message in app.library.tree.path]
        running = app.chat.questions.at_engine_on(app.library.tree)
        assert [row.id for row in app.chat.chat_model.rows if row.is_streaming] in (
            [],
            [running.held_id] if running else [],
        )
    trees = dict(app.library.library._trees)
    app.close()
    kept = stored(data_folder)
    in_memory = {message.id: message for tree in trees.values() for message in all_of(tree)}
    assert {one: message.text for one, message in kept.items()} == {
        one: message.text for one, message in in_memory.items()
    }
    assert said <= {message.text for message in kept.values()}
    assert all(message.stop for message in kept.values() if message.role == "assistant")
    assert kept
    del testers


def all_of(tree: object) -> list[Message]:
    found: list[Message] = []
    waiting = list(tree.children(None))  # type: ignore[attr-defined]
    while waiting:
        message = waiting.pop()
        found.append(message)
        waiting.extend(tree.children(message.id))  # type: ignore[attr-defined]
    return found
