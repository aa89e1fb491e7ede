"""Imports: conversations come in by small steps, and are seen when all of them are there.

Properties: what is imported is kept whole or not at all. Until it is published it lies in an entry of the trash that
nobody is shown; where the program ends before, the next start takes it out again, by small steps too.

No id is held by two conversations, and one that was given up holds none that is wanted: so a document that comes again
is recognised by its id. What of it lies in the trash by then is restored, and nothing of it is brought a second time,
unless a copy is wanted.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import field, replace

from app.conversation.clock import advance_clock
from app.conversation.conversation_store import ConversationStore
from app.conversation.database import Database
from app.conversation.edit import ADDED, Change, Edit, Operation
from app.conversation.faults import StoreError
from app.conversation.matching import Match
from app.conversation.message import Message, new_id
from app.conversation.message_rows import MessageRows
from app.conversation.message_store import MessageStore
from app.conversation.records import Document
from app.conversation.trash import STAGED, Trash
from app.protocol.dataclass import dataclass

STEP = 0.02  # seconds for which messages are written without letting others have their turn
AT_ONCE = 100  # messages that are deleted in one step
COMPARED = 200  # messages that are compared in one step


@dataclass(frozen=True, slots=True)
class StagedConversation:
    """A conversation that is being written: its number and id in the database, and the entry of the trash."""

    number: int
    id: str
    entry: int


@dataclass(slots=True)
class Stage:
    """Conversations that one import has brought so far, in their order, and what it restores from the trash.

    messages: numbers of those that it has brought. hidden_conversations, hidden_messages: numbers of what is restored.
    """

    begun: list[StagedConversation] = field(default_factory=list)
    messages: list[int] = field(default_factory=list)
    hidden_conversations: set[int] = field(default_factory=set)
    hidden_messages: set[int] = field(default_factory=set)

    @property
    def entry(self) -> int | None:
        """The entry of the trash in which the import lies, None before there is anything."""
        return self.begun[0].entry if self.begun else None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was brought, and nothing is to be restored."""
        return not (self.begun or self.hidden_conversations or self.hidden_messages)


class StagedDocument:
    """A document on its way into the database. ValueError where it contradicts itself."""

    def __init__(self, document: Document) -> None:
        _check(document)
        self.document = document
        self.numbers: dict[str, int] = {}
        self.visited = _visited(document)
        self.position = 0
        self.begun: StagedConversation | None = None

    @property
    def share(self) -> float:
        """Share of the document that is in the database, from 0 to 1."""
        return self.position / max(1, len(self.document.messages))


