"""The conversations of the sidebar, the one used last first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal

from app.viewmodels.kit.lists import AnyIndex, ListModel
from app.viewmodels.library.rows import ConversationRow, spoken_conversation


class ConversationModel(ListModel[ConversationRow]):
    """Rows in their order. Rows that move are moved, so that a selection stays on its conversation.

    Signal: renameAsked(str, str), the id of a conversation or folder, and what it shall be called.
    """

    renameAsked = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[ConversationRow] = []

    @property
    def rows(self) -> Sequence[ConversationRow]:
        """All rows, in order."""
        return self._rows

    def row_of(self, conversation_id: str) -> int:
        """Return the row of this conversation, or -1."""
        return next((number for number, row in enumerate(self._rows) if row.id == conversation_id), -1)

    @property
    def open_row(self) -> int:
        """The row of the open conversation, or -1."""
        return next((number for number, row in enumerate(self._rows) if row.is_open), -1)

    def text(self, number: int, role: int) -> str | None:
        """Return the title, or the sentence that a screen reader says."""
        row = self._rows[number]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.EditRole):
            return row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken_conversation(row)
        return None

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Let a conversation that is stored be renamed in its place."""
        flags = super().flags(index)
        if index.isValid() and self._rows[index.row()].can_change:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def setData(self, index: AnyIndex, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for another title; the row shows it when the database has it."""
        if role != Qt.ItemDataRole.EditRole or not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return False
        row, title = self._rows[index.row()], str(value).strip()
        if title and title != row.title:
            self.renameAsked.emit(row.id, title)
        return True

    def show(self, rows: Sequence[ConversationRow]) -> None:
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
            elif rows[place] != self._rows[place]:
                self._put(place, rows[place])
            place = max(new, place + 1)

    def _remove_missing(self, wanted: set[str]) -> None:
        for number in reversed(range(len(self._rows))):
            if self._rows[number].id not in wanted:
                self.beginRemoveRows(QModelIndex(), number, number)
                del self._rows[number]
                self.endRemoveRows()

    def _insert(self, place: int, rows: Sequence[ConversationRow]) -> None:
        self.beginInsertRows(QModelIndex(), place, place + len(rows) - 1)
        self._rows[place:place] = rows
        self.endInsertRows()

    def _put(self, place: int, row: ConversationRow) -> None:
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
