"""The rows of the cache pane: the edges of the open conversation, and of the others where those are wanted too.

Properties: every edge is counted in exactly one row, or among the others. What is the template's own text has no row
where a message stands beside it: it belongs to that message's. Nor has what goes on with the message above it, where
nothing else follows that and both are kept alike: states are stored at many places in an answer. A row whose edges are
as they were is the same object as before, while the same rows are wanted. A picture costs what differs from the one
before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from app.protocol.dataclass import dataclass
from app.protocol.trie_view import LABEL_LENGTH, LABEL_TOKENS, TrieNodeView, TrieView
from app.viewmodels.cache.edge_tree import ROOT_ID, EdgeTree, LinkedEdge


@dataclass(frozen=True, slots=True)
class Others:
    """The edges that belong to other conversations alone. bytes: of their state, in memory or on disk."""

    edges: int = 0
    bytes: int = 0


class ShownTrie:
    """Chooses the rows of one picture after another.

    Attributes: open_id, the conversation that is open; path, ids of the edges that its open branch goes along;
    shows_others; others, what belongs to other conversations, shown or not; row_of, the id of the row for each edge
    that has one.
    """

    def __init__(self) -> None:
        self.open_id = ""
        self.path: frozenset[int] = frozenset()
        self.shows_others = True
        self.others = Others()
        self.row_of: dict[int, int] = {}
        self._chosen: tuple[str, bool] | None = None
        self._tree = EdgeTree("")
        self._rows: dict[int, TrieNodeView] = {}
        self._joined: dict[int, list[LinkedEdge]] = {}  # what belongs to a row and lies below its edge
        self._going_on: dict[int, int] = {}  # by edge, the one below it that goes on with its message in the same row
        self._parts: dict[int, tuple[TrieNodeView, ...]] = {}  # what a row was made of
        self._stale: set[LinkedEdge] = set()  # those whose rows are to be made anew

    def of(self, view: TrieView) -> TrieView:
        """Return the picture with the chosen rows in the place of its edges."""
        chosen = self.open_id, self.shows_others
        if chosen != self._chosen:
            self._chosen, self._tree = chosen, EdgeTree(self.open_id)
            self.row_of, self._rows, self._joined, self._parts, self._going_on = {}, {}, {}, {}, {}
        self._regroup(self._tree.follow(view.nodes, self.path))
        self.others = Others(self._tree.other_edges, self._tree.other_bytes)
        return replace(view, nodes=tuple(filter(None, map(self._rows.get, self._tree.order))))

    @property
    def edges(self) -> Mapping[int, TrieNodeView]:
        """Return all edges of the picture by their ids, with rows or without."""
        return self._tree.nodes

    # Edges that have rows

    def _is_shown(self, edge: LinkedEdge) -> bool:
        return self.shows_others or edge.is_own

    def _count(self, edge: LinkedEdge) -> int:
        return len(edge.below) if self.shows_others else edge.own_below

    def _below(self, edge: LinkedEdge) -> Iterator[LinkedEdge]:
        return filter(self._is_shown, edge.below.values())

    # Which row an edge belongs to

    def _begins_row(self, edge: LinkedEdge) -> bool:
        """Return whether an edge has a row of its own that begins with it, or with template text above it."""
        return _has_words(edge) and not self._goes_on(edge)

    def _goes_on(self, edge: LinkedEdge) -> bool:
        """Return whether an edge belongs to the row of the message above, which it alone goes on with."""
        node, above = edge.node, edge.above
        if node is None or above is None or above.node is None or not node.is_continued or not above.node.label:
            return False
        return (node.role, node.residency) == (above.node.role, above.node.residency) and self._count(above) == 1

    def _regroup(self, touched: set[LinkedEdge]) -> None:
        """Find the rows of the edges that differ, and of what belongs to them."""
        self._stale = set()
        tops = {}
        for edge in self._with_going_on(touched):
            if edge.id == ROOT_ID:
                tops[edge.id] = edge
            elif edge.above is None or not self._is_shown(edge):
                self._leave(edge)
            else:
                top = self._row_above(edge)
                tops[top.id] = top
                if self._begins_row(edge):
                    self._set_row(edge, edge.id)
                    tops[edge.id] = edge
        for top in tops.values():
            self._group_below(top)
        for edge in self._stale:
            self._make(edge)

    def _with_going_on(self, touched: set[LinkedEdge]) -> set[LinkedEdge]:
        """Return the edges with those below them that went on with their message, or may do so now."""
        found = set(touched)
        for edge in touched:
            before = self._tree.edges.get(self._going_on.pop(edge.id, ROOT_ID))
            found |= {before} if before is not None else set()
            found |= {next(self._below(edge))} if self._count(edge) == 1 else set()
        return found

    def _row_above(self, edge: LinkedEdge) -> LinkedEdge:
        """Return the nearest edge above whose row it may belong to, or the root."""
        above = edge.above
        assert above is not None
        while above.above is not None and not self._begins_row(above):
            above = above.above
        return above

    def _end_of_message(self, top: LinkedEdge) -> LinkedEdge:
        """Have what goes on with a message belong to its row; returns the last edge of it."""
        last = top
        while self._count(last) == 1 and self._goes_on(only := next(self._below(last))):
            self._joined[top.id].append(only)
            self._going_on[last.id] = only.id
            self._set_row(only, top.id)
            last = only
        return last

    def _group_below(self, top: LinkedEdge) -> None:
        """Find what belongs to the row of a message, and the rows of the template text below it, or at the root."""
        self._join(top.id, ())
        self._stale.add(top)
        waiting = [(edge, top.id) for edge in self._below(self._end_of_message(top)) if not _has_words(edge)]
        while waiting:
            edge, row = waiting.pop()
            chain = [edge]
            while self._count(chain[-1]) == 1 and not _has_words(chain[-1]):
                chain.append(next(self._below(chain[-1])))
            last = chain[-1]
            if _has_words(last):
                row = last.id
                self._stale.add(last)
            elif row == ROOT_ID:  # no message stands beside it
                row = last.id
                self._join(row, ())
                self._stale.add(last)
            else:
                self._joined[row] += chain
            for one in chain:
                self._set_row(one, row)
            if not _has_words(last):
                waiting += [(one, row) for one in self._below(last) if not _has_words(one)]

    def _set_row(self, edge: LinkedEdge, row: int) -> None:
        """Have an edge belong to a row; the rows of messages below it then hang on that one."""
        if self.row_of.get(edge.id) != row:
            self.row_of[edge.id] = row
            self._stale.update(filter(_has_words, self._below(edge)))
        if row != edge.id:
            self._forget(edge)

    def _join(self, row: int, edges: Iterable[LinkedEdge]) -> None:
        self._joined[row] = list(edges)

    def _leave(self, edge: LinkedEdge) -> None:
        self.row_of.pop(edge.id, None)
        self._forget(edge)

    def _forget(self, edge: LinkedEdge) -> None:
        for table in (self._rows, self._joined, self._parts):
            table.pop(edge.id, None)

    # Rows

    def _make(self, edge: LinkedEdge) -> None:
        """Make the row of an edge, where it has one and that is another than before."""
        if edge.node is None or self.row_of.get(edge.id) != edge.id:
            return
        front: list[LinkedEdge] = []
        above = edge.above
        while above is not None and self.row_of.get(above.id) == edge.id:
            front.append(above)
            above = above.above
        parent = self.row_of.get(above.id) if above is not None else None
        start = (front[-1].node or edge.node).start if front else edge.node.start
        place = parent, start, self._end(edge)
        parts = tuple(one.node for one in (edge, *front, *self._joined.get(edge.id, ())) if one.node is not None)
        before = self._rows.get(edge.id)
        if before is not None and _place(before) == place and _are_same(self._parts.get(edge.id, ()), parts):
            return
        self._parts[edge.id] = parts
        self._rows[edge.id] = _row(parts, place)

    def _end(self, edge: LinkedEdge) -> int:
        """Return where a row ends: with the template text that it takes in, where nothing else follows."""
        at = edge
        while self._count(at) == 1:
            only = next(self._below(at))
            if self.row_of.get(only.id) != edge.id:
                break
            at = only
        return at.node.end if at.node is not None else 0


def _has_words(edge: LinkedEdge) -> bool:
    return edge.node is not None and bool(edge.node.label)


def _row(parts: tuple[TrieNodeView, ...], place: tuple[int | None, int, int]) -> TrieNodeView:
    made = parts[0]
    if len(parts) == 1 and _place(made) == place:
        return made
    return replace(
        made,
        label=_words(parts),
        parent_id=place[0],
        start=place[1],
        end=place[2],
        bytes=sum(part.bytes for part in parts),
        disk_bytes=sum(part.disk_bytes for part in parts),
        has_state=any(part.has_state for part in parts),
        last_use=max(part.last_use for part in parts),
        used_at=max(part.used_at for part in parts),
        is_pinned=any(part.is_pinned for part in parts),
    )


def _words(parts: tuple[TrieNodeView, ...]) -> str:
    """Return the first words of a message, which may lie on several edges: each is named by its first words alone."""
    words = ""
    for part in filter(lambda one: one.label, parts):
        words += part.label
        if part.tokens > LABEL_TOKENS or len(words) >= LABEL_LENGTH:
            break
    return words[:LABEL_LENGTH]


def _place(row: TrieNodeView) -> tuple[int | None, int, int]:
    return row.parent_id, row.start, row.end


def _are_same(parts: tuple[TrieNodeView, ...], others: tuple[TrieNodeView, ...]) -> bool:
    return len(parts) == len(others) and all(one is other for one, other in zip(parts, others, strict=True))
