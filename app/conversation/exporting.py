"""Exports: a conversation is read by small steps, so that nothing else waits for the whole of it."""

from __future__ import annotations

from app.conversation.conversation_store import ConversationStore
from app.conversation.database import Database
from app.conversation.message import Message
from app.conversation.message_rows import MessageRows
from app.conversation.message_store import MessageStore
from app.conversation.records import Document

AT_ONCE = 200  # messages

_CHOSEN = """SELECT message.id, message.number FROM message JOIN message_choices AS kept
    ON kept.message = message.number WHERE conversation = ? AND message.number > ? AND message.number <= ?"""
_VISITED = """SELECT id FROM message WHERE conversation = ? AND number > ? AND number <= ? AND visited = 1
    AND trash IS NULL ORDER BY number"""


class Export:
    """Part of a conversation that was read so far.

    Properties: what it holds is a whole tree, whatever is said and deleted in the meantime: a message whose parent was
    in the trash when its turn came is left out with all that follows it.
    """

    def __init__(self, conversation_id: str) -> None:
        self.conversation_id = conversation_id
        self.last = 0  # number of the message that was read last
        self.messages: dict[str, Message] = {}
        self.visited: dict[str | None, str] = {}  # by their parents: the mark may move while one reads
        self.choices: dict[str, bytes] = {}


class Exports:
    """Exports of whole conversations, read by small steps."""

    def __init__(
        self, database: Database, rows: MessageRows, conversations: ConversationStore, messages: MessageStore
    ) -> None:
        self._db = database
        self._rows = rows
        self._conversations = conversations
        self._messages = messages

    def export(self, conversation_id: str) -> Document:
        """Return a whole conversation as a value, without what lies in the trash. LookupError when it is not known."""
        export = Export(conversation_id)
        while self.read_some(export):
            pass
        return self.document(export)

    def read_some(self, export: Export) -> bool:
        """Read a few messages on; returns whether there may be more. LookupError when the conversation is not known."""
        with self._db.reading():
            conversation = self._db.conversation_number(export.conversation_id)
            above = export.last
            found = self._rows.read(conversation, export.conversation_id, "message.trash IS NULL", above, AT_ONCE)
            if not found:
                return False
            export.last = found[-1][0]
            for _, message in found:
                if message.parent_id is None or message.parent_id in export.messages:
                    export.messages[message.id] = message
            for (message_id,) in self._db.execute(_VISITED, conversation, above, export.last):
                if message_id in export.messages:
                    export.visited[export.messages[message_id].parent_id] = message_id
            for message_id, number in self._db.execute(_CHOSEN, conversation, above, export.last).fetchall():
                if message_id in export.messages and export.messages[message_id].ids:
                    export.choices[message_id] = self._rows.choices_of_ids(number)
        return len(found) == AT_ONCE

    def document(self, export: Export) -> Document:
        """Return the document, when all of it was read."""
        leaf = self._messages.leaf_of(export.conversation_id)
        return Document(
            self._conversations.get(export.conversation_id),
            tuple(export.messages.values()),
            tuple(one.id for one in export.messages.values() if export.visited.get(one.parent_id) == one.id),
            leaf if leaf in export.messages else None,
            {message_id: packed for message_id, packed in export.choices.items() if packed},
        )
