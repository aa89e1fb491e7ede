"""Everything that is kept of conversations, in one place: what is asked of it is done when the method returns.

Properties: a method that returns has committed. A request is kept whole or not at all.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from app.conversation.attachment_rows import AttachmentRows
from app.conversation.clock import advance_clock
from app.conversation.conversation_store import ConversationStore
from app.conversation.database import Database
from app.conversation.edit import Edit
from app.conversation.edit_result import EditResult
from app.conversation.exporting import Exports
from app.conversation.faults import Fault, StoreError, as_store_errors, store_error
from app.conversation.folder_store import FolderStore
from app.conversation.history import History, HistoryState
from app.conversation.kept_copies import DAY, drop_copies, kept_copies
from app.conversation.message_rows import MessageRows
from app.conversation.message_search import MessageSearch
from app.conversation.message_store import MessageStore
from app.conversation.opening import PATIENCE
from app.conversation.path_marks import PathMarks
from app.conversation.preset_store import PresetStore
from app.conversation.records import ViewState
from app.conversation.staging import Imports
from app.conversation.trash import THIRTY_DAYS, Trash
from app.conversation.unsaved import UnsavedRecord, read_unsaved, write_unsaved
from app.conversation.view_state_store import ViewStateStore
from app.protocol.reports import Problem

logger = logging.getLogger(__name__)

SAVED_NOW = Problem(
    "What you wrote last is saved now",
    "The disk did not take all of it when Espalier quit. The words were kept in a file.",
)
STILL_UNSAVED = Problem(
    "What you wrote last is not saved yet",
    "The disk did not take all of it when Espalier quit, and does not now. The words are kept in a file: make room on "
    "the disk, and start Espalier again.",
)


class Store:
    """The database, open, with its search index. It belongs to the thread that made it.

    What lies in the trash for thirty days is deleted when the store is opened.

    Attributes: database, the file itself; conversations, messages, folders, view_states, presets, trash, imports,
    exports, search: what is kept in it, each with what can be asked of it; notice: what the person should know about
    the file, None when all is well; emptied: the conversations that what was deleted at the opening belonged to.
    """

    def __init__(self, path: Path | None, *, notice: Problem | None = None, patience: float = PATIENCE) -> None:
        """`path` None keeps everything in memory. `patience`: seconds to wait while another program writes."""
        self.database = Database(path, patience)
        self.notice = notice or self.database.notice
        self.emptied: frozenset[str] = frozenset()
        self._history = History()
        self._untold: list[Edit] = []  # that nobody has got the result of
        attachments = AttachmentRows(self.database)
        rows, paths = MessageRows(self.database, attachments), PathMarks(self.database)
        self.conversations = ConversationStore(self.database)
        self.folders = FolderStore(self.database)
        self.view_states = ViewStateStore(self.database, attachments)
        self.presets = PresetStore(self.database)
        self.messages = MessageStore(self.database, rows, paths, self.conversations, self.view_states)
        self.trash = Trash(self.database, rows, paths, self.messages)
        self.imports = Imports(self.database, rows, self.conversations, self.messages, self.trash)
        self.exports = Exports(self.database, rows, self.conversations, self.messages)
        self.search = MessageSearch(self.database, rows, self.messages)
        try:
            self._empty_in_time()
            self._save_unsaved()
        except (StoreError, sqlite3.Error, LookupError, ValueError, MemoryError) as error:
            logger.warning("the trash was not looked through: %s", error)  # the next opening does it

    @property
    def is_read_only(self) -> bool:
        """Whether every change raises StoreError."""
        return self.database.is_read_only

    @property
    def is_durable(self) -> bool:
        """Whether conversations outlast the program: not those of a store in memory."""
        return self.database.path is not None

    def close(self) -> None:
        """Close the files; the journal is merged. Closing again does nothing."""
        self.search.close()
        self.database.close()

    @property
    def history(self) -> HistoryState:
        """Steps that can be undone and done again."""
        return self._history.state

    def record(self, edit: Edit) -> None:
        """Remember an edit as a step of undo, where it is one."""
        self._history.record(edit)

    def change(self, request: Callable[[Store], Edit]) -> EditResult | None:
        """Make an edit as a step of undo: all that it consists of, or none where one part cannot be made.

        Returns what is stored then, None where everything was so already.
        """
        with self.database.writing():
            edit = request(self)
        self.record(edit)
        return self._result(edit)

    def discard(self, message_id: str) -> None:
        """Delete an answer for ever that ended before its first word. ValueError as for `MessageStore.discard`."""
        self._history.forget(self.messages.discard(message_id))

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

    def tell_again(self) -> EditResult | None:
        """Return what is stored after edits that were made, or may have been, and whose result could not be read.

        None where there are none.
        """
        return self._result(self._untold.pop()) if self._untold else None

    def empty_trash(self, older_than: float | None = None) -> int:
        """Delete for ever what lies in the trash, or has lain there for so many seconds; returns how many messages.

        Nothing can be undone any more. Nothing of it is left in the files: neither in the journals and the search
        index, nor in the copies of the database that were kept, older ones and damaged ones; of these only such as are
        as old, if an age is given.
        """
        deleted = self.trash.delete_for_ever(older_than)
        self._history.clear()
        self._wipe_traces()
        self._drop_copies(older_than)
        return deleted

    def kept_copies(self) -> tuple[Path, ...]:
        """Return the files beside the database that hold conversations too; see `kept_copies.py`."""
        return () if self.database.path is None else kept_copies(self.database.path)

    def drop_copies(self) -> None:
        """Delete the files of `kept_copies`, as old as they may be. StoreError where one cannot be deleted."""
        self._drop_copies(None)

    def keep_for_next_start(self, records: Sequence[UnsavedRecord]) -> bool:
        """Put what could not be saved into a file of its own; False where that was not possible either."""
        return self.database.path is not None and write_unsaved(self.database.path, records)

    def idle_step(self) -> bool:
        """Do a little of what can wait: delete what imports have left, index messages; returns whether more waits."""
        return self.imports.delete_unwanted() or self.search.index_some() > 0

    def _revert(self, edit: Edit, held: Set[str]) -> Edit:
        if edit.has_revealed and not held.isdisjoint(edit.conversation_ids):
            raise store_error(Fault.WRITING, self.database.path)
        self._untold.append(edit)
        reverted = self.trash.revert(edit)
        self._untold.pop()
        return reverted

    def _result(self, edit: Edit | None) -> EditResult | None:
        """Return what is stored now, None where an edit has changed nothing. It is untold while that cannot be read."""
        if edit is None or edit.is_empty:
            return None
        self._untold.append(edit)
        result = self._told(edit)
        self._untold.clear()
        return result

    def _told(self, edit: Edit) -> EditResult:
        """Return what is stored now, with trees only where messages or the open path have changed.

        It is about an edit, and about those before it that are untold.
        """
        conversations = self.conversations.all()
        standing = {one.id for one in conversations}
        ids = dict.fromkeys(one for made in self._untold if made.is_about_messages for one in made.conversation_ids)
        trees = tuple(self.messages.load(one) for one in ids if one in standing)
        whole = dict.fromkeys(one for made in (edit, *self._untold) for one in made.conversation_ids)
        edit = replace(edit, conversation_ids=tuple(whole))
        return EditResult(edit, conversations, self.folders.all(), trees, self.messages.listed_branches())

    def _empty_in_time(self) -> None:
        if self.is_read_only:
            return
        self._advance_clock_daily()
        due = [entry for entry in self.trash.entries() if entry.at <= self.trash.now - THIRTY_DAYS]
        if due:
            self.trash.delete_for_ever(THIRTY_DAYS)
            self.emptied = frozenset(one.conversation_id for one in due if one.conversation_id is not None)
            self._wipe_traces()
        self._drop_copies(THIRTY_DAYS)

    def _save_unsaved(self) -> None:
        """Save what could not be saved when the program was quit. What cannot be saved now either is kept."""
        if self.database.path is None or self.is_read_only:
            return
        for file, records in read_unsaved(self.database.path):
            try:
                self._save_records(records)
                file.unlink()
            except (StoreError, OSError, ValueError) as error:
                logger.warning("%s was not taken over: %s", file, type(error).__name__)
                self.notice = self.notice or (STILL_UNSAVED if isinstance(error, StoreError) else None)
            else:
                self.notice = self.notice or SAVED_NOW

    def _save_records(self, records: Sequence[UnsavedRecord]) -> None:
        """Save what was kept. Drafts are saved last and together: one that is there already may be changed by the next
        start.
        """
        left: dict[str, ViewState] = {}
        for record in records:
            if isinstance(record, ViewState):
                earlier = left.get(record.conversation_id)
                left[record.conversation_id] = record if earlier is None else record.after(earlier)
            else:
                with suppress(LookupError):  # its question was deleted for ever
                    self.messages.save_kept(record)
        self.view_states.save(*left.values())

    def _advance_clock_daily(self) -> None:
        """Once a day is enough for a clock that counts days: most starts write nothing."""
        with self.database.reading():
            seen = self.database.execute("SELECT seen FROM clock").fetchone()[0]
        if abs(time.time() - seen) >= DAY:
            with self.database.writing():
                advance_clock(self.database.connection)

    def _wipe_traces(self) -> None:
        """Take what is no longer stored out of the index, and empty both journals.

        They are cut off, not overwritten: until the system uses those blocks again, whoever reads the raw disk may find
        words there.
        """
        is_wiped = self.search.wipe_removed()
        if self.database.rows("PRAGMA wal_checkpoint(TRUNCATE)")[0][0] or not is_wiped:
            raise store_error(Fault.LOCKED, self.database.path)

    def _drop_copies(self, older_than: float | None) -> None:
        if self.database.path is not None:
            with as_store_errors(self.database.path):
                drop_copies(self.database.path, self.trash.now, older_than)
