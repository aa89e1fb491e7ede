"""The eviction of edges that a person chose: their state goes, the words stay."""

from __future__ import annotations

from app.engine.open_model import OpenModel
from app.protocol.commands import Evict
from app.protocol.events import Evicted
from app.protocol.reports import Problem

_NOTHING = Problem("There is nothing to evict", "No state of this part of the tree is held.")
_PINNED = Problem("It was not evicted", "All that is held here is pinned. Unpin it first, then evict it.")
_IN_USE = Problem(
    "It was not evicted", "An answer is being written on it. Wait until that has ended, or stop it, then try again."
)


def evict(command: Evict, open_model: OpenModel) -> Evicted:
    """Evict what a person chose, or say what stands in the way."""
    cache = open_model.cache
    freed = cache.evict(command.node_ids)
    if freed.tokens:
        return Evicted(command.query_id, *freed)
    tops = [cache.trie.nodes[number] for number in command.node_ids if number in cache.trie.nodes]
    held = [node for top in tops for node in cache.trie.below(top) if node.holds or node.stored.files]
    problem = _NOTHING
    if any(node.usage.pins for node in held):
        problem = _PINNED
    elif held:
        problem = _IN_USE
    return Evicted(command.query_id, problem=problem)
