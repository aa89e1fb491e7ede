# ruff: noqa: S608 (the names in the statements are this program's own)
"""The path of each conversation, and which child was visited last at every fork.

Properties: at every fork, and among the first messages, at most one child is marked; on the path that a conversation is
left on every message is. Everything here happens inside a transaction of the caller.
"""

from __future__ import annotations

from collections.abc import Iterator

from app.conversation.database import Database

_PATH = """WITH RECURSIVE path (number, parent) AS (
    SELECT number, parent FROM message WHERE number = :leaf AND number > :above
    UNION ALL SELECT message.number, message.parent FROM message JOIN path ON message.number = path.parent
    WHERE message.number > :above) """
_FORGET = f"""{_PATH} UPDATE message SET visited = 0
    WHERE conversation = :conversation AND visited = 1 AND number NOT IN (SELECT number FROM path)
    AND ifnull(parent, 0) IN (SELECT ifnull(parent, 0) FROM path)"""
_REMEMBER = f"{_PATH} UPDATE message SET visited = 1 WHERE visited = 0 AND number IN (SELECT number FROM path)"


class PathMarks:
    """Ends of paths and marks of visited messages, by the numbers of their rows."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def select(self, conversation: int, leaf: int | None) -> None:
        """Let the path of a conversation end with a message, None for none."""
        before = self.leaf_of(conversation)
        self._db.execute("UPDATE conversation SET leaf = ? WHERE number = ?", leaf, conversation)
        self.mark(conversation, leaf, self._shared(before, leaf))  # what both paths share is marked already

    def mark(self, conversation: int, leaf: int | None, above: int = 0) -> None:
        """Mark the messages of a path as the last visited ones, those behind the one with the number `above`."""
        values = {"conversation": conversation, "leaf": leaf, "above": above}
        self._db.connection.execute(_FORGET, values)
        self._db.connection.execute(_REMEMBER, values)

    def leaf_of(self, conversation: int) -> int | None:
        """Return the message that the path of a conversation ends with, None where it is empty."""
        row = self._db.execute("SELECT leaf FROM conversation WHERE number = ?", conversation).fetchone()
        return None if row is None else row[0]

    def up_from(self, message: int) -> Iterator[int]:
        """Yield a message and those above it, up to the first."""
        number: int | None = message
        while number is not None:
            yield number
            number = self._parent_of(number)

    def _shared(self, one: int | None, other: int | None) -> int:
        """Return the last message that two paths have in common, by their ends, or 0. Each goes up to lower numbers."""
        while one != other and one is not None and other is not None:
            one, other = min(one, other), self._parent_of(max(one, other))
        return one if one is not None and one == other else 0

    def _parent_of(self, number: int) -> int | None:
        parent: int | None = self._db.execute("SELECT parent FROM message WHERE number = ?", number).fetchone()[0]
        return parent
