"""The search in all messages: what is looked for is found in the index, which follows the database by small steps."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from app.conversation.database import Database
from app.conversation.faults import as_store_errors
from app.conversation.message_rows import MessageRows, Passage
from app.conversation.message_store import MessageStore
from app.conversation.search import Hit, SearchState, excerpt_of
from app.conversation.search_index import Found, SearchIndex, index_files, index_path
from app.conversation.terms import Term, ranges_of, terms_of
from app.conversation.trash import STAGED

STEP = 0.02  # seconds for which messages are indexed without letting others have their turn
SOON = 200  # messages that a search waits for, unless they are long
_GAP = "\n\n"  # between the texts of one message
NEAR = 40  # characters before the first or after the last word of a message

_ALL = """SELECT number, id, role <> 'assistant' OR stop IS NOT NULL FROM message WHERE conversation NOT IN
    (SELECT number FROM conversation WHERE trash IN (SELECT number FROM trash WHERE operation = ?)) ORDER BY number"""
_UNINDEXED = "SELECT id, role <> 'assistant' OR stop IS NOT NULL FROM message WHERE number = ?"
_HIT = """SELECT message.id, role, message.created, conversation.id, title, updated
    FROM message JOIN conversation ON conversation.number = message.conversation
    WHERE message.number = ? AND message.trash IS NULL AND conversation.trash IS NULL"""


class MessageSearch:
    """Search in the words of all messages. Attribute: index, the file that they are found in."""

    def __init__(self, database: Database, rows: MessageRows, messages: MessageStore) -> None:
        self._db = database
        self._rows = rows
        self._messages = messages
        self._left: list[int] | None = None
        self._being_indexed = 0
        is_in_memory = database.path is None or database.is_read_only
        self.index = SearchIndex(None if is_in_memory or database.path is None else index_path(database.path))

    def close(self) -> None:
        """Close the file of the index. Closing again does nothing."""
        self.index.close()

    def find(self, text: str, limit: int = 50) -> tuple[Hit, ...]:
        """Return messages in which every word stands that was typed, newest first; the last word may be a beginning."""
        wanted = terms_of(text)
        if len(self._backlog()) <= SOON:
            for _ in range(10):
                if not self.index_some():
                    break
        hits: list[Hit] = []
        for found in self.index.find(wanted):
            if len(hits) == limit:
                break
            hits += self._hits(found, wanted)
        return tuple(hits)

    @property
    def state(self) -> SearchState:
        """Tell how far the index is."""
        left = len(self._backlog()) + self.index.is_adding
        return SearchState(self.index.is_available, left, self.index.problem)

    def index_some(self) -> int:
        """Bring the index on by a step that takes a moment; returns how many messages can follow at once."""
        backlog, end = self._backlog(), time.monotonic() + STEP
        while self.index.is_adding or backlog:
            if not self.index.is_adding:
                self._begin_to_index(backlog.pop())
            elif not self.index.step():
                self._give_up_indexing()
                return 0  # what could not be written now is tried again after the next message
            if time.monotonic() >= end:
                break
        return len(backlog) + self.index.is_adding

    def drop_index(self) -> None:
        """Throw the index away, to make room for words that the disk has no room for; the next start makes it again."""
        self.index.close()
        with as_store_errors(self._db.path):
            for file in () if self._db.path is None else index_files(self._db.path):
                file.unlink(missing_ok=True)
        self.index = SearchIndex(None)
        self._left = []

    def wipe_removed(self) -> bool:
        """Take what is not stored any more out of the index, and leave no trace of it in the files.

        False when that was not possible now.
        """
        if self.index.is_adding:
            self._give_up_indexing()
        stored = {row[0] for row in self._db.rows("SELECT number FROM message")}
        stored -= {*self._messages.completed, *(self._left or ())}  # they have other words by now, and are to come
        if not self.index.remove(self.index.held() - stored):
            self.index.discard()
            self._left = None
        return self.index.scrub()

    def _begin_to_index(self, number: int) -> None:
        self._being_indexed = number
        for message_id, is_whole in self._db.rows(_UNINDEXED, number):
            self.index.begin(number, message_id, _joined(self._rows.passages(number)), bool(is_whole))

    def _give_up_indexing(self) -> None:
        """Begin the message that is being indexed anew, later."""
        self.index.give_up()
        if self._left is not None:
            self._left.append(self._being_indexed)

    def _backlog(self) -> list[int]:
        """Numbers of messages that are not in the index, the next one last. Growing answers come when they end."""
        if not self.index.is_available:
            return []
        if self._left is None:
            indexed, growing = self.index.indexed(), self._messages.growing
            stored = {row[0]: (row[1], bool(row[2])) for row in self._db.rows(_ALL, STAGED)}
            self.index.remove(self.index.held() - stored.keys())
            self._left = [
                number
                for number, (message_id, is_whole) in stored.items()
                if not (is_whole and indexed.get(number) == (message_id, True)) and number not in growing
            ]
        elif self._messages.completed:
            self._left += self._messages.completed
        self._messages.completed.clear()
        return self._left

    def _hits(self, found: Found, wanted: tuple[Term, ...]) -> Iterator[Hit]:
        for message_id, role, created, conversation_id, title, updated in self._db.rows(_HIT, found.message):
            passage, found_start, found_stop = _found_in(self._rows.passages(found.message), found, wanted)
            text = passage.text
            start = found_start if found_start > NEAR else 0
            stop = found_stop if found_stop < len(text) - NEAR else len(text)
            excerpt, ranges = excerpt_of(text[start:stop], wanted, start == 0, stop == len(text))
            yield Hit(conversation_id, message_id, title, role, excerpt, ranges, created, updated, passage.name)


def _joined(passages: Sequence[Passage]) -> str:
    return _GAP.join(passage.text for passage in passages)


def _found_in(passages: Sequence[Passage], found: Found, wanted: tuple[Term, ...]) -> tuple[Passage, int, int]:
    """Return the passage with the first of the words that were found in all of them, and the characters to look at."""
    matches = ranges_of(_joined(passages)[found.start : found.stop], wanted)
    first = found.start + (matches[0][0] if matches else 0)
    begin = 0
    for passage in passages:
        end = begin + len(passage.text)
        if first <= end:
            return passage, max(found.start - begin, 0), min(found.stop, end) - begin
        begin = end + len(_GAP)
    return passages[-1], 0, len(passages[-1].text)
