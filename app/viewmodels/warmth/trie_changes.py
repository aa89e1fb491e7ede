"""Which prices may have changed between two pictures of the trie.

A price depends on the edges that a branch goes along, from the first to the last that its tokens share, and on whether
another one begins where that ends. What happens elsewhere in the trie cannot change it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from app.protocol.trie_view import TrieNodeView, TrieView
from app.viewmodels.kit.differing import differing

_ROOT = 0


class Touched(NamedTuple):
    """The edges that differ between two pictures.

    above: of each edge of the later one, the edge that it hangs on. changed: edges that came, or whose extent, state or
    place differ. forked: those on which another edge was hung. is_all: it differs in something that all depend on.
    """

    above: Mapping[int, int]
    changed: frozenset[int]
    forked: frozenset[int]
    is_all: bool = False

    def has(self, edge: int) -> bool:
        """Return whether a branch may have another price whose last edge this is."""
        if self.is_all or edge in self.forked:
            return True
        while edge != _ROOT:
            if edge in self.changed or edge not in self.above:
                return True
            edge = self.above[edge]
        return False


class TrieChanges:
    """The newest picture of the trie, beside the one that was compared last. To compare them costs what differs."""

    def __init__(self) -> None:
        self._newest: TrieView | None = None
        self._compared: TrieView | None = None
        self._above: dict[int, int] = {}
        self._live: set[int] = set()
        self._ends: frozenset[int] = frozenset()

    def take(self, view: TrieView) -> None:
        """Keep a picture, to be compared when that is asked for."""
        self._newest = view

    def forget(self) -> None:
        """Forget all pictures: there is another trie, or none."""
        self._newest = self._compared = None
        self._above, self._live, self._ends = {}, set(), frozenset()

    def compare(self) -> Touched | None:
        """Return what differs since the last call, None where no other picture has come; it holds until the next."""
        view, compared = self._newest, self._compared
        if view is None or view is compared:
            return None
        old, new = differing(compared.nodes if compared else (), view.nodes)
        before = {node.id: node for node in (compared.nodes if compared else ())[old]}
        now = {node.id: node for node in view.nodes[new]}
        for number in before.keys() - now.keys():
            del self._above[number]
        self._above.update((number, node.parent_id or _ROOT) for number, node in now.items())
        changed = {number for number, node in now.items() if _differs(before.get(number), node)}
        forked = frozenset(self._above[number] for number in changed - before.keys())
        ends = self._find_ends(before, now)
        changed |= ends ^ self._ends
        is_all = compared is None or compared.disk_problem != view.disk_problem
        self._compared, self._ends = view, ends
        return Touched(self._above, frozenset(changed), forked, is_all)

    def _find_ends(self, before: Iterable[int], now: Mapping[int, TrieNodeView]) -> frozenset[int]:
        """Return the edges with which live paths end: a state is live there that is nowhere else."""
        self._live.difference_update(before)
        self._live.update(number for number, node in now.items() if node.lanes)
        return frozenset(self._live - {self._above[number] for number in self._live})


def _differs(before: TrieNodeView | None, now: TrieNodeView) -> bool:
    """Return whether an edge differs in more than its words and its last use."""
    return before is not now and (before is None or _kept(before) != _kept(now))


def _kept(node: TrieNodeView) -> tuple[object, ...]:
    place = (node.parent_id, node.start, node.end)
    return (*place, node.residency, node.has_state, node.bytes, node.disk_bytes, node.lanes, node.lost)
