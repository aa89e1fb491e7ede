"""Which stored state goes first when room is needed: the least recently used, then the deepest, then the largest.

A node's rows can go when nothing below it is held, so that no branch is left with a hole; a whole state can go alone.
Locked paths stay. One pass over the trie builds a heap; a parent joins it when its last held child has gone.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from app.kvcache.trie import Node, R, S, Trie

Key = tuple[int, int, int, int]


def victims(trie: Trie[R, S], even_locked: bool = False) -> Iterator[Node[R, S]]:
    """Nodes with something to evict, in order. The caller evicts each one before it asks for the next.

    even_locked: whole states on locked paths too, which a live path can spare when the budget leaves it no choice.
    """
    heap = [(_key(node), node) for node in trie if _can_go(node, even_locked)]
    heapq.heapify(heap)
    while heap:
        _, node = heapq.heappop(heap)
        yield node
        parent = node.parent
        if parent is not None and parent.state is None and _can_go(parent, even_locked):
            heapq.heappush(heap, (_key(parent), parent))


def _can_go(node: Node[R, S], even_locked: bool) -> bool:
    if node.locks:
        return even_locked and node.state is not None
    return node.state is not None or (node.rows is not None and not node.held_children)


def _key(node: Node[R, S]) -> Key:
    return node.last_use, -node.end, -node.stored_bytes, node.id
