# ruff: noqa: S608 (the names in the statements are this program's own)
"""Conversations in a SQLite file: what was said is on the disk before anything is done with it.

Properties: a method that returns has committed. A growing answer is never written again: every flush adds one piece of
text, and the end adds its token ids and figures. Whatever happens, a request is kept whole or not at all.
"""

from __future__ import annotations

import gc
import json
import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from app.conversation.clock import look_at
from app.conversation.database import Database
from app.conversation.edit import Edit, Operation
from app.conversation.message import Conversation, Message, checked_id, checked_title, title_from
from app.conversation.opening import PATIENCE
from app.conversation.records import Alternatives, ViewState
from app.conversation.tree import MessageTree
from app.protocol.events import Alternative
from app.protocol.reports import Problem

PAGE = 1000  # messages that are read at once
IDS_IN_A_PIECE = 4096  # 16 KiB: a long answer's end stays below 64 KiB of journal in each of its commits

_PATH = """WITH RECURSIVE path (number, parent) AS (
    SELECT number, parent FROM message WHERE number = :leaf AND number > :above
    UNION ALL SELECT message.number, message.parent FROM message JOIN path ON message.number = path.parent
    WHERE message.number > :above) """
_FORGET = f"""{_PATH} UPDATE message SET visited = 0
    WHERE conversation = :conversation AND visited = 1 AND number NOT IN (SELECT number FROM path)
    AND ifnull(parent, 0) IN (SELECT ifnull(parent, 0) FROM path)"""
_REMEMBER = f"{_PATH} UPDATE message SET visited = 1 WHERE visited = 0 AND number IN (SELECT number FROM path)"
_MESSAGES = """SELECT message.number, message.id, parent.id, message.role, message.text, message.created,
    message.tokens, message.model, message.model_name, message.stats, message.stop, message.sampling, message.name,
    message.pinned, message.favourite
    FROM message LEFT JOIN message AS parent ON parent.number = message.parent"""
_CONVERSATIONS = """SELECT conversation.id, title, created, updated, folder.id, favourite
    FROM conversation LEFT JOIN folder ON folder.number = conversation.folder"""
_LAST = "(SELECT ifnull(max(used), 0) FROM conversation)"
_USE = f"UPDATE conversation SET updated = ?1, used = {_LAST} + 1 WHERE number = ?2"
# One from a file takes its place among the others by its date; it drives out none that is used later.
_PLACE = "(SELECT ifnull(max(used), 0) FROM conversation WHERE updated <= ?)"
_VIEW_STATES = """SELECT conversation.id, draft, editing, aside, anchor, offset, is_open
    FROM view_state LEFT JOIN conversation ON conversation.number = view_state.conversation
    WHERE conversation.trash IS NULL ORDER BY view_state.number"""
_SAVE_VIEW_STATE = """INSERT INTO view_state (conversation, draft, editing, aside, anchor, offset, is_open)
    VALUES (?, ?, ?, ?, ?, ?, ?)"""
# Words that are sent are a draft no longer, of their conversation or of the blank one that became it.
_DRAFT_SENT = """UPDATE view_state SET draft = aside, editing = NULL, aside = ''
    WHERE draft = ? AND (conversation = ? OR conversation IS NULL)"""
# Where a conversation begins, it is the blank one no longer that was open.
_BLANK_NO_MORE = """UPDATE view_state SET conversation = ?1 WHERE conversation IS NULL AND is_open = 1 AND draft = ''
    AND NOT EXISTS (SELECT 1 FROM view_state WHERE conversation = ?1)"""
_SHOWN = " WHERE conversation.trash IS NULL ORDER BY used DESC, updated DESC, conversation.number DESC"


class Progress(NamedTuple):
    """How much of a message is stored: whether it is, how many characters of it, and whether it has ended."""

    is_stored: bool
    length: int
    has_ended: bool


