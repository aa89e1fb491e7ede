"""A long answer costs the disk its own length, not the square of it."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path
from typing import Any, cast

import pytest

from app.conversation.search_index import SLICE, index_path
from app.conversation.store import Store
from tests.conversation.builders import asked, filled, words

JOURNAL_LIMIT = 64 * 1024


class Counting:
    """A connection that adds up the bytes it is handed, and how much its journal grows with each commit."""

    def __init__(self, connection: sqlite3.Connection, journal: Path) -> None:
        connection.execute("PRAGMA wal_autocheckpoint = 0")  # so that the journal's size is all that was written
        self._connection = connection
        self._journal = journal
        self._before = journal.stat().st_size
        self.handed = 0
        self.growth: list[int] = []

    def execute(self, query: str, values: Any = ()) -> sqlite3.Cursor:
        self.handed += sum(map(_size, values.values() if isinstance(values, dict) else values))
        cursor = self._connection.execute(query, values)
        if not self._connection.in_transaction:
            now = self._journal.stat().st_size
            if now > self._before:
                self.growth.append(now - self._before)
            self._before = now
        return cursor

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def _size(value: object) -> int:
    if isinstance(value, str):
        return len(value.encode())
    return len(value) if isinstance(value, bytes) else 8


@pytest.mark.parametrize(
    ("flushes", "length", "tokens"),
    [(250, 120, 40_000), (1000, 170, 250_000), (600, 4, 2_400)],
    ids=["long", "a megabyte", "slow"],
)
def test_bytes_and_journal_of_a_long_answer(tmp_path: Path, flushes: int, length: int, tokens: int) -> None:
    path = tmp_path / "conversations.sqlite"
    filled(path, conversations=3, steps=30)
    store, rng = Store(path), random.Random(7)
    conversation, _, answer = asked(store)
    while store.idle_step():  # what was there before is in the index now
        pass
    main = Counting(store.database.connection, Path(f"{path}-wal"))
    index = Counting(store.search.index._connection, Path(f"{index_path(path)}-wal"))
    store.database.connection, store.search.index._connection = (cast(sqlite3.Connection, one) for one in (main, index))
    text, ids = "", tuple(rng.randrange(150_000) for _ in range(tokens))
    for _ in range(flushes):
        new = words(rng, length)
        store.messages.append_text(answer.id, new)
        text += new
    store.messages.finish(answer.id, stop="finished", ids=ids, stats={"tokens": len(ids)})
    while store.idle_step():
        pass
    assert len(store.search.find(" ".join(text.split()[-3:]))) > 0
    assert store.messages.of(conversation.id)[1].text == text
    assert store.messages.of(conversation.id)[1].ids == ids
    assert len(main.growth) > flushes
    assert len(index.growth) >= len(text) // SLICE
    assert max(main.growth) <= JOURNAL_LIMIT
    assert max(index.growth) <= JOURNAL_LIMIT
    assert main.handed + index.handed <= 2 * (len(text.encode()) + 4 * len(ids))
    store.close()


def test_a_long_question_is_indexed_in_steps(tmp_path: Path) -> None:
    path = tmp_path / "conversations.sqlite"
    store, rng = Store(path), random.Random(8)
    index = Counting(store.search.index._connection, Path(f"{index_path(path)}-wal"))
    store.search.index._connection = cast(sqlite3.Connection, index)
    vocabulary = [rng.randbytes(rng.randint(1, 8)).hex() for _ in range(200_000)]
    asked(store, " ".join(rng.choices(vocabulary, k=90_000)))  # hardly a word stands there twice
    while store.idle_step():
        pass
    assert len(store.search.find(vocabulary[0])) <= 1
    assert sum(index.growth) > 800_000
    assert max(index.growth) <= JOURNAL_LIMIT
    store.close()
