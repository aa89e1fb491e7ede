"""The search index: a file beside the database, made from it and thrown away when in doubt.

Properties: no conversation depends on it. A message is indexed in slices, each in a commit of its own, so that a long
answer's end writes no more at once than a short one's; a message counts as indexed when all of its slices are there.
What is removed leaves no trace in the files once `scrub` has returned.
"""

from __future__ import annotations

import os
import sqlite3
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from app.conversation import terms
from app.conversation.faults import Fault, fault_of, store_error
from app.conversation.schema import transaction
from app.conversation.terms import Term, Word, words_in_steps
from app.protocol.dataclass import dataclass
from app.protocol.reports import Problem

T = TypeVar("T")

PAGE_SIZE = 1024  # bytes: a commit touches a dozen pages, whatever their size
SLICE = 5120  # bytes of words
SPAN = 64 * 1024  # characters of a message from which the words of a slice come: blanks between them may be many
OVERLAP = 8  # words that two slices share: phrases up to this length are found wherever a slice ends
MERGE_PAGES = 8  # of the index, in one commit
SECURE_DELETE = (3, 42, 0)  # SQLite that removes words from the index itself, https://sqlite.org/fts5.html

_TABLES = (
    "CREATE TABLE stamp (value TEXT NOT NULL) STRICT",
    "CREATE TABLE message (number INTEGER PRIMARY KEY, id TEXT NOT NULL, is_whole INTEGER NOT NULL) STRICT",
    """CREATE TABLE slice (number INTEGER PRIMARY KEY, message INTEGER NOT NULL,
        start INTEGER NOT NULL, stop INTEGER NOT NULL) STRICT""",
    "CREATE INDEX slice_message ON slice (message)",
    "CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'ascii', columnsize = 0)",
    "INSERT INTO words (words, rank) VALUES ('pgsz', 900)",
    "INSERT INTO words (words, rank) VALUES ('automerge', 0)",
    "INSERT INTO words (words, rank) VALUES ('crisismerge', 1999)",
)
_NO_SEARCH = Problem(
    "Messages cannot be searched",
    "This Python's SQLite was built without full-text search (FTS5). Everything else works; titles can be searched.",
)


@dataclass(frozen=True, slots=True)
class Found:
    """A message, by its number, and the characters of it among which the best of the terms stand."""

    message: int
    start: int
    stop: int


def index_path(database: Path) -> Path:
    """Return where the index of a database lies."""
    return database.with_name(f"{database.stem}.search{database.suffix}")


def index_files(database: Path) -> tuple[Path, ...]:
    """Return the index and its journal, whether they are there or not."""
    return tuple(Path(f"{index_path(database)}{suffix}") for suffix in ("", "-wal", "-shm"))


