# ruff: noqa: S608 (the names in the statements are this program's own)
"""Conversations in a SQLite file: what was said is on the disk before anything is done with it.

Properties: a method that returns has committed. A growing answer is never written again: every flush adds one piece of
text, and the end adds its token ids and figures. Whatever happens, a request is kept whole or not at all.
"""

from __future__ import annotations

import json
import sqlite3
import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from app.conversation.faults import Fault, explained, store_error
from app.conversation.message import Conversation, Message, checked_id, checked_title, title_from
from app.conversation.opening import PATIENCE, open_database, open_memory
from app.conversation.schema import transaction
from app.conversation.tree import MessageTree
from app.protocol.reports import Problem

IDS_IN_A_PIECE = 4096  # 16 KiB: a long answer's end stays below 64 KiB of journal in each of its commits

_PATH = """WITH RECURSIVE path (number, parent) AS (
    SELECT number, parent FROM message WHERE number = :leaf
    UNION ALL SELECT message.number, message.parent FROM message JOIN path ON message.number = path.parent) """
_FORGET = f"""{_PATH} UPDATE message SET visited = 0
    WHERE conversation = :conversation AND visited = 1 AND number NOT IN (SELECT number FROM path)
    AND ifnull(parent, 0) IN (SELECT ifnull(parent, 0) FROM path)"""
_REMEMBER = f"{_PATH} UPDATE message SET visited = 1 WHERE visited = 0 AND number IN (SELECT number FROM path)"
_MESSAGES = """SELECT message.number, message.id, parent.id, message.role, message.text, message.created,
    message.tokens, message.model, message.model_name, message.stats, message.stop
    FROM message LEFT JOIN message AS parent ON parent.number = message.parent
    WHERE message.conversation = ? ORDER BY message.number"""


