"""Chats as token ids, laid out as a template does it, with restore points where the engine sets them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import NamedTuple

QUESTION_HEADER = (1, 2, 3)
ANSWER_HEADER = (4, 5, 6)  # the generation prompt; its last token is the seed that is decoded first
END = 7  # ends each message: a sampled one is never fed, the next question's prompt contains it
FIRST_WORD = 8


class Message(NamedTuple):
    """A question (even depth) or an answer; `tokens` are its content."""

    parent: int | None
    depth: int
    tokens: tuple[int, ...]


class Prompt(NamedTuple):
    """A branch up to where its answer begins, its restore points, and where each message's content begins."""

    ids: list[int]
    points: list[int]
    starts: list[int]


@dataclass
class Chat:
    """A tree of messages with random words. Siblings differ from their first word on."""

    seed: int
    vocabulary: int = 4096
    question: int = 40  # tokens
    answer: int = 250
    messages: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def add(self, parent: int | None) -> int:
        """A new message after another one, or a first question. Returns its number."""
        depth = 0 if parent is None else self.messages[parent].depth + 1
        taken = {message.tokens[0] for message in self.messages if message.parent == parent}
        first = self.random.choice([word for word in range(FIRST_WORD, self.vocabulary) if word not in taken])
        rest = self.words((self.answer if depth % 2 else self.question) - 1)
        self.messages.append(Message(parent, depth, (first, *rest)))
        return len(self.messages) - 1

    def words(self, count: int) -> list[int]:
        return [self.random.randrange(FIRST_WORD, self.vocabulary) for _ in range(count)]

    def path(self, number: int) -> list[Message]:
        """The messages from the first question to this one."""
        found: list[Message] = []
        at: int | None = number
        while at is not None:
            found.insert(0, self.messages[at])
            at = self.messages[at].parent
        return found

    def prompt(self, question: int) -> Prompt:
        """The tokens of a branch that ends with a question, and where people will come back to."""
        ids: list[int] = []
        points, starts = [], []
        for message in self.path(question):
            ids += ANSWER_HEADER if message.depth % 2 else QUESTION_HEADER
            points.append(len(ids) - message.depth % 2)
            starts.append(len(ids))
            ids += [*message.tokens, END]
        ids += ANSWER_HEADER
        return Prompt(ids, [*points, len(ids) - 1], starts)

    def questions(self) -> list[int]:
        return [number for number, message in enumerate(self.messages) if message.depth % 2 == 0]

    def answers(self) -> list[int]:
        return [number for number, message in enumerate(self.messages) if message.depth % 2]
