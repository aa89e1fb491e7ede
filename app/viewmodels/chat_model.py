"""The messages of the open path, one row each, from the first question down to the last answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from app.viewmodels.rows import Footer, MessageRow, RowRole
from app.viewmodels.text.spoken import spoken_message

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class ChatModel(QAbstractListModel):
    """Rows of the open path.

    The answer that is being written is a row from its start. While it grows only `tailAppended` is sent, so that
    nothing is laid out again but the tail; its row always holds the whole text. `tailFigures` carries its footer so
    far, a few times a second.

    Signals: tailAppended(str) new text of the row that is streaming; tailFigures(Footer).
    """

    tailAppended = Signal(str)
    tailFigures = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[MessageRow] = []

    @property
    def rows(self) -> Sequence[MessageRow]:
        """All rows, in order."""
        return self._rows

    def row_of(self, message_id: str) -> int:
        """The row of this message, or -1 when it is not on the open path."""
        last = len(self._rows) - 1  # what is asked about most is at the end
        return next((number for number in range(last, -1, -1) if self._rows[number].id == message_id), -1)

    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        """A list: only the root has rows."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The whole row under `RowRole.ROW`, its text, and the sentence a screen reader says."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        row = self._rows[index.row()]
        if role == RowRole.ROW:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken_message(row, index.row() + 1, len(self._rows))
        return None

    def show(self, rows: Sequence[MessageRow]) -> None:
        """Show this path: rows that stay are kept, those below the fork are exchanged."""
        pairs = enumerate(zip(rows, self._rows, strict=False))
        fork = (number for number, (new, old) in pairs if new is not old and new.id != old.id)
        kept = next(fork, min(len(rows), len(self._rows)))
        self._drop_from(kept)
        self._add(rows[kept:])
        changed = [number for number in range(kept) if rows[number] is not self._rows[number]]
        for number in changed:
            self._change(number, rows[number])

    def append_tail(self, message_id: str, text: str) -> None:
        """Append to the answer that is being written. Ignored when that answer is not on the open path."""
        number = self.row_of(message_id)
        if number >= 0:
            row = self._rows[number]
            self._rows[number] = replace(row, text=row.text + text)
            self.tailAppended.emit(text)

    def set_tail_footer(self, message_id: str, footer: Footer) -> None:
        """New figures of the answer that is being written; they are painted below the tail."""
        number = self.row_of(message_id)
        if number >= 0:
            self._change(number, replace(self._rows[number], footer=footer))

    def _drop_from(self, first: int) -> None:
        if first < len(self._rows):
            self.beginRemoveRows(QModelIndex(), first, len(self._rows) - 1)
            del self._rows[first:]
            self.endRemoveRows()

    def _add(self, rows: Sequence[MessageRow]) -> None:
        if rows:
            first = len(self._rows)
            self.beginInsertRows(QModelIndex(), first, first + len(rows) - 1)
            self._rows.extend(rows)
            self.endInsertRows()

    def _change(self, number: int, row: MessageRow) -> None:
        old = self._rows[number]
        if old == row:
            return
        self._rows[number] = row
        if row.is_streaming and row.footer and old.footer and replace(old, footer=row.footer) == row:
            self.tailFigures.emit(row.footer)
            return
        index = self.index(number)
        self.dataChanged.emit(index, index)
