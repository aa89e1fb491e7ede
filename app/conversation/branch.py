"""A branch as the engine reads it, with nothing done for each of its messages before it is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from app.conversation.message import Message
from app.protocol.chat import Turn


class Branch(Sequence[Turn]):
    """The turns of messages, each made when it is asked for, on the thread that asks.

    Properties: a long branch is made as fast as a short one. It is pickled as the tuple of its turns.
    """

    __slots__ = ("_fingerprint", "_messages")

    def __init__(self, messages: tuple[Message, ...], fingerprint: str | None) -> None:
        """fingerprint: of the model that reads it; answers of other models go without their token ids."""
        self._messages = messages
        self._fingerprint = fingerprint

    def __len__(self) -> int:
        return len(self._messages)

    def __iter__(self) -> Iterator[Turn]:
        return (message.turn(self._fingerprint) for message in self._messages)

    @overload
    def __getitem__(self, at: int) -> Turn: ...
    @overload
    def __getitem__(self, at: slice) -> Branch: ...
    def __getitem__(self, at: int | slice) -> Turn | Branch:
        if isinstance(at, slice):
            return Branch(self._messages[at], self._fingerprint)
        return self._messages[at].turn(self._fingerprint)

    def __reduce__(self) -> tuple[type[tuple[Turn, ...]], tuple[list[Turn]]]:
        return tuple, (list(self),)
