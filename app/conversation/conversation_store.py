# ruff: noqa: S608 (the names in the statements are this program's own)
"""The list of conversations: their titles, which was used last, which are favourites, in which folder they lie."""

from __future__ import annotations

import time

from app.conversation.database import Database
from app.conversation.edit import Edit, Operation
from app.conversation.message import Conversation, checked_id, checked_title

_CONVERSATIONS = """SELECT conversation.id, title, created, updated, folder.id, favourite
    FROM conversation LEFT JOIN folder ON folder.number = conversation.folder"""
_LAST = "(SELECT ifnull(max(used), 0) FROM conversation)"
_USE = f"UPDATE conversation SET updated = ?1, used = {_LAST} + 1 WHERE number = ?2"
# One from a file takes its place among the others by its date; it drives out none that is used later.
_PLACE = "(SELECT ifnull(max(used), 0) FROM conversation WHERE updated <= ?)"
_SHOWN = " WHERE conversation.trash IS NULL ORDER BY used DESC, updated DESC, conversation.number DESC"


class ConversationStore:
    """Conversations without their messages. Every edit here can be undone."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def all(self) -> tuple[Conversation, ...]:
        """Return the conversations that are not in the trash, the one used last first."""
        return tuple(_conversation(*row) for row in self._db.rows(_CONVERSATIONS + _SHOWN))

    def get(self, conversation_id: str) -> Conversation:
        """Return one conversation, from the trash too. LookupError when it is not known."""
        for row in self._db.rows(f"{_CONVERSATIONS} WHERE conversation.id = ?", checked_id(conversation_id)):
            return _conversation(*row)
        raise LookupError(f"nothing with id {conversation_id} is stored")

    def create(self, conversation: Conversation) -> Edit:
        """Keep a new, empty conversation."""
        with self._db.editing(Operation.CREATE) as done:
            self.use(self.insert(conversation), conversation.updated_at)
        return done.edit

    def rename(self, conversation_id: str, title: str) -> Edit:
        """Give a conversation another title. ValueError for an empty one."""
        with self._db.editing(Operation.RENAME) as done:
            number = self._db.conversation_number(conversation_id)
            self._db.execute("UPDATE conversation SET title = ? WHERE number = ?", checked_title(title), number)
        return done.edit

    def move(self, conversation_id: str, folder_id: str | None) -> Edit:
        """Put a conversation into a folder, or into none."""
        with self._db.editing(Operation.MOVE) as done:
            folder = None if folder_id is None else self._db.folder_number(folder_id)
            number = self._db.conversation_number(conversation_id)
            self._db.execute("UPDATE conversation SET folder = ? WHERE number = ?", folder, number)
        return done.edit

    def mark_favourite(self, conversation_id: str, is_favourite: bool) -> Edit:
        """Make a conversation a favourite, or not."""
        with self._db.editing(Operation.FAVOURITE) as done:
            number = self._db.conversation_number(conversation_id)
            self._db.execute("UPDATE conversation SET favourite = ? WHERE number = ?", int(is_favourite), number)
        return done.edit

    def use(self, number: int, at: float) -> None:
        """Put a conversation first in the list, inside a transaction. at: seconds since the epoch."""
        self._db.execute(_USE, at, number)

    def insert(self, conversation: Conversation) -> int:
        """Add a conversation, inside a transaction; returns its number."""
        title = None if conversation.title is None else checked_title(conversation.title)
        updated = min(conversation.updated_at, time.time())
        cursor = self._db.execute(
            "INSERT INTO conversation (id, title, created, updated, used, favourite, folder)"
            f" VALUES (?, ?, ?, ?, {_PLACE}, ?, (SELECT number FROM folder WHERE id = ? AND trash IS NULL))",
            *(checked_id(conversation.id), title, conversation.created_at, updated, updated),
            *(conversation.is_favourite, conversation.folder_id),
        )
        return int(cursor.lastrowid or 0)


def _conversation(
    identifier: str, title: str | None, created: float, updated: float, folder_id: str | None, favourite: int
) -> Conversation:
    return Conversation(identifier, title, created, updated, folder_id, bool(favourite))
