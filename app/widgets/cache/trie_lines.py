"""Where each edge of the trie stands in the pane, and the lines that lead to it.

An edge that merely continues another one stays under it, so that a long conversation is a straight trunk; only where
the trie forks do the branches step to the right, on level arms.
"""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QPainterPath

from app.protocol.dataclass import dataclass
from app.protocol.trie_view import TrieNodeView, TrieView

_CORNER = 7.0
_DISC = 6.0


@dataclass(frozen=True, slots=True)
class EdgePosition:
    """One edge's position. level: steps from the left. is_continuation: the only child of its parent, or a root.

    is_followed, is_followed_live: whether a later sibling exists, and whether a live one does.
    has_children, has_live_child: the same of what hangs below it.
    """

    parent_id: int | None
    level: int
    is_continuation: bool
    is_live: bool
    is_followed: bool
    is_followed_live: bool
    has_children: bool
    has_live_child: bool


@dataclass(frozen=True, slots=True)
class Stroke:
    """One line of a row; live ones are drawn last and stronger."""

    path: QPainterPath
    is_live: bool


class TrieLines:
    """The positions of all edges of one view, and the strokes of any row of it.

    Only levels are worked out for all edges at once; the rest when a row is asked for, since few of thousands are seen.
    """

    def __init__(self, view: TrieView) -> None:
        self._nodes: dict[int, TrieNodeView] = {node.id: node for node in view.nodes}
        self._children: dict[int | None, list[int]] = {}
        for node in view.nodes:
            self._children.setdefault(node.parent_id, []).append(node.id)
        self._levels: dict[int, int] = {}
        for node in view.nodes:
            self._levels[node.id] = self._level(node)
        self._positions: dict[int, EdgePosition] = {}
        self.deepest = max(self._levels.values(), default=0)

    def show_states(self, view: TrieView) -> None:
        """Follow a view in which every edge hangs where it hung before."""
        self._nodes = {node.id: node for node in view.nodes}
        self._positions.clear()

    def __len__(self) -> int:
        return len(self._nodes)

    def level(self, node_id: int) -> int:
        """Return an edge's steps from the left; 0 for an edge that the view does not have."""
        return self._levels.get(node_id, 0)

    def _level(self, node: TrieNodeView) -> int:
        if node.parent_id is None:
            return 0
        return self._levels[node.parent_id] + (len(self._children[node.parent_id]) > 1)

    def position(self, node_id: int) -> EdgePosition | None:
        """Return where an edge stands; None for one that the view does not have."""
        found = self._positions.get(node_id)
        if found is None and node_id in self._nodes:
            self._place_siblings(self._nodes[node_id].parent_id)
            found = self._positions[node_id]
        return found

    def _place_siblings(self, parent_id: int | None) -> None:
        """Place siblings from the last to the first: each knows those that follow it. Roots hang on no trunk."""
        siblings = self._children[parent_id]
        is_followed = is_followed_live = False
        for node in map(self._nodes.__getitem__, reversed(siblings)):
            below = self._children.get(node.id, ())
            self._positions[node.id] = EdgePosition(
                parent_id=parent_id,
                level=self._levels[node.id],
                is_continuation=parent_id is None or len(siblings) == 1,
                is_live=node.residency == "live",
                is_followed=is_followed,
                is_followed_live=is_followed_live,
                has_children=bool(below),
                has_live_child=any(self._nodes[child].residency == "live" for child in below),
            )
            if parent_id is not None:
                is_followed, is_followed_live = True, is_followed_live or node.residency == "live"

    def strokes(self, node_id: int, row: QRectF, left: float, step: float) -> list[Stroke]:
        """Return the lines that cross one row. left: abscissa of the discs at level 0; step: points to a level."""
        position = self.position(node_id)
        if position is None:
            return []
        middle, x = row.center().y(), left + position.level * step
        found = self._passing(position, row, left, step)
        if position.parent_id is not None:
            if position.is_continuation:
                found.append(_straight(x, row.top(), middle - _DISC, position.is_live))
            else:
                trunk = left + self.level(position.parent_id) * step
                found.append(_arm(trunk, x, row.top(), middle, position.is_live))
        if position.has_children:
            found.append(_straight(x, middle + _DISC, row.bottom(), position.has_live_child))
        return sorted(found, key=lambda stroke: stroke.is_live)

    def _passing(self, position: EdgePosition, row: QRectF, left: float, step: float) -> list[Stroke]:
        """Trunks on which a later sibling of this edge, or of one above it, hangs."""
        found: list[Stroke] = []
        at: EdgePosition | None = position
        while at is not None and at.parent_id is not None:
            if at.is_followed:
                x = left + self.level(at.parent_id) * step
                found.append(_straight(x, row.top(), row.bottom(), at.is_followed_live))
            at = self.position(at.parent_id)
        return found


def _straight(x: float, top: float, bottom: float, is_live: bool) -> Stroke:
    line = QLineF(x, top, x, bottom)
    path = QPainterPath(line.p1())
    path.lineTo(line.p2())
    return Stroke(path, is_live)


def _arm(trunk: float, x: float, top: float, middle: float, is_live: bool) -> Stroke:
    """Down the trunk, round the corner, level to the disc."""
    corner = min(_CORNER, max(0.0, x - trunk - _DISC))
    path = QPainterPath(QPointF(trunk, top))
    path.lineTo(trunk, middle - corner)
    path.quadTo(trunk, middle, trunk + corner, middle)
    path.lineTo(x - _DISC, middle)
    return Stroke(path, is_live)
