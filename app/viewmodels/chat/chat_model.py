"""The messages of the open path, one row each, from the first question down to the last answer.

A row is made when it is asked for, so that what happens costs the rows that are looked at and not the path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal

from app.protocol.events import TextKind
from app.viewmodels.chat.path_rows import PathRows
from app.viewmodels.chat.rows import Footer, MessageRow, spoken_message
from app.viewmodels.kit.lists import ListModel


class ChatModel(ListModel[MessageRow]):
    """Rows of the open path.

    The answer that is being written is a row from its start. While it grows only `tailAppended` is sent, so that
    nothing is laid out again but the tail; its row always holds the whole text. `tailFigures` carries its footer so
    far, a few times a second.

    Attribute: has_rail, a line goes along beside the rows.

    Signals: tailAppended(str) new text of the row that is streaming, or of its thought; tailFigures(Footer).
    """

    tailAppended = Signal(str)
    tailFigures = Signal(object)

    def __init__(self, parent: QObject | None = None, *, has_rail: bool = True) -> None:
        super().__init__(parent)
        self.has_rail = has_rail
        self._rows = PathRows.of(())

    @property
    def rows(self) -> PathRows:
        """All rows, in order."""
        return self._rows

    def row_of(self, message_id: str) -> int:
        """Return the row of this message, or -1 when it is not on the open path."""
        return self._rows.place_of(message_id)

    def text(self, number: int, role: int) -> str | None:
        """Return the message, or the sentence that a screen reader says."""
        row = self._rows[number]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken_message(row, number + 1, len(self._rows))
        return None

    def show(self, rows: Sequence[MessageRow]) -> None:
        """Show this path: rows that stay are kept, those below the fork are exchanged."""
        new, old = rows if isinstance(rows, PathRows) else PathRows.of(rows), self._rows
        kept = old.shared(new)
        if kept < len(old):
            self.beginRemoveRows(QModelIndex(), kept, len(old) - 1)
            self._rows = old.cut(kept)
            self.endRemoveRows()
        staying = self._rows
        self._rows = new if kept == len(new) else new.cut(kept)
        for number, row in sorted(staying.made.items()):
            self._tell(number, row)
        if kept < len(new):
            new.made.update(self._rows.made)
            self.beginInsertRows(QModelIndex(), kept, len(new) - 1)
            self._rows = new
            self.endInsertRows()

    def append_tail(self, message_id: str, text: str, kind: TextKind = "text") -> None:
        """Append to the answer that is being written, or its thought. Ignored when that is not on the open path.

        A row that is not made yet has the text when it is.
        """
        number = self.row_of(message_id)
        if number >= 0:
            row = self._rows.made.get(number)
            if row is not None:
                self._rows.put(number, row.going_on(text, kind))
            self.tailAppended.emit(text)

    def set_tail_figures(self, message_id: str, footer: Footer, seconds: float = 0.0, tokens: int = 0) -> None:
        """Set new figures of the answer that is being written; seconds, tokens: of its thought, if it has one."""
        number = self.row_of(message_id)
        if number >= 0:
            old = self._rows[number]
            thought = old.thought and replace(old.thought, seconds=seconds or None, tokens=tokens or None)
            self._rows.put(number, replace(old, footer=footer, thought=thought))
            self._tell(number, old)

    def _tell(self, number: int, old: MessageRow) -> None:
        """Say that a row is another one than it was, if it is."""
        row = self._rows[number]
        if old == row:
            return
        if row.is_streaming and row.footer and old.footer and _without_figures(old) == _without_figures(row):
            self.tailFigures.emit(row.footer)
            return
        index = self.index(number)
        self.dataChanged.emit(index, index)


def _without_figures(row: MessageRow) -> MessageRow:
    thought = row.thought and replace(row.thought, seconds=None, tokens=None)
    return replace(row, footer=None, thought=thought)
