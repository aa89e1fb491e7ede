"""What item models share: the type of an index, the role under which a row is read whole, and lists of such rows."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

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
        return self.rows[index.row()] if role == RowRole.ROW else self.text(index.row(), role)
