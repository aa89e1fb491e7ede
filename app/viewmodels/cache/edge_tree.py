"""The edges of the trie linked to each other, as one picture follows another, and which of them are a conversation's.

Properties: a picture costs what differs from the one before. Own are the edges that the open conversation asked for or
that its path goes along, those below them that nobody is known to have asked for, and all above any of these.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from app.protocol.trie_view import TrieNodeView
from app.viewmodels.kit.differing import differing

ROOT_ID = 0


@dataclass(slots=True, eq=False)
class LinkedEdge:
    """One edge: what hangs below it, and whether it is own. above: None at the root and where it is gone.

    is_asked: own by itself, or as the edge above it. own_below: how many of the edges right below it are own.
    """

    id: int
    node: TrieNodeView | None
    above: LinkedEdge | None
    below: dict[int, LinkedEdge] = field(default_factory=dict)
    is_asked: bool = False
    own_below: int = 0

    @property
    def is_own(self) -> bool:
        """Return whether it is the open conversation's, or one below it is."""
        return self.is_asked or self.own_below > 0

    @property
    def held_bytes(self) -> int:
        """Return the bytes of its state."""
        return 0 if self.node is None else self.node.held_bytes


class EdgeTree:
    """Follows pictures of the trie.

    Attributes: root, which holds no tokens; edges, all the others by id; nodes, these as the picture has them; order,
    their ids in the order of the picture; other_edges and other_bytes, what is not own.
    """

    def __init__(self, open_id: str) -> None:
        """open_id: the conversation whose edges are own."""
        self.root = LinkedEdge(ROOT_ID, None, None, is_asked=True)
        self.edges: dict[int, LinkedEdge] = {}
        self.nodes: dict[int, TrieNodeView] = {}
        self.order: list[int] = []
        self.other_edges = self.other_bytes = 0
        self._open_id = open_id
        self._path: frozenset[int] = frozenset()
        self._nodes: tuple[TrieNodeView, ...] = ()
        self._touched: set[LinkedEdge] = set()

    def follow(self, nodes: tuple[TrieNodeView, ...], path: frozenset[int]) -> set[LinkedEdge]:
        """Follow a picture and the edges of the open path; return all that differ, with those right above them.

        Edges that are gone are among them.
        """
        self._touched = set()
        old, new = differing(self._nodes, nodes)
        before, self.order[old] = self.order[old], [node.id for node in nodes[new]]
        present = set(self.order[new])
        gone = [edge_id for edge_id in before if edge_id not in present]
        moved_path, self._path, self._nodes = path ^ self._path, path, nodes
        for node in nodes[new]:
            edge = self.edges.get(node.id)
            if edge is None or edge.node is not node:
                self._put(node, edge)
        for edge_id in reversed(gone):  # those below before those above
            self._drop(self.edges.pop(edge_id))
            del self.nodes[edge_id]
        for edge_id in moved_path & self.edges.keys():
            self._ask_again(self.edges[edge_id])
        return self._touched

    def _put(self, node: TrieNodeView, edge: LinkedEdge | None) -> None:
        above = self.root if node.parent_id is None else self.edges[node.parent_id]
        if edge is None:
            edge = self.edges[node.id] = LinkedEdge(node.id, node, None)
            self.other_edges += 1
            self.other_bytes += node.held_bytes
        elif not edge.is_own:
            self.other_bytes += node.held_bytes - edge.held_bytes
        edge.node = self.nodes[node.id] = node
        if edge.above is not above:
            self._unlink(edge)
            edge.above, above.below[edge.id] = above, edge
            if edge.is_own:
                self._count(above, 1)
        self._touched.update((edge, above))
        self._ask_again(edge)

    def _drop(self, edge: LinkedEdge) -> None:
        was_own, edge.is_asked = edge.is_own, False
        self._recount(edge, was_own)
        self._touched.add(edge)
        self.other_edges -= 1
        self.other_bytes -= edge.held_bytes
        self._unlink(edge)

    def _unlink(self, edge: LinkedEdge) -> None:
        above, edge.above = edge.above, None
        if above is not None:
            self._touched.add(above)
            del above.below[edge.id]
            if edge.is_own:
                self._count(above, -1)

    def _ask_again(self, edge: LinkedEdge) -> None:
        """Find out anew whether an edge was asked for, and those below it that are as it is."""
        waiting = [edge]
        while waiting:
            edge = waiting.pop()
            was_asked, was_own = edge.is_asked, edge.is_own
            edge.is_asked = self._is_asked(edge)
            if edge.is_asked is not was_asked:
                self._recount(edge, was_own)
                waiting += [one for one in edge.below.values() if one.node is not None and not one.node.owners]

    def _is_asked(self, edge: LinkedEdge) -> bool:
        owners = edge.node.owners if edge.node is not None else frozenset()
        is_as_above = not owners and edge.above is not None and edge.above.is_asked
        return is_as_above or self._open_id in owners or edge.id in self._path

    def _recount(self, edge: LinkedEdge, was_own: bool) -> None:
        """Tell those above an edge that it is own now, or is not any more."""
        if edge.is_own is was_own:
            return
        self._touched.add(edge)
        step = 1 if edge.is_own else -1
        self.other_edges -= step
        self.other_bytes -= step * edge.held_bytes
        if edge.above is not None:
            self._count(edge.above, step)

    def _count(self, edge: LinkedEdge, step: int) -> None:
        """Count one own edge more or less right below this one, and so on upwards."""
        while True:
            was_own = edge.is_own
            edge.own_below += step
            self._touched.add(edge)
            above = edge.above
            if above is None or edge.is_own is was_own:
                return
            self.other_edges -= step
            self.other_bytes -= step * edge.held_bytes
            edge = above
