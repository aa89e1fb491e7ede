"""Rows of attachments: of questions, and of words that were not sent. A text is stored once, however often it is used.

Properties: what is attached to a message never changes. A text is deleted with the last row that uses it; new rows are
added before those in whose place they come are deleted. Everything here happens inside a transaction of the caller.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from typing import get_args

from app.conversation.database import Database
from app.protocol.chat import LONGEST_NAME, Attachment, AttachmentKind

_OF_MESSAGES = """SELECT one.message, one.name, one.kind, one.text FROM message_attachment AS one
    JOIN message ON message.number = one.message
    WHERE one.message > ? AND one.message <= ? AND message.conversation = ? ORDER BY one.message, one.position"""
_OF_DRAFT = """SELECT one.number, one.is_aside, one.name, one.kind, one.text, digest FROM draft_attachment AS one
    JOIN attached_text ON attached_text.number = one.text WHERE one.view_state = ? ORDER BY one.is_aside, one.number"""
_NO_NAME = "attachment"


class AttachmentRows:
    """The tables of what is attached, and of its texts."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of_messages(self, conversation: int, above: int, last: int) -> dict[int, list[Attachment]]:
        """Return what is attached to messages of a conversation, by their numbers: those above one, up to the last.

        Messages with the same text share it in memory.
        """
        texts: dict[int, str] = {}
        found: dict[int, list[Attachment]] = {}
        for message, name, kind, text in self._db.execute(_OF_MESSAGES, above, last, conversation).fetchall():
            found.setdefault(message, []).append(_attachment(name, kind, self._text(text, texts)))
        return found

    def of_message(self, message: int) -> list[Attachment]:
        """Return what is attached to a message."""
        query = "SELECT name, kind, text FROM message_attachment WHERE message = ? ORDER BY position"
        return [_attachment(name, kind, self._text(text, {})) for name, kind, text in self._db.rows(query, message)]

    def attach(self, message: int, attachments: Iterable[Attachment]) -> None:
        """Keep what is attached to a message that is being added."""
        query = "INSERT INTO message_attachment (message, position, name, kind, text) VALUES (?, ?, ?, ?, ?)"
        for position, one in enumerate(attachments):
            self._db.execute(query, message, position, one.name, one.kind, self._keep(one.text))

    def of_draft(self, view_state: int) -> tuple[tuple[Attachment, ...], tuple[Attachment, ...]]:
        """Return what comes with the words of a draft, and what was put aside with those before an edit."""
        texts: dict[int, str] = {}
        found: tuple[list[Attachment], list[Attachment]] = ([], [])
        for _, is_aside, name, kind, text, _ in self._db.rows(_OF_DRAFT, view_state):
            found[is_aside].append(_attachment(name, kind, self._text(text, texts)))
        return tuple(found[0]), tuple(found[1])

    def put_draft(self, view_state: int, draft: tuple[Attachment, ...], aside: tuple[Attachment, ...]) -> None:
        """Keep what comes with a draft, in place of what was kept; nothing is written where that is the same."""
        wanted = [(int(is_aside), one) for is_aside, ones in ((False, draft), (True, aside)) for one in ones]
        stored = self._db.execute(_OF_DRAFT, view_state).fetchall()
        if [(row[1], row[2], row[3], row[5]) for row in stored] == [
            (is_aside, one.name, one.kind, _digest(one.text)) for is_aside, one in wanted
        ]:
            return
        query = "INSERT INTO draft_attachment (view_state, is_aside, name, kind, text) VALUES (?, ?, ?, ?, ?)"
        for is_aside, one in wanted:
            self._db.execute(query, view_state, is_aside, one.name, one.kind, self._keep(one.text))
        for row in stored:
            self._db.execute("DELETE FROM draft_attachment WHERE number = ?", row[0])

    def bring_back_aside(self, view_state: int) -> None:
        """Let go of what came with a draft that was sent: what was put aside for it is the draft now."""
        self._db.execute("DELETE FROM draft_attachment WHERE view_state = ? AND is_aside = 0", view_state)
        self._db.execute("UPDATE draft_attachment SET is_aside = 0 WHERE view_state = ?", view_state)

    def _keep(self, text: str) -> int:
        """Store a text, unless it is; returns its number."""
        digest = _digest(text)
        for (number,) in self._db.execute("SELECT number FROM attached_text WHERE digest = ?", digest):
            return int(number)
        cursor = self._db.execute("INSERT INTO attached_text (digest, text) VALUES (?, ?)", digest, text)
        return int(cursor.lastrowid or 0)

    def _text(self, number: int, known: dict[int, str]) -> str:
        if number not in known:
            known[number] = self._db.rows("SELECT text FROM attached_text WHERE number = ?", number)[0][0]
        return known[number]


@lru_cache(maxsize=8)  # a draft is compared each time that it is saved
def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _attachment(name: str, kind: str, text: str) -> Attachment:
    """Make an attachment of its row; one of a damaged database, or of a newer program, is made to fit."""
    kinds: tuple[AttachmentKind, ...] = get_args(AttachmentKind)
    line = " ".join(name.split())[:LONGEST_NAME].strip() or _NO_NAME
    return Attachment(line, next((one for one in kinds if one == kind), "text"), text)
