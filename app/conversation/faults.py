"""What can go wrong with the database, in sentences that a person can act on."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from app.protocol.reports import Problem


class Fault(StrEnum):
    """Kinds of trouble. After LOCKED, FULL, GONE, WRITING, MEMORY and FILES the same request may succeed later."""

    DAMAGED = "damaged"
    UNWRITABLE = "unwritable"
    LOCKED = "locked"
    FULL = "disk full"
    READ_ONLY = "read-only"
    IO = "disk fault"
    GONE = "moved or deleted"
    NEWER = "newer"
    WRITING = "being written"
    MEMORY = "out of memory"
    FILES = "too many open files"
    ORPHAN = "follows what is not stored"


class StoreError(Exception):
    """Refusal of a request by the database: nothing of the request was kept, and what was stored before is safe."""

    def __init__(self, fault: Fault, problem: Problem) -> None:
        super().__init__(f"{problem.title}. {problem.sentence}")
        self.fault = fault
        self.problem = problem


_PROBLEMS = {
    Fault.DAMAGED: (
        "The conversations are damaged",
        "Part of {file} cannot be read. Quit and open Espalier again: what is readable is then copied to a new file, "
        "and the damaged one is kept.",
    ),
    Fault.UNWRITABLE: (
        "The conversations cannot be saved",
        "Espalier may not write to {file}. Allow writing to its folder, or start with another data folder.",
    ),
    Fault.LOCKED: (
        "The conversations are in use",
        "Another program is writing to {file}. Close it, then try again; what is stored is safe.",
    ),
    Fault.FULL: (
        "The disk is full",
        "The last words could not be saved to {file}. Free some space, then try again; what is stored is safe.",
    ),
    Fault.READ_ONLY: (
        "The conversations can only be read",
        "{file} is open for reading only, so nothing new is saved to it.",
    ),
    Fault.IO: (
        "The conversations cannot be reached",
        "The disk reported an error for {file}. Check that it is still connected; what is stored there is untouched.",
    ),
    Fault.GONE: (
        "The conversations are not where they were",
        "{file} was moved or deleted while Espalier was running, so nothing new is saved. Put it back to go on, or "
        "copy what you see here and open Espalier again.",
    ),
    Fault.NEWER: (
        "The conversations cannot be read",
        "A newer Espalier has written {file}, in a form that this one does not know. Open it with that version.",
    ),
    Fault.WRITING: (
        "An answer is being written",
        "Nothing was changed, because that would take away an answer that is not finished. Stop it or wait for its "
        "end, then try again.",
    ),
    Fault.ORPHAN: (
        "The message was not saved",
        "What it follows is not stored, or not any more, so it would stand alone. Copy what you need, then go on from "
        "another message.",
    ),
    Fault.MEMORY: (
        "There is not enough memory",
        "The last words could not be saved to {file}. Close other programs, then try again; what is stored is safe.",
    ),
    Fault.FILES: (
        "Too many files are open",
        "{file} could not be opened, because this process may have no more files open. What is stored is safe. Raise "
        "the limit (ulimit -n), or ask whoever set it, then open Espalier again.",
    ),
}

# Primary result codes of SQLite, https://sqlite.org/rescode.html
_FAULTS = {
    sqlite3.SQLITE_CORRUPT: Fault.DAMAGED,
    sqlite3.SQLITE_NOTADB: Fault.DAMAGED,
    sqlite3.SQLITE_PERM: Fault.UNWRITABLE,
    sqlite3.SQLITE_CANTOPEN: Fault.UNWRITABLE,
    sqlite3.SQLITE_READONLY: Fault.UNWRITABLE,
    sqlite3.SQLITE_BUSY: Fault.LOCKED,
    sqlite3.SQLITE_LOCKED: Fault.LOCKED,
    sqlite3.SQLITE_PROTOCOL: Fault.LOCKED,
    sqlite3.SQLITE_FULL: Fault.FULL,
    sqlite3.SQLITE_IOERR: Fault.IO,
    sqlite3.SQLITE_NOMEM: Fault.MEMORY,
}
_FILES_ERRNOS = {errno.EMFILE, errno.ENFILE}
_FULL_ERRNOS = {errno.ENOSPC, errno.EDQUOT}
_UNWRITABLE_ERRNOS = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.EEXIST}


def store_error(fault: Fault, path: Path | None) -> StoreError:
    """Make the error for a fault of this file."""
    title, sentence = _PROBLEMS[fault]
    return StoreError(fault, Problem(title, sentence.format(file=path or "memory")))


def fault_of(error: sqlite3.Error | OSError) -> Fault | None:
    """Return the fault that an error tells of; None when it is the program's own mistake."""
    if isinstance(error, OSError):
        if error.errno in _FULL_ERRNOS:
            return Fault.FULL
        if error.errno in _FILES_ERRNOS:
            return Fault.FILES
        return Fault.UNWRITABLE if error.errno in _UNWRITABLE_ERRNOS else Fault.IO
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF
    if code == sqlite3.SQLITE_CANTOPEN and _has_no_files_left():
        return Fault.FILES
    return _FAULTS.get(code)


def _has_no_files_left() -> bool:
    """Return whether this process may open no more files: SQLite does not say why it could not open one."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error.errno in _FILES_ERRNOS
    return False


def unexpected(error: BaseException) -> Problem:
    """Return what to tell of an error that is no known fault: what was asked was not done, and nobody knows why.

    It says nothing in the error's own words: they could be the person's.
    """
    sentence = (
        f"Something unexpected happened ({type(error).__name__}), so the last request was not carried out. What is "
        "stored is safe. Try again; if it happens again, quit and open Espalier again. The log tells more."
    )
    return Problem("The conversations could not be used", sentence)


@contextmanager
def as_store_errors(path: Path | None) -> Iterator[None]:
    """Turn errors of SQLite, memory and the file system into StoreError, and refusals by the schema into ValueError."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise ValueError(f"the database refuses this: {error}") from error
    except MemoryError as error:  # of Python's own or of SQLite's: the module raises the same
        raise store_error(Fault.MEMORY, path) from error
    except (sqlite3.Error, OSError) as error:
        fault = fault_of(error)
        if fault is None:
            raise
        raise store_error(fault, path) from error
