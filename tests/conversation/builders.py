"""Conversations for tests: small ones by hand, larger ones from a seed."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.conversation.faults import Fault, StoreError
from app.conversation.message import Conversation, Message
from app.conversation.store import Store
from app.conversation.tree import MessageTree
from app.protocol.chat import Attachment

WORDS = ["Ast", "Zweig", "Blüte", "🌳", "pear", "quince", "spalier", "prune", "graft"]


def words(rng: random.Random, count: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(count))


def attached(rng: random.Random) -> tuple[Attachment, ...]:
    """Mostly nothing; else a few texts, some of which come again and again."""
    many = rng.choice([0, 0, 0, 1, 3])
    return tuple(
        Attachment(f"{rng.choice(WORDS)}.txt", "text", words(rng, rng.choice([1, 1, 900]))) for _ in range(many)
    )


def told(rng: random.Random) -> str | None:
    """Mostly nothing; else instructions that hold from a question on, or an end of them."""
    return rng.choice([None, None, None, "", words(rng, rng.choice([3, 200]))])


def asked(store: Store, text: str = "Which pears keep?") -> tuple[Conversation, Message, Message]:
    """A conversation with a question and an answer that has just begun."""
    conversation = Conversation.new()
    question = Message.new(conversation.id, None, "user", text)
    answer = Message.new(conversation.id, question.id, "assistant", model="f1", model_name="Guide")
    store.conversations.create(conversation)
    store.messages.add(question)
    store.messages.add(answer)
    return conversation, question, answer


def grow(store: Store, tree: MessageTree, rng: random.Random, steps: int) -> None:
    """Random work on one conversation, done to the tree and to the store alike."""
    for _ in range(steps):
        known = [message.id for message in tree_messages(tree)]
        if rng.random() < 0.3 and known:
            tree.select(tree.leaf_below(rng.choice(known)))
            store.messages.select_path(tree.conversation_id, tree.leaf_id)
        elif rng.random() < 0.4 and known:
            add_answer(store, tree, rng, rng.choice(known))
        else:
            parent = rng.choice([None, *known])
            text = words(rng, rng.randint(1, 60))
            question = Message.new(tree.conversation_id, parent, "user", text, attachments=attached(rng))
            question = replace(question, instructions=told(rng), thinks=rng.choice([None, None, None, True, False]))
            is_selected = rng.random() < 0.8
            tree.add(question, is_selected)
            store.messages.add(question, is_selected)


def add_answer(store: Store, tree: MessageTree, rng: random.Random, parent: str) -> None:
    answer = Message.new(tree.conversation_id, parent, "assistant", model="f1", model_name="Guide")
    tree.add(answer)
    store.messages.add(answer)
    for _ in range(rng.randint(0, 4)):
        new, thought = words(rng, rng.randint(1, 20)), rng.choice(["", "", words(rng, 3)])
        store.messages.append_text(answer.id, new, thought)
        answer = replace(answer, text=answer.text + new, thinking=answer.thinking + thought)
    if rng.random() < 0.8:
        ids = rng.choice([None, tuple(rng.randrange(2**32) for _ in range(rng.choice([0, 1, 300, 5000])))])
        stats = rng.choice([None, {"rate": 38.5, "request": {"total": 3, "reason": ""}}])
        store.messages.finish(answer.id, stop="finished", ids=ids, stats=stats)
        answer = replace(answer, ids=ids, stats=stats, stop="finished")
    tree.replace(answer)


def filled(path: Path, seed: int = 1, conversations: int = 4, steps: int = 25) -> dict[str, Any]:
    """A closed database with random conversations; returns what is in it, by `contents`."""
    rng, store = random.Random(seed), Store(path)
    for _ in range(conversations):
        conversation = Conversation.new()
        store.conversations.create(conversation)
        grow(store, MessageTree(conversation.id), rng, steps)
    kept = contents(store)

    store.close()
    return kept


def contents(store: Store) -> dict[str, Any]:
    """Everything that a store tells, by the ids of its conversations."""
    return {
        conversation.id: (conversation, described(store.messages.load(conversation.id)))
        for conversation in store.conversations.all()
    }


def tree_messages(tree: MessageTree) -> list[Message]:
    """All messages of a tree, parents first."""
    found, front = [], list(tree.children(None))
    while front:
        message = front.pop(0)
        found.append(message)
        front += tree.children(message.id)
    return found


def described(tree: MessageTree) -> dict[str, Any]:
    """All that can be asked of a tree."""
    messages = tree_messages(tree)
    return {
        "path": tree.path,
        "leaf": tree.leaf_id,
        "roots": tree.children(None),
        "messages": {message.id: message for message in messages},
        "children": {message.id: tree.children(message.id) for message in messages},
        "leaves": {message.id: tree.leaf_below(message.id) for message in messages} | {None: tree.leaf_below(None)},
    }


def fails(action: Callable[[], object]) -> Fault:
    """Which fault the action meets; fails the test when it meets none."""
    with pytest.raises(StoreError) as caught:
        action()
    return caught.value.fault


@contextmanager
def raw(path: Path) -> Iterator[sqlite3.Connection]:
    """Another program's connection to the same file."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=1.0)
    try:
        connection.execute("PRAGMA foreign_keys = 1")
        yield connection
    finally:
        connection.close()
