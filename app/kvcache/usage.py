"""Who used which edge, and when. Numbers only, no arrays."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain

from app.kvcache.restore_plan import RestorePlan
from app.kvcache.snapshot import CacheTrie, TrieNode


def count_uses(trie: CacheTrie, path: list[TrieNode], plan: RestorePlan, clock: int) -> None:
    """Count a use of each edge that request number `clock` passes, and of the deepest state ever kept on its way.

    path: where the request goes on from, along the plan; edges may have been split on the way there.
    """
    beyond = (node for node in plan.path if node.start >= path[-1].end)
    passed = [node for node in chain(path, beyond) if node.start < plan.seen and node is not trie.root]
    for node in passed:
        node.usage.uses += 1
    touch(trie, [node for node in passed if node.start < plan.matched], clock)
    wanted = [node for node in passed if node.end <= max(plan.target, plan.seen - 1) and node.usage.state_uses]
    if wanted:
        wanted[-1].usage.state_uses += 1
        wanted[-1].usage.state_used = clock


def touch(trie: CacheTrie, path: Iterable[TrieNode], clock: int) -> None:
    """Note that request number `clock` passes these edges now."""
    now = time.time()
    for node in path:
        usage = node.usage
        usage.last_use, usage.used_at, usage.uses = clock, now, max(1, usage.uses)
        trie.used(node)


def own(trie: CacheTrie, path: Iterable[TrieNode], owner: str) -> None:
    """Note that these edges were passed for `owner`; for nobody when it is empty."""
    for node in path:
        if owner and owner not in node.usage.owners:
            node.usage.owners = _with(node.usage.owners, owner)
            trie.used(node)


def disown(trie: CacheTrie, owner: str) -> Iterator[TrieNode]:
    """Remove an owner who is gone. Gives the edges that nobody else passed, parents before children."""
    only: set[int] = set()
    for node in trie:
        owners, above = node.usage.owners, node.parent
        if owners == {owner} or (not owners and above is not None and above.id in only):
            only.add(node.id)
            yield node
        if owner in owners:
            node.usage.owners -= {owner}
            trie.used(node)


def supersede_answer_end(trie: CacheTrie, node: TrieNode) -> None:
    """Drop the state of an answer's end once its follow-up has a restore point, at `node`, below it."""
    above = node.parent
    while above is not None and above.stored.state is None:
        above = above.parent
    if above is None or not above.stored.is_answer_end or len(above.children) != 1:
        return
    if above.usage.is_guest != node.usage.is_guest:
        return  # what guests leave goes first
    if not (above.usage.anchors or above.usage.pins):
        trie.set_state(above, None)


def remember(trie: CacheTrie, tokens: Sequence[int]) -> None:
    """Keep the tokens of a request whose state cannot be stored, to tell what is computed again."""
    path, seen = trie.match(tokens)
    last = trie.node_ending_at(path, seen)
    if seen < len(tokens):
        trie.append(last, tokens[seen:], ())


@lru_cache(maxsize=256)
def _with(owners: frozenset[str], owner: str) -> frozenset[str]:
    """Return the owners with one more. Nodes of the same owners share one set."""
    return owners | {owner}