class SearchIndex:
    """Words of messages. It belongs to the thread that made it, and raises nothing: see `problem`.

    is_available: False where SQLite has no full-text search. problem: why something was not indexed, None when all was.
    """

    def __init__(self, path: Path | None) -> None:
        """Open or make the index; where its file cannot be used, one in memory. `path` None keeps it in memory."""
        self._path = path
        self._adding: Iterator[bool] | None = None
        self.problem: Problem | None = None
        self.is_available = True
        self._connection = self._open()

    def close(self) -> None:
        """Close the file. Closing again does nothing."""
        self._connection.close()

    def indexed(self) -> dict[int, tuple[str, bool]]:
        """Return ids of the messages here by their numbers, and whether they had ended when they were indexed."""
        query = "SELECT number, id, is_whole FROM message"
        return self._try(
            lambda: {number: (message_id, bool(whole)) for number, message_id, whole in self._execute(query)}, {}
        )

    @property
    def is_adding(self) -> bool:
        """Whether a message has been begun."""
        return self._adding is not None

    def begin(self, message: int, message_id: str, text: str, is_whole: bool = True) -> None:
        """Index a message, anew where it was, by the steps that follow."""
        self._adding = self._add(message, message_id, text, is_whole)

    def step(self) -> bool:
        """Do a little for the message that was begun; False when that was not possible, and the message is given up."""

        def go_on() -> bool:
            if self._adding is not None and next(self._adding, None) is None:
                self._adding = self.problem = None
            return True

        is_done = self._try(go_on, False)
        if not is_done:
            self._adding = None
        return is_done

    def give_up(self) -> None:
        """Leave the message that was begun as it is: it does not count as indexed."""
        self._adding = None

    def held(self) -> set[int]:
        """Return the messages of which there is anything here, those too that were given up."""
        query = "SELECT number FROM message UNION SELECT message FROM slice"
        return self._try(lambda: {row[0] for row in self._execute(query)}, set())

    def _add(self, message: int, message_id: str, text: str, is_whole: bool) -> Iterator[bool]:
        self._remove(message)
        yield True
        for piece in _slices(words_in_steps(text)):
            if piece is not None:
                self._add_slice(message, *piece)
                yield True
                yield from self._merge()
            else:
                yield True
        with transaction(self._connection):
            self._execute("INSERT INTO message VALUES (?, ?, ?)", message, message_id, is_whole)

    def remove(self, messages: Iterable[int]) -> bool:
        """Take messages out; False when that was not possible."""

        def remove() -> bool:
            for message in messages:
                self._remove(message)
            return True

        return self._try(remove, False)

    def scrub(self) -> bool:
        """Overwrite what was removed and empty the journal; where that fails, the index is thrown away.

        False when that was not possible either.
        """

        def scrub() -> bool:
            self._execute("INSERT INTO words (words) VALUES ('optimize')")
            self._execute("VACUUM")  # pages that merging has left are overwritten now and not with each flush
            return bool(self._execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0)

        return not self.is_available or self._try(scrub, False) or self.discard()

    def find(self, wanted: tuple[Term, ...]) -> Iterator[Found]:
        """Yield messages in which all terms stand, newest first."""
        slices: list[dict[int, set[int]]] = self._try(lambda: self._slices_of(wanted), [])
        common = set(slices[0]).intersection(*slices[1:]) if slices else set()
        for message in sorted(common, reverse=True):
            best = _best([found[message] for found in slices])
            place = self._try(partial(self._place_of, best), None)
            if place is None:  # the index was thrown away in this moment
                return
            yield Found(message, *place)

    def _place_of(self, number: int) -> tuple[int, int] | None:
        """Return where a slice begins and ends in its message."""
        found: tuple[int, int] | None = self._execute(
            "SELECT start, stop FROM slice WHERE number = ?", number
        ).fetchone()
        return found

    def discard(self) -> bool:
        """Throw everything away and begin anew; False when the files could not be deleted."""
        self.give_up()
        self.close()
        is_deleted = _delete(self._path)
        self._connection = self._open()
        return is_deleted

    def _slices_of(self, wanted: tuple[Term, ...]) -> list[dict[int, set[int]]]:
        """Return, for each term, the slices in which it stands by their messages."""
        query = (
            "SELECT slice.message, slice.number FROM words JOIN slice ON slice.number = words.rowid WHERE words MATCH ?"
        )
        slices: list[dict[int, set[int]]] = []
        for term in wanted:
            found: dict[int, set[int]] = {}
            for message, number in self._execute(query, term.match):
                found.setdefault(message, set()).add(number)
            slices.append(found)
        return slices

    def _add_slice(self, message: int, start: int, stop: int, words: str) -> None:
        with transaction(self._connection):
            query = "INSERT INTO slice (message, start, stop) VALUES (?, ?, ?)"
            number = self._execute(query, message, start, stop).lastrowid
            self._execute("INSERT INTO words (rowid, text) VALUES (?, ?)", number, words)

    def _merge(self) -> Iterator[bool]:
        """Bring pieces of the index together, in small commits, until there are few enough to be read quickly.

        A merge that had nothing to do changes fewer than two rows, https://sqlite.org/fts5.html#the_merge_command.
        """
        changes = -2
        while self._connection.total_changes - changes >= 2:
            changes = self._connection.total_changes
            self._execute("INSERT INTO words (words, rank) VALUES ('merge', ?)", MERGE_PAGES)
            yield True

    def _remove(self, message: int) -> None:
        """Remove a message; one that is indexed in part has slices only, and does not count."""
        with transaction(self._connection):
            self._execute("DELETE FROM message WHERE number = ?", message)
            self._execute("DELETE FROM words WHERE rowid IN (SELECT number FROM slice WHERE message = ?)", message)
            self._execute("DELETE FROM slice WHERE message = ?", message)

    def _execute(self, query: str, *values: object) -> sqlite3.Cursor:
        return self._connection.execute(query, values)

    def _try(self, action: Callable[[], T], otherwise: T) -> T:
        """Do something to the index; what goes wrong is told by `problem`, and a damaged index is begun anew."""
        if not self.is_available:
            return otherwise
        try:
            result = action()
        except sqlite3.DatabaseError as error:
            fault = fault_of(error)
            if fault is None or fault is Fault.DAMAGED:
                self.discard()
            else:
                self.problem = store_error(fault, self._path).problem
            return otherwise
        return result

    def _open(self) -> sqlite3.Connection:
        for path in (self._path, self._path, None):  # a file that is not what it should be is made anew once
            try:
                return _connected(path)
            except (sqlite3.DatabaseError, OSError) as error:
                if "no such module" in str(error):
                    break
                if fault_of(error) in (None, Fault.DAMAGED):
                    _delete(path)
        self.is_available, self.problem = False, _NO_SEARCH
        return sqlite3.connect(":memory:")


