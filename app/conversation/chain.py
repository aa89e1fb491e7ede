"""Messages of a tree that follow one another without a fork."""

from __future__ import annotations

from collections.abc import Iterable

from app.conversation.message import Message


class Chain:
    """Messages of which each is the only child of the one before it.

    Attributes: above, the chain at whose end it hangs, itself for the root; below, those at its own end, in the order
    they were added; start, how many messages come before it on its branch; reach, how many of its messages behind the
    first are marked as visited, without a gap; visited, the one below whose first message is marked.
    """

    __slots__ = ("above", "below", "messages", "reach", "start", "visited")

    def __init__(self, above: Chain | None, start: int, messages: list[Message]) -> None:
        self.above, self.start, self.messages = above or self, start, messages
        self.below: list[Chain] = []
        self.reach = 0
        self.visited: Chain | None = None

    @property
    def end(self) -> int:
        """Place where the chain ends, counted as `start` is."""
        return self.start + len(self.messages)


def between(chains: Iterable[Chain], start: int, end: int) -> list[Message]:
    """Return the messages of chains that follow one another, from one place on their branch to another."""
    found: list[Message] = []
    for chain in chains:
        found += chain.messages[max(start - chain.start, 0) : end - chain.start]
    return found
