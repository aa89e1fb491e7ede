"""Everything that is kept of conversations, in one place: what is asked of it is done when the method returns.

Properties: a method that returns has committed. A request is kept whole or not at all.
"""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import suppress
from pathlib import Path

from app.conversation.clock import look_at
from app.conversation.edit import Edit
from app.conversation.edit_result import EditResult
from app.conversation.exporting import Exporting
from app.conversation.faults import Fault, StoreError, explained, store_error
from app.conversation.history import History, HistoryState
from app.conversation.leftover import Kept, read_leftover, write_leftover
from app.conversation.message import Message
from app.conversation.message_store import Progress
from app.conversation.opening import PATIENCE
from app.conversation.records import ViewState
from app.conversation.rescue import MAGIC
from app.conversation.schema import APPLICATION_ID
from app.conversation.search import Hit, SearchState, excerpt_of
from app.conversation.search_index import Found, SearchIndex, index_files, index_path
from app.conversation.terms import Term, terms_of
from app.conversation.trash import STAGED, THIRTY_DAYS
from app.protocol.reports import Problem

logger = logging.getLogger(__name__)

DAY = 86400.0  # seconds
STEP = 0.02  # seconds for which messages are indexed without letting others have their turn
SOON = 200  # messages that a search waits for, unless they are long

NEAR = 40  # characters before the first or after the last word of a message

_ALL = """SELECT number, id, role <> 'assistant' OR stop IS NOT NULL FROM message WHERE conversation NOT IN
    (SELECT number FROM conversation WHERE trash IN (SELECT number FROM trash WHERE operation = ?)) ORDER BY number"""
_UNINDEXED = "SELECT id, role <> 'assistant' OR stop IS NOT NULL FROM message WHERE number = ?"
_HIT = """SELECT message.id, role, message.created, conversation.id, title, updated
    FROM message JOIN conversation ON conversation.number = message.conversation
    WHERE message.number = ? AND message.trash IS NULL AND conversation.trash IS NULL"""


SAVED_NOW = Problem(
    "What you wrote last is saved now",
    "The disk did not take all of it when Espalier quit. The words were kept in a file.",
)