def _connected(path: Path | None) -> sqlite3.Connection:
    if path is not None:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    connection = sqlite3.connect(path or ":memory:", isolation_level=None, timeout=1.0)
    connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
    try:
        # A new index waits for no disk: who asks a first question would wait with it, and it can be made again.
        for setting in ("secure_delete = FAST", "synchronous = OFF", "journal_mode = WAL", "temp_store = MEMORY"):
            connection.execute(f"PRAGMA {setting}")
        if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,):
            _create(connection)
        if connection.execute("SELECT value FROM stamp").fetchall() != [(terms.VERSION,)]:
            raise sqlite3.DatabaseError("an index of other words")
        connection.execute("SELECT rowid FROM words WHERE words MATCH 'a'").fetchone()
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _create(connection: sqlite3.Connection) -> None:
    with transaction(connection):
        for statement in _TABLES:
            connection.execute(statement)
        if sqlite3.sqlite_version_info >= SECURE_DELETE:
            connection.execute("INSERT INTO words (words, rank) VALUES ('secure-delete', 1)")
        connection.execute("INSERT INTO stamp VALUES (?)", (terms.VERSION,))


def _delete(path: Path | None) -> bool:
    """False when a file stays."""
    try:
        for suffix in ("", "-wal", "-shm"):
            if path is not None:
                Path(f"{path}{suffix}").unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _best(slices: list[set[int]]) -> int:
    """Return the slice in which most of the terms stand, the first of several."""
    counts = {number: sum(number in found for found in slices) for found in slices for number in found}
    return max(counts, key=lambda number: (counts[number], -number))


def _slices(words: Iterable[Word | None]) -> Iterator[tuple[int, int, str] | None]:
    """First and last character of each slice, and its words; None wherever there was none."""
    held: deque[Word] = deque()
    size, new = 0, 0
    for word in words:
        if word is None:
            yield None
            continue
        if held and word.end - held[0].start > SPAN:
            if new:
                yield _slice(held)
            held.clear()
            size, new = 0, 0
        held.append(word)
        new += 1
        size += len(word.folded.encode()) + 1
        if size >= SLICE:
            yield _slice(held)
            held = deque(list(held)[-OVERLAP:])
            size, new = sum(len(one.folded.encode()) + 1 for one in held), 0
    if new:
        yield _slice(held)


def _slice(held: Sequence[Word]) -> tuple[int, int, str]:
    return held[0].start, held[-1].end, " ".join(one.folded for one in held)