class Store:
    """The database, open. It belongs to the thread that made it. StoreError where the file cannot be used.

    notice: what the person should know about this file, None when all is well. is_read_only: every change raises
    StoreError. is_durable: False for a store in memory, whose conversations end with the program.
    """

    def __init__(self, path: Path | None, *, notice: Problem | None = None, patience: float = PATIENCE) -> None:
        """`path` None keeps everything in memory. `patience`: seconds to wait while another program writes."""
        opened = open_memory() if path is None else open_database(path, patience)
        self._path = path
        self._connection = opened.connection
        self.notice = notice or opened.notice
        self.is_read_only = opened.is_read_only
        self.is_durable = path is not None

    def close(self) -> None:
        """Close the file; the journal is merged into it. Closing again does nothing."""
        self._connection.close()

    def conversations(self) -> tuple[Conversation, ...]:
        """All conversations, the one used last first."""
        query = "SELECT id, title, created, updated FROM conversation ORDER BY updated DESC, number DESC"
        return tuple(Conversation(*row) for row in self._rows(query))

    def create_conversation(self, conversation: Conversation) -> None:
        """Keep a new, empty conversation."""
        values = (checked_id(conversation.id), conversation.title, conversation.created_at, conversation.updated_at)
        with self._writing():
            self._execute("INSERT INTO conversation (id, title, created, updated) VALUES (?, ?, ?, ?)", *values)

    def rename(self, conversation_id: str, title: str) -> None:
        """Give a conversation another title. ValueError for an empty one."""
        with self._writing():
            number = self._conversation(conversation_id)
            self._execute("UPDATE conversation SET title = ? WHERE number = ?", checked_title(title), number)

    def add_message(self, message: Message, select: bool = True) -> None:
        """Keep a message below its parent; `select` makes it the end of the selected path.

        The first question gives a conversation without title one.
        """
        with self._writing():
            conversation = self._conversation(message.conversation_id)
            number = self._insert(conversation, message)
            for piece in _pieces(message.ids or ()):
                self._execute("INSERT INTO message_ids (message, ids) VALUES (?, ?)", number, piece)
            if message.stop is not None:
                self._end(number, message.stop, message.ids, message.stats)
            if select:
                self._select(conversation, number)
            title = title_from(message.text) or None if message.role == "user" else None
            query = "UPDATE conversation SET updated = ?, title = ifnull(title, ?) WHERE number = ?"
            self._execute(query, message.created_at, title, conversation)

    def append_text(self, message_id: str, new_text: str) -> None:
        """Add to the text of an answer that has not ended. Only `new_text` is written."""
        with self._writing():
            number = self._growing(message_id)
            if new_text:
                self._execute("INSERT INTO message_text (message, text) VALUES (?, ?)", number, new_text)

    def finish_message(
        self,
        message_id: str,
        *,
        stop: str,
        ids: Sequence[int] | None = None,
        stats: Mapping[str, Any] | None = None,
        model: str | None = None,
        model_name: str | None = None,
    ) -> None:
        """End an answer: why it stopped, its token ids, figures that JSON can hold, and who wrote it, if not known yet.

        It has not ended before the last of several commits; after a StoreError it can be ended again.
        """
        with self._writing():
            self._execute("DELETE FROM message_ids WHERE message = ?", self._growing(message_id))
        for piece in _pieces(ids or ()):
            with self._writing():
                number = self._growing(message_id)
                self._execute("INSERT INTO message_ids (message, ids) VALUES (?, ?)", number, piece)
        with self._writing():
            number = self._growing(message_id)
            self._end(number, stop, ids, stats)
            query = "UPDATE message SET model = ifnull(?, model), model_name = ifnull(?, model_name) WHERE number = ?"
            self._execute(query, model, model_name, number)
            query = (
                "UPDATE conversation SET updated = ? WHERE number = (SELECT conversation FROM message WHERE number = ?)"
            )
            self._execute(query, time.time(), number)

    def select_path(self, conversation_id: str, leaf_id: str | None) -> None:
        """Remember where the selected path ends, and its messages as the last visited ones at every fork."""
        with self._writing():
            conversation = self._conversation(conversation_id)
            leaf = None if leaf_id is None else self._message(leaf_id)
            self._select(conversation, leaf)

    def messages(self, conversation_id: str) -> tuple[Message, ...]:
        """The messages of a conversation in the order they were added, so parents come before children."""
        with self._reading():
            conversation = self._conversation(conversation_id)
            texts = self._gather(conversation, "text")
            ids = self._gather(conversation, "ids")
            rows = self._execute(_MESSAGES, conversation).fetchall()
        return tuple(
            _message(conversation_id, row, "".join(texts.get(row[0], ())), b"".join(ids.get(row[0], ())))
            for row in rows
        )

    def load(self, conversation_id: str) -> MessageTree:
        """A conversation as it was left, a tree that the caller owns: selected path and last visited children too."""
        messages = self.messages(conversation_id)
        query = (
            "SELECT id FROM message WHERE visited = 1 AND conversation = (SELECT number FROM conversation WHERE id = ?)"
        )
        visited = [row[0] for row in self._rows(query, conversation_id)]
        query = "SELECT message.id FROM conversation JOIN message ON message.number = leaf WHERE conversation.id = ?"
        leaf = next((row[0] for row in self._rows(query, conversation_id)), None)
        tree = MessageTree(conversation_id, messages, visited)
        tree.select(leaf or tree.leaf_below(None))
        return tree

    @contextmanager
    def _writing(self) -> Iterator[None]:
        if self.is_read_only:
            raise store_error(Fault.READ_ONLY, self._path)
        with explained(self._path), transaction(self._connection):
            yield

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with explained(self._path):
            yield

    def _execute(self, query: str, *values: object) -> sqlite3.Cursor:
        return self._connection.execute(query, values)

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._reading():
            return self._execute(query, *values).fetchall()

    def _conversation(self, conversation_id: str) -> int:
        return self._number("SELECT number FROM conversation WHERE id = ?", conversation_id)

    def _message(self, message_id: str) -> int:
        return self._number("SELECT number FROM message WHERE id = ?", message_id)

    def _number(self, query: str, identifier: str) -> int:
        row = self._execute(query, checked_id(identifier)).fetchone()
        if row is None:
            raise LookupError(f"nothing with id {identifier} is stored")
        return int(row[0])

    def _growing(self, message_id: str) -> int:
        number = self._message(message_id)
        role, stop = self._execute("SELECT role, stop FROM message WHERE number = ?", number).fetchone()
        if role != "assistant" or stop is not None:
            raise ValueError(f"message {message_id} ({role}, {stop or 'typed'}) is not an answer that still grows")
        return number

    def _insert(self, conversation: int, message: Message) -> int:
        parent = None if message.parent_id is None else self._message(message.parent_id)
        cursor = self._execute(
            "INSERT INTO message (id, conversation, parent, role, text, created, model, model_name)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            *(message.id, conversation, parent, message.role, message.text, message.created_at),
            *(message.model, message.model_name),
        )
        return int(cursor.lastrowid or 0)

    def _end(self, number: int, stop: str, ids: Sequence[int] | None, stats: Mapping[str, Any] | None) -> None:
        tokens = None if ids is None else len(ids)
        figures = None if stats is None else json.dumps(stats, ensure_ascii=False, allow_nan=False)
        query = "UPDATE message SET stop = ?, tokens = ?, stats = ? WHERE number = ?"
        self._execute(query, stop, tokens, figures, number)

    def _select(self, conversation: int, leaf: int | None) -> None:
        values = {"conversation": conversation, "leaf": leaf}
        self._execute("UPDATE conversation SET leaf = ? WHERE number = ?", leaf, conversation)
        self._connection.execute(_FORGET, values)
        self._connection.execute(_REMEMBER, values)

    def _gather(self, conversation: int, column: str) -> dict[int, list[Any]]:
        """The pieces of text or ids of every message of a conversation, in order."""
        query = f"""SELECT piece.message, piece.{column} FROM message JOIN message_{column} AS piece
            ON piece.message = message.number WHERE message.conversation = ? ORDER BY piece.number"""
        pieces: dict[int, list[Any]] = {}
        for number, piece in self._execute(query, conversation):
            pieces.setdefault(number, []).append(piece)
        return pieces


def _message(conversation_id: str, row: tuple[Any, ...], text: str, stored: bytes) -> Message:
    """A message from its row, its appended text and its token ids, which are left out unless they are complete."""
    _, message_id, parent_id, role, base, created, tokens, model, model_name, stats, stop = row
    ids = _unpacked(stored) if tokens is not None and tokens * 4 == len(stored) else None
    figures = None if stats is None else json.loads(stats)
    return Message(
        message_id, conversation_id, parent_id, role, base + text, created, ids, model, model_name, figures, stop
    )


def _pieces(ids: Sequence[int]) -> Iterator[bytes]:
    """Token ids as little-endian unsigned 32-bit integers, in pieces. struct.error for numbers that are none."""
    for start in range(0, len(ids), IDS_IN_A_PIECE):
        piece = ids[start : start + IDS_IN_A_PIECE]
        yield struct.pack(f"<{len(piece)}I", *piece)


def _unpacked(stored: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(stored) // 4}I", stored)
