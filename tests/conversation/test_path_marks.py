"""Where the selected path of a stored conversation ends, and what its marks cost."""

from __future__ import annotations

import random
from pathlib import Path

from app.conversation.message import Conversation, Message
from app.conversation.store import Store
from tests.seeds import chosen


def marks(store: Store) -> set[int]:
    return {row[0] for row in store.database.execute("SELECT number FROM message WHERE visited = 1")}


def marks_after_a_whole_walk(store: Store) -> set[int]:
    """What is marked when the stored path is walked over from its end to its first message."""
    for number, leaf in store.database.execute("SELECT number, leaf FROM conversation").fetchall():
        store.messages._paths.mark(number, leaf)
    return marks(store)


def test_marks_are_those_of_a_walk_over_the_whole_path() -> None:
    for seed in chosen(range(30)):
        rng, store = random.Random(seed), Store(None)
        conversation = Conversation.new()
        store.conversations.create(conversation)
        messages: list[Message] = []
        edits = []
        for step in range(40):
            here = {one.id for one in store.messages.of(conversation.id)}
            known = [one.id for one in messages if one.id in here]
            action = rng.choice(("add", "add", "select", "delete", "undo")) if known else "add"
            if action == "add":
                message = Message.new(conversation.id, rng.choice([None, *known]), "user", f"text {step}")
                messages.append(message)
                edits.append(store.messages.add(message, select=rng.random() < 0.7))
            elif action == "select":
                store.messages.select_path(conversation.id, rng.choice([None, *known]))
            elif action == "delete":
                edits.append(store.trash.delete_message(rng.choice(known)))
            elif edits:
                store.trash.revert(edits.pop(rng.randrange(len(edits))))
            assert marks(store) == marks_after_a_whole_walk(store), (seed, step, action)
        store.close()


def test_a_message_at_the_end_of_a_long_path_has_no_more_rows_read_than_one_of_a_short_path(
    tmp_path: Path,
) -> None:
    steps = []
    for length in (10, 1000):
        store = Store(tmp_path / f"{length}.db")
        conversation = Conversation.new()
        store.conversations.create(conversation)
        last = None
        for number in range(length):
            message = Message.new(conversation.id, last, "user", f"text {number}")
            store.messages.add(message)
            last = message.id
        done = [0]
        store.database.connection.set_progress_handler(lambda done=done: done.__setitem__(0, done[0] + 1), 10)
        store.messages.add(Message.new(conversation.id, last, "user", "the next"))
        store.database.connection.set_progress_handler(None, 0)
        steps.append(done[0])
        store.close()
    assert steps[1] < 1.2 * steps[0]
