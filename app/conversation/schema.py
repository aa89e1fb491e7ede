"""The schema of the database, in versions. `PRAGMA user_version` counts the migrations that have been applied.

An answer's text is the message's own text and then its pieces in order of their numbers; so are its token ids, which
count only when there are as many as `message.tokens` says. Numbers grow with time, whatever the clock says: they order
siblings, and a parent has a smaller number than its children, so there is no cycle.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

APPLICATION_ID = 0x45735061  # "EsPa"
PAGE_SIZE = 4096

_IS_ID = "length(id) = 32 AND id NOT GLOB '*[^0-9a-f]*'"
_GROWS = """WHEN NOT EXISTS
        (SELECT 1 FROM message WHERE number = NEW.message AND role = 'assistant' AND stop IS NULL)
    BEGIN SELECT RAISE(ABORT, 'only an answer that has not ended can grow'); END"""

VERSION_1 = (
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"""CREATE TABLE conversation (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE CHECK ({_IS_ID}),
        title TEXT CHECK (title <> ''),
        created REAL NOT NULL,
        updated REAL NOT NULL,
        leaf INTEGER,
        FOREIGN KEY (number, leaf) REFERENCES message (conversation, number) DEFERRABLE INITIALLY DEFERRED
    ) STRICT""",
    f"""CREATE TABLE message (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE CHECK ({_IS_ID}),
        conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
        parent INTEGER CHECK (parent < number),
        role TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant')),
        text TEXT NOT NULL CHECK (role = 'assistant' OR text <> ''),
        created REAL NOT NULL,
        visited INTEGER NOT NULL DEFAULT 0 CHECK (visited IN (0, 1)),
        model TEXT,
        model_name TEXT,
        tokens INTEGER CHECK (tokens >= 0),
        stats TEXT CHECK (stats IS NULL OR json_valid(stats)),
        stop TEXT CHECK (stop <> ''),
        UNIQUE (conversation, number),
        FOREIGN KEY (conversation, parent) REFERENCES message (conversation, number) ON DELETE CASCADE,
        CHECK (role <> 'system' OR parent IS NULL),
        CHECK (role = 'assistant' OR coalesce(model, model_name, tokens, stats, stop) IS NULL),
        CHECK (stop IS NOT NULL OR coalesce(tokens, stats) IS NULL)
    ) STRICT""",
    "CREATE INDEX message_parent ON message (conversation, parent)",
    "CREATE UNIQUE INDEX message_visited ON message (conversation, ifnull(parent, 0)) WHERE visited = 1",
    """CREATE TABLE message_text (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        message INTEGER NOT NULL REFERENCES message (number) ON DELETE CASCADE,
        text TEXT NOT NULL CHECK (text <> '')
    ) STRICT""",
    "CREATE INDEX message_text_message ON message_text (message)",
    f"CREATE TRIGGER message_text_grows BEFORE INSERT ON message_text {_GROWS}",
    """CREATE TABLE message_ids (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        message INTEGER NOT NULL REFERENCES message (number) ON DELETE CASCADE,
        ids BLOB NOT NULL CHECK (length(ids) > 0 AND length(ids) % 4 = 0)
    ) STRICT""",
    "CREATE INDEX message_ids_message ON message_ids (message)",
    f"CREATE TRIGGER message_ids_grow BEFORE INSERT ON message_ids {_GROWS}",
)
MIGRATIONS: tuple[tuple[str, ...], ...] = (VERSION_1,)


def pragma(connection: sqlite3.Connection, name: str) -> int:
    """The value of a numeric pragma."""
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Everything inside is committed when it ends, or nothing when it raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def migrate(
    connection: sqlite3.Connection, path: Path | None, migrations: Sequence[Sequence[str]] = MIGRATIONS
) -> None:
    """Bring a database up to the newest version, all steps or none; a copy of the old one is kept beside it."""
    if pragma(connection, "user_version") == len(migrations):
        return
    if path is not None:
        _keep_copy(connection, path)
    with transaction(connection):
        for statements in migrations[pragma(connection, "user_version") :]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")


def _keep_copy(connection: sqlite3.Connection, path: Path) -> None:
    version = pragma(connection, "user_version")
    copy = path.with_name(f"{path.stem}.version-{version}{path.suffix}")
    if version > 0 and not copy.exists():
        part = copy.with_suffix(".part")
        os.close(os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
        connection.execute("VACUUM INTO ?", (str(part),))
        part.replace(copy)
