"""What is remembered of tokens whose state is gone, to tell "evicted" from "new".

Properties kept here:

1. `tokens` is the length of all edges that are neither held nor on disk.
2. When that is more than `GHOST_TOKENS`, the longest unused leaves go first. One that is pinned stays. It costs by
   what changed and what goes, not by what there is.
"""

from __future__ import annotations

import heapq
from typing import Generic

from app.kvcache.node import Node, R, S
from app.kvcache.trie import Trie

GHOST_TOKENS = 1 << 20  # 4 MiB


class Ghosts(Generic[R, S]):
    """Ghosts of a trie, and which of them can be forgotten."""

    def __init__(self, trie: Trie[R, S]) -> None:
        self.tokens = 0
        self._trie = trie
        self._changed = trie.watch()
        self._lengths: dict[int, int] = {}  # by node id, of all ghosts
        # A heap by last use, the deepest first; some have children by now, or are held again.
        self._leaves: list[tuple[int, int, int]] = []
        self._queued: set[int] = set()  # the ids in it

    def forget_oldest(self) -> None:
        """Forget the longest unused ghosts when more tokens are remembered than `GHOST_TOKENS`."""
        self.update()
        staying = []
        while self.tokens > GHOST_TOKENS and self._leaves:
            order = heapq.heappop(self._leaves)
            self._queued.discard(order[2])
            node = self._trie.nodes.get(order[2])
            if node is None or node.children or not _is_ghost(node):
                continue
            if order != _order(node):
                self._queue(node)
            elif node.usage.pins:
                staying.append(node)
            else:
                self._trie.remove(node)
                self.update()
        for node in staying:
            self._queue(node)

    def update(self) -> None:
        """Take in what has changed."""
        for number in self._changed:
            node = self._trie.nodes.get(number)
            before, now = self._lengths.pop(number, 0), 0
            if node is not None and _is_ghost(node):
                now = self._lengths[number] = len(node.tokens)
                if not node.children:
                    self._queue(node)
            self.tokens += now - before
        self._changed.clear()

    def _queue(self, leaf: Node[R, S]) -> None:
        if leaf.id not in self._queued:
            self._queued.add(leaf.id)
            heapq.heappush(self._leaves, _order(leaf))


def _order(node: Node[R, S]) -> tuple[int, int, int]:
    return node.usage.last_use, -node.end, node.id


def _is_ghost(node: Node[R, S]) -> bool:
    return not (node.is_held or node.is_on_disk)
