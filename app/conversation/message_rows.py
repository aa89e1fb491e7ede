# ruff: noqa: S608 (the names in the statements are this program's own)
"""Rows of messages: how a message is written into the tables, and read from them.

A growing answer is never written again: its text and its token ids are pieces, each in a row of its own. Everything
here happens inside a transaction of the caller, and speaks of conversations and messages by the numbers of their rows.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from app.conversation.attachment_rows import AttachmentRows
from app.conversation.database import Database
from app.conversation.kept_choices import compress, decompress, first_choices
from app.conversation.message import INSTRUCTIONS, THOUGHT, Message
from app.protocol.events import TextKind

IDS_IN_A_PIECE = 4096  # 16 KiB: a long answer's end stays below 64 KiB of journal in each of its commits

_MESSAGES = """SELECT message.number, message.id, parent.id, message.role, message.text, message.created,
    message.tokens, message.model, message.model_name, message.stats, message.stop, message.sampling, message.name,
    message.pinned, message.favourite, message.instructions, message.thinks
    FROM message LEFT JOIN message AS parent ON parent.number = message.parent"""


class Passage(NamedTuple):
    """A text of a message in which words are looked for.

    name: of the attachment that it is, INSTRUCTIONS or THOUGHT for those, "" for the message's own words.
    """

    name: str
    text: str


class MessageRows:
    """The tables of messages, their pieces, and what else could have stood in them."""

    def __init__(self, database: Database, attachments: AttachmentRows) -> None:
        self._db = database
        self._attachments = attachments

    def read(
        self, conversation: int, conversation_id: str, condition: str, above: int = 0, most: int = -1
    ) -> list[tuple[int, Message]]:
        """Return the messages of a conversation in the order they were added, each with its number.

        condition: of the query. above: only those whose number is greater. most: how many at most, -1 for all.
        """
        query = f"""{_MESSAGES} WHERE message.conversation = ? AND message.number > ? AND {condition}
            ORDER BY message.number LIMIT ?"""
        rows = self._db.execute(query, conversation, above, most).fetchall()
        last = rows[-1][0] if rows else above
        texts = self._gather(conversation, "text", above, last, "piece.is_thinking = 0 AND piece.is_undone = 0")
        thoughts = self._gather(conversation, "text", above, last, "piece.is_thinking = 1 AND piece.is_undone = 0")
        ids = self._gather(conversation, "ids", above, last)
        found = [
            (
                row[0],
                _message(
                    *(conversation_id, row, "".join(texts.get(row[0], ())), "".join(thoughts.get(row[0], ()))),
                    b"".join(ids.get(row[0], ())),
                ),
            )
            for row in rows
        ]
        attached = self._attachments.of_messages(conversation, above, last)
        return [
            (number, replace(message, attachments=tuple(attached[number])) if number in attached else message)
            for number, message in found
        ]

    def text(self, message: int) -> str:
        """Return the whole text of a message."""
        query = """SELECT text FROM (SELECT 0 AS place, text FROM message WHERE number = ?1
            UNION ALL SELECT number, text FROM message_text WHERE message = ?1 AND is_thinking = 0 AND is_undone = 0)
            ORDER BY place"""
        return "".join(row[0] for row in self._db.rows(query, message))

    def thinking(self, message: int) -> str:
        """Return the whole thought of an answer."""
        query = """SELECT text FROM message_text WHERE message = ? AND is_thinking = 1 AND is_undone = 0
            ORDER BY number"""
        return "".join(row[0] for row in self._db.rows(query, message))

    def passages(self, message: int) -> list[Passage]:
        """Return the texts of a message in which words are looked for: its own, its thought, and what came with it."""
        attached = [Passage(one.name, f"{one.name}\n{one.text}") for one in self._attachments.of_message(message)]
        query = "SELECT instructions FROM message WHERE number = ? AND instructions <> ''"
        told = [Passage(INSTRUCTIONS, row[0]) for row in self._db.rows(query, message)]
        thinking = self.thinking(message)
        thought = [Passage(THOUGHT, thinking)] if thinking else []
        return [Passage("", self.text(message)), *thought, *attached, *told]

    def insert(self, conversation: int, parent: int | None, message: Message, entry: int | None = None) -> int:
        """Add a message with all it has; returns its number. entry: of the trash in which it lies."""
        cursor = self._db.execute(
            "INSERT INTO message (id, conversation, parent, role, text, created, model, model_name, sampling, name,"
            " pinned, favourite, trash, instructions, thinks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(message.id, conversation, parent, message.role, message.text, message.created_at),
            *(message.model, message.model_name, _json(message.sampling)),
            *(message.name, message.is_pinned, message.is_favourite, entry, message.instructions, message.thinks),
        )
        number = int(cursor.lastrowid or 0)
        self.insert_text(number, message.thinking, "thinking")
        for piece in pieces_of(message.ids or ()):
            self.insert_ids(number, piece)
        if message.stop is not None:
            self.end(number, message.stop, message.ids, message.stats)
        self._attachments.attach(number, message.attachments)
        return number

    def insert_text(self, number: int, piece: str, kind: TextKind = "text") -> None:
        """Add a piece to the text or the thought of an answer, unless it is empty."""
        if piece:
            is_thinking = int(kind == "thinking")
            query = f"INSERT INTO message_text (message, text, is_thinking) VALUES (?, ?, {is_thinking})"
            self._db.execute(query, number, piece)

    def insert_ids(self, number: int, piece: bytes) -> None:
        """Add a piece to the token ids of an answer, unless it is empty."""
        if piece:
            self._db.execute("INSERT INTO message_ids (message, ids) VALUES (?, ?)", number, piece)

    def ids(self, number: int) -> bytes:
        """Return the pieces of an answer's token ids as one."""
        query = "SELECT ids FROM message_ids WHERE message = ? ORDER BY number"
        return b"".join(row[0] for row in self._db.execute(query, number))

    def replace_choices(self, number: int, packed: bytes) -> None:
        """Keep what each token of an answer was chosen from, in place of what was kept of it; nothing where empty."""
        self._db.execute("DELETE FROM message_choices WHERE message = ?", number)
        if packed:
            query = "INSERT INTO message_choices (message, choices) VALUES (?, ?)"
            self._db.execute(query, number, compress(packed))

    def choices(self, number: int) -> bytes:
        """Return what each token of an answer was chosen from, packed: of its first ids, or of all, and maybe more."""
        query = """SELECT choices, (SELECT ifnull(sum(length(ids)), 0) / 4 FROM message_ids WHERE message = ?1)
            FROM message_choices WHERE message = ?1"""
        return next((decompress(stored, tokens) for stored, tokens in self._db.execute(query, number)), b"")

    def choices_of_ids(self, number: int) -> bytes:
        """Return what each token of an answer was chosen from, packed: of its first ids, or of all, and no more."""
        query = """SELECT ifnull(tokens, 0), (SELECT ifnull(sum(length(ids)) / 4, 0) FROM message_ids
            WHERE message = ?1) FROM message WHERE number = ?1"""
        tokens, stored = self._db.execute(query, number).fetchone()
        packed = self.choices(number) if tokens <= stored else b""
        return first_choices(packed, tokens) if tokens < stored else packed

    def keep_first(self, number: int, tokens: int) -> None:
        """Delete the token ids of an answer that come after so many, with their choices."""
        query = "SELECT number, length(ids) / 4 FROM message_ids WHERE message = ? ORDER BY number"
        choices, before = self.choices(number), 0
        for piece, length in self._db.execute(query, number).fetchall():
            if before >= tokens:
                self._db.execute("DELETE FROM message_ids WHERE number = ?", piece)
            elif before + length > tokens:
                query = "UPDATE message_ids SET ids = substr(ids, 1, ?) WHERE number = ?"
                self._db.execute(query, 4 * (tokens - before), piece)
            before += length
        if before > tokens:
            self.replace_choices(number, first_choices(choices, tokens))

    def drop_undone(self, number: int) -> None:
        """Delete what came to an answer when it went on, and was taken back, unless it is growing."""
        self._db.execute("DELETE FROM message_text WHERE message = ? AND is_undone = 1", number)
        query = "SELECT ifnull(tokens, 0) FROM message WHERE number = ? AND stop IS NOT NULL"
        for (tokens,) in self._db.execute(query, number).fetchall():
            self.keep_first(number, tokens)

    def end(self, number: int, stop: str, ids: Sequence[int] | None, stats: Mapping[str, Any] | None) -> None:
        """Write why an answer ended, how many token ids it has, and its figures."""
        tokens = None if ids is None else len(ids)
        query = "UPDATE message SET stop = ?, tokens = ?, stats = ? WHERE number = ?"
        self._db.execute(query, stop, tokens, _json(stats), number)

    def _gather(
        self, conversation: int, column: str, above: int, last: int, condition: str = "true"
    ) -> dict[int, list[Any]]:
        """Return the pieces of text or ids of the messages between two numbers, in order."""
        query = f"""SELECT piece.message, piece.{column} FROM message JOIN message_{column} AS piece
            ON piece.message = message.number WHERE message.conversation = ? AND message.number > ?
            AND message.number <= ? AND {condition} ORDER BY piece.message, piece.number"""
        pieces: dict[int, list[Any]] = {}
        for number, piece in self._db.execute(query, conversation, above, last):
            pieces.setdefault(number, []).append(piece)
        return pieces


