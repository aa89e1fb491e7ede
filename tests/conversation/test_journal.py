"""A long answer costs the disk its own length, not the square of it."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path
from typing import Any, cast

from app.conversation.store import Store
from tests.conversation.builders import asked, filled, words

FLUSHES = 250
JOURNAL_LIMIT = 64 * 1024


class Counting:
    """A connection that adds up the bytes it is handed, and how much the journal grows with each commit."""

    def __init__(self, connection: sqlite3.Connection, journal: Path) -> None:
        self._connection = connection
        self._journal = journal
        self.handed = 0
        self.growth: list[int] = []

    def execute(self, query: str, values: Any = ()) -> sqlite3.Cursor:
        before = self._journal.stat().st_size
        self.handed += sum(map(_size, values.values() if isinstance(values, dict) else values))
        cursor = self._connection.execute(query, values)
        if query == "COMMIT":
            self.growth.append(self._journal.stat().st_size - before)
        return cursor

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def _size(value: object) -> int:
    if isinstance(value, str):
        return len(value.encode())
    return len(value) if isinstance(value, bytes) else 8


def test_bytes_and_journal_of_a_long_answer(tmp_path: Path) -> None:
    path = tmp_path / "conversations.sqlite"
    filled(path, conversations=3, steps=30)
    store, rng = Store(path), random.Random(7)
    conversation, _, answer = asked(store)
    store._connection.execute("PRAGMA wal_autocheckpoint = 0")  # so that the journal's size is all that was written
    counting = Counting(store._connection, Path(f"{path}-wal"))
    store._connection = cast(sqlite3.Connection, counting)
    text, ids = "", tuple(rng.randrange(150_000) for _ in range(40_000))
    for _ in range(FLUSHES):
        new = words(rng, 120)
        store.append_text(answer.id, new)
        text += new
    store.finish_message(answer.id, stop="finished", ids=ids, stats={"tokens": len(ids)})
    assert store.messages(conversation.id)[1].text == text
    assert store.messages(conversation.id)[1].ids == ids
    assert len(counting.growth) > FLUSHES
    assert sum(counting.growth) > 0
    assert max(counting.growth) <= JOURNAL_LIMIT
    assert counting.handed <= 2 * (len(text.encode()) + 4 * len(ids))
    store.close()