class Imports:
    """Imports of conversations from files, taken in by small steps."""

    def __init__(
        self,
        database: Database,
        rows: MessageRows,
        conversations: ConversationStore,
        messages: MessageStore,
        trash: Trash,
    ) -> None:
        self._db = database
        self._trash = trash
        self._rows = rows
        self._conversations = conversations
        self._messages = messages
        self._unwanted = self._unfinished()

    def add(self, document: Document) -> Edit:
        """Keep a whole conversation, all of it or nothing. ValueError where it contradicts itself.

        Where an id is taken it gets another one: `Edit.conversation_id` tells which the conversation has.
        """
        stage, coming = Stage(), StagedDocument(document)
        try:
            while self.stage(stage, coming):
                pass
            return self.publish(stage)
        except BaseException:
            self.unstage(stage)
            raise

    def stage(self, stage: Stage, coming: StagedDocument) -> bool:
        """Write a few messages of a document; False when all are there. LookupError when they were thrown away."""
        end = time.monotonic() + STEP
        messages = coming.document.messages
        position = coming.position
        numbers: dict[str, int] = {}
        with self._db.writing():
            begun = self._begun(coming) or self._begin(stage, coming)
            while position < len(messages) and (not numbers or time.monotonic() < end):
                self._stage_message(begun.number, coming, messages[position], numbers)
                position += 1
            if position == len(messages) and coming.document.leaf_id is not None:
                leaf = numbers.get(coming.document.leaf_id) or coming.numbers[coming.document.leaf_id]
                self._db.execute("UPDATE conversation SET leaf = ? WHERE number = ?", leaf, begun.number)
            self._db.execute("DELETE FROM change")
        if coming.begun is None:
            stage.begun.append(begun)
        coming.begun, coming.position = begun, position
        coming.numbers |= numbers
        stage.messages += numbers.values()
        return position < len(messages)

    def match(self, stage: Stage, document: Document) -> Match | None:
        """Find the conversation that a document is already, to be compared by `compare`; None where it is none yet.

        That may be one that this import has brought itself: a file can hold a conversation twice.
        """
        query = """SELECT number, trash FROM conversation WHERE id = ?1 AND (trash IS NULL OR trash = ?2
            OR trash NOT IN (SELECT number FROM trash WHERE operation = ?3))"""
        with self._db.reading():
            row = self._db.execute(query, document.conversation.id, stage.entry, STAGED).fetchone()
        if row is None:
            return None
        number, entry = row
        is_hidden = entry not in (None, stage.entry) and number not in stage.hidden_conversations
        return Match(document, number, is_hidden)

    def compare(self, stage: Stage, match: Match) -> bool:
        """Compare a few messages; False when all are compared, and what lies in the trash is noted in the stage."""
        with self._db.reading():
            page = self._rows.read(match.number, match.id, "true", match.last, COMPARED)
            for number, message in page:
                match.take(number, message)
            if len(page) == COMPARED:
                return True
            query = "SELECT number FROM message WHERE conversation = ? AND trash IS NOT NULL"
            hidden = {number for (number,) in self._db.execute(query, match.number)}
        stage.hidden_messages |= match.end(hidden)
        if match.is_hidden:
            stage.hidden_conversations.add(match.number)
        return False

    def publish(self, stage: Stage) -> Edit:
        """Show everything that was staged, all at once, and restore what it has noted. LookupError when it was deleted.

        The conversations that were brought come first.
        """
        with self._db.editing(Operation.IMPORT) as done:
            for one in stage.begun:
                query = "UPDATE conversation SET trash = NULL WHERE id = ? AND trash = ?"
                if self._db.execute(query, one.id, one.entry).rowcount != 1:
                    raise LookupError("what was imported was deleted")
            self._db.execute("DELETE FROM trash WHERE operation = ? AND number = ?", STAGED, stage.entry)
            self._trash.show(stage.hidden_conversations, stage.hidden_messages)
        self._messages.completed += stage.messages
        added = {one.number: Change("conversation", one.number, "trash", ADDED, None) for one in stage.begun}
        others = [one for one in done.edit.changes if one.table != "conversation" or one.number not in added]
        ids = dict.fromkeys((*(one.id for one in stage.begun), *done.edit.conversation_ids))
        return Edit(Operation.IMPORT, (*added.values(), *others), tuple(ids))

    def unstage(self, stage: Stage) -> None:
        """Give up an import: what it has brought is deleted, by steps."""
        if stage.entry is not None:
            self._unwanted.append(stage.entry)

    def _unfinished(self) -> list[int]:
        """Entries of the trash that imports have left which were never finished."""
        if self._db.is_read_only:
            return []
        rows = self._db.rows("SELECT number FROM trash WHERE operation = ?", STAGED)
        return [row[0] for row in rows]

    def delete_unwanted(self) -> bool:
        """Delete a little of what was given up; returns whether there was anything."""
        if not self._unwanted:
            return False
        is_done = True  # on a full disk, say: the next start does it
        with suppress(StoreError):
            is_done = self._delete_some(self._unwanted[-1])
        if is_done:
            self._unwanted.pop()
        return True

    def _delete_some(self, entry: int) -> bool:
        """Delete a few messages of an entry; whether nothing is left of it."""
        with self._db.writing():
            query = """SELECT conversation.number FROM conversation JOIN trash ON trash.number = conversation.trash
                WHERE trash.number = ? AND operation = ? LIMIT 1"""
            for (conversation,) in self._db.execute(query, entry, STAGED).fetchall():
                self._db.execute("UPDATE conversation SET leaf = NULL WHERE number = ?", conversation)
                query = "SELECT number FROM message WHERE conversation = ? ORDER BY number DESC LIMIT ?"
                numbers = self._db.execute(query, conversation, AT_ONCE).fetchall()
                for (number,) in numbers:
                    self._db.execute("DELETE FROM message WHERE number = ?", number)
                if len(numbers) < AT_ONCE:
                    self._db.execute("DELETE FROM conversation WHERE number = ?", conversation)
                self._db.execute("DELETE FROM change")
                return False
            self._db.execute("DELETE FROM trash WHERE number = ? AND operation = ?", entry, STAGED)
        return True

    def _begun(self, coming: StagedDocument) -> StagedConversation | None:
        """Return what is written already of a document. LookupError when it was thrown away."""
        if coming.begun is not None:
            query = "SELECT 1 FROM conversation WHERE id = ? AND trash = ?"
            if self._db.execute(query, coming.begun.id, coming.begun.entry).fetchone() is None:
                raise LookupError("what was imported so far was deleted")
        return coming.begun

    def _begin(self, stage: Stage, coming: StagedDocument) -> StagedConversation:
        conversation = coming.document.conversation
        self._free_id(conversation.id)
        if self._db.execute("SELECT 1 FROM conversation WHERE id = ?", conversation.id).fetchone():
            conversation = replace(conversation, id=new_id())
        entry = stage.entry
        if entry is None:
            query = "INSERT INTO trash (at, operation) VALUES (?, ?)"
            entry = int(self._db.execute(query, advance_clock(self._db.connection), STAGED).lastrowid or 0)
        number = self._conversations.insert(conversation)
        self._db.execute("UPDATE conversation SET trash = ? WHERE number = ?", entry, number)
        return StagedConversation(number, conversation.id, entry)

    def _free_id(self, conversation_id: str) -> None:
        """Take an id from a conversation that was given up and is not deleted yet: it is recognised by nobody."""
        query = "SELECT number, trash FROM conversation WHERE id = ?"
        for number, entry in self._db.execute(query, conversation_id).fetchall():
            if entry in self._unwanted:
                self._db.execute("UPDATE conversation SET id = ? WHERE number = ?", new_id(), number)

    def _stage_message(
        self, conversation: int, coming: StagedDocument, message: Message, numbers: dict[str, int]
    ) -> None:
        above = message.parent_id
        parent = None if above is None else numbers.get(above) or coming.numbers[above]
        number = self._rows.insert(conversation, parent, self._with_free_id(message))
        if message.id in coming.visited:
            self._db.execute("UPDATE message SET visited = 1 WHERE number = ?", number)
        if message.id in coming.document.choices:
            self._rows.replace_choices(number, coming.document.choices[message.id])
        numbers[message.id] = number

    def _with_free_id(self, message: Message) -> Message:
        query = "SELECT 1 FROM message WHERE id = ?"
        return replace(message, id=new_id()) if self._db.execute(query, message.id).fetchone() else message


def _visited(document: Document) -> set[str]:
    """Return the last visited children, those of the open path in any case."""
    parents = {message.id: message.parent_id for message in document.messages}
    visited = {parents[one]: one for one in document.visited}
    message_id = document.leaf_id
    while message_id is not None:
        visited[parents[message_id]] = message_id
        message_id = parents[message_id]
    return set(visited.values())


def _check(document: Document) -> None:
    """ValueError where a message hangs on none that came before it, is there twice, or is spoken of and not there."""
    known: set[str] = set()
    for position, message in enumerate(document.messages, 1):
        if message.id in known:
            raise ValueError(f"message {position} has the id of an earlier one: {message.id}")
        if message.parent_id is not None and message.parent_id not in known:
            raise ValueError(f"message {position} follows one that did not come before it: {message.parent_id}")
        known.add(message.id)
    spoken_of = {*document.visited, *document.choices, *([document.leaf_id] if document.leaf_id else [])}
    if not spoken_of <= known:
        raise ValueError(f"no message has the id {min(spoken_of - known)}")
