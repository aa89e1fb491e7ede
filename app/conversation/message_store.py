"""What is said in conversations: it is on the disk before anything is done with it.

Properties: a method that returns has committed. A growing answer is never written again: every flush adds one piece of
text, and the end adds its token ids and figures. Whatever happens, a request is kept whole or not at all.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from types import MappingProxyType
from typing import Any, NamedTuple

from app.conversation.clock import advance_clock
from app.conversation.conversation_store import ConversationStore
from app.conversation.database import Database
from app.conversation.edit import Change, Edit, Operation
from app.conversation.kept_choices import KnownAnswer, NewChoices, first_choices, inherited
from app.conversation.message import EDITED, Conversation, Message, checked_id, checked_title, id_beside, title_from
from app.conversation.message_rows import MessageRows, ids_of, pieces_of
from app.conversation.path_marks import PathMarks
from app.conversation.records import ListedBranch, MarkedMessage
from app.conversation.tree import MessageTree
from app.conversation.view_state_store import ViewStateStore
from app.protocol.choices import ChoicesError, pack, unpack

PAGE = 1000  # messages that are read at once
_BEGINNING = 200  # characters of a text that are read to tell what it is
_MARKED = """SELECT message.id, conversation.id, title, message.name, pinned, substr(message.text || coalesce((SELECT
    text FROM message_text WHERE message_text.message = message.number AND is_thinking = 0 ORDER BY number LIMIT 1),
    ''), 1, ?) FROM message JOIN conversation ON conversation.number = message.conversation
    WHERE (message.name IS NOT NULL OR pinned = 1) AND message.trash IS NULL AND conversation.trash IS NULL
    ORDER BY message.number DESC"""
_ENDING = ("stop", "tokens", "stats")
_NO_CHOICES: Mapping[str, NewChoices] = MappingProxyType({})
# The condition is that of the index; the sign keeps messages from being read one after the other for their order.
LISTED = """SELECT message.id, conversation.id, name, message.favourite, substr(text, 1, 200) FROM message
    JOIN conversation ON conversation.number = message.conversation
    WHERE (name IS NOT NULL OR message.favourite = 1) AND message.trash IS NULL AND conversation.trash IS NULL
    ORDER BY +message.number"""


class Progress(NamedTuple):
    """Stored part of a message: whether there is any, how many characters of its text, whether it has ended.

    thinking: characters of its thought. Of two states of one message the later is the greater.
    """

    is_stored: bool
    length: int
    has_ended: bool
    thinking: int = 0


class Ending(NamedTuple):
    """The end that an answer had before it went on. last: number of its last piece of text. ids: as they are stored."""

    number: int
    stop: str | None
    tokens: int | None
    stats: str | None
    last: int
    ids: bytes


class MessageStore:
    """Messages, and the trees and paths they make.

    Attributes: late, numbers of messages that were said below others in the trash; completed, numbers of messages whose
    text is complete since the search has looked here.
    """

    def __init__(
        self,
        database: Database,
        rows: MessageRows,
        paths: PathMarks,
        conversations: ConversationStore,
        view_states: ViewStateStore,
    ) -> None:
        self._db = database
        self._rows = rows
        self._paths = paths
        self._conversations = conversations
        self._view_states = view_states
        self._growing: dict[str, int] = {}
        self.late: list[int] = []
        self.completed: list[int] = []

    @property
    def growing(self) -> frozenset[int]:
        """Numbers of the answers that are being written."""
        return frozenset(self._growing.values())

    def add(self, message: Message, select: bool = True, choices: NewChoices | None = None) -> Edit:
        """Keep a message below its parent; `select` makes it the end of the selected path.

        The first question gives a conversation without title one. What is said below a message in the trash is kept
        there with it. choices: of an answer that has ended.
        """
        known = {} if choices is None else {message.id: choices}
        return self._add(Operation.ADD, None, (message,), message if select else None, known)

    def add_answers(
        self, answers: Sequence[Message], selected_id: str | None, choices: Mapping[str, NewChoices] = _NO_CHOICES
    ) -> Edit:
        """Keep answers to one question in one commit: all of them stand beside each other in this order, or none does.

        selected_id: of the one that the selected path then ends with, None for none of them. choices: of those that
        have ended, by their ids. ValueError where there are no answers, or they do not answer one question.
        """
        questions = {(answer.conversation_id, answer.parent_id) for answer in answers}
        if len(questions) != 1 or any(answer.role != "assistant" for answer in answers):
            raise ValueError(f"{len(answers)} messages are not answers to one question")
        selected = next((answer for answer in answers if answer.id == selected_id), None)
        return self._add(Operation.ADD, None, answers, selected, choices)

    def add_branch(self, messages: Sequence[Message]) -> Edit:
        """Keep messages of which each follows the one before it, and end the selected path with the last.

        ValueError where there are none.
        """
        if not messages:
            raise ValueError("a branch has a message")
        with self._db.editing(Operation.ADD) as done:
            conversation = self._db.conversation_number(messages[0].conversation_id)
            numbers = [self._insert(conversation, message)[0] for message in messages]
            self._come_to(conversation, numbers[-1], messages[-1])
        self.completed += numbers
        return done.edit

    def begin(self, conversation: Conversation, first: Message) -> Edit:
        """Keep a new conversation with its first message, in one commit. As `add` where it is there already."""
        is_new = not self._db.rows("SELECT 1 FROM conversation WHERE id = ?", checked_id(conversation.id))
        if is_new:
            return self._add(Operation.CREATE, conversation, (first,), first)
        return self.add(first)

    def append_text(self, message_id: str, new_text: str, new_thinking: str = "") -> None:
        """Add to the text and the thought of an answer that has not ended. Only what is new is written."""
        with self._db.writing():
            number = self._growing.get(message_id) or self._growing_number(message_id)
            self._rows.insert_text(number, new_thinking, "thinking")
            self._rows.insert_text(number, new_text)
        self._growing[message_id] = number

    def finish(
        self,
        message_id: str,
        *,
        stop: str,
        text: str = "",
        thinking: str = "",
        ids: Sequence[int] | None = None,
        stats: Mapping[str, Any] | None = None,
        model: str | None = None,
        model_name: str | None = None,
        choices: NewChoices | None = None,
    ) -> None:
        """End an answer: why it stopped, the last of its text and thought, its token ids, figures that JSON can hold,
        who wrote it, if not known yet, and what its tokens were chosen from.

        It has not ended before the last commit, of which there are several for many ids; after a StoreError it can be
        ended again.
        """
        known = () if ids is None else ids
        with self._db.reading():
            number = self._db.message_number(message_id)
            stored = _common(ids_of(self._rows.ids(number)), known)
            kept = self._kept_choices(number, choices, known)
        *first, last = [*pieces_of(known[stored:])] or [b""]
        if first:
            with self._db.writing():
                self._rows.keep_first(self._growing_number(message_id), stored)
        for piece in first:
            with self._db.writing():
                self._rows.insert_ids(self._growing_number(message_id), piece)
        with self._db.writing():
            number = self._growing_number(message_id)
            if not first:
                self._rows.keep_first(number, stored)
            self._rows.insert_text(number, thinking, "thinking")
            self._rows.insert_text(number, text)
            self._rows.insert_ids(number, last)
            self._rows.end(number, stop, ids, stats)
            self._rows.replace_choices(number, kept)
            query = "UPDATE message SET model = ifnull(?, model), model_name = ifnull(?, model_name) WHERE number = ?"
            self._db.execute(query, model, model_name, number)
            home = self._db.execute("SELECT conversation FROM message WHERE number = ?", number).fetchone()[0]
            self._conversations.use(home, time.time())
        self._growing.pop(message_id, None)
        self.completed.append(number)

    def discard(self, message_id: str) -> int:
        """Delete an answer for ever that ended before its first word, as if it had not been begun.

        A path that ended with it goes back to its question. Returns the number of its row, by which edits know it.
        ValueError for a message that has a word, or is no answer that is being written.
        """
        with self._db.writing():
            number = self._growing_number(message_id)
            if self._rows.text(number) or self._rows.thinking(number):
                raise ValueError(f"answer {message_id} has words")
            self._db.execute(
                "UPDATE conversation SET leaf = (SELECT parent FROM message WHERE number = ?1) WHERE leaf = ?1", number
            )
            self._db.execute("DELETE FROM message WHERE number = ?", number)
        self._growing.pop(message_id, None)
        return number

    def reopen(self, message_id: str) -> Ending:
        """Let an answer that has ended grow again: its words stay, its token ids and figures come with its next end.

        Returns the end that it had, for `continued`. ValueError for a message that is no answer.
        """
        with self._db.writing():
            number = self._db.message_number(message_id)
            ending = self._ending(number)
            query = """UPDATE message SET stop = NULL, tokens = NULL, stats = NULL
                WHERE number = ? AND role = 'assistant'"""
            if self._db.execute(query, number).rowcount != 1:
                raise ValueError(f"message {message_id} is not an answer")
        self._growing[message_id] = number
        return ending

    def continued(self, before: Ending) -> Edit:
        """Return the edit by which an answer went on that has ended again. before: as `reopen` returned it."""
        with self._db.reading():
            after = self._ending(before.number)
            query = "SELECT number FROM message_text WHERE message = ? AND number > ? ORDER BY number"
            pieces = [row[0] for row in self._db.execute(query, before.number, before.last)]
            query = "SELECT id FROM conversation WHERE number = (SELECT conversation FROM message WHERE number = ?)"
            home = self._db.execute(query, before.number).fetchone()[0]
        if not after.ids.startswith(before.ids):
            before = before._replace(tokens=None)  # its ids were not what it went on from, and are gone
        changes = [
            Change("message", before.number, field, getattr(before, field), getattr(after, field)) for field in _ENDING
        ]
        changes += [Change("message_text", piece, "is_undone", 1, 0) for piece in pieces]
        return Edit(Operation.CONTINUE, tuple(changes), (home,))

    def turn_back(self, edit: Edit) -> Edit:
        """Take back that an answer went on, or do it again; returns what takes that back in turn.

        LookupError where the answer is gone for ever.
        """
        number = edit.changes[0].number
        ending = {change.field: change.old for change in edit.changes if change.table == "message"}
        with self._db.writing():
            query = "UPDATE message SET stop = ?, tokens = ?, stats = ? WHERE number = ?"
            if self._db.execute(query, *(ending[field] for field in _ENDING), number).rowcount != 1:
                raise LookupError(f"message {number} is gone for ever")
            for change in edit.changes:
                if change.table == "message_text":
                    query = "UPDATE message_text SET is_undone = ? WHERE number = ?"
                    self._db.execute(query, change.old, change.number)
        self.completed.append(number)
        turned = tuple(replace(change, old=change.new, new=change.old) for change in edit.changes)
        return replace(edit, changes=turned)

    def save_answer(
        self,
        answer: Message,
        before: Progress | None = None,
        select: bool = True,
        choices: NewChoices | None = None,
    ) -> Edit | None:
        """Add what is not stored yet of an answer. Doing it again changes nothing, wherever it was broken off.

        before: what is stored of it, asked for where it is not known. choices: of one that has ended. Returns the edit
        that added it, None where it was there. LookupError where its question is not.
        """
        before = before or self.progress_of(answer.id)
        if not before.is_stored:
            return self.add(answer, select, choices)
        if not before.has_ended:
            self._grow(answer, answer.text[before.length :], answer.thinking[before.thinking :], choices)
        return None

    def save_kept(self, answer: Message) -> None:
        """Add what is not stored of an answer that an earlier run kept in a file, also where it had gone on.

        Doing it again changes nothing. Where the stored one went on in another way since, this one comes beside it.
        LookupError where its question is not there.
        """
        before = self.progress_of(answer.id)
        if before.has_ended:
            with self._db.reading():
                number = self._db.message_number(answer.id)
                text, thinking = self._rows.text(number), self._rows.thinking(number)
            if text.startswith(answer.text) and thinking.startswith(answer.thinking):
                return
            if answer.text.startswith(text) and answer.thinking.startswith(thinking):
                self.reopen(answer.id)
                before = before._replace(has_ended=False)
            else:
                answer = replace(answer, id=id_beside(answer.id, answer.thinking, answer.text))
                before = self.progress_of(answer.id)
        self.save_answer(answer, before)

    def progress_of(self, message_id: str) -> Progress:
        """Return how much of a message is stored."""
        query = "SELECT number, role <> 'assistant' OR stop IS NOT NULL FROM message WHERE id = ?"
        for number, has_ended in self._db.rows(query, checked_id(message_id)):
            return Progress(True, len(self._rows.text(number)), bool(has_ended), len(self._rows.thinking(number)))
        return Progress(False, 0, False)

    def select_path(self, conversation_id: str, leaf_id: str | None) -> None:
        """Remember where the selected path ends, and its messages as the last visited ones at every fork."""
        with self._db.writing():
            conversation = self._db.conversation_number(conversation_id)
            leaf = None if leaf_id is None else self._db.message_number(leaf_id)
            self._paths.select(conversation, leaf)

    def of(self, conversation_id: str) -> tuple[Message, ...]:
        """Return the messages of a conversation in the order they were added, so parents come before children."""
        return self._read(conversation_id, "message.trash IS NULL")

    def count(self, conversation_id: str, most: int) -> int:
        """Count the messages of a conversation, no further than `most`. LookupError when it is not known."""
        query = "SELECT count(*) FROM (SELECT 1 FROM message WHERE conversation = ? AND trash IS NULL LIMIT ?)"
        with self._db.reading():
            conversation = self._db.conversation_number(conversation_id)
            return int(self._db.execute(query, conversation, most).fetchone()[0])

    def branches(self, conversation_id: str) -> tuple[tuple[Message, ...], ...]:
        """Return every path from a first message to an end, whether it is in the trash or not."""
        paths: dict[str, tuple[Message, ...]] = {}
        inner: set[str | None] = set()
        for message in self._read(conversation_id, "true"):
            paths[message.id] = (*(paths[message.parent_id] if message.parent_id else ()), message)
            inner.add(message.parent_id)
        return tuple(path for message_id, path in paths.items() if message_id not in inner)

    def load(self, conversation_id: str) -> MessageTree:
        """Load a conversation as it was left, as a tree that the caller owns: path and last visited children too.

        A path goes on to where nothing follows: an answer that came after the path was stored is on it.
        """
        tree = MessageTree(conversation_id, self._in_pages(conversation_id), self._visited(conversation_id))
        tree.select(tree.leaf_below(self.leaf_of(conversation_id)))
        return tree

    def choices(self, message_id: str) -> bytes:
        """Return what each token of an answer was chosen from, packed as by `protocol.choices`; nothing where unknown.

        There may be fewer than it has token ids.
        """
        with self._db.reading():
            return self._rows.choices_of_ids(self._db.message_number(message_id))

    def with_choices(self, conversation_id: str) -> frozenset[str]:
        """Return the ids of the answers of a conversation of which it is known what their tokens were chosen from."""
        query = """SELECT id FROM message JOIN message_choices ON message_choices.message = message.number
            WHERE message.conversation = (SELECT number FROM conversation WHERE id = ?)"""
        return frozenset(str(message_id) for (message_id,) in self._db.rows(query, checked_id(conversation_id)))

    def choices_bytes(self) -> int:
        """Return the bytes that the choices of all answers take."""
        ((total,),) = self._db.rows("SELECT ifnull(sum(length(choices)), 0) FROM message_choices")
        return int(total)

    def mark_favourite(self, message_id: str, is_favourite: bool) -> Edit:
        """Make the branch that comes to a message a favourite, or not."""
        with self._db.editing(Operation.FAVOURITE) as done:
            self._mark(self._db.message_number(message_id), "favourite", int(is_favourite))
        return done.edit

    def pin(self, message_id: str, is_pinned: bool) -> Edit:
        """Pin a message, or not."""
        with self._db.editing(Operation.PIN) as done:
            self._mark(self._db.message_number(message_id), "pinned", int(is_pinned))
        return done.edit

    def pinned_paths(self) -> tuple[tuple[Message, ...], ...]:
        """Return the path to each message that is pinned, in any conversation; those in the trash are left out."""
        query = """SELECT conversation.id, message.id FROM message
            JOIN conversation ON conversation.number = message.conversation
            WHERE message.pinned AND message.trash IS NULL AND conversation.trash IS NULL ORDER BY message.number"""
        with self._db.reading():
            found = self._db.execute(query).fetchall()
        trees = {home: self.load(home) for home in dict.fromkeys(home for home, _ in found)}
        return tuple(trees[home].path_to(message_id) for home, message_id in found if message_id in trees[home])

    def name_branch(self, message_id: str, name: str | None) -> Edit:
        """Give the branch that comes to a message a name, or take it away. ValueError for an empty one."""
        with self._db.editing(Operation.NAME) as done:
            checked = None if name is None else checked_title(name)
            self._mark(self._db.message_number(message_id), "name", checked)
        return done.edit

    def marked(self) -> tuple[MarkedMessage, ...]:
        """Return the messages of all conversations that have a name or a pin, the newest first."""
        with self._db.reading():
            rows = self._db.execute(_MARKED, _BEGINNING).fetchall()
        return tuple(
            MarkedMessage(message_id, home, title, name, bool(is_pinned), words)
            for message_id, home, title, name, is_pinned, words in rows
        )

    def listed_branches(self) -> tuple[ListedBranch, ...]:
        """Return the branches that have a name or are favourites, in order, but for those in the trash."""
        return tuple(
            ListedBranch(message_id, conversation_id, name or "", bool(favourite), text)
            for message_id, conversation_id, name, favourite, text in self._db.rows(LISTED)
        )

    def leaf_of(self, conversation_id: str) -> str | None:
        """Return the message that the path of a conversation ends with, None where it is empty."""
        query = "SELECT message.id FROM conversation JOIN message ON message.number = leaf WHERE conversation.id = ?"
        return next((row[0] for row in self._db.rows(query, conversation_id)), None)

    def _add(
        self,
        operation: Operation,
        new: Conversation | None,
        messages: Sequence[Message],
        selected: Message | None,
        choices: Mapping[str, NewChoices] = _NO_CHOICES,
    ) -> Edit:
        """Keep messages of one conversation in one commit. selected: the one that its path ends with from now on.

        choices: of those that have ended, by their ids.
        """
        kept: list[tuple[Message, int, bool]] = []
        with self._db.editing(operation) as done:
            if new is not None:
                self._conversations.insert(new)
            conversation = self._db.conversation_number(messages[0].conversation_id)
            for message in messages:
                number, is_hidden = self._insert(conversation, message)
                if message.id in choices:
                    kept_choices = self._kept_choices(number, choices[message.id], message.ids or ())
                    self._rows.replace_choices(number, kept_choices)
                if message.text and (message.role == "user" or EDITED in (message.stats or {})):
                    self._view_states.follow(conversation, message.text, message.parent_id is None)
                if not is_hidden:
                    self._come_to(conversation, number if message is selected else None, message)
                kept.append((message, number, is_hidden))
        for message, number, is_hidden in kept:
            if is_hidden:
                self.late.append(number)
            if message.is_unfinished:
                self._growing[message.id] = number
            else:
                self.completed.append(number)
        return done.edit

    def _in_pages(self, conversation_id: str) -> Iterator[Message]:
        """Yield the messages that are not in the trash; only a page of rows is held beside them."""
        with self._db.reading():
            conversation, last, is_full = self._db.conversation_number(conversation_id), 0, True
            while is_full:
                page = self._rows.read(conversation, conversation_id, "message.trash IS NULL", last, PAGE)
                yield from (message for _, message in page)
                last, is_full = page[-1][0] if page else last, len(page) == PAGE

    def _kept_choices(self, number: int, new: NewChoices | None, ids: Sequence[int]) -> bytes:
        """Return what is kept of the choices of an answer that ends with these ids, inside `reading` or `writing`.

        Without new ones those stay that it had, as far as they are of the same ids.
        """
        if new is None:
            return first_choices(self._rows.choices(number), _common(ids_of(self._rows.ids(number)), ids))
        like = None if new.like is None else self._db.message_number(new.like)
        known = None if like is None else self._rows.choices(like)
        if like is None or not known:
            return new.packed
        try:
            begun = KnownAnswer(
                ids_of(self._rows.ids(like)), unpack(known), self._rows.text(like), self._rows.thinking(like)
            )
            return pack(inherited(unpack(new.packed), ids, begun))
        except ChoicesError:
            return new.packed

    def _grow(self, answer: Message, text: str, thinking: str, choices: NewChoices | None) -> None:
        if answer.stop is None:
            self.append_text(answer.id, text, thinking)
        else:
            self.finish(
                answer.id,
                stop=answer.stop,
                text=text,
                thinking=thinking,
                ids=answer.ids,
                stats=answer.stats,
                model=answer.model,
                model_name=answer.model_name,
                choices=choices,
            )

    def _ending(self, number: int) -> Ending:
        """Return how an answer ends now, inside `reading` or `writing`."""
        query = "SELECT stop, tokens, stats FROM message WHERE number = ?"
        stop, tokens, stats = self._db.execute(query, number).fetchone()
        query = "SELECT ifnull(max(number), 0) FROM message_text WHERE message = ?"
        last = self._db.execute(query, number).fetchone()[0]
        ids = self._rows.ids(number)
        return Ending(number, stop, tokens, stats, last, b"" if tokens is None else ids[: tokens * 4])

    def _mark(self, number: int, field: str, value: int | str | None) -> None:
        self._db.execute(f"UPDATE message SET {field} = ? WHERE number = ?", value, number)  # noqa: S608 (our names)

    def _read(self, conversation_id: str, condition: str) -> tuple[Message, ...]:
        with self._db.reading():
            conversation = self._db.conversation_number(conversation_id)
            return tuple(message for _, message in self._rows.read(conversation, conversation_id, condition))

    def _visited(self, conversation_id: str) -> tuple[str, ...]:
        query = """SELECT id FROM message WHERE visited = 1 AND trash IS NULL
            AND conversation = (SELECT number FROM conversation WHERE id = ?) ORDER BY number"""
        with self._db.reading():
            return tuple(message_id for (message_id,) in self._db.execute(query, conversation_id))

    def _growing_number(self, message_id: str) -> int:
        number = self._db.message_number(message_id)
        role, stop = self._db.execute("SELECT role, stop FROM message WHERE number = ?", number).fetchone()
        if role != "assistant" or stop is not None:
            raise ValueError(f"message {message_id} ({role}, {stop or 'typed'}) is not an answer that still grows")
        return number

    def _insert(self, conversation: int, message: Message) -> tuple[int, bool]:
        """Returns the message's number, and whether it lies in the trash, as its parent does."""
        parent = None if message.parent_id is None else self._db.message_number(message.parent_id)
        entry = self._db.execute("SELECT trash FROM message WHERE number = ?", parent).fetchone()
        return self._rows.insert(conversation, parent, message, entry and entry[0]), bool(entry and entry[0])

    def _come_to(self, conversation: int, leaf: int | None, message: Message) -> None:
        """Note that a conversation was used: its path may end here now, and its first question may be its title."""
        if leaf is not None:
            self._paths.select(conversation, leaf)
        title = title_from(message.text) or None if message.role == "user" else None
        self._db.execute("UPDATE conversation SET title = ifnull(title, ?) WHERE number = ?", title, conversation)
        self._conversations.use(conversation, message.created_at)
        advance_clock(self._db.connection)


def _common(stored: Sequence[int], ids: Sequence[int]) -> int:
    """Count the first token ids that both have."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(stored, ids, strict=False)))
