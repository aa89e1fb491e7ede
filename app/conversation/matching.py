"""What of a document is stored already, in the conversation of its id: found message by message.

Properties: a stored message is the document's where it has the id of one of its messages, or says what one says below
the same words; an answer that has gone on says what it said before. Of messages that say the same in the same place as
many are the document's as it has. What lies in the trash counts as long as it can come back.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from app.conversation.message import Message
from app.conversation.records import Document

_Words = tuple[str, str, str]  # role, text, thinking


class _Found(NamedTuple):
    """A stored message that may be the document's.

    place: number of what is said, and below which words. is_known: it has the id of a message of the document.
    is_longer: it has gone on.
    """

    parent: int | None
    place: int
    is_known: bool
    is_longer: bool


class Match:
    """A document beside the stored conversation of its id, compared while the stored messages come, parents first.

    Attributes: number, id, of the conversation; is_hidden: it lies in the trash; last: number of the message that came
    last; missing: how many messages of the document are not stored, known once `end` was called.
    """

    def __init__(self, document: Document, number: int, is_hidden: bool) -> None:
        self.number, self.id, self.is_hidden = number, document.conversation.id, is_hidden
        self.last = self.missing = 0
        self._below: dict[int | None, dict[_Words, int]] = {}  # places by the one above and their words
        self._counts: list[int] = []  # messages of the document in each place
        self._places: dict[str, int] = {}  # of the document's messages, by their ids
        for message in document.messages:
            self._place(message)
        self._numbers: dict[str, int] = {}  # of the stored messages, by their ids
        self._found: dict[int, _Found] = {}  # by the numbers of stored messages

    def _place(self, message: Message) -> None:
        above = None if message.parent_id is None else self._places[message.parent_id]
        place = self._below.setdefault(above, {}).setdefault(_words(message), len(self._counts))
        if place == len(self._counts):
            self._counts.append(0)
        self._counts[place] += 1
        self._places[message.id] = place

    def take(self, number: int, stored: Message) -> None:
        """Compare the next stored message."""
        self.last = self._numbers[stored.id] = number
        parent = None if stored.parent_id is None else self._numbers[stored.parent_id]
        known = self._places.get(stored.id)
        if known is not None:
            self._found[number] = _Found(parent, known, is_known=True, is_longer=False)
        elif parent is None or parent in self._found:
            below = self._below.get(None if parent is None else self._found[parent].place, {})
            exact = below.get(_words(stored))
            place = _shorter(below, stored) if exact is None else exact
            if place is not None:
                self._found[number] = _Found(parent, place, is_known=False, is_longer=exact is None)

    def end(self, hidden: Collection[int]) -> set[int]:
        """Return the messages of the document that lie in the trash, by their numbers, and count those that are gone.

        hidden: all messages of the conversation that lie in the trash.
        """
        left, shown, gone = list(self._counts), set[int](), dict[int, _Found]()

        def rank(one: tuple[int, _Found]) -> tuple[bool, bool, bool, int]:
            """Say what comes first: the same words, of those what is seen, of those what is known by its id."""
            number, found = one
            return found.is_longer, number in hidden, not found.is_known, number

        for number, found in sorted(self._found.items(), key=rank):
            if left[found.place] and self._can_be_seen(number, found, hidden, shown):
                left[found.place] -= 1
                shown.add(number)
            elif number in hidden:
                gone[number] = found
        for number, found in sorted(gone.items()):  # those above which another one came back first
            if left[found.place] and self._can_be_seen(number, found, hidden, shown):
                left[found.place] -= 1
                shown.add(number)
        self.missing = sum(left)
        return shown.intersection(hidden)

    @staticmethod
    def _can_be_seen(number: int, found: _Found, hidden: Collection[int], shown: Collection[int]) -> bool:
        """Return whether nothing above is in the way, which would have to come back without being the document's."""
        return number not in hidden or found.parent not in hidden or found.parent in shown


def _words(message: Message) -> _Words:
    return message.role, message.text, message.thinking


def _shorter(places: dict[_Words, int], now: Message) -> int | None:
    """Return the place of an answer that begins another one, thought included; the longest of several."""
    if now.role != "assistant":
        return None
    begun = [
        (len(text), place)
        for (role, text, thinking), place in places.items()
        if role == "assistant" and text and now.text.startswith(text) and now.thinking.startswith(thinking)
    ]
    return max(begun)[1] if begun else None
