"""A branch as the engine reads it, with nothing done for each of its messages before it is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import overload

from app.conversation.message import Message
from app.protocol.chat import PromptOptions, Turn


def end_of_words(path: Sequence[Message], end: int | None = None) -> int:
    """Return how long a path is without the answers at its end that say nothing. end: how much of it counts."""
    end = len(path) if end is None else end
    while end and path[end - 1].is_wordless:
        end -= 1
    return end


class Branch(Sequence[Turn]):
    """The turns of messages, each made when it is asked for, on the thread that asks.

    Properties: a long branch is made as fast as a short one. It is pickled as the tuple of its turns. No answer without
    a word ends it: the engine refuses to read what ends with nothing.
    """

    __slots__ = ("_beyond", "_fingerprint", "_path", "_shared")

    def __init__(
        self, path: tuple[Message, ...], fingerprint: str | None, shared: int | None = None, *beyond: Message
    ) -> None:
        """Keep the first `shared` messages of a path, None for all, and those beyond them: the path is not copied.

        fingerprint: of the model that reads it; answers of other models go without their token ids.
        """
        shared = len(path) if shared is None else shared
        self._path, self._beyond, self._fingerprint = path, beyond[: end_of_words(beyond)], fingerprint
        self._shared = shared if self._beyond else end_of_words(path, shared)

    def __len__(self) -> int:
        return self._shared + len(self._beyond)

    def __iter__(self) -> Iterator[Turn]:
        messages = chain(islice(self._path, self._shared), self._beyond)
        return (message.turn(self._fingerprint) for message in messages)

    @overload
    def __getitem__(self, at: int) -> Turn: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Turn, ...]: ...
    def __getitem__(self, at: int | slice) -> Turn | tuple[Turn, ...]:
        found = range(len(self))[at]
        return self._turn(found) if isinstance(found, int) else tuple(self._turn(place) for place in found)

    @property
    def options(self) -> PromptOptions:
        """Return what holds at its end beside the turns: what the last questions say that say anything of it."""
        instructions, thinks = None, None
        for message in chain(reversed(self._beyond), reversed(self._path[: self._shared])):
            instructions = message.instructions if instructions is None else instructions
            thinks = message.thinks if thinks is None else thinks
            if instructions is not None and thinks is not None:
                break
        return PromptOptions(instructions, thinks)

    def _turn(self, at: int) -> Turn:
        message = self._path[at] if at < self._shared else self._beyond[at - self._shared]
        return message.turn(self._fingerprint)

    def __reduce__(self) -> tuple[type[tuple[Turn, ...]], tuple[list[Turn]]]:
        return tuple, (list(self),)
