"""Generated traces of how five kinds of person use branching conversations. Lengths only; fixed seeds.

A trace is a tree of messages and a list of requests: answer the branch that ends in this question, with this answer.
The order of random draws is part of the format: the figures that eviction is held against were made from these traces.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import Literal, TypeVar

Kind = Literal["root", "system", "document", "question", "answer", "part"]
ROOT = 0
T = TypeVar("T")


@dataclass(slots=True)
class Message:
    """A run of tokens. `part`: the beginning of a question that was later edited in its middle."""

    parent: int
    tokens: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class Ask:
    question: int
    answer: int


@dataclass(frozen=True, slots=True)
class Habits:
    """What a person does next, as probabilities. favourite, old: how strongly popular things are preferred."""

    requests: int
    system: int = 512
    documents: tuple[int, ...] = ()
    conversations: int = 1
    new: float = 0.0
    go_on: float = 0.45
    regenerate: float = 0.12
    edit: float = 0.10
    revisit: float = 0.18
    come_back: float = 0.10
    titles: bool = False
    on_document: float = 0.0


PEOPLE: dict[str, Habits] = {
    "explore": Habits(300, go_on=0.40, edit=0.12, revisit=0.36, come_back=0.0),
    "chats": Habits(
        400,
        system=1500,
        conversations=40,
        new=0.12,
        go_on=0.55,
        regenerate=0.05,
        edit=0.05,
        revisit=0.05,
        come_back=0.30,
        titles=True,
    ),
    "document": Habits(
        250,
        system=400,
        documents=(32000, 12000, 8000),
        go_on=0.35,
        regenerate=0.08,
        edit=0.07,
        revisit=0.15,
        come_back=0.35,
        on_document=0.45,
    ),
    "rewrite": Habits(
        300,
        system=800,
        conversations=6,
        new=0.03,
        go_on=0.30,
        regenerate=0.25,
        edit=0.25,
        revisit=0.10,
        titles=True,
    ),
    "mixed": Habits(
        500,
        system=1000,
        documents=(32000,),
        conversations=20,
        new=0.05,
        go_on=0.42,
        revisit=0.16,
        come_back=0.20,
        titles=True,
        on_document=0.3,
    ),
}


@dataclass
class _Conversation:
    root: int
    current: int
    leaves: list[int] = field(default_factory=list)
    favourites: list[int] = field(default_factory=list)
    is_document: bool = False


class Trace:
    """`messages` by number, the root first; `asks` in order."""

    def __init__(self, person: str, seed: int) -> None:
        self.habits = PEOPLE[person]
        self.messages = [Message(-1, 0, "root")]
        self.asks: list[Ask] = []
        self._random = random.Random(seed * 1000 + sum(map(ord, person)))
        self._conversations: list[_Conversation] = []
        self._system = self._add(ROOT, self.habits.system, "system")
        self._live()

    def path(self, number: int) -> list[int]:
        """Messages from below the root to this one."""
        found = []
        while number > ROOT:
            found.append(number)
            number = self.messages[number].parent
        return found[::-1]

    def _live(self) -> None:
        habits, chance = self.habits, self._random.random
        now = self._begin()
        while len(self.asks) < habits.requests:
            first = chance()
            if len(self._conversations) < max(habits.conversations, len(habits.documents)) and (
                first < habits.new or (len(self._conversations) < len(habits.documents) and chance() < 0.05)
            ):
                now = self._begin()
                continue
            choice = chance()
            if now.is_document and chance() < habits.on_document:
                self._grow(now, self._ask(self._question(now.root)))
                continue
            now = self._act(now, choice)
        del self.asks[habits.requests :]

    def _act(self, now: _Conversation, choice: float) -> _Conversation:
        habits = self.habits
        limits = (habits.go_on, habits.regenerate, habits.edit, habits.revisit, habits.come_back)
        bounds = [sum(limits[: index + 1]) for index in range(len(limits))]
        if choice < bounds[0]:
            self._go_on(now)
        elif choice < bounds[1]:
            self._regenerate(now)
        elif choice < bounds[2]:
            self._edit(now)
        elif choice < bounds[3]:
            now.current = self._popular(now.favourites, 1.1)
            self._go_on(now)
        elif choice < bounds[4] and len(self._conversations) > 1:
            now = self._come_back()
            self._go_on(now)
        return now

    def _begin(self) -> _Conversation:
        habits, count = self.habits, len(self._conversations)
        root = self._system
        if count < len(habits.documents):
            root = self._add(self._system, habits.documents[count], "document")
        answer = self._ask(self._question(root))
        made = _Conversation(root, answer, [answer], [answer], root != self._system)
        self._conversations.append(made)
        if habits.titles:
            self._ask(self._add(answer, 25, "question"), usual=8)
        return made

    def _go_on(self, now: _Conversation) -> None:
        before = now.current
        self._grow(now, self._ask(self._question(before)), before)

    def _regenerate(self, now: _Conversation) -> None:
        """A burst of other answers at the tip; then one of them is chosen."""
        question = self.messages[now.current].parent
        candidates = [now.current]
        for _ in range(self._random.choice((1, 2, 3, 3))):
            answer = self._ask(question)
            self._grow(now, answer)
            candidates.append(answer)
        now.current = self._random.choice(candidates) if self._random.random() < 0.5 else candidates[-1]
        if self._random.random() < 0.7:
            self._go_on(now)

    def _edit(self, now: _Conversation) -> None:
        """An earlier question of the branch is written again, from its beginning or from its middle on."""
        questions = [number for number in self.path(now.current) if self.messages[number].kind == "question"]
        question = self._random.choice(questions)
        length = self.messages[question].tokens
        if self._random.random() < 0.5 and length > 6:
            parent = self._split(question, self._random.randrange(3, length - 2))
        else:
            parent = self.messages[question].parent
        self._grow(now, self._ask(self._question(parent)))
        for _ in range(self._random.choice((0, 1, 2))):
            self._go_on(now)

    def _come_back(self) -> _Conversation:
        """To another conversation, by popularity or by how recent it is."""
        known = self._conversations
        then = self._popular(known, 0.9) if self._random.random() < 0.5 else self._popular(known[::-1], 0.9)
        if self._random.random() < 0.3:
            then.current = self._popular(then.favourites, 1.1)
        return then

    def _grow(self, now: _Conversation, answer: int, before: int | None = None) -> None:
        """A branch keeps its popularity as it grows."""
        if before in now.leaves:
            now.leaves.remove(before)
        now.leaves.append(answer)
        if before in now.favourites:
            now.favourites[now.favourites.index(before)] = answer
        else:
            now.favourites.insert(self._random.randrange(len(now.favourites) + 1), answer)
        now.current = answer

    def _popular(self, items: list[T], slope: float) -> T:
        weights = [1 / (rank + 1) ** slope for rank in range(len(items))]
        return self._random.choices(items, weights)[0]

    def _ask(self, question: int, usual: int = 250) -> int:
        answer = self._add(question, self._length(usual, 8, 2000), "answer")
        self.asks.append(Ask(question, answer))
        return answer

    def _question(self, parent: int) -> int:
        return self._add(parent, self._length(40, 8, 600), "question")

    def _length(self, usual: int, least: int, most: int) -> int:
        return int(min(most, max(least, self._random.lognormvariate(math.log(usual), 0.8))))

    def _add(self, parent: int, tokens: int, kind: Kind) -> int:
        self.messages.append(Message(parent, tokens, kind))
        return len(self.messages) - 1

    def _split(self, number: int, at: int) -> int:
        """Two branches share the first `at` tokens of a question."""
        message = self.messages[number]
        upper = self._add(message.parent, at, "part")
        message.parent, message.tokens = upper, message.tokens - at
        return upper
