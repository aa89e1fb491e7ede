"""The conversations of the sidebar, the one used last first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.viewmodels.rows import ConversationRow, RowRole
from app.viewmodels.spoken import spoken_conversation

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class ConversationModel(QAbstractListModel):
    """Rows sorted by last use. Rows that move are moved, so that a selection stays on its conversation."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[ConversationRow] = []

    @property
    def rows(self) -> Sequence[ConversationRow]:
        """All rows, in order."""
        return self._rows

    def row_of(self, conversation_id: str) -> int:
        """The row of this conversation, or -1."""
        return next((number for number, row in enumerate(self._rows) if row.id == conversation_id), -1)

    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        """A list: only the root has rows."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The whole row under `RowRole.ROW`, its title, and the sentence a screen reader says."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        row = self._rows[index.row()]
        if role == RowRole.ROW:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken_conversation(row)
        return None

    def show(self, rows: Sequence[ConversationRow]) -> None:
        """Show these rows: what is gone leaves, what is new comes in at its place, what moved is moved."""
        self._remove_missing({row.id for row in rows})
        for place, row in enumerate(rows):
            self._put(place, row)

    def _remove_missing(self, wanted: set[str]) -> None:
        for number in reversed(range(len(self._rows))):
            if self._rows[number].id not in wanted:
                self.beginRemoveRows(QModelIndex(), number, number)
                del self._rows[number]
                self.endRemoveRows()

    def _put(self, place: int, row: ConversationRow) -> None:
        """Bring one row to its place; the rows above it are already right, so it can only come from below."""
        at = self.row_of(row.id)
        if at < 0:
            self.beginInsertRows(QModelIndex(), place, place)
            self._rows.insert(place, row)
            self.endInsertRows()
            return
        if at != place:
            self.beginMoveRows(QModelIndex(), at, at, QModelIndex(), place)
            self._rows.insert(place, self._rows.pop(at))
            self.endMoveRows()
        if self._rows[place] != row:
            self._rows[place] = row
            index = self.index(place)
            self.dataChanged.emit(index, index)
