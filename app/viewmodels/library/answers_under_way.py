"""What the library must know of questions and answers that are not in the database to their end."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from app.conversation.message import Message


class AnswersUnderWay(Protocol):
    """Questions and answers on their way, as far as what is stored depends on them."""

    @property
    def held(self) -> Mapping[str, str]:
        """Return the ids of messages that nothing may be taken away from, each with its conversation."""

    @property
    def writing_ids(self) -> Collection[str]:
        """Return the conversations in which an answer is being written."""

    @property
    def unsaved_answers(self) -> Collection[Message]:
        """Return the answers that the database does not have to their end, as far as they have come."""

    @property
    def moved_ids(self) -> Collection[str]:
        """Return the conversations whose open path is not stored yet."""

    def when_saved(self, act: Callable[[], None]) -> None:
        """Do something once every answer that has ended is in the database."""

    def when_stored(self, message_id: str, act: Callable[[], None]) -> bool:
        """Do something once the database has a message: an answer under way is there with its first word.

        Returns whether it is done by now.
        """

    def save_path(self, conversation_id: str) -> None:
        """Have the open path of a conversation stored."""


class NothingUnderWay:
    """No answers at all: nothing is asked of any model."""

    held: Mapping[str, str] = {}
    writing_ids: Collection[str] = ()
    unsaved_answers: Collection[Message] = ()
    moved_ids: Collection[str] = ()

    def when_saved(self, act: Callable[[], None]) -> None:
        """Do it at once."""
        act()

    def when_stored(self, message_id: str, act: Callable[[], None]) -> bool:
        """Do it at once."""
        act()
        return True

    def save_path(self, conversation_id: str) -> None:
        """Leave the path of this conversation as it is stored: nobody has gone to another."""
