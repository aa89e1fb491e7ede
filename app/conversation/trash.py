# ruff: noqa: S608 (the names in the statements are this program's own)
"""Deleting, and taking things back. What is deleted is hidden until the trash is emptied.

Properties: words are lost by emptying the trash and by nothing else. An answer that is being written is not hidden.
Taking an edit back puts every field to what it was; where something has come between, it does as much of that as can
be, and what it returns tells what it has really done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.conversation.clock import advance_clock, clock_time
from app.conversation.database import Database
from app.conversation.edit import Change, Edit, Operation, Value
from app.conversation.faults import Fault, store_error
from app.conversation.message import title_from
from app.conversation.message_rows import MessageRows
from app.conversation.message_store import MessageStore
from app.conversation.path_marks import PathMarks
from app.conversation.records import Deleted, Trashed

THIRTY_DAYS = 30 * 86400.0  # seconds
STAGED = "importing"  # what an entry is called that holds an import under way: it is not shown and not emptied

_BELOW = """WITH RECURSIVE below (number) AS (
    VALUES (:root) UNION ALL SELECT message.number FROM below JOIN message
    ON message.conversation = :conversation AND message.parent = below.number AND trash IS NULL)
    SELECT number FROM below"""
_UNUSED = """DELETE FROM trash WHERE NOT EXISTS (SELECT 1 FROM message WHERE trash = trash.number)
    AND NOT EXISTS (SELECT 1 FROM conversation WHERE trash = trash.number)
    AND NOT EXISTS (SELECT 1 FROM folder WHERE trash = trash.number)"""
_IN_ENTRY = """FROM (SELECT number FROM message WHERE trash = ?1 UNION SELECT message.number FROM conversation
    JOIN message ON message.conversation = conversation.number WHERE conversation.trash = ?1)"""
_IN_ENTRY_AND_BELOW = f"""WITH RECURSIVE below (number, conversation) AS (
    SELECT message.number, message.conversation FROM message WHERE number IN (SELECT number {_IN_ENTRY})
    UNION SELECT message.number, message.conversation FROM below JOIN message
    ON message.conversation = below.conversation AND message.parent = below.number) SELECT number FROM below"""
_DELETED = """SELECT count(*), sum(NOT EXISTS (SELECT 1 FROM message AS below
    WHERE below.conversation = message.conversation AND below.parent = message.number AND +below.trash = message.trash))
    FROM message WHERE trash = ?"""
_ENTRY_OF = """SELECT id, title FROM conversation WHERE number = (SELECT conversation FROM message WHERE number = ?2)
    UNION ALL SELECT id, title FROM conversation WHERE trash = ?1
    UNION ALL SELECT NULL, name FROM folder WHERE trash = ?1"""


class Trash:
    """The trash: deleting, restoring, and taking edits back."""

    def __init__(self, database: Database, rows: MessageRows, paths: PathMarks, messages: MessageStore) -> None:
        self._db = database
        self._rows = rows
        self._paths = paths
        self._messages = messages

    def delete_message(self, message_id: str) -> Edit:
        """Put a message and all that follows it into the trash; an open path that came here ends beside or above it."""
        with self._db.editing(Operation.DELETE) as done:
            number = self._db.message_number(message_id)
            self._hide({"message": [number]}, Operation.DELETE)
        return done.edit

    def prune(self, conversation_id: str, *ends: str) -> Edit:
        """Put all branches but one into the trash.

        ends: the last messages of the branch that stays, of which the first counts that is there; without one, the open
        path stays as it is stored.
        """
        with self._db.editing(Operation.PRUNE) as done:
            number = self._db.conversation_number(conversation_id)
            shown = self._shown(number)
            query = "SELECT number FROM message WHERE id = ?"
            found = (row[0] for end in ends for row in self._db.execute(query, end) if row[0] in shown)
            leaf = next(found, None) or self._paths.leaf_of(number) or self._leaf_beside(number, None, set())
            kept = set() if leaf is None else set(self._paths.up_from(leaf))
            if kept:
                self._hide({"message": [message for message in shown if message not in kept]}, Operation.PRUNE)
        return done.edit

    def deleted_by(self, edit: Edit) -> Deleted:
        """Count the messages that an edit has put into the trash by themselves, and not with their conversation."""
        entries = {one.new for one in edit.changes if one.table == "message" and one.field == "trash" and one.new}
        rows = [self._db.rows(_DELETED, entry)[0] for entry in entries]
        return Deleted(sum(row[0] for row in rows), sum(row[1] for row in rows))

    def delete_conversation(self, conversation_id: str) -> Edit:
        """Put a conversation into the trash."""
        with self._db.editing(Operation.DELETE) as done:
            self._hide({"conversation": [self._db.conversation_number(conversation_id)]}, Operation.DELETE)
        return done.edit

    def delete_folder(self, folder_id: str) -> Edit:
        """Put a folder into the trash; the conversations in it stay, in no folder."""
        with self._db.editing(Operation.DELETE) as done:
            self._hide({"folder": [self._db.folder_number(folder_id)]}, Operation.DELETE)
        return done.edit

    def revert(self, edit: Edit) -> Edit:
        """Take an edit back; what is returned takes that back in turn.

        What was added is put into the trash, with what was said after it. LookupError when something that the edit was
        about is gone for ever.
        """
        if edit.operation is Operation.CONTINUE:
            return self._messages.turn_back(edit)
        with self._db.editing(edit.operation) as done:
            self._check_there(edit.changes)
            shown = [change for change in edit.changes if change.field == "trash" and change.old is None]
            hidden = [change for change in edit.changes if change.field == "trash" and change.old is not None]
            conversations = self._touched(edit.changes)
            self._show(_by_table(shown))
            self._put_fields([change for change in edit.changes if change.field != "trash"])
            self._hide(_by_table(hidden), edit.operation)
            for conversation in conversations:
                self._paths.mark(conversation, self._paths.leaf_of(conversation))
            self._db.execute(_UNUSED)
        return done.edit.in_order_of(edit)

    def entries(self) -> tuple[Trashed, ...]:
        """Return what can be restored, deleted last first."""
        rows = self._db.rows(
            "SELECT number, at, operation FROM trash WHERE operation <> ? ORDER BY number DESC", STAGED
        )
        return tuple(self._trashed(*row) for row in rows)

    @property
    def now(self) -> float:
        """The time by which the trash goes, in seconds since the epoch; see `clock.py`."""
        with self._db.reading():
            return clock_time(self._db.connection)

    def restore(self, number: int) -> Edit:
        """Bring back what one operation has deleted, and what it hangs on. LookupError when there is nothing."""
        with self._db.editing(Operation.RESTORE) as done:
            found = {
                table: [row[0] for row in self._db.execute(f"SELECT number FROM {table} WHERE trash = ?", number)]
                for table in ("folder", "conversation", "message")
            }
            if not any(found.values()):
                raise LookupError(f"the trash has no entry {number}")
            query = "SELECT DISTINCT conversation FROM message WHERE trash = ?"
            found["conversation"] += [row[0] for row in self._db.execute(query, number)]
            self._show(found)
            self._db.execute(_UNUSED)
        return done.edit

    def show(self, conversations: Iterable[int], messages: Iterable[int]) -> None:
        """Take rows out of the trash, with what they hang on, inside `editing`. LookupError where one is gone."""
        rows = {"conversation": sorted(conversations), "message": sorted(messages)}
        for table, numbers in rows.items():
            for number in numbers:
                if self._db.execute(f"SELECT 1 FROM {table} WHERE number = ?", number).fetchone() is None:
                    raise LookupError(f"{table} {number} is gone for ever")
        self._show(rows)
        self._db.execute(_UNUSED)

    def delete_for_ever(self, older_than: float | None) -> int:
        """Delete the rows of what lies here, or has lain here for so many seconds; returns how many messages.

        What came to answers that went on, and was taken back, is deleted too: nothing brings it back from now on.
        """
        query = "SELECT number FROM trash WHERE operation <> ? AND (? IS NULL OR at <= ? - ?)"
        with self._db.writing():
            before = self._count()
            due = [
                row[0]
                for row in self._db.execute(query, STAGED, older_than, advance_clock(self._db.connection), older_than)
            ]
            messages = self._lying_in(due)
            self._refuse_growing(messages)
            for number in sorted(messages, reverse=True):  # SQLite follows a long branch down not far enough by itself
                self._db.execute("DELETE FROM message WHERE number = ?", number)
            for table in ("conversation", "folder"):
                for entry in due:
                    self._db.execute(f"DELETE FROM {table} WHERE trash = ?", entry)
            self._db.execute(_UNUSED)
            query = "SELECT DISTINCT message FROM message_text WHERE is_undone = 1"
            for (number,) in self._db.execute(query).fetchall():
                self._rows.drop_undone(number)
            return before - self._count()

    def _count(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM message").fetchone()[0])

    def _lying_in(self, entries: Iterable[int]) -> set[int]:
        """Messages of these entries, and what hangs on them from others."""
        return {row[0] for entry in entries for row in self._db.execute(_IN_ENTRY_AND_BELOW, entry)}

    def _hide(self, rows: dict[str, list[int]], operation: Operation) -> None:
        """Put rows into the trash as one entry, with what hangs on them; those that lie there stay as they are."""
        folders, conversations = (self._seen(table, rows.get(table, ())) for table in ("folder", "conversation"))
        messages = self._with_all_below(self._seen("message", rows.get("message", ())))
        if not (folders or conversations or messages):
            return
        self._refuse_growing(set(messages))
        for number in conversations:
            self._refuse_growing(set(self._shown(number)))
        entry = self._entry(operation)
        for number in folders:
            self._db.execute("UPDATE conversation SET folder = NULL WHERE folder = ?", number)
        self._leave(set(messages))
        for table, numbers in (("folder", folders), ("conversation", conversations), ("message", messages)):
            for number in sorted(numbers, reverse=True):
                self._db.execute(f"UPDATE {table} SET trash = ? WHERE number = ?", entry, number)

    def _seen(self, table: str, numbers: Iterable[int]) -> list[int]:
        query = f"SELECT 1 FROM {table} WHERE number = ? AND trash IS NULL"
        return [number for number in numbers if self._db.execute(query, number).fetchone()]

    def _with_all_below(self, numbers: Iterable[int]) -> list[int]:
        found: dict[int, None] = {}
        for number in sorted(numbers):
            if number not in found:
                values = {"root": number, "conversation": self._home(number)}
                found |= dict.fromkeys(row[0] for row in self._db.connection.execute(_BELOW, values))
        return list(found)

    def _refuse_growing(self, numbers: set[int]) -> None:
        if not numbers.isdisjoint(self._messages.growing):
            raise store_error(Fault.WRITING, self._db.path)

    def _entry(self, operation: Operation) -> int:
        values = (advance_clock(self._db.connection), str(operation))
        cursor = self._db.execute("INSERT INTO trash (at, operation) VALUES (?, ?)", *values)
        return int(cursor.lastrowid or 0)

    def _leave(self, messages: set[int]) -> None:
        """Let no open path end with one of these messages."""
        for conversation in {self._home(number) for number in messages}:
            leaf = self._paths.leaf_of(conversation)
            if leaf in messages:
                self._paths.select(conversation, self._leaf_beside(conversation, leaf, messages))

    def _leaf_beside(self, conversation: int, leaf: int | None, without: set[int]) -> int | None:
        """Return where one arrives from the nearest message above that stays, by last visit, or the newest."""
        shown = self._shown(conversation)
        end = leaf
        while end is not None and end in without:
            end = shown[end][0]
        best: dict[int | None, tuple[int, int]] = {}
        for number, (parent, visited) in shown.items():
            if number not in without:
                best[parent] = max(best.get(parent, (0, 0)), (visited, number))
        while end in best:
            end = best[end][1]
        return end

    def _shown(self, conversation: int) -> dict[int, tuple[int | None, int]]:
        """Parent and visited mark of every message that can be seen, by its number."""
        query = "SELECT number, parent, visited FROM message WHERE conversation = ? AND trash IS NULL ORDER BY number"
        return {number: (parent, visited) for number, parent, visited in self._db.execute(query, conversation)}

    def _show(self, rows: dict[str, list[int]]) -> None:
        """Take rows out of the trash, with what they hang on and what was said below them while they lay there."""
        for table in ("folder", "conversation"):
            for number in rows.get(table, ()):
                self._db.execute(f"UPDATE {table} SET trash = NULL WHERE number = ? AND trash IS NOT NULL", number)
        wanted = sorted(rows.get("message", ()))
        entries = {entry for number in wanted if (entry := self._entry_of(number)) is not None}
        for number in wanted:
            for step in reversed(list(self._hidden_above(number))):
                self._db.execute("UPDATE message SET trash = NULL WHERE number = ?", step)
        query = """UPDATE message SET trash = NULL WHERE number = ? AND trash = ?
            AND (SELECT above.trash FROM message AS above WHERE above.number = message.parent) IS NULL"""
        for number in self._messages.late:
            for entry in entries:
                self._db.execute(query, number, entry)

    def _entry_of(self, message: int) -> int | None:
        row = self._db.execute("SELECT trash FROM message WHERE number = ?", message).fetchone()
        return None if row is None else row[0]

    def _put_fields(self, changes: list[Change]) -> None:
        """Give fields their old values; marks of the path come last, those that go before those that come."""
        plain = [change for change in changes if change.field not in ("visited", "leaf")]
        for change in plain:
            self._put(change, self._still_there(change))
        for change in sorted((one for one in changes if one.field == "visited"), key=lambda one: one.old or 0):
            if change.old:
                query = """UPDATE message SET visited = 0 WHERE visited = 1 AND (conversation, ifnull(parent, 0)) =
                    (SELECT conversation, ifnull(parent, 0) FROM message WHERE number = ?)"""
                self._db.execute(query, change.number)
            self._put(change, change.old)
        for change in changes:
            if change.field == "leaf" and (change.old is None or self._seen("message", [int(change.old)])):
                self._put(change, change.old)

    def _still_there(self, change: Change) -> Value:
        """Return the old value, or none for a folder that lies in the trash by now."""
        is_lost = change.field == "folder" and change.old is not None and not self._seen("folder", [int(change.old)])
        return None if is_lost else change.old

    def _put(self, change: Change, value: Value) -> None:
        self._db.execute(f"UPDATE {change.table} SET {change.field} = ? WHERE number = ?", value, change.number)

    def _check_there(self, changes: Iterable[Change]) -> None:
        for table, number in {(change.table, change.number) for change in changes}:
            if self._db.execute(f"SELECT 1 FROM {table} WHERE number = ?", number).fetchone() is None:
                raise LookupError(f"{table} {number} is gone for ever")

    def _touched(self, changes: Iterable[Change]) -> list[int]:
        """Conversations whose open path or messages a list of changes is about."""
        own = {change.number for change in changes if change.table == "conversation" and change.field == "leaf"}
        return sorted(own | {self._home(change.number) for change in changes if change.table == "message"})

    def _home(self, message: int) -> int:
        return int(self._db.execute("SELECT conversation FROM message WHERE number = ?", message).fetchone()[0])

    def _hidden_above(self, message: int) -> Iterator[int]:
        """Yield this message and those above it, as far as they lie in the trash."""
        for number in self._paths.up_from(message):
            if self._entry_of(number) is None:
                return
            yield number

    def _trashed(self, entry: int, at: float, operation: str) -> Trashed:
        first, messages = self._db.rows(f"SELECT min(number), count(*) {_IN_ENTRY}", entry)[0]
        conversation_id, title = next(iter(self._db.rows(_ENTRY_OF, entry, first)), (None, None))
        text = "" if first is None else self._rows.text(first)
        excerpt = title_from(text[:1000])
        is_whole = bool(self._db.rows("SELECT EXISTS (SELECT 1 FROM conversation WHERE trash = ?)", entry)[0][0])
        return Trashed(entry, at, Operation(operation), conversation_id, title or "", excerpt, messages, is_whole)


def _by_table(changes: Iterable[Change]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for change in changes:
        found.setdefault(change.table, []).append(change.number)
    return found
