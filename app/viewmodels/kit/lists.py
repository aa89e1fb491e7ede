"""What item models share: the type of an index, the role under which a row is read whole, and lists of such rows."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.viewmodels.kit.plain_tips import plain_tip

AnyIndex = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
Row = TypeVar("Row")


class RowRole(IntEnum):
    """Item data roles beside Qt's own."""

    ROW = Qt.ItemDataRole.UserRole + 1


class ListModel(QAbstractListModel, Generic[Row]):
    """Rows of one kind, each read whole under `RowRole.ROW`. A subclass holds the rows, changes them and words them."""

    @property
    def rows(self) -> Sequence[Row]:
        """All rows, in order."""
        raise NotImplementedError

    def text(self, number: int, role: int) -> str | None:
        """Return what a row says under one of Qt's roles, or None under those that it says nothing for."""
        raise NotImplementedError

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        """Count the rows; a row has none below it."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a row, or its text under another role; None for an index of another model or beyond the rows."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        if role == RowRole.ROW:
            return self.rows[index.row()]
        text = self.text(index.row(), role)
        return plain_tip(text) if text is not None and role == Qt.ItemDataRole.ToolTipRole else text


class HasId(Protocol):
    """A row that is known by an id while what it shows changes."""

    @property
    def id(self) -> str:
        """Return the id, which no other row of the list has."""
        ...


Keyed = TypeVar("Keyed", bound=HasId)


class KeyedListModel(ListModel[Keyed]):
    """Rows in their order. Rows that move are moved, so that a selection stays on what was selected."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Keyed] = []

    @property
    def rows(self) -> Sequence[Keyed]:
        """All rows, in order."""
        return self._rows

    def row_of(self, row_id: str) -> int:
        """Return the place of the row of this id, or -1."""
        return next((number for number, row in enumerate(self._rows) if row.id == row_id), -1)

    def show(self, rows: Sequence[Keyed]) -> None:
        """Show these rows: what is gone leaves, what is new comes in at its place, what moved is moved."""
        wanted, known = {row.id for row in rows}, {row.id for row in self._rows}
        self._remove_missing(wanted)
        place = 0
        while place < len(rows):
            new = place
            while new < len(rows) and rows[new].id not in known:
                new += 1
            if new > place:
                self._insert(place, rows[place:new])
            elif rows[place] is not self._rows[place] and rows[place] != self._rows[place]:
                self._put(place, rows[place])
            place = max(new, place + 1)

    def _remove_missing(self, wanted: set[str]) -> None:
        for number in reversed(range(len(self._rows))):
            if self._rows[number].id not in wanted:
                self.beginRemoveRows(QModelIndex(), number, number)
                del self._rows[number]
                self.endRemoveRows()

    def _insert(self, place: int, rows: Sequence[Keyed]) -> None:
        self.beginInsertRows(QModelIndex(), place, place + len(rows) - 1)
        self._rows[place:place] = rows
        self.endInsertRows()

    def _put(self, place: int, row: Keyed) -> None:
        """Bring a known row to its place; the rows above it are already right, so it can only come from below."""
        at = place if self._rows[place].id == row.id else self.row_of(row.id)
        if at != place:
            self.beginMoveRows(QModelIndex(), at, at, QModelIndex(), place)
            self._rows.insert(place, self._rows.pop(at))
            self.endMoveRows()
        if self._rows[place] != row:
            self._rows[place] = row
            index = self.index(place)
            self.dataChanged.emit(index, index)
