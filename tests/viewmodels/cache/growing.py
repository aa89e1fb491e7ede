"""A trie that changes as the real one does, at random."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from app.protocol.trie_view import TrieNodeView, TrieView


def node(node_id: int, parent: int | None, start: int = 0, end: int = 10, last_use: int = 0) -> TrieNodeView:
    return TrieNodeView(node_id, parent, start, end, f"node {node_id}", 64, "memory", (), True, False, last_use, 0.0)


@dataclass
class Growing:
    """A trie that changes as the real one does: ids are never used twice, a split gives the upper half the new id."""

    rng: random.Random
    nodes: dict[int, TrieNodeView] = field(default_factory=dict)
    order: dict[int | None, list[int]] = field(default_factory=lambda: {None: []})
    last_id: int = 0

    def view(self) -> TrieView:
        found: list[TrieNodeView] = []

        def walk(parent: int | None) -> None:
            for child in self.order[parent]:
                found.append(self.nodes[child])
                walk(child)

        walk(None)
        return TrieView(self.last_id, tuple(found))

    def change(self) -> None:
        action = self.rng.choice(
            [self.grow, self.grow, self.grow, self.split, self.merge, self.remove, self.use, self.sort]
        )
        action()

    def grow(self) -> None:
        parent = self.rng.choice([None, *self.nodes])
        start = 0 if parent is None else self.nodes[parent].end
        self.last_id += 1
        self.nodes[self.last_id] = node(self.last_id, parent, start, start + self.rng.randint(2, 30))
        self.order[self.last_id] = []
        self.order[parent].insert(self.rng.randint(0, len(self.order[parent])), self.last_id)

    def split(self) -> None:
        long = [one for one in self.nodes.values() if one.tokens > 1]
        if not long:
            return
        lower = self.rng.choice(long)
        middle = self.rng.randint(lower.start + 1, lower.end - 1)
        self.last_id += 1
        self.nodes[self.last_id] = replace(lower, id=self.last_id, end=middle)
        self.nodes[lower.id] = replace(lower, parent_id=self.last_id, start=middle)
        siblings = self.order[lower.parent_id]
        siblings[siblings.index(lower.id)] = self.last_id
        self.order[self.last_id] = [lower.id]

    def merge(self) -> None:
        """An upper node with one child goes; its child takes its tokens and its place."""
        upper = [one for one in self.nodes.values() if len(self.order[one.id]) == 1]
        if not upper:
            return
        gone = self.rng.choice(upper)
        child = self.order[gone.id][0]
        self.nodes[child] = replace(self.nodes[child], parent_id=gone.parent_id, start=gone.start)
        siblings = self.order[gone.parent_id]
        siblings[siblings.index(gone.id)] = child
        del self.nodes[gone.id], self.order[gone.id]

    def remove(self) -> None:
        if not self.nodes:
            return
        gone = [self.rng.choice(list(self.nodes))]
        self.order[self.nodes[gone[0]].parent_id].remove(gone[0])
        while gone:
            at = gone.pop()
            gone.extend(self.order.pop(at))
            del self.nodes[at]

    def use(self) -> None:
        if self.nodes:
            at = self.rng.choice(list(self.nodes))
            self.nodes[at] = replace(self.nodes[at], last_use=self.nodes[at].last_use + 1)

    def sort(self) -> None:
        self.rng.shuffle(self.order[self.rng.choice(list(self.order))])


def flat(growing: Growing) -> TrieView:
    """The view of a trie that may be too deep for calling oneself."""
    found, stack = [], growing.order[None][::-1]
    while stack:
        number = stack.pop()
        found.append(growing.nodes[number])
        stack += growing.order[number][::-1]
    return TrieView(growing.last_id, tuple(found))
