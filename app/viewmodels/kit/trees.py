"""Trees of rows for Qt's views: the difference between two pictures, as inserts, moves and removals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from app.viewmodels.kit.lists import ROOT, AnyIndex, RowRole

_TOP = ""


class TreeNode(Protocol):
    """A row that is known by an id while what it shows changes. parent_id: of the row above it, None at the top."""

    @property
    def id(self) -> str:
        """Return the id, which no other row of the tree has."""
        ...

    @property
    def parent_id(self) -> str | None:
        """Return the id of the row above, None at the top."""
        ...


Node = TypeVar("Node", bound=TreeNode)


@dataclass(slots=True)
class _Item(Generic[Node]):
    """One row: its node (None at the top only), the number Qt knows it by, where it hangs and what hangs below it."""

    node: Node | None
    key: int
    parent: str
    row: int
    children: list[str] = field(default_factory=list)


class KeyedTreeModel(QAbstractItemModel, Generic[Node]):
    """One column. What is shown anew is never a reset: selection, current row and open rows stay on their nodes.

    Two nodes that stay never change which of them stands above the other.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._keys = count(1)
        self._items: dict[str, _Item[Node]] = {_TOP: _Item(None, 0, _TOP, 0)}
        self._ids: dict[int, str] = {0: _TOP}

    def text(self, node: Node, role: int) -> object:
        """Return what a row says under one of Qt's roles, or None under those that it says nothing for."""
        raise NotImplementedError

    def node(self, index: AnyIndex) -> Node | None:
        """Return the node of a row, None for the top."""
        return self._items[self._ids[index.internalId()]].node if index.isValid() else None

    def nodes(self) -> Iterator[Node]:
        """Return all nodes, each before those below it."""
        waiting = list(reversed(self._items[_TOP].children))
        while waiting:
            item = self._items[waiting.pop()]
            waiting += reversed(item.children)
            if item.node is not None:
                yield item.node

    def index_of(self, node_id: str) -> QModelIndex:
        """Return the row of a node; invalid when there is none."""
        item = self._items.get(node_id)
        return QModelIndex() if item is None or node_id == _TOP else self.createIndex(item.row, 0, item.key)

    def index(self, row: int, column: int, parent: AnyIndex = ROOT) -> QModelIndex:
        """Return the row-th row below `parent`; invalid outside."""
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.index_of(self._item(parent).children[row])

    def parent(self, index: AnyIndex = ROOT) -> QModelIndex:  # type: ignore[override]  # QObject has one too
        """Return the row above."""
        return self.index_of(self._item(index).parent)

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        """Count the rows below one."""
        return 0 if parent.column() > 0 else len(self._item(parent).children)

    def columnCount(self, _parent: AnyIndex = ROOT) -> int:
        """One."""
        return 1

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a node under `RowRole.ROW`, and its text under another role."""
        node = self.node(index)
        if node is None:
            return None
        return node if role == RowRole.ROW else self.text(node, role)

    def show(self, nodes: Sequence[Node]) -> None:
        """Put a new picture in place of the old one. Each node comes after the one above it."""
        wanted: dict[str, list[Node]] = {_TOP: []}
        for node in nodes:
            wanted[node.parent_id or _TOP].append(node)
            wanted[node.id] = []
        gone = self._items.keys() - wanted.keys()
        self._remove_whole_branches(gone)
        for parent, children in wanted.items():
            self._place(parent, children, wanted)
        for parent in {self._items[one].parent for one in gone & self._items.keys()}:
            if parent in self._items:
                self._remove_rows(parent, len(wanted.get(parent, ())), len(self._items[parent].children))
        self._refresh(nodes)

    def _item(self, index: AnyIndex) -> _Item[Node]:
        return self._items[self._ids[index.internalId()] if index.isValid() else _TOP]

    def _remove_whole_branches(self, gone: set[str]) -> None:
        """Remove what is gone together with all that hung below it.

        A node that is gone but has one below it that stays is kept until that one has moved away.
        """
        removable = gone - self._above_kept(gone)
        for node_id in [one for one in removable if self._items[one].parent not in removable]:
            item = self._items[node_id]
            self._remove_rows(item.parent, item.row, item.row + 1)

    def _above_kept(self, gone: set[str]) -> set[str]:
        """Return those of the gone nodes that have a kept node somewhere below."""
        staying: set[str] = set()
        for node_id in gone:
            if any(child not in gone for child in self._items[node_id].children):
                while node_id in gone and node_id not in staying:
                    staying.add(node_id)
                    node_id = self._items[node_id].parent
        return staying

    def _place(self, parent: str, children: list[Node], wanted: dict[str, list[Node]]) -> None:
        """Bring the wanted children of one node to its first rows, in order; its own place is final already."""
        ids = [node.id for node in children]
        if self._items[parent].children == ids:
            return
        row = 0
        while row < len(ids):
            if ids[row] in self._items:
                self._move(ids[row], parent, row)
                row += 1
                continue
            end = row + 1
            while end < len(ids) and ids[end] not in self._items:
                end += 1
            self._insert(parent, row, children[row:end], wanted)
            row = end

    def _insert(self, parent: str, row: int, nodes: Sequence[Node], wanted: dict[str, list[Node]]) -> None:
        """Insert new nodes with all that hangs below them and is new, too."""
        self.beginInsertRows(self.index_of(parent), row, row + len(nodes) - 1)
        self._items[parent].children[row:row] = self._make(parent, nodes)
        self._number(parent, row)
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            below = [child for child in wanted[node.id] if child.id not in self._items]
            self._items[node.id].children = self._make(node.id, below)
            self._number(node.id, 0)
            waiting += below
        self.endInsertRows()

    def _make(self, parent: str, nodes: Sequence[Node]) -> list[str]:
        """Make items of nodes; returns their ids."""
        for node in nodes:
            key = next(self._keys)
            self._items[node.id] = _Item(node, key, parent, 0)
            self._ids[key] = node.id
        return [node.id for node in nodes]

    def _move(self, node_id: str, parent: str, row: int) -> None:
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

    def _remove_rows(self, parent: str, first: int, end: int) -> None:
        """Remove rows [first, end) of a node and all that hangs below them."""
        if first >= end:
            return
        self.beginRemoveRows(self.index_of(parent), first, end - 1)
        gone = self._items[parent].children[first:end]
        del self._items[parent].children[first:end]
        while gone:
            item = self._items.pop(gone.pop())
            del self._ids[item.key]
            gone += item.children
        self._number(parent, first)
        self.endRemoveRows()

    def _number(self, parent: str, first: int) -> None:
        children = self._items[parent].children
        for row in range(first, len(children)):
            self._items[children[row]].row = row

    def _refresh(self, nodes: Sequence[Node]) -> None:
        """Exchange the nodes that differ and say so."""
        for node in nodes:
            item = self._items[node.id]
            before, item.node = item.node, node
            if before != node:
                index = self.index_of(node.id)
                self.dataChanged.emit(index, index)
