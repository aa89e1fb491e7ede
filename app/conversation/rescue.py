# ruff: noqa: S608 (the names in the statements are this program's own)
"""A damaged database: what can be read goes to a new file, and the damaged one is kept beside it, untouched.

Properties: the file is never without a complete version on the disk, wherever the process dies. The rescued database
is finished under a name of its own first; moving the files is then repeated until it is done (`finish_rescue`).
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from app.conversation.clock import clock_time
from app.conversation.message import new_id
from app.conversation.schema import APPLICATION_ID, PAGE_SIZE, VERSION_1, migrate, transaction
from app.conversation.search_index import index_files
from app.protocol.figures import plural
from app.protocol.reports import Problem

MAGIC = b"SQLite format 3\0"
MOST_LOST = 50_000  # rows in a row, after which the rest of a table is given up
_JOURNALS = ("-wal", "-shm")
# What is given up for a message that the schema refuses, one after another.
_OTHERWISE: tuple[dict[str, Any], ...] = (
    {},
    {"visited": 0},
    {"visited": 0, "sampling": None},
    {"visited": 0, "instructions": None, "thinks": None},
    {"visited": 0, "parent": None},
)

_UNUSED_TEXTS = """DELETE FROM attached_text WHERE number NOT IN
    (SELECT text FROM message_attachment UNION SELECT text FROM draft_attachment)"""

Row = defaultdict[str, Any]  # None for columns that an older database has not


def has_header(path: Path) -> bool:
    """Tell whether the file begins like a database. SQLite would take an empty one for new, and drop its journal."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def rescue(path: Path) -> Problem:
    """Put what can be read of a damaged database in its place; returns what to tell. OSError, sqlite3.Error."""
    with TemporaryDirectory(prefix=".rescue-", dir=path.parent) as folder:
        old, new = Path(folder, "old.sqlite"), Path(folder, "new.sqlite")
        for suffix in ("", "-wal"):
            if Path(f"{path}{suffix}").exists():
                shutil.copyfile(f"{path}{suffix}", f"{old}{suffix}")
        _create(new)
        _mend(old, new)
        conversations, messages = _copy_all(old, new)
        new.replace(_rescued(path))
    kept = finish_rescue(path)
    found = f"{plural(messages, 'message')} in {plural(conversations, 'conversation')} could be read and are here"
    sentence = (
        f"{found if messages else 'No message could be read'}. The damaged file is kept for thirty days as {kept}."
    )
    return Problem("The conversations were damaged", sentence)


def finish_rescue(path: Path) -> Path | None:
    """Move a rescued database into its place; returns where the damaged one is kept. Does nothing if there is none."""
    if not _rescued(path).exists():
        return None
    kept = _dated(path)
    for file in index_files(path):  # it is about what was there before
        file.unlink(missing_ok=True)
    for suffix in (*_JOURNALS, ""):
        if Path(f"{path}{suffix}").exists():
            os.utime(f"{path}{suffix}")  # the time for which it is kept begins now
            os.replace(f"{path}{suffix}", f"{kept}{suffix}")
    _rescued(path).replace(path)
    return kept


def _rescued(path: Path) -> Path:
    return path.with_name(path.name + ".rescued")


def _dated(path: Path) -> Path:
    stem, count = f"{path.stem}.damaged-{time.strftime('%Y%m%d-%H%M%S')}", 1
    while (kept := path.with_name(f"{stem}{f'-{count}' if count > 1 else ''}{path.suffix}")).exists():
        count += 1
    return kept


def _create(new: Path) -> None:
    """Create an empty database of the newest version."""
    os.close(os.open(new, os.O_CREAT | os.O_WRONLY, 0o600))
    connection = sqlite3.connect(new, isolation_level=None)
    connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
    migrate(connection, None)
    connection.close()


def _mend(old: Path, new: Path) -> None:
    """Make a copy openable: count its pages, and where the first is lost, put one in its place.

    The first page says where the tables begin, and is the one that is written most often. The tables of the first
    version begin on the same pages in every database, that of the highest numbers too, which says where the others are.
    A table that begins behind the end of the file is left out: SQLite would read none of the others.
    Bytes 18 and 19 say that there may be a write-ahead log, bytes 28 to 31 count the pages
    (https://sqlite.org/fileformat.html).
    """
    if _lost_schema(old):
        pages = _pages(old)
        places = {table: place for table, place in _first_places().items() if place <= pages}
        _put_first_page(old, _first_page(new, places))
        noted = {table: place for table, place in _noted_places(old).items() if place <= pages}
        _put_first_page(old, _first_page(new, noted or places))
    _set_header(old)