class MessageStore(Database):
    """Conversations and the messages that are said in them."""

    def __init__(self, path: Path | None, *, notice: Problem | None = None, patience: float = PATIENCE) -> None:
        """`path` None keeps everything in memory. `patience`: seconds to wait while another program writes."""
        super().__init__(path, notice=notice, patience=patience)
        self._growing_answers: dict[str, int] = {}
        self._late: list[int] = []  # messages that were said below others in the trash
        self._news: list[int] = []  # messages whose text is complete since somebody looked here

    def conversations(self) -> tuple[Conversation, ...]:
        """All conversations that are not in the trash, the one used last first."""
        return tuple(_conversation(*row) for row in self._rows(_CONVERSATIONS + _SHOWN))

    def conversation(self, conversation_id: str) -> Conversation:
        """One conversation, from the trash too. LookupError when it is not known."""
        for row in self._rows(f"{_CONVERSATIONS} WHERE conversation.id = ?", checked_id(conversation_id)):
            return _conversation(*row)
        raise LookupError(f"nothing with id {conversation_id} is stored")

    def create_conversation(self, conversation: Conversation) -> Edit:
        """Keep a new, empty conversation."""
        with self._editing(Operation.CREATE) as done:
            self._execute(_USE, conversation.updated_at, self._insert_conversation(conversation))
        return done.edit

    def rename(self, conversation_id: str, title: str) -> Edit:
        """Give a conversation another title. ValueError for an empty one."""
        with self._editing(Operation.RENAME) as done:
            number = self._conversation(conversation_id)
            self._execute("UPDATE conversation SET title = ? WHERE number = ?", checked_title(title), number)
        return done.edit

    def add_message(self, message: Message, select: bool = True) -> Edit:
        """Keep a message below its parent; `select` makes it the end of the selected path.

        The first question gives a conversation without title one. What is said below a message in the trash is kept
        there with it.
        """
        return self._add(Operation.ADD, None, message, select)

    def begin_conversation(self, conversation: Conversation, first: Message) -> Edit:
        """Keep a new conversation with its first message, in one commit. As `add_message` where it is there already."""
        is_new = not self._rows("SELECT 1 FROM conversation WHERE id = ?", checked_id(conversation.id))
        if is_new:
            return self._add(Operation.CREATE, conversation, first, True)
        return self.add_message(first)

    def _add(self, operation: Operation, new: Conversation | None, message: Message, select: bool) -> Edit:
        with self._editing(operation) as done:
            if new is not None:
                self._insert_conversation(new)
            conversation = self._conversation(message.conversation_id)
            number, is_hidden = self._insert(conversation, message)
            if message.role == "user":
                self._execute(_DRAFT_SENT, message.text, conversation)
                if message.parent_id is None:
                    self._execute(_BLANK_NO_MORE, conversation)
            if not is_hidden:
                self._come_to(conversation, number if select else None, message)
        if is_hidden:
            self._late.append(number)
        if message.is_unfinished:
            self._growing_answers[message.id] = number
        else:
            self._news.append(number)
        return done.edit

    def append_text(self, message_id: str, new_text: str) -> None:
        """Add to the text of an answer that has not ended. Only `new_text` is written."""
        with self._writing():
            number = self._growing_answers.get(message_id) or self._growing(message_id)
            self._insert_piece("text", number, new_text)
        self._growing_answers[message_id] = number

    def finish_message(
        self,
        message_id: str,
        *,
        stop: str,
        text: str = "",
        ids: Sequence[int] | None = None,
        stats: Mapping[str, Any] | None = None,
        model: str | None = None,
        model_name: str | None = None,
    ) -> None:
        """End an answer: why it stopped, the last of its text, its token ids, figures that JSON can hold, and who wrote
        it, if not known yet.

        It has not ended before the last commit, of which there are several for many ids; after a StoreError it can be
        ended again.
        """
        *first, last = _pieces(ids) if ids else (b"",)
        clear = "DELETE FROM message_ids WHERE message = ?"
        if first:
            with self._writing():
                self._execute(clear, self._growing(message_id))
        for piece in first:
            with self._writing():
                self._insert_piece("ids", self._growing(message_id), piece)
        with self._writing():
            number = self._growing(message_id)
            if not first:
                self._execute(clear, number)
            self._insert_piece("text", number, text)
            self._insert_piece("ids", number, last)
            self._end(number, stop, ids, stats)
            query = "UPDATE message SET model = ifnull(?, model), model_name = ifnull(?, model_name) WHERE number = ?"
            self._execute(query, model, model_name, number)
            home = self._execute("SELECT conversation FROM message WHERE number = ?", number).fetchone()[0]
            self._execute(_USE, time.time(), home)
        self._growing_answers.pop(message_id, None)
        self._news.append(number)

    def progress_of(self, message_id: str) -> Progress:
        """Return how much of a message is stored."""
        query = "SELECT number, role <> 'assistant' OR stop IS NOT NULL FROM message WHERE id = ?"
        for number, has_ended in self._rows(query, checked_id(message_id)):
            return Progress(True, len(self._text(number)), bool(has_ended))
        return Progress(False, 0, False)

    def select_path(self, conversation_id: str, leaf_id: str | None) -> None:
        """Remember where the selected path ends, and its messages as the last visited ones at every fork."""
        with self._writing():
            conversation = self._conversation(conversation_id)
            leaf = None if leaf_id is None else self._message(leaf_id)
            self._select(conversation, leaf)

    def view_states(self) -> tuple[ViewState, ...]:
        """How the conversations that can be seen were left, and the blank one."""
        return tuple(
            ViewState(conversation_id, draft, editing, aside, anchor, offset, bool(is_open))
            for conversation_id, draft, editing, aside, anchor, offset, is_open in self._rows(_VIEW_STATES)
        )

    def save_view_state(self, state: ViewState) -> None:
        """Remember how a conversation was left; where it was open, no other was. LookupError for one that is gone."""
        with self._writing():
            conversation = None if state.conversation_id is None else self._conversation(state.conversation_id)
            if state.is_open:
                self._execute("UPDATE view_state SET is_open = 0 WHERE is_open = 1")
            self._execute("DELETE FROM view_state WHERE conversation IS ?", conversation)
            if state != ViewState(state.conversation_id):
                values = (conversation, state.draft, state.editing, state.aside, state.anchor, state.offset)
                self._execute(_SAVE_VIEW_STATE, *values, state.is_open)

    def messages(self, conversation_id: str) -> tuple[Message, ...]:
        """The messages of a conversation in the order they were added, so parents come before children."""
        return self._messages(conversation_id, "message.trash IS NULL")

    def branches(self, conversation_id: str) -> tuple[tuple[Message, ...], ...]:
        """Every path from a first message to an end, whether it is in the trash or not."""
        paths: dict[str, tuple[Message, ...]] = {}
        inner: set[str | None] = set()
        for message in self._messages(conversation_id, "true"):
            paths[message.id] = (*(paths[message.parent_id] if message.parent_id else ()), message)
            inner.add(message.parent_id)
        return tuple(path for message_id, path in paths.items() if message_id not in inner)

    def load(self, conversation_id: str) -> MessageTree:
        """A conversation as it was left, a tree that the caller owns: selected path and last visited children too.

        A path goes on to where nothing follows: an answer that came after the path was stored is on it.
        """
        tree = MessageTree(conversation_id, self._in_pages(conversation_id), self._visited(conversation_id))
        tree.select(tree.leaf_below(self._leaf(conversation_id)))
        return tree

    def _in_pages(self, conversation_id: str) -> Iterator[Message]:
        """The messages that are not in the trash, a page of rows at a time.

        No message is part of a cycle. So a page is taken out of the collector's sight: looking through 200,000 of them
        again and again, as it would while they are read, stops every thread for as long as it takes.
        """
        with self._reading():
            conversation, last, is_full = self._conversation(conversation_id), 0, True
            while is_full:
                page = self._numbered(conversation, conversation_id, "message.trash IS NULL", last, PAGE)
                yield from (message for _, message in page)
                last, is_full = page[-1][0] if page else last, len(page) == PAGE
                if is_full:
                    gc.freeze()

    def save_alternatives(self, message_id: str, alternatives: Alternatives) -> None:
        """Keep what else could have stood at these positions among an answer's tokens, in place of what was kept."""
        with self._writing():
            self._insert_alternatives(self._message(message_id), alternatives)

    def alternatives(self, message_id: str) -> dict[int, tuple[Alternative, ...]]:
        """What else could have stood in an answer, by position among its tokens."""
        query = "SELECT position, candidates FROM message_alternatives WHERE message = ? ORDER BY position"
        with self._reading():
            rows = self._execute(query, self._message(message_id)).fetchall()
        return {position: tuple(Alternative(*one) for one in json.loads(stored)) for position, stored in rows}

    def _messages(self, conversation_id: str, condition: str) -> tuple[Message, ...]:
        with self._reading():
            conversation = self._conversation(conversation_id)
            return tuple(message for _, message in self._numbered(conversation, conversation_id, condition))

    def _numbered(
        self, conversation: int, conversation_id: str, condition: str, above: int = 0, most: int = -1
    ) -> list[tuple[int, Message]]:
        """The messages of a conversation behind a number, or so many of them, each with its own number."""
        query = f"""{_MESSAGES} WHERE message.conversation = ? AND message.number > ? AND {condition}
            ORDER BY message.number LIMIT ?"""
        rows = self._execute(query, conversation, above, most).fetchall()
        last = rows[-1][0] if rows else above
        texts = self._gather(conversation, "text", above, last)
        ids = self._gather(conversation, "ids", above, last)
        return [
            (row[0], _message(conversation_id, row, "".join(texts.get(row[0], ())), b"".join(ids.get(row[0], ()))))
            for row in rows
        ]

    def _visited(self, conversation_id: str) -> tuple[str, ...]:
        query = """SELECT id FROM message WHERE visited = 1 AND trash IS NULL
            AND conversation = (SELECT number FROM conversation WHERE id = ?) ORDER BY number"""
        with self._reading():
            return tuple(message_id for (message_id,) in self._execute(query, conversation_id))

    def _leaf(self, conversation_id: str) -> str | None:
        query = "SELECT message.id FROM conversation JOIN message ON message.number = leaf WHERE conversation.id = ?"
        return next((row[0] for row in self._rows(query, conversation_id)), None)

    def _growing(self, message_id: str) -> int:
        number = self._message(message_id)
        role, stop = self._execute("SELECT role, stop FROM message WHERE number = ?", number).fetchone()
        if role != "assistant" or stop is not None:
            raise ValueError(f"message {message_id} ({role}, {stop or 'typed'}) is not an answer that still grows")
        return number

    def _insert_conversation(self, conversation: Conversation) -> int:
        title = None if conversation.title is None else checked_title(conversation.title)
        updated = min(conversation.updated_at, time.time())
        cursor = self._execute(
            "INSERT INTO conversation (id, title, created, updated, used, favourite, folder)"
            f" VALUES (?, ?, ?, ?, {_PLACE}, ?, (SELECT number FROM folder WHERE id = ? AND trash IS NULL))",
            *(checked_id(conversation.id), title, conversation.created_at, updated, updated),
            *(conversation.is_favourite, conversation.folder_id),
        )
        return int(cursor.lastrowid or 0)

    def _insert(self, conversation: int, message: Message) -> tuple[int, bool]:
        """Returns the message's number, and whether it lies in the trash, as its parent does."""
        parent = None if message.parent_id is None else self._message(message.parent_id)
        entry = self._execute("SELECT trash FROM message WHERE number = ?", parent).fetchone()
        return self._insert_below(conversation, parent, message, entry and entry[0]), bool(entry and entry[0])

    def _insert_below(self, conversation: int, parent: int | None, message: Message, entry: int | None = None) -> int:
        """Returns the message's number. entry: of the trash in which it lies."""
        cursor = self._execute(
            "INSERT INTO message (id, conversation, parent, role, text, created, model, model_name, sampling, name,"
            " pinned, favourite, trash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(message.id, conversation, parent, message.role, message.text, message.created_at),
            *(message.model, message.model_name, _json(message.sampling)),
            *(message.name, message.is_pinned, message.is_favourite, entry),
        )
        number = int(cursor.lastrowid or 0)
        for piece in _pieces(message.ids or ()):
            self._insert_piece("ids", number, piece)
        if message.stop is not None:
            self._end(number, message.stop, message.ids, message.stats)
        return number

    def _insert_piece(self, column: str, number: int, piece: str | bytes) -> None:
        if piece:
            self._execute(f"INSERT INTO message_{column} (message, {column}) VALUES (?, ?)", number, piece)

    def _insert_alternatives(self, number: int, alternatives: Alternatives) -> None:
        query = "INSERT OR REPLACE INTO message_alternatives (message, position, candidates) VALUES (?, ?, ?)"
        for position, candidates in alternatives.items():
            stored = [(one.id, one.text, one.logprob) for one in candidates]
            self._execute(query, number, position, json.dumps(stored, ensure_ascii=False, allow_nan=False))

    def _end(self, number: int, stop: str, ids: Sequence[int] | None, stats: Mapping[str, Any] | None) -> None:
        tokens = None if ids is None else len(ids)
        query = "UPDATE message SET stop = ?, tokens = ?, stats = ? WHERE number = ?"
        self._execute(query, stop, tokens, _json(stats), number)

    def _come_to(self, conversation: int, leaf: int | None, message: Message) -> None:
        """A conversation was used: its path may end here now, and its first question may be its title."""
        if leaf is not None:
            self._select(conversation, leaf)
        title = title_from(message.text) or None if message.role == "user" else None
        self._execute("UPDATE conversation SET title = ifnull(title, ?) WHERE number = ?", title, conversation)
        self._execute(_USE, message.created_at, conversation)
        look_at(self._connection)

    def _select(self, conversation: int, leaf: int | None) -> None:
        """Have the path of a conversation end with a message. What it shares with the path so far is marked already."""
        before = self._execute("SELECT leaf FROM conversation WHERE number = ?", conversation).fetchone()[0]
        self._execute("UPDATE conversation SET leaf = ? WHERE number = ?", leaf, conversation)
        self._mark_path(conversation, leaf, self._shared(before, leaf))

    def _mark_path(self, conversation: int, leaf: int | None, above: int = 0) -> None:
        """Mark the messages of a path as the last visited ones, those behind the one with the number `above`."""
        values = {"conversation": conversation, "leaf": leaf, "above": above}
        self._connection.execute(_FORGET, values)
        self._connection.execute(_REMEMBER, values)

    def _shared(self, one: int | None, other: int | None) -> int:
        """The last message that two paths have in common, by their ends, or 0. Each goes up to lower numbers."""
        while one != other and one is not None and other is not None:
            one, other = min(one, other), self._parent(max(one, other))
        return one if one is not None and one == other else 0

    def _parent(self, number: int) -> int | None:
        parent: int | None = self._execute("SELECT parent FROM message WHERE number = ?", number).fetchone()[0]
        return parent

    def _text(self, message: int) -> str:
        """The whole text of a message."""
        query = """SELECT text FROM (SELECT 0 AS place, text FROM message WHERE number = ?1
            UNION ALL SELECT number, text FROM message_text WHERE message = ?1) ORDER BY place"""
        return "".join(row[0] for row in self._rows(query, message))

    def _gather(self, conversation: int, column: str, above: int, last: int) -> dict[int, list[Any]]:
        """The pieces of text or ids of the messages between two numbers, in order."""
        query = f"""SELECT piece.message, piece.{column} FROM message JOIN message_{column} AS piece
            ON piece.message = message.number WHERE message.conversation = ? AND message.number > ?
            AND message.number <= ? ORDER BY piece.message, piece.number"""
        pieces: dict[int, list[Any]] = {}
        for number, piece in self._execute(query, conversation, above, last):
            pieces.setdefault(number, []).append(piece)
        return pieces


