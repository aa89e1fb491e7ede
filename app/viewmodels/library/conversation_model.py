"""The conversations of the sidebar, the one used last first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QMimeData, QModelIndex, QObject, Qt, Signal

from app.viewmodels.kit.lists import AnyIndex, KeyedListModel
from app.viewmodels.library.rows import ConversationRow, spoken_conversation

CONVERSATION = "application/x-espalier-conversation"
"""The type of what is dragged: the ids of conversations, one a line."""


def dragged_ids(data: QMimeData) -> tuple[str, ...]:
    """Return the ids of the conversations that are dragged; none for anything else."""
    return tuple(bytes(data.data(CONVERSATION).data()).decode(errors="replace").split())


class ConversationModel(KeyedListModel[ConversationRow]):
    """Conversations and folders in their order.

    Signal: renameAsked(str, str), the id of a conversation or folder, and what it shall be called.
    """

    renameAsked = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._described: Callable[[str], str] = lambda _id: ""

    def describe(self, described: Callable[[str], str]) -> None:
        """Have a screen reader told more of each conversation, by its id."""
        self._described = described

    @property
    def open_row(self) -> int:
        """The row of the open conversation, or of its open branch where that is listed; -1 without any."""
        return max((number for number, row in enumerate(self._rows) if row.is_open), default=-1)

    def text(self, number: int, role: int) -> str | None:
        """Return the title, or the sentence that a screen reader says."""
        row = self._rows[number]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.EditRole):
            return row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken_conversation(row)
        if role == Qt.ItemDataRole.AccessibleDescriptionRole and not row.is_folder and not row.is_branch:
            return self._described(row.id)
        return None

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Let a conversation that is stored be renamed in its place, and dragged."""
        flags = super().flags(index)
        if index.isValid() and self._rows[index.row()].can_change:
            flags |= Qt.ItemFlag.ItemIsEditable
            if not (self._rows[index.row()].is_folder or self._rows[index.row()].is_branch):
                flags |= Qt.ItemFlag.ItemIsDragEnabled
        return flags

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return what is dragged: the ids of conversations."""
        data = QMimeData()
        data.setData(CONVERSATION, "\n".join(self._rows[index.row()].id for index in indexes).encode())
        return data

    def mimeTypes(self) -> list[str]:
        """Return the only kind of thing that is dragged here."""
        return [CONVERSATION]

    def supportedDragActions(self) -> Qt.DropAction:
        """Let conversations be moved, and not copied."""
        return Qt.DropAction.MoveAction

    def home_at(self, conversation_ids: Sequence[str], number: int) -> str | None:
        """Return the folder that conversations come to where they are dropped on a row, "" for none.

        None where all of them lie there already. number: -1 for the room beside the rows.
        """
        homes = {self._rows[at].folder_id for at in map(self.row_of, conversation_ids) if at >= 0}
        onto = self._rows[number] if number >= 0 else None
        home = "" if onto is None else onto.id if onto.is_folder else onto.folder_id
        return home if homes - {home} else None

    def setData(self, index: AnyIndex, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for another title; the row shows it when the database has it."""
        if role != Qt.ItemDataRole.EditRole or not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return False
        row, title = self._rows[index.row()], str(value).strip()
        if title and title != row.title:
            self.renameAsked.emit(row.id, title)
        return True
