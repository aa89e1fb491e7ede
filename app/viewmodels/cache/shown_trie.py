"""The rows of the cache pane: the edges of the open conversation, and of the others where those are wanted too.

Properties: every edge is counted in exactly one row, or among the others. What is the template's own text has no row
where a message stands beside it: it belongs to that message's. A row whose edges are as they were is the same object as
before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from app.protocol.trie_view import TrieNodeView, TrieView


@dataclass(frozen=True, slots=True)
class Others:
    """The edges that belong to other conversations alone. bytes: of their state, in memory or on disk."""

    edges: int = 0
    bytes: int = 0


@dataclass(slots=True)
class _Row:
    """A row in the making: its own edge, and those of template text that it takes in."""

    node: TrieNodeView
    parent_id: int | None
    start: int
    end: int
    more: list[TrieNodeView] = field(default_factory=list)


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
        self._made: dict[int, tuple[tuple[TrieNodeView, ...], tuple[int | None, int, int], TrieNodeView]] = {}

    def of(self, view: TrieView) -> TrieView:
        """Return the picture with the chosen rows in the place of its edges."""
        own = self._own(view.nodes)
        left_out = [node for node in view.nodes if node.id not in own]
        self.others = Others(len(left_out), sum(node.held_bytes for node in left_out))
        nodes = view.nodes if self.shows_others or not left_out else [node for node in view.nodes if node.id in own]
        if all(node.label for node in nodes):
            self.row_of = {node.id: node.id for node in nodes}
            self._made.clear()
            return view if nodes is view.nodes else replace(view, nodes=tuple(nodes))
        return replace(view, nodes=self._without_template_text(nodes))

    def _own(self, nodes: Sequence[TrieNodeView]) -> set[int]:
        """Return the edges that the open conversation asked for, or nobody is known to have, and all above them."""
        own: set[int] = set()
        for node in nodes:
            is_nobodys = not node.owners and (node.parent_id is None or node.parent_id in own)
            if is_nobodys or self.open_id in node.owners or node.id in self.path:
                own.add(node.id)
        for node in reversed(nodes):
            if node.id in own and node.parent_id is not None:
                own.add(node.parent_id)
        return own

    def _without_template_text(self, nodes: Iterable[TrieNodeView]) -> tuple[TrieNodeView, ...]:
        rows: dict[int, _Row] = {}
        counts: dict[int | None, int] = {}
        only: dict[int, _Row] = {}  # template text that waits for the one edge below it, by its own id
        nodes = tuple(nodes)
        for node in nodes:
            counts[node.parent_id] = counts.get(node.parent_id, 0) + 1
        self.row_of = {}
        for node in nodes:
            waiting = only.pop(node.parent_id, None) if node.parent_id is not None else None
            row = _Row(node, self.row_of.get(node.parent_id or 0), node.start, node.end)
            if waiting is not None:
                row.parent_id, row.start, row.more = waiting.parent_id, waiting.start, [*waiting.more, waiting.node]
            above = None if row.parent_id is None else rows[row.parent_id]
            if node.label:
                self._put(row, rows)
            elif counts.get(node.id) == 1:
                only[node.id] = row
            elif above is not None:
                above.more += [*row.more, node]
                above.end = node.end if counts[node.parent_id] == 1 and above.end == row.start else above.end
                for part in (*row.more, node):
                    self.row_of[part.id] = above.node.id
            else:
                self._put(row, rows)
        made = {number: self._finished(row) for number, row in rows.items()}
        self._made = {number: self._made[number] for number in made}
        return tuple(made.values())

    def _put(self, row: _Row, rows: dict[int, _Row]) -> None:
        rows[row.node.id] = row
        for part in (*row.more, row.node):
            self.row_of[part.id] = row.node.id

    def _finished(self, row: _Row) -> TrieNodeView:
        parts, place = (row.node, *row.more), (row.parent_id, row.start, row.end)
        before = self._made.get(row.node.id)
        if before is not None and before[1] == place and _are_same(before[0], parts):
            return before[2]
        made = row.node
        if row.more or place != (made.parent_id, made.start, made.end):
            made = replace(
                made,
                parent_id=row.parent_id,
                start=row.start,
                end=row.end,
                bytes=sum(part.bytes for part in parts),
                disk_bytes=sum(part.disk_bytes for part in parts),
                is_pinned=any(part.is_pinned for part in parts),
            )
        self._made[row.node.id] = (parts, place, made)
        return made


def _are_same(parts: tuple[TrieNodeView, ...], others: tuple[TrieNodeView, ...]) -> bool:
    return len(parts) == len(others) and all(one is other for one, other in zip(parts, others, strict=True))