def _pages(old: Path) -> int:
    """Count the pages of a file, the last of which may be cut short."""
    return max(1, -(-old.stat().st_size // PAGE_SIZE))


def _set_header(old: Path) -> None:
    with old.open("r+b") as file:
        file.seek(18)
        file.write(b"\2\2")
        file.seek(28)
        file.write(_pages(old).to_bytes(4, "big"))


def _put_first_page(old: Path, page: bytes) -> None:
    with old.open("r+b") as file:
        file.write(page)
    _set_header(old)


def _lost_schema(old: Path) -> bool:
    """Return whether a database of ours has lost its schema. In another program's there is nothing to be read."""
    if not has_header(old):
        return True
    with _reading(old) as source:
        try:
            source.execute("SELECT * FROM sqlite_schema").fetchall()
            source.execute("SELECT stop FROM message LIMIT 0")
        except sqlite3.DatabaseError:
            return old.read_bytes()[68:72] == APPLICATION_ID.to_bytes(4, "big")
    return False


def _first_places() -> dict[str, int]:
    """Find where the tables of the first version begin."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
    migrate(connection, None, (VERSION_1,))
    places = dict(connection.execute("SELECT name, rootpage FROM sqlite_schema WHERE type = 'table'"))
    connection.close()
    return places


def _noted_places(old: Path) -> dict[str, int]:
    """Read where the tables begin, as the table of the highest numbers says; empty where it cannot be read."""
    with _reading(old) as source:
        try:
            rows = source.execute("SELECT substr(name, 2), seq FROM sqlite_sequence WHERE name LIKE '@%'").fetchall()
        except sqlite3.DatabaseError:
            return {}
    return {name: place for name, place in rows if isinstance(name, str) and isinstance(place, int) and place > 1}


def _first_page(new: Path, places: Mapping[str, int]) -> bytes:
    """Make a first page that knows tables by their columns and first pages, and none of their rules."""
    with TemporaryDirectory(prefix=".page-", dir=new.parent) as folder:
        path = Path(folder, "page.sqlite")
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        connection.execute("PRAGMA writable_schema = 1")
        connection.execute("BEGIN")
        for table, place in places.items():
            row = ("table", table, table, place, f"CREATE TABLE {table} ({_columns(new, table)})")
            connection.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", row)
        connection.execute("COMMIT")
        connection.close()
        return path.read_bytes()[:PAGE_SIZE]


def _columns(new: Path, table: str) -> str:
    with _reading(new) as source:
        names = [row[1] for row in source.execute(f"PRAGMA table_info({table})")]
    return ", ".join(f"{name} INTEGER PRIMARY KEY" if name == "number" else name for name in names) or "nothing"


@contextmanager
def _reading(old: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(old, isolation_level=None)
    connection.text_factory = lambda stored: stored.decode("utf-8", "replace")
    connection.row_factory = sqlite3.Row
    try:
        yield connection
    finally:
        connection.close()


def _copy_all(old: Path, new: Path) -> tuple[int, int]:
    """Returns how many conversations and messages were copied."""
    target = sqlite3.connect(new, isolation_level=None)
    try:
        target.execute("PRAGMA foreign_keys = 1")
        target.execute("PRAGMA synchronous = FULL")
        with _reading(old) as source, transaction(target):
            _copy(Damaged(source, old), target)
        return _count(target, "conversation"), _count(target, "message")
    finally:
        target.close()


def _count(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


class Damaged:
    """The rows of a damaged database that can still be read."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        sizes = [part.stat().st_size for part in (path, Path(f"{path}-wal")) if part.exists()]
        self._most_rows = sum(sizes) // 16

    def rows(self, table: str) -> Iterator[Row]:
        """Yield rows in order of their numbers. A span that cannot be read is halved until only lost rows are left."""
        spans, lost = [(1, self._last(table))] if self._has(table) else [], 0
        while spans and lost < MOST_LOST:
            low, high = spans.pop()
            query = f"SELECT * FROM {table} WHERE number BETWEEN ? AND ? ORDER BY number"
            try:
                found = self._connection.execute(query, (low, high)).fetchall()
            except sqlite3.DatabaseError:
                middle = (low + high) // 2
                spans += [(middle + 1, high), (low, middle)] if low < high else []
                lost += low == high
            else:
                lost = 0 if found else lost
                yield from (defaultdict(type(None), row) for row in found)

    def _has(self, table: str) -> bool:
        """Return whether there is a table: an older database has not all, one that cannot be read may have them."""
        try:
            self._connection.execute(f"SELECT 1 FROM {table} LIMIT 0")
        except sqlite3.OperationalError:
            return False
        except sqlite3.DatabaseError:
            return True
        return True

    def _last(self, table: str) -> int:
        """Return the last number that was given away in a table, or else the most that the file has room for."""
        for query in (f"SELECT max(number) FROM {table}", f"SELECT seq FROM sqlite_sequence WHERE name = '{table}'"):
            try:
                row = self._connection.execute(query).fetchone()
            except sqlite3.DatabaseError:
                continue
            if row is not None and isinstance(row[0], int):
                return min(row[0], self._most_rows)
        return self._most_rows


def _copy(damaged: Damaged, target: sqlite3.Connection) -> None:
    """Rows that break a rule of the schema are left out; a message that lost its parent becomes a first message."""
    for row in damaged.rows("trash"):
        _insert(target, "trash", row)
    # A damaged date must not empty the trash: its clock begins anew, with what was deleted last.
    target.execute("UPDATE clock SET now = ifnull((SELECT min(now, max(at)) FROM trash), now)")
    for row in damaged.rows("folder"):
        _insert_deleted(target, "folder", row)
    leaves: dict[Any, Any] = {}
    for row in damaged.rows("conversation"):
        leaves[row["number"]] = row.pop("leaf", None)
        if not _insert_deleted(target, "conversation", row):
            _insert(target, "conversation", row | {"folder": None})
    for row in damaged.rows("attached_text"):
        _insert(target, "attached_text", row)
    homes: dict[Any, Any] = {}
    endings: list[dict[str, Any]] = []
    for row in damaged.rows("message"):
        endings.append({name: row.pop(name, None) for name in ("stop", "tokens", "stats")} | {"number": row["number"]})
        if homes.get(row["parent"]) != row["conversation"]:
            row["parent"] = None
        _insert(target, "conversation", _stand_in(row))
        if any(_insert_deleted(target, "message", row | otherwise) for otherwise in _OTHERWISE):
            homes[row["number"]] = row["conversation"]
    for table in ("message_text", "message_ids", "message_choices", "message_attachment"):
        for row in damaged.rows(table):
            _insert(target, table, row)
    for row in damaged.rows("view_state"):
        if row["conversation"] is None and row["blank"] is None:  # of an earlier version
            row["blank"] = new_id()
        if row["is_open"] and row["window"] is None:  # as above
            row["window"] = 1
        if not _insert(target, "view_state", row):
            _insert(target, "view_state", row | {"is_open": 0, "window": None})
    for table in ("draft_attachment", "preset"):
        for row in damaged.rows(table):
            _insert(target, table, row)
    target.execute(_UNUSED_TEXTS)
    for ending in endings:
        _try(target, "UPDATE message SET stop = :stop, tokens = :tokens, stats = :stats WHERE number = :number", ending)
    for number, leaf in leaves.items():
        if homes.get(leaf) == number:
            _try(
                target, "UPDATE conversation SET leaf = :leaf WHERE number = :number", {"leaf": leaf, "number": number}
            )


def _insert_deleted(target: sqlite3.Connection, table: str, row: Row) -> bool:
    """Insert a row that may lie in the trash; where that entry was lost, it lies there from now on."""
    if row["trash"] is not None:
        _insert(target, "trash", {"number": row["trash"], "at": clock_time(target), "operation": "delete"})
    return _insert(target, table, row)


def _stand_in(message: Row) -> dict[str, Any]:
    """Put in a conversation for a message whose own was lost; the schema refuses it where there is one."""
    now = message["created"]
    number = message["conversation"]
    return {"number": number, "id": new_id(), "title": "Recovered conversation", "created": now, "updated": now}


def _insert(target: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> bool:
    """Insert what is known and the table has columns for; False when the schema refuses it."""
    columns = [column[1] for column in target.execute(f"PRAGMA table_info({table})")]
    names = [name for name in columns if row.get(name) is not None]
    values = ", ".join(f":{name}" for name in names)
    return _try(target, f"INSERT INTO {table} ({', '.join(names)}) VALUES ({values})", row)


def _try(target: sqlite3.Connection, statement: str, row: Mapping[str, Any]) -> bool:
    try:
        target.execute(statement, dict(row))
    except sqlite3.IntegrityError:
        return False
    return True
