"""Two workloads of branching conversations that prefix caches are compared on: token ids only, no model.

The order of random draws is part of the format: published figures were made from exactly these requests.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

VOCABULARY = 4096
Tree = dict[int, "Tree"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One request: `prompt` is evaluated, then `answer` is fed token by token, as if it had been generated.

    message_starts: offsets in the prompt at which the content of each message begins, the new question's last.
    """

    prompt: tuple[int, ...]
    answer: tuple[int, ...]
    message_starts: tuple[int, ...]

    @property
    def whole(self) -> tuple[int, ...]:
        return self.prompt + self.answer

    def restore_points(self) -> tuple[int, ...]:
        """As the engine sets them: where a question begins, and before an answer less the token it starts from."""
        system, *rest = (*self.message_starts, len(self.prompt))
        return (system, *(start - index % 2 for index, start in enumerate(rest)))


@dataclass(frozen=True, slots=True)
class Branch:
    """A conversation up to an answer's end (or only its system prompt), and where its messages start."""

    tokens: tuple[int, ...]
    starts: tuple[int, ...] = (0,)


class Author:
    """Writes questions and answers of random words, which stand in `turns` in the order they were asked."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.turns: list[Turn] = []

    def words(self, count: int) -> tuple[int, ...]:
        return tuple(self.random.randrange(VOCABULARY) for _ in range(count))

    def ask(self, branch: Branch, question: int = 64, answer: int = 64) -> Branch:
        """Ask at the end of a branch; returns the longer branch. Lengths in tokens."""
        asked, answered = self.words(question), self.words(answer)
        turn = Turn(branch.tokens + asked, answered, (*branch.starts, len(branch.tokens)))
        self.turns.append(turn)
        return Branch(turn.whole, (*turn.message_starts, len(turn.prompt)))


def explore() -> list[Turn]:
    """A system prompt of 512 tokens, eight turns of 64 + 64, a fork at each, then twenty switches to another branch."""
    author = Author(1)
    branch = Branch(author.words(512))
    forks = []
    for _ in range(8):
        forks.append(branch)
        branch = author.ask(branch)
    leaves = [branch, *(author.ask(fork) for fork in forks)]
    last = len(leaves) - 1
    for _ in range(20):
        last = author.random.choice([index for index in range(len(leaves)) if index != last])
        leaves[last] = author.ask(leaves[last])
    return author.turns


def wide() -> list[Turn]:
    """Sixty-four answers to one prefix of 2,000 tokens, then each branch goes on once, in random order."""
    author = Author(2)
    prefix = Branch(author.words(2000))
    leaves = [author.ask(prefix, question=16, answer=32) for _ in range(64)]
    author.random.shuffle(leaves)
    for leaf in leaves:
        author.ask(leaf, question=16, answer=32)
    return author.turns


WORKLOADS: dict[str, Callable[[], list[Turn]]] = {"explore": explore, "wide": wide}


def clipped(turns: Iterable[Turn], vocabulary: int) -> list[Turn]:
    """The same workload for a model with fewer token ids."""
    return [
        Turn(
            tuple(token % vocabulary for token in turn.prompt),
            tuple(token % vocabulary for token in turn.answer),
            turn.message_starts,
        )
        for turn in turns
    ]


class Known:
    """A plain trie of everything that was ever evaluated. `positions`: how many distinct prefixes that makes."""

    def __init__(self) -> None:
        self.positions = 0
        self._root: Tree = {}

    def length(self, tokens: Sequence[int]) -> int:
        """How many of the first tokens were evaluated before, in this order from the beginning."""
        node, count = self._root, 0
        while count < len(tokens) and tokens[count] in node:
            node, count = node[tokens[count]], count + 1
        return count

    def add(self, tokens: Sequence[int]) -> None:
        node = self._root
        for token in tokens:
            if token not in node:
                node[token] = {}
                self.positions += 1
            node = node[token]


def least_tokens(turns: Iterable[Turn]) -> int:
    """Prompt tokens evaluated when nothing is ever computed again but the last token of a prompt, which always is."""
    known, total = Known(), 0
    for turn in turns:
        total += len(turn.prompt) - min(known.length(turn.prompt), len(turn.prompt) - 1)
        known.add(turn.whole)
    return total


def distinct_positions(turns: Iterable[Turn]) -> int:
    """Positions whose rows must be kept: each once, whatever the number of branches."""
    known = Known()
    for turn in turns:
        known.add(turn.whole)
    return known.positions


def state_places(turns: Iterable[Turn]) -> int:
    """Places that need a whole state: the start of each message's content, and each answer's end."""
    places = {turn.whole[:at] for turn in turns for at in (*turn.message_starts, len(turn.prompt), len(turn.whole))}
    return len(places - {()})


def grid_places(turns: Iterable[Turn], grid: int) -> int:
    """Further places inside long messages, so that none of their tokens is more than `grid` from a whole state."""
    places = set()
    for turn in turns:
        ends = (*turn.message_starts, len(turn.prompt), len(turn.whole))
        for start, end in pairwise(ends):
            places |= {turn.whole[:at] for at in range(start + grid, end, grid)}
    return len(places)
