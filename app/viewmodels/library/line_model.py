"""Rows of two lines: what a search has found, what lies in the trash."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt

from app.protocol.dataclass import dataclass
from app.viewmodels.kit.lists import ListModel


@dataclass(frozen=True, slots=True)
class LineRow:
    """Title and age, and below them a line in which places are marked.

    id: of the message, or the number of the trash's entry. ranges: the marked places, first and last character, the
    latter excluded. conversation_id: where it is, "" for a folder.
    """

    id: str
    title: str
    age: str
    line: str
    ranges: tuple[tuple[int, int], ...] = ()
    conversation_id: str = ""


class LineModel(ListModel[LineRow]):
    """Shows what it was last given. Lists that are made anew as a whole: nothing in them is moved."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[LineRow, ...] = ()

    @property
    def rows(self) -> tuple[LineRow, ...]:
        """All rows, in order."""
        return self._rows

    def show(self, rows: Sequence[LineRow]) -> None:
        """Show these in place of the others."""
        if tuple(rows) != self._rows:
            self.beginResetModel()
            self._rows = tuple(rows)
            self.endResetModel()

    def text(self, number: int, role: int) -> str | None:
        """Return the title, or both lines for a screen reader and the tooltip."""
        row = self._rows[number]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return ", ".join(part for part in (row.title, row.age, row.line) if part)
        return None
