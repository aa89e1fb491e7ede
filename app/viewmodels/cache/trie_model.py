"""The prefix trie as the cache pane shows it: the difference between two pictures, as inserts, moves and removals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt, Signal

from app.protocol.trie_view import TrieNodeView, TrieView
from app.viewmodels.cache.rows import spoken_node, title_of
from app.viewmodels.kit.differing import differing
from app.viewmodels.kit.lists import ROOT, AnyIndex, RowRole

_ROOT_ID = -1


@dataclass(slots=True)
class _Item:
    """One row: its node (None at the root only), where it hangs and what hangs below it, by node id."""

    node: TrieNodeView | None
    parent: int
    row: int
    children: list[int] = field(default_factory=list)


class TrieModel(QAbstractItemModel):
    """One column, one row to an edge, keyed by node ids, which are never used twice.

    Where any row stays there is no reset: selection, current row and open rows stay on their nodes. When an edge is
    split, its new upper half is inserted and the lower half, which keeps its id, moves below it.

    Attribute: shape, a number that grows whenever a row comes, goes or hangs elsewhere. Signal: viewChanged() after a
    new picture is in place; totals are in `view`.
    """

    viewChanged = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view = self._shown = TrieView(serial=0)
        self._items: dict[int, _Item] = {_ROOT_ID: _Item(None, _ROOT_ID, 0)}
        self.shape = 0

    @property
    def view(self) -> TrieView:
        """The picture whose totals are shown."""
        return self._view

    @property
    def shown(self) -> TrieView:
        """The picture of the rows."""
        return self._shown

    def node(self, index: AnyIndex) -> TrieNodeView | None:
        """Return the node of a row, None for the root."""
        return self._items[index.internalId()].node if index.isValid() else None

    def index_of(self, node_id: int) -> QModelIndex:
        """Return the row of a node; invalid when there is none."""
        item = self._items.get(node_id)
        return QModelIndex() if item is None or node_id == _ROOT_ID else self.createIndex(item.row, 0, node_id)

    def index(self, row: int, column: int, parent: AnyIndex = ROOT) -> QModelIndex:
        """Return the row-th edge below `parent`; invalid outside."""
        children = () if column or parent.column() > 0 else self._item(parent).children
        return self.createIndex(row, 0, children[row]) if 0 <= row < len(children) else QModelIndex()

    def parent(self, index: AnyIndex = ROOT) -> QModelIndex:  # type: ignore[override]  # QObject has one too
        """Return the edge above."""
        if not index.isValid():
            return QModelIndex()
        return self.index_of(self._items[index.internalId()].parent)

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        """Edges that begin where this one ends."""
        return 0 if parent.column() > 0 else len(self._item(parent).children)

    def columnCount(self, _parent: AnyIndex = ROOT) -> int:
        """One."""
        return 1

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the node under `RowRole.ROW`, whose words it holds, and the sentence a screen reader says."""
        node = self.node(index)
        if node is None:
            return None
        if role == RowRole.ROW:
            return node
        if role == Qt.ItemDataRole.DisplayRole:
            return title_of(node)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken_node(node, self._level(index.internalId()))
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Nobody sees the column's name; a screen reader says it."""
        is_wanted = orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return "Edge" if is_wanted and section == 0 else None

    def show(self, whole: TrieView, rows: TrieView | None = None) -> None:
        """Put a new picture in place of the old one. rows: the edges that are shown, all by default."""
        view = rows or whole
        if self._shown.nodes and self._items.keys().isdisjoint(node.id for node in view.nodes):
            self._clear()
        changed, moved = self._differences(view)
        new = sum(node.id not in self._items for node in changed)
        gone = set[int]()
        if len(self._items) - 1 + new > len(view.nodes):
            gone = self._items.keys() - {node.id for node in view.nodes} - {_ROOT_ID}
        moved |= {self._items[node_id].parent for node_id in gone}
        wanted = _children_by_parent(view, moved)
        self._remove_whole_branches(gone)
        for parent in (_ROOT_ID, *(node.id for node in view.nodes)) if moved else ():
            if parent in moved:
                self._place(parent, wanted.get(parent, []))
        for parent in {self._items[node_id].parent for node_id in gone & self._items.keys()}:
            if parent in self._items:
                self._remove_rows(parent, len(wanted.get(parent, ())), len(self._items[parent].children))
        self._refresh(changed)
        self.shape += bool(moved)
        self._view, self._shown = whole, view
        self.viewChanged.emit()

    def _clear(self) -> None:
        """Begin anew. To remove rows one below another, a view asks for each of them for all above it."""
        self.beginResetModel()
        self._items = {_ROOT_ID: _Item(None, _ROOT_ID, 0)}
        self._shown = TrieView(serial=0)
        self.endResetModel()
        self.shape += 1

    def _differences(self, view: TrieView) -> tuple[list[TrieNodeView], set[int]]:
        """Nodes that are new or other objects than before, and the ids of those below which rows came or moved."""
        changed: list[TrieNodeView] = []
        moved: set[int] = set()
        rows: dict[int, int] = {}
        for node in view.nodes[differing(self._shown.nodes, view.nodes)[1]]:
            item, parent = self._items.get(node.id), _ROOT_ID if node.parent_id is None else node.parent_id
            if item is None or item.node is not node:
                changed.append(node)
            if item is None or item.parent != parent or item.row < rows.get(parent, 0):
                moved.add(parent)
            else:
                rows[parent] = item.row
        return changed, moved

    def _item(self, index: AnyIndex) -> _Item:
        return self._items[index.internalId() if index.isValid() else _ROOT_ID]

    def _level(self, node_id: int) -> int:
        level = 0
        while node_id != _ROOT_ID:
            node_id, level = self._items[node_id].parent, level + 1
        return level

    def _remove_whole_branches(self, gone: set[int]) -> None:
        """Remove what is gone together with all that hung below it, the highest nodes first.

        A node that is gone but whose child lives on (its edge was merged) stays until the child has moved away.
        """
        staying = self._above_kept(gone)
        for node_id in sorted(gone - staying, key=self._level):
            if node_id in self._items:
                item = self._items[node_id]
                self._remove_rows(item.parent, item.row, item.row + 1)

    def _above_kept(self, gone: set[int]) -> set[int]:
        """Return those of the gone nodes that have a kept node somewhere below."""
        staying: set[int] = set()
        for node_id in gone:
            if any(child not in gone for child in self._items[node_id].children):
                while node_id in gone and node_id not in staying:
                    staying.add(node_id)
                    node_id = self._items[node_id].parent
        return staying

    def _place(self, parent: int, children: list[TrieNodeView]) -> None:
        """Bring the wanted children of one node to its first rows, in order; its own place is final already."""
        if self._items[parent].children == [node.id for node in children]:
            return
        row = 0
        while row < len(children):
            node = children[row]
            if node.id in self._items:
                self._move(node.id, parent, row)
                row += 1
                continue
            new = _leading_new(children[row:], self._items)
            self._insert(parent, row, new)
            row += len(new)

    def _insert(self, parent: int, row: int, nodes: Sequence[TrieNodeView]) -> None:
        self.beginInsertRows(self.index_of(parent), row, row + len(nodes) - 1)
        for node in nodes:
            self._items[node.id] = _Item(node, parent, row)
        self._items[parent].children[row:row] = [node.id for node in nodes]
        self._number(parent, row)
        self.endInsertRows()

    def _move(self, node_id: int, parent: int, row: int) -> None:
        item = self._items[node_id]
        if item.parent == parent and item.row == row:
            return
        old = item.parent
        self.beginMoveRows(self.index_of(old), item.row, item.row, self.index_of(parent), row)
        self._items[old].children.pop(item.row)
        self._items[parent].children.insert(row, node_id)
        item.parent = parent
        self._number(old, 0)
        self._number(parent, 0)
        self.endMoveRows()

    def _remove_rows(self, parent: int, first: int, end: int) -> None:
        """Remove rows [first, end) of a node and all that hangs below them."""
        if first >= end:
            return
        self.beginRemoveRows(self.index_of(parent), first, end - 1)
        gone = self._items[parent].children[first:end]
        del self._items[parent].children[first:end]
        while gone:
            gone.extend(self._items.pop(gone.pop()).children)
        self._number(parent, first)
        self.endRemoveRows()

    def _number(self, parent: int, first: int) -> None:
        children = self._items[parent].children
        for row in range(first, len(children)):
            self._items[children[row]].row = row

    def _refresh(self, changed: list[TrieNodeView]) -> None:
        """Exchange the nodes that differ and say so, of those below one parent at once."""
        rows: dict[int, list[int]] = {}
        for node in changed:
            item = self._items[node.id]
            before, item.node = item.node, node
            if before != node:
                rows.setdefault(item.parent, []).append(item.row)
        for parent, among in rows.items():
            children = self._items[parent].children
            first, last = (self.createIndex(row, 0, children[row]) for row in (min(among), max(among)))
            self.dataChanged.emit(first, last)


def _children_by_parent(view: TrieView, parents: set[int]) -> dict[int, list[TrieNodeView]]:
    """Return the children of these parents, in order."""
    children: dict[int, list[TrieNodeView]] = {parent: [] for parent in parents}
    for node in view.nodes if parents else ():
        parent = _ROOT_ID if node.parent_id is None else node.parent_id
        if parent in parents:
            children[parent].append(node)
    return children


def _leading_new(nodes: Sequence[TrieNodeView], known: dict[int, _Item]) -> Sequence[TrieNodeView]:
    """Return the nodes at the front that the model does not have yet."""
    count = next((place for place, node in enumerate(nodes) if node.id in known), len(nodes))
    return nodes[:count]