class Store(Exporting):
    """The database, open, with its search index. It belongs to the thread that made it.

    What lies in the trash for thirty days is deleted when the store is opened. emptied: the conversations that it
    belonged to.
    """

    def __init__(self, path: Path | None, *, notice: Problem | None = None, patience: float = PATIENCE) -> None:
        """`path` None keeps everything in memory. `patience`: seconds to wait while another program writes."""
        self.emptied: frozenset[str] = frozenset()
        self._history = History()
        self._left: list[int] | None = None
        self._index: SearchIndex
        super().__init__(path, notice=notice, patience=patience)
        self._open_index()
        try:
            self._empty_in_time()
            self._take_leftover()
        except (StoreError, sqlite3.Error, LookupError, ValueError, MemoryError) as error:
            logger.warning("the trash was not looked through: %s", error)  # the next opening does it

    def close(self) -> None:
        """Close the files; the journal is merged. Closing again does nothing."""
        self._index.close()
        super().close()

    @property
    def history(self) -> HistoryState:
        """What can be undone and done again."""
        return self._history.state

    def record(self, edit: Edit) -> None:
        """Remember an edit as a step of undo, where it is one."""
        self._history.record(edit)

    def change(self, request: Callable[[Store], Edit]) -> EditResult | None:
        """Make an edit as a step of undo. Returns what is stored then, None where everything was so already."""
        edit = request(self)
        self.record(edit)
        return self._result(edit)

    def undo(self, held: Set[str] = frozenset(), step: int | None = None) -> EditResult | None:
        """Take the last step back. Returns what is stored then, None where there was nothing to take back.

        held: ids of conversations that nothing is taken away from now; StoreError where that would be so, and the step
        can be tried again. step: only while it is the one of `history`. LookupError, and the step is forgotten, when
        what it is about is gone for ever.
        """
        is_over = step is not None and step != self.history.step
        return None if is_over else self._result(self._history.undo(lambda edit: self._revert(edit, held)))

    def redo(self, held: Set[str] = frozenset()) -> EditResult | None:
        """Do the step again that was taken back last; everything as for `undo`."""
        return self._result(self._history.redo(lambda edit: self._revert(edit, held)))

    def _revert(self, edit: Edit, held: Set[str]) -> Edit:
        if edit.has_revealed and not held.isdisjoint(edit.conversation_ids):
            raise store_error(Fault.WRITING, self._path)
        return self.revert(edit)

    def _result(self, edit: Edit | None) -> EditResult | None:
        """What is stored now. Trees only where messages or the open path have changed."""
        if edit is None or edit.is_empty:
            return None
        conversations = self.conversations()
        standing = {one.id for one in conversations}
        is_about_messages = any(change.table == "message" or change.field == "leaf" for change in edit.changes)
        ids = [one for one in edit.conversation_ids if one in standing] if is_about_messages else []
        return EditResult(edit, conversations, self.folders(), tuple(self.load(one) for one in ids))

    def empty_trash(self, older_than: float | None = None) -> int:
        """Delete for ever what lies in the trash, or has lain there for so many seconds; returns how many messages.

        Nothing can be undone any more. Nothing of it is left in the files: neither in the journals and the search
        index, nor in the copies of the database that were kept, older ones and damaged ones; of these only such as are
        as old, if an age is given.
        """
        deleted = self._empty(older_than)
        self._history.clear()
        self._wipe_traces()
        self._drop_copies(older_than)
        return deleted

    def kept_copies(self) -> tuple[Path, ...]:
        """Files beside the database that hold conversations too: old versions, damaged ones, unfinished rescues.

        Another program's database that lay in this one's place is not among them.
        """
        if self._path is None:
            return ()
        stem, suffix = self._path.stem, self._path.suffix
        patterns = (
            f"{stem}.version-*",
            f"{stem}.damaged-*",
            f"{stem}{suffix}.rescued*",
            ".rescue-*",
            f"{stem}.unsaved.*",
        )
        found = sorted(file for pattern in patterns for file in self._path.parent.glob(pattern))
        return tuple(file for file in found if not _is_foreign(file))

    def make_room(self) -> None:
        """Throw the search index away, for words that the disk has no room for; the next start makes it again."""
        self._index.close()
        with explained(self._path):
            for file in () if self._path is None else index_files(self._path):
                file.unlink(missing_ok=True)
        self._index = SearchIndex(None)
        self._left = []

    def bring_up(self, answer: Message, before: Progress | None = None, select: bool = True) -> Edit | None:
        """Add what is stored of an answer not yet. Doing it again changes nothing, wherever it was broken off.

        before: what is stored of it, asked for where it is not known. Returns the edit that added it, None where it
        was there. LookupError where its question is not.
        """
        before = before or self.progress_of(answer.id)
        if not before.is_stored:
            return self.add_message(answer, select)
        if not before.has_ended:
            self._grow(answer, answer.text[before.length :])
        return None

    def keep_for_next_start(self, answers: Sequence[Message]) -> bool:
        """Put answers that could not be saved into a file of their own; False where that was not possible either."""
        return self._path is not None and write_leftover(self._path, answers)

    def search(self, text: str, limit: int = 50) -> tuple[Hit, ...]:
        """Messages in which every word stands that was typed, newest first; the last word may be a beginning."""
        wanted = terms_of(text)
        if len(self._backlog()) <= SOON:
            for _ in range(10):
                if not self.index_some():
                    break
        hits: list[Hit] = []
        for found in self._index.find(wanted):
            if len(hits) == limit:
                break
            hits += self._hits(found, wanted)
        return tuple(hits)

    @property
    def search_state(self) -> SearchState:
        """How far the index is."""
        left = len(self._backlog()) + self._index.is_adding
        return SearchState(self._index.is_available, left, self._index.problem)

    def index_some(self) -> int:
        """Bring the index on by a step that takes a moment; returns how many messages can follow at once.

        What imports have left comes first.
        """
        if self._delete_unwanted():
            return 1
        backlog, end = self._backlog(), time.monotonic() + STEP
        while self._index.is_adding or backlog:
            if not self._index.is_adding:
                self._begin_to_index(backlog.pop())
            elif not self._index.step():
                self._give_up_indexing()
                return 0  # what could not be written now is tried again after the next message
            if time.monotonic() >= end:
                break
        return len(backlog) + self._index.is_adding

    def _begin_to_index(self, number: int) -> None:
        self._being_indexed = number
        for message_id, is_whole in self._rows(_UNINDEXED, number):
            self._index.begin(number, message_id, self._text(number), bool(is_whole))

    def _give_up_indexing(self) -> None:
        """The message that is being indexed is begun anew later."""
        self._index.give_up()
        if self._left is not None:
            self._left.append(self._being_indexed)

    def _open_index(self) -> None:
        is_in_memory = self._path is None or self.is_read_only
        self._index = SearchIndex(None if is_in_memory or self._path is None else index_path(self._path))
        self._left = None
        self._being_indexed = 0
        self._find_unwanted()

    def _backlog(self) -> list[int]:
        """Numbers of messages that are not in the index, the next one last. Growing answers come when they end."""
        if not self._index.is_available:
            return []
        if self._left is None:
            indexed, growing = self._index.indexed(), set(self._growing_answers.values())
            stored = {row[0]: (row[1], bool(row[2])) for row in self._rows(_ALL, STAGED)}
            self._index.remove(self._index.held() - stored.keys())
            self._left = [
                number
                for number, (message_id, is_whole) in stored.items()
                if not (is_whole and indexed.get(number) == (message_id, True)) and number not in growing
            ]
        elif self._news:
            self._left += self._news
        self._news.clear()
        return self._left

    def _hits(self, found: Found, wanted: tuple[Term, ...]) -> Iterator[Hit]:
        for message_id, role, created, conversation_id, title, updated in self._rows(_HIT, found.message):
            text = self._text(found.message)
            start = found.start if found.start > NEAR else 0
            stop = found.stop if found.stop < len(text) - NEAR else len(text)
            excerpt, ranges = excerpt_of(text[start:stop], wanted, start == 0, stop == len(text))
            yield Hit(conversation_id, message_id, title, role, excerpt, ranges, created, updated)

    def _empty_in_time(self) -> None:
        if self.is_read_only:
            return
        self._look_at_clock()
        due = [entry for entry in self.trash() if entry.at <= self.now - THIRTY_DAYS]
        if due:
            self._empty(THIRTY_DAYS)
            self.emptied = frozenset(one.conversation_id for one in due if one.conversation_id is not None)
            self._wipe_traces()
        self._drop_copies(THIRTY_DAYS)

    def _grow(self, answer: Message, text: str) -> None:
        if answer.stop is None:
            self.append_text(answer.id, text)
        else:
            self.finish_message(
                answer.id,
                stop=answer.stop,
                text=text,
                ids=answer.ids,
                stats=answer.stats,
                model=answer.model,
                model_name=answer.model_name,
            )

    def _take_leftover(self) -> None:
        """Save what could not be saved when the program was quit. What cannot be saved now either is kept."""
        if self._path is None or self.is_read_only:
            return
        for file, records in read_leftover(self._path):
            try:
                for record in records:
                    with suppress(LookupError):  # its question, or its conversation, was deleted for ever
                        self._take_over(record)
                file.unlink()
            except (StoreError, OSError, ValueError) as error:
                logger.warning("%s was not taken over: %s", file, type(error).__name__)
            else:
                self.notice = self.notice or SAVED_NOW

    def _take_over(self, record: Kept) -> None:
        if isinstance(record, ViewState):
            self.save_view_state(record)
        else:
            self.bring_up(record)

    def _look_at_clock(self) -> None:
        """Once a day is enough for a clock that counts days: most starts write nothing."""
        with self._reading():
            seen = self._execute("SELECT seen FROM clock").fetchone()[0]
        if abs(time.time() - seen) >= DAY:
            with self._writing():
                look_at(self._connection)

    def _wipe_traces(self) -> None:
        """Take what is no longer stored out of the index, and empty both journals.

        They are cut off, not overwritten: until the system uses those blocks again, whoever reads the raw disk may find
        words there.
        """
        if self._index.is_adding:
            self._give_up_indexing()
        stored = {row[0] for row in self._rows("SELECT number FROM message")}
        gone = self._index.held() - stored
        if not self._index.remove(gone):
            self._index.discard()
            self._left = None
        is_scrubbed = self._index.scrub()
        if self._rows("PRAGMA wal_checkpoint(TRUNCATE)")[0][0] or not is_scrubbed:
            raise store_error(Fault.LOCKED, self._path)

    def _drop_copies(self, older_than: float | None) -> None:
        with explained(self._path):
            now = self.now
            for file in self.kept_copies():
                written = file.stat().st_mtime
                if written > now + DAY:  # under a wrong clock: its time begins now
                    os.utime(file, (now, now))
                if older_than is None or now - written >= older_than:
                    _delete(file)


def _delete(file: Path) -> None:
    if file.is_dir():
        shutil.rmtree(file)
    else:
        file.unlink()


def _is_foreign(file: Path) -> bool:
    """Whether this is a database that another program has made, or the journal of one."""
    database = file.with_name(file.name.removesuffix("-wal").removesuffix("-shm"))
    try:
        with database.open("rb") as opened:
            first = opened.read(72)
    except OSError:
        return False
    return first.startswith(MAGIC) and first[68:] != APPLICATION_ID.to_bytes(4, "big")
