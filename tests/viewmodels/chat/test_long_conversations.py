"""What the length of a conversation may cost the thread of the window: nothing that grows with it is counted here."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.message import Conversation, Message, new_id
from app.conversation.records import Document
from app.conversation.store import Store
from app.conversation.tree import MessageTree
from app.protocol.chat import Turn
from app.protocol.commands import EstimateCost, Generate, Pin
from app.viewmodels.app import App
from app.viewmodels.library import library
from app.viewmodels.text import formatting
from tests import seeds
from tests.fakes import engine
from tests.fakes.engine import Script
from tests.viewmodels.test_app import ready

MESSAGES = 2000


def long_conversation(messages: int = MESSAGES) -> Document:
    """One path of short questions and answers."""
    home, path = Conversation.new("Long"), list[Message]()
    for number in range(messages):
        above = path[-1].id if path else None
        if number % 2:
            path.append(Message(new_id(), home.id, above, "assistant", f"a{number}", float(number), stop="finished"))
        else:
            path.append(Message(new_id(), home.id, above, "user", f"q{number}", float(number)))
    return Document(home, tuple(path), tuple(message.id for message in path), path[-1].id)


def put(data_folder: Path, document: Document) -> str:
    """Store a document; returns the conversation's id."""
    store = Store(data_folder / "conversations.db")
    store.imports.add(document)
    store.close()
    return document.conversation.id


def show(qtbot: QtBot, app: App, conversation_id: str) -> None:
    """Open a conversation."""
    ready(qtbot, app)
    app.library.open(conversation_id)
    qtbot.waitUntil(lambda: app.library.tree.conversation_id == conversation_id)


def at_rest(qtbot: QtBot, app: App) -> None:
    """Wait until nothing is asked, written, saved, changed or priced."""
    qtbot.waitUntil(
        lambda: not (list(app.chat.questions) or app.library.changes.is_pending or app.chat.cost_queries._asked),
        timeout=20_000,
    )