def _message(conversation_id: str, row: tuple[Any, ...], text: str, stored: bytes) -> Message:
    """A message from its row, its appended text and its token ids, which are left out unless they are complete."""
    _, message_id, parent_id, role, base, created, tokens, model, model_name, stats, stop, sampling, name, *marks = row
    return Message(
        *(message_id, conversation_id, parent_id, role, base + text, created),
        ids=_unpacked(stored) if tokens is not None and tokens * 4 == len(stored) else None,
        model=model,
        model_name=model_name,
        stats=None if stats is None else json.loads(stats),
        stop=stop,
        sampling=None if sampling is None else json.loads(sampling),
        name=name,
        is_pinned=bool(marks[0]),
        is_favourite=bool(marks[1]),
    )


def _conversation(
    identifier: str, title: str | None, created: float, updated: float, folder_id: str | None, favourite: int
) -> Conversation:
    return Conversation(identifier, title, created, updated, folder_id, bool(favourite))


def _json(value: Mapping[str, Any] | None) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, allow_nan=False)


def _pieces(ids: Sequence[int]) -> Iterator[bytes]:
    """Token ids as little-endian unsigned 32-bit integers, in pieces. struct.error for numbers that are none."""
    for start in range(0, len(ids), IDS_IN_A_PIECE):
        piece = ids[start : start + IDS_IN_A_PIECE]
        yield struct.pack(f"<{len(piece)}I", *piece)


def _unpacked(stored: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(stored) // 4}I", stored)