def _message(conversation_id: str, row: tuple[Any, ...], text: str, thinking: str, stored: bytes) -> Message:
    """Make a message of its row, its pieces of text and thought, and its token ids, left out unless all are there."""
    _, message_id, parent_id, role, base, created, tokens, model, model_name, stats, stop, sampling, name, *marks = row
    return Message(
        *(message_id, conversation_id, parent_id, role, base + text, created),
        ids=ids_of(stored[: tokens * 4]) if tokens is not None and tokens * 4 <= len(stored) else None,
        model=model,
        model_name=model_name,
        stats=None if stats is None else json.loads(stats),
        stop=stop,
        sampling=None if sampling is None else json.loads(sampling),
        name=name,
        is_pinned=bool(marks[0]),
        is_favourite=bool(marks[1]),
        instructions=marks[2],
        thinks=None if marks[3] is None else bool(marks[3]),
        thinking=thinking,
    )


def _json(value: Mapping[str, Any] | None) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, allow_nan=False)


def pieces_of(ids: Sequence[int]) -> Iterator[bytes]:
    """Yield token ids as little-endian unsigned 32-bit integers, in pieces. struct.error for numbers that are none."""
    for start in range(0, len(ids), IDS_IN_A_PIECE):
        piece = ids[start : start + IDS_IN_A_PIECE]
        yield struct.pack(f"<{len(piece)}I", *piece)


def ids_of(stored: bytes) -> tuple[int, ...]:
    """Read token ids as `pieces_of` writes them."""
    return struct.unpack(f"<{len(stored) // 4}I", stored)