def test_the_window_makes_no_turn_of_a_long_path(
    qtbot: QtBot,
    make_app: Callable[[], App],
    script: Script,
    data_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Turns are made where they are read: on the thread of the engine."""
    conversation = put(data_folder, long_conversation())
    monkeypatch.setattr(engine, "CONTEXT", 100 * MESSAGES)
    here, made = threading.get_ident(), [0]
    make = Message.turn

    def counted(message: Message, fingerprint: str | None) -> Turn:
        made[0] += threading.get_ident() == here
        return make(message, fingerprint)

    monkeypatch.setattr(Message, "turn", counted)
    app = make_app()
    show(qtbot, app, conversation)
    app.chat.open_draft.write("Another question")
    at_rest(qtbot, app)
    app.chat.requests.send("Another question")
    at_rest(qtbot, app)
    app.chat.requests.regenerate()
    at_rest(qtbot, app)
    app.act("pin")
    at_rest(qtbot, app)
    qtbot.waitUntil(lambda: any(isinstance(command, Pin) for command in script.commands))
    assert sum(isinstance(command, Generate) for command in script.commands) == 2
    longest = max(len(command.turns) for command in script.commands if isinstance(command, EstimateCost))
    assert longest == MESSAGES + 2
    assert made[0] == 0


def test_the_window_walks_over_nothing_that_is_deleted(
    qtbot: QtBot, make_app: Callable[[], App], data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How many messages go is counted where they lie, in the database."""
    conversation = put(data_folder, long_conversation())
    app = make_app()
    show(qtbot, app, conversation)
    asked = [0]
    for name in ("children", "message", "siblings"):
        ask = getattr(MessageTree, name)

        def counted(tree: MessageTree, *which: Any, ask: Callable[..., Any] = ask) -> Any:
            asked[0] += 1
            return ask(tree, *which)

        monkeypatch.setattr(MessageTree, name, counted)
    before = asked[0]
    app.library.edits.delete_message(conversation, app.library.tree.path[1].id)
    app.library.edits.prune(conversation)
    assert asked[0] - before < 10
    at_rest(qtbot, app)
    assert app.notices.now.text.startswith(formatting.plural(MESSAGES - 1, "message"))


def test_what_is_deleted_by_an_edit_is_counted_with_its_ends(tmp_path: Path) -> None:
    for seed in seeds.chosen(range(8)):
        rng, store = random.Random(seed), Store(tmp_path / f"{seed}.db")
        conversation = Conversation.new()
        store.conversations.create(conversation)
        messages: list[Message] = []
        for _ in range(30):
            above = rng.choice([None, *messages])
            messages.append(Message.new(conversation.id, above.id if above else None, "user", "text"))
            store.messages.add(messages[-1])
        while (tree := store.messages.load(conversation.id)).path:
            chosen = rng.choice([one for one in messages if one.id in tree])
            gone = [one for one in messages if one.id in tree and tree.is_below(one.id, chosen.id)]
            ends = sum(not tree.children(one.id) for one in gone)
            assert {one.id for one in gone} == {one.id for one in messages if chosen in path_of(tree, one)}
            assert store.trash.deleted_by(store.trash.delete_message(chosen.id)) == (len(gone), ends), seed
        store.close()


def path_of(tree: MessageTree, message: Message) -> tuple[Message, ...]:
    return tree.path_to(message.id) if message.id in tree else ()


def test_a_tree_that_is_shown_stays_the_same_object_after_an_edit(
    qtbot: QtBot, make_app: Callable[[], App], data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever looks at it sees what is there now. What it held before is let go of on the thread of the store, once
    nobody looks at it any more."""
    monkeypatch.setattr(library, "LET_GO_MS", 1)
    conversation = put(data_folder, long_conversation())
    app = make_app()
    show(qtbot, app, conversation)
    here, tree, threads = threading.get_ident(), app.library.tree, list[int]()
    take_apart = MessageTree.take_apart

    def noted(old: MessageTree) -> None:
        threads.append(threading.get_ident())
        take_apart(old)

    monkeypatch.setattr(MessageTree, "take_apart", noted)
    app.library.edits.delete_message(conversation, tree.path[4].id)
    at_rest(qtbot, app)
    assert app.library.tree is tree
    assert len(tree.path) == 4
    app.act("undo")
    at_rest(qtbot, app)
    assert app.library.tree is tree
    assert len(tree.path) == MESSAGES
    qtbot.waitUntil(lambda: len(threads) == 2)
    assert here not in threads


def test_the_messages_of_a_deleted_conversation_are_let_go_of_on_the_thread_of_the_store_when_no_row_holds_them(
    qtbot: QtBot,
    make_app: Callable[[], App],
    data_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    conversation = put(data_folder, long_conversation())
    monkeypatch.setattr(library, "LET_GO_MS", 200)
    app = make_app()
    show(qtbot, app, conversation)
    tree, found, take_apart = app.library.tree, list[tuple[int, int, int]](), MessageTree.take_apart

    def noted(old: MessageTree) -> None:
        found.append((threading.get_ident(), len(old), len(app.chat._rows._path)))
        take_apart(old)

    monkeypatch.setattr(MessageTree, "take_apart", noted)
    app.library.edits.delete_conversation(conversation)
    at_rest(qtbot, app)
    assert len(tree) == 0
    qtbot.waitUntil(lambda: bool(found))
    thread, count, shown = found[0]
    assert thread != threading.get_ident()
    assert (count, shown) == (MESSAGES, 0)


def test_a_price_of_a_version_beside_a_long_path_copies_nothing_of_it(
    qtbot: QtBot, make_app: Callable[[], App], script: Script, data_folder: Path
) -> None:
    """Up to eight versions are priced at each event: they share the path as it lies there."""
    document = long_conversation()
    above = document.messages[999]
    versions = [Message.new(document.conversation.id, above.id, "user", f"v{number}") for number in range(5)]
    put(data_folder, replace(document, messages=(*document.messages, *versions)))
    app = make_app()
    show(qtbot, app, document.conversation.id)
    at_rest(qtbot, app)
    copied: list[str] = []
    path_to = MessageTree.path_to

    def copy(tree: MessageTree, message_id: str) -> tuple[Message, ...]:
        copied.append(message_id)
        return path_to(tree, message_id)

    with patch.object(MessageTree, "path_to", copy):
        script.commands.clear()
        app.chat.branch_costs.renew()
        qtbot.waitUntil(lambda: len(script.commands) >= 1 + len(versions))
    assert len(copied) < len(versions), "the settings may look at the path meanwhile"
    asked = {tuple(command.turns) for command in script.commands if isinstance(command, EstimateCost)}
    before = [message.turn(None) for message in document.messages]
    assert asked == {tuple(before), *((*before[:1000], version.turn(None)) for version in versions)}
