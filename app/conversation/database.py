"""The open database: transactions, what they have changed, and whether the file is still where it was."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.conversation.edit import ADDED, Change, Edit, Operation, merge_changes
from app.conversation.faults import Fault, as_store_errors, store_error
from app.conversation.message import checked_id
from app.conversation.opening import PATIENCE, open_database, open_memory
from app.conversation.schema import savepoint, transaction

# What a person can take back. The rest of a row is written once, or is an answer that grows.
FIELDS = {
    "folder": ("name", "trash"),
    "conversation": ("title", "updated", "used", "leaf", "favourite", "folder", "trash"),
    "message": ("visited", "name", "pinned", "favourite", "trash"),
}
_CHANGED_CONVERSATIONS = """SELECT id FROM conversation WHERE number IN (
    SELECT row FROM change WHERE kind = 'conversation' UNION
    SELECT message.conversation FROM change JOIN message ON message.number = row WHERE kind = 'message')"""

FileIdentity = tuple[int, int]  # device and inode


@dataclass(slots=True)
class PendingEdit:
    """The edit that a transaction makes, known when it ends."""

    edit: Edit


class Database:
    """The connection of a store. It belongs to the thread that made it. StoreError where the file cannot be used.

    Attributes: path, None for a store in memory; notice, what the person should know about this file, None when all is
    well; is_read_only, every change raises StoreError; is_new, the file was made by this opening.
    """

    def __init__(self, path: Path | None, patience: float = PATIENCE) -> None:
        """`path` None keeps everything in memory. `patience`: seconds to wait while another program writes."""
        self.path = path
        opened = open_memory() if path is None else open_database(path, patience)
        self.connection = opened.connection
        self.notice = opened.notice
        self.is_read_only = opened.is_read_only
        self.is_new = opened.is_new
        self._is_writing = False
        self._files = {} if self.is_read_only else self._find_files()
        if not self.is_read_only:
            _watch(self.connection)

    def close(self) -> None:
        """Close the file; the journal is merged into it. Closing again does nothing."""
        self.connection.close()

    def _find_files(self) -> dict[Path, FileIdentity | None]:
        """Find where the database and its journal lie: SQLite goes on writing into a file that was deleted."""
        files = () if self.path is None else (self.path, Path(f"{self.path}-wal"))
        return {file: _identity(file) for file in files}

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Run what is inside as one transaction, or as a part of the one that is open.

        StoreError where nothing can be written, and nothing of it is kept.
        """
        if self._is_writing:
            with as_store_errors(self.path), savepoint(self.connection):
                yield
            return
        if self.is_read_only:
            raise store_error(Fault.READ_ONLY, self.path)
        with as_store_errors(self.path):
            if any(_identity(file) != identity for file, identity in self._files.items()):
                raise store_error(Fault.GONE, self.path)
            with transaction(self.connection):
                self._is_writing = True
                try:
                    yield
                finally:
                    self._is_writing = False

    @contextmanager
    def editing(self, operation: Operation) -> Iterator[PendingEdit]:
        """Run what is inside as one transaction that can be undone: its edit is known when it has ended."""
        done = PendingEdit(Edit(operation))
        with self.writing():
            self.execute("DELETE FROM change")
            yield done
            rows = self.execute("SELECT kind, row, field, old, new FROM change ORDER BY number").fetchall()
            ids = tuple(row[0] for row in self.execute(_CHANGED_CONVERSATIONS))
            done.edit = Edit(operation, merge_changes(tuple(Change(*row) for row in rows)), ids)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Turn what goes wrong inside into a StoreError."""
        with as_store_errors(self.path):
            yield

    def execute(self, query: str, *values: object) -> sqlite3.Cursor:
        """Execute one statement, inside `reading`, `writing` or `editing`."""
        return self.connection.execute(query, values)

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Read all rows that a query finds."""
        with self.reading():
            return self.execute(query, *values).fetchall()

    def conversation_number(self, conversation_id: str) -> int:
        """Return the number of the row of a conversation. LookupError when it is not known."""
        return self._number("SELECT number FROM conversation WHERE id = ?", conversation_id)

    def message_number(self, message_id: str) -> int:
        """Return the number of the row of a message. LookupError when it is not known."""
        return self._number("SELECT number FROM message WHERE id = ?", message_id)

    def folder_number(self, folder_id: str) -> int:
        """Return the number of the row of a folder. LookupError when it is not known."""
        return self._number("SELECT number FROM folder WHERE id = ?", folder_id)

    def _number(self, query: str, identifier: str) -> int:
        row = self.execute(query, checked_id(identifier)).fetchone()
        if row is None:
            raise LookupError(f"nothing with id {identifier} is stored")
        return int(row[0])


def _identity(file: Path) -> FileIdentity | None:
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
