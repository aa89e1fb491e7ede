"""The open database: transactions, what they have changed, and whether the file is still where it was."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.conversation.edit import ADDED, Change, Edit, Operation, condensed
from app.conversation.faults import Fault, explained, store_error
from app.conversation.message import checked_id
from app.conversation.opening import PATIENCE, open_database, open_memory
from app.conversation.schema import transaction
from app.protocol.reports import Problem

# What a person can take back. The rest of a row is written once, or is an answer that grows.
FIELDS = {
    "folder": ("name", "trash"),
    "conversation": ("title", "updated", "used", "leaf", "favourite", "folder", "trash"),
    "message": ("visited", "name", "pinned", "favourite", "trash"),
}
_CHANGED_CONVERSATIONS = """SELECT id FROM conversation WHERE number IN (
    SELECT row FROM change WHERE kind = 'conversation' UNION
    SELECT message.conversation FROM change JOIN message ON message.number = row WHERE kind = 'message')"""

Place = tuple[int, int]  # device and inode


@dataclass(slots=True)
class Done:
    """What a transaction has changed, known when it ends."""

    edit: Edit


class Database:
    """The connection of a store. It belongs to the thread that made it. StoreError where the file cannot be used.

    notice: what the person should know about this file, None when all is well. is_read_only: every change raises
    StoreError. is_durable: False for a store in memory, whose conversations end with the program.
    """

    def __init__(self, path: Path | None, *, notice: Problem | None = None, patience: float = PATIENCE) -> None:
        """`path` None keeps everything in memory. `patience`: seconds to wait while another program writes."""
        self._path = path
        self._patience = patience
        self.notice: Problem | None = None
        self._open()
        self.notice = notice or self.notice
        self.is_durable = path is not None

    def _open(self) -> None:
        opened = open_memory() if self._path is None else open_database(self._path, self._patience)
        self._connection = opened.connection
        self.notice = opened.notice
        self.is_read_only = opened.is_read_only
        self._places = {} if self.is_read_only else self._find_places()
        if not self.is_read_only:
            _watch(self._connection)

    def close(self) -> None:
        """Close the file; the journal is merged into it. Closing again does nothing."""
        self._connection.close()

    def _find_places(self) -> dict[Path, Place | None]:
        """Where the database and its journal lie: SQLite goes on writing into a file that was deleted."""
        files = () if self._path is None else (self._path, Path(f"{self._path}-wal"))
        return {file: _place(file) for file in files}

    @contextmanager
    def _writing(self) -> Iterator[None]:
        if self.is_read_only:
            raise store_error(Fault.READ_ONLY, self._path)
        with explained(self._path):
            if any(_place(file) != place for file, place in self._places.items()):
                raise store_error(Fault.GONE, self._path)
            with transaction(self._connection):
                yield

    @contextmanager
    def _editing(self, operation: Operation) -> Iterator[Done]:
        """A transaction whose changes can be taken back: they are in the value when it has ended."""
        done = Done(Edit(operation))
        with self._writing():
            self._execute("DELETE FROM change")
            yield done
            rows = self._execute("SELECT kind, row, field, old, new FROM change ORDER BY number").fetchall()
            ids = tuple(row[0] for row in self._execute(_CHANGED_CONVERSATIONS))
            done.edit = Edit(operation, condensed(tuple(Change(*row) for row in rows)), ids)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with explained(self._path):
            yield

    def _execute(self, query: str, *values: object) -> sqlite3.Cursor:
        return self._connection.execute(query, values)

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._reading():
            return self._execute(query, *values).fetchall()

    def _conversation(self, conversation_id: str) -> int:
        return self._number("SELECT number FROM conversation WHERE id = ?", conversation_id)

    def _message(self, message_id: str) -> int:
        return self._number("SELECT number FROM message WHERE id = ?", message_id)

    def _number(self, query: str, identifier: str) -> int:
        row = self._execute(query, checked_id(identifier)).fetchone()
        if row is None:
            raise LookupError(f"nothing with id {identifier} is stored")
        return int(row[0])


def _place(file: Path) -> Place | None:
    try:
        found = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def _watch(connection: sqlite3.Connection) -> None:
    """Have every change of what can be taken back written down, in memory, for as long as the connection lasts."""
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("CREATE TEMP TABLE change (number INTEGER PRIMARY KEY, kind TEXT, row, field TEXT, old, new)")
    for table, fields in FIELDS.items():
        note = "INSERT INTO change (kind, row, field, old, new) VALUES"
        connection.execute(
            f"CREATE TEMP TRIGGER added_{table} AFTER INSERT ON {table} WHEN NEW.trash IS NULL"
            f" BEGIN {note} ('{table}', NEW.number, 'trash', {ADDED}, NULL); END"
        )
        for field in fields:
            connection.execute(
                f"CREATE TEMP TRIGGER changed_{table}_{field} AFTER UPDATE OF {field} ON {table}"
                f" WHEN OLD.{field} IS NOT NEW.{field}"
                f" BEGIN {note} ('{table}', NEW.number, '{field}', OLD.{field}, NEW.{field}); END"
            )
