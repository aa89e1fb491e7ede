"""Which prices may have changed between two pictures of the trie.

A price depends on the edges that a branch goes along, from the first to the last that its tokens share, and on whether
another one begins where that ends. What happens elsewhere in the trie cannot change it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from app.protocol.trie_view import TrieNodeView, TrieView

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
    """The newest picture of the trie, beside the one that was compared last."""

    def __init__(self) -> None:
        self._newest: TrieView | None = None
        self._compared: TrieView | None = None
        self._edges: dict[int, TrieNodeView] = {}
        self._ends: frozenset[int] = frozenset()

    def take(self, view: TrieView) -> None:
        """Keep a picture, to be compared when that is asked for."""
        self._newest = view

    def forget(self) -> None:
        """Forget all pictures: there is another trie, or none."""
        self._newest = self._compared = None
        self._edges, self._ends = {}, frozenset()

    def compare(self) -> Touched | None:
        """Return what differs since the last call, None where no other picture has come."""
        view, before = self._newest, self._compared
        if view is None or view is before:
            return None
        old, new = self._edges, {node.id: node for node in view.nodes}
        above = {node.id: node.parent_id or _ROOT for node in view.nodes}
        changed = {number for number, node in new.items() if _differs(old.get(number), node)}
        ends = _live_ends(view, above)
        changed |= ends ^ self._ends
        forked = {above[number] for number in changed if number in new and number not in old}
        is_all = before is None or before.disk_problem != view.disk_problem
        self._compared, self._edges, self._ends = view, new, ends
        return Touched(above, frozenset(changed), frozenset(forked), is_all)


def _live_ends(view: TrieView, above: Mapping[int, int]) -> frozenset[int]:
    """Return the edges with which live paths end: a state is live there that is nowhere else."""
    live = {node.id for node in view.nodes if node.lanes}
    return frozenset(live - {above[number] for number in live})


def _differs(before: TrieNodeView | None, now: TrieNodeView) -> bool:
    """Return whether an edge differs in more than its words and its last use."""
    return before is not now and (before is None or _kept(before) != _kept(now))


def _kept(node: TrieNodeView) -> tuple[object, ...]:
    place = (node.parent_id, node.start, node.end)
    return (*place, node.residency, node.has_state, node.bytes, node.disk_bytes, node.lanes, node.lost)
