"""Opening the database: a new one is private to its owner, a damaged one is rescued, a newer one only read."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.conversation.faults import Fault, StoreError, as_store_errors, fault_of, store_error
from app.conversation.rescue import finish_rescue, has_header, rescue
from app.conversation.schema import APPLICATION_ID, MIGRATIONS, PAGE_SIZE, migrate, pragma
from app.protocol.dataclass import dataclass
from app.protocol.reports import Problem

PATIENCE = 5.0  # seconds to wait for another process's lock


@dataclass(frozen=True, slots=True)
class Opened:
    """A connection that is ready, and what the person should know about it. is_new: nothing was ever stored in it."""

    connection: sqlite3.Connection
    notice: Problem | None = None
    is_read_only: bool = False
    is_new: bool = False


def open_database(path: Path, patience: float = PATIENCE) -> Opened:
    """Open or make the database. StoreError when it can be neither written nor read. `patience` in seconds."""
    with as_store_errors(path):
        _check_files(path)
        finish_rescue(path)
        if path.exists() and not os.access(path, os.R_OK | os.W_OK, effective_ids=True):
            return _open_immutable(path)
        is_new = _make_file(path) and not Path(f"{path}-wal").exists()
        notice = None if is_new or has_header(path) else rescue(path)
        try:
            return _open_writable(path, notice, patience)
        except sqlite3.DatabaseError as error:
            if fault_of(error) is Fault.UNWRITABLE and path.is_file():
                return _open_immutable(path)
            if fault_of(error) in (Fault.FULL, Fault.IO) and not is_new:
                return _open_without_room(path, patience)
            if fault_of(error) is not Fault.DAMAGED or notice is not None:
                raise
            return _open_writable(path, rescue(path), patience)


def database_files(path: Path) -> tuple[Path, ...]:
    """Return the files of a database, whether they are there or not; the one that all depends on is the last."""
    return tuple(Path(f"{path}{suffix}") for suffix in ("-wal", "-shm", "-journal", ""))


def open_memory() -> Opened:
    """Make a database that lasts as long as the program."""
    connection = _connect(":memory:", PATIENCE)
    migrate(connection, None)
    return Opened(connection)


def _check_files(path: Path) -> None:
    """Refuse a pipe or a device in the place of one of the files: it would be waited for, perhaps for ever."""
    for file in database_files(path):
        mode = file.stat().st_mode if file.exists() else stat.S_IFREG
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            sentence = (
                f"{file} is not a file but a pipe, a socket or a device, so nothing can be read from it or saved. Move "
                "it away, then open Espalier again."
            )
            raise StoreError(Fault.UNWRITABLE, Problem("The conversations cannot be opened", sentence))


def _make_file(path: Path) -> bool:
    """Make an empty file that only its owner can read, in a folder of the same kind; False when there is one."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        if path.is_file() and path.stat().st_uid == os.geteuid():
            path.chmod(0o600)
        return False
    return True


def _open_writable(path: Path, notice: Problem | None, patience: float) -> Opened:
    connection = _connect(str(path), patience)
    try:
        _check_ours(connection)
        if pragma(connection, "user_version") > len(MIGRATIONS):
            connection.execute("PRAGMA query_only = 1")
            if not _is_known(connection):
                raise store_error(Fault.NEWER, path)
            return Opened(connection, _newer(path), is_read_only=True)
        connection.execute("PRAGMA journal_mode = WAL")
        _check_whole(connection)
        is_new = notice is None and pragma(connection, "user_version") == 0
        migrate(connection, path)
    except BaseException:
        connection.close()
        raise
    return Opened(connection, notice, is_new=is_new)


def _open_immutable(path: Path) -> Opened:
    """Open a file that may only be read, or on such a disk: SQLite makes no journal beside it then."""
    connection = _connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", 0.0)
    try:
        if pragma(connection, "user_version") < len(MIGRATIONS):
            connection = _brought_up_to_date(connection)
        elif not _is_known(connection):
            raise store_error(Fault.NEWER, path)
    except (sqlite3.Error, StoreError):
        connection.close()
        raise
    sentence = f"Espalier may not write to {path}, so nothing new is saved. What is stored there is shown."
    return Opened(connection, Problem("The conversations can only be read", sentence), is_read_only=True)


def _open_without_room(path: Path, patience: float) -> Opened:
    """Open a file on a full disk: in this mode SQLite needs no shared file beside the journal.

    https://sqlite.org/wal.html, "Use of WAL Without Shared-Memory"
    """
    connection = _connect(str(path), patience, "locking_mode = EXCLUSIVE", "query_only = 1")
    try:
        _check_ours(connection)
        if pragma(connection, "user_version") < len(MIGRATIONS):
            connection = _brought_up_to_date(connection)
    except (sqlite3.Error, StoreError):
        connection.close()
        raise
    sentence = (
        f"The disk that {path} lies on has no room left, so nothing new is saved. What is stored there is shown. "
        "Make room, then open Espalier again."
    )
    return Opened(connection, Problem("The conversations can only be read", sentence), is_read_only=True)


def _brought_up_to_date(old: sqlite3.Connection) -> sqlite3.Connection:
    """Return an older database that may not be changed, as one of this version, in memory."""
    connection = open_memory().connection
    old.backup(connection)
    old.close()
    migrate(connection, None)
    return connection


def _is_known(connection: sqlite3.Connection) -> bool:
    """Return whether a newer database still has everything that this version reads."""
    own = open_memory().connection
    try:
        for (table,) in own.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            columns = ", ".join(row[1] for row in own.execute(f"PRAGMA table_info({table})"))
            connection.execute(f"SELECT {columns} FROM {table} LIMIT 0")  # noqa: S608 (our own names)
    except sqlite3.OperationalError:
        return False
    finally:
        own.close()
    return True


def _newer(path: Path) -> Problem:
    sentence = f"A newer Espalier has written {path}. It is shown and not changed; open it with that version to go on."
    return Problem("The conversations can only be read", sentence)


def _connect(address: str, patience: float, *first: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        address, timeout=patience, isolation_level=None, uri=address.startswith("file:"), cached_statements=64
    )
    connection.text_factory = _text
    try:
        for setting in (
            *first,
            f"page_size = {PAGE_SIZE}",
            "foreign_keys = 1",
            "synchronous = FULL",
            "fullfsync = 1",  # macOS: through the disk's own cache; nothing elsewhere
            "checkpoint_fullfsync = 1",
            "cell_size_check = 1",
            "secure_delete = 1",  # what is deleted is overwritten
        ):
            connection.execute(f"PRAGMA {setting}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _text(stored: bytes) -> str:
    """Decode text: a damaged byte costs one character, not the conversation."""
    return stored.decode("utf-8", "replace")


def _check_ours(connection: sqlite3.Connection) -> None:
    with _schema_readable():
        has_tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] > 0
    if has_tables and pragma(connection, "application_id") != APPLICATION_ID:
        raise _damage("not a database of this program")


def _check_whole(connection: sqlite3.Connection) -> None:
    """Check that nothing in the file contradicts anything else in it."""
    with _schema_readable():
        answer = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        dangling = connection.execute("PRAGMA foreign_key_check").fetchone()
    if answer != "ok" or dangling is not None:
        raise _damage(f"integrity check: {answer}, {dangling}")


@contextmanager
def _schema_readable() -> Iterator[None]:
    """Take an error of no known kind for a damaged schema: the statements here are right in any database."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if fault_of(error) is not None:
            raise
        raise _damage(str(error)) from error


def _damage(what: str) -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError(what)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error
