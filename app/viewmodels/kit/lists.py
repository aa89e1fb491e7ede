"""What item models share: the type of an index, and the role under which a row is read whole."""

from __future__ import annotations

from enum import IntEnum

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

AnyIndex = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class RowRole(IntEnum):
    """Item data roles beside Qt's own."""

    ROW = Qt.ItemDataRole.UserRole + 1
