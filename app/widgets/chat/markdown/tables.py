"""Tables in documents: how wide they must be, and their rows as they are spoken."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtGui import QTextCursor, QTextDocument, QTextLength, QTextTable

from app.widgets.chat.markdown.copied import selected_text
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

# Letters of a word that is not torn; what is longer is an address rather than a word.
_LONGEST_WORD = 24
# Of a column of sentences: how wide it is in a table that is scrolled, in sizes of its letters.
_READABLE = 11
# Points of a column beside its words and its padding: the line, and what rounding takes.
_BESIDE = 4


class TableWidths(NamedTuple):
    """Points that a table takes. least: without tearing a word. columns: where it is scrolled."""

    least: float
    columns: tuple[float, ...]

    @property
    def whole(self) -> int:
        """Return how wide the table is where it is scrolled, with a line beside each column."""
        return math.ceil(sum(self.columns)) + len(self.columns) + 1


class TableRow(NamedTuple):
    """A row of a table: from and to, as positions in its document, and what it says."""

    first: int
    last: int
    words: str


def only_table(document: QTextDocument) -> QTextTable | None:
    """Return the table that a document consists of, or None."""
    tables = [one for one in document.rootFrame().childFrames() if isinstance(one, QTextTable)]
    if len(tables) != 1:
        return None
    outside = [document.begin(), document.lastBlock()]
    is_all = not any(block.text() for block in outside if QTextCursor(block).currentTable() is None)
    return tables[0] if is_all and document.begin().next().position() == tables[0].firstPosition() else None


def table_widths(table: QTextTable, style: Style) -> TableWidths:
    """Return how wide a table must be, by the longest words of each column and its longest cell."""
    text_style, beside = style.text_style(TextRole.BODY_STRONG), 2 * table.format().cellPadding() + _BESIDE
    least, wanted = list[float](), list[float]()
    for column in range(table.columns()):
        cells = [_text(table, row, column) for row in range(table.rows())]
        word = max((word for cell in cells for word in cell.split()), key=len, default="")[:_LONGEST_WORD]
        torn = text_style.width(word)
        least.append(torn + beside)
        wanted.append(max(torn, min(text_style.width(max(cells, key=len)), _READABLE * style.typography.body)) + beside)
    return TableWidths(sum(least), tuple(wanted))


def fix_columns(table: QTextTable, widths: tuple[float, ...]) -> None:
    """Have the columns be as wide as this; as wide as Qt thinks where no widths are given."""
    table_format = table.format()
    table_format.setColumnWidthConstraints([QTextLength(QTextLength.Type.FixedLength, width) for width in widths])
    table.setFormat(table_format)


def below_head(document: QTextDocument) -> int:
    """Return where the second row of the table begins that a document begins with; 0 without one."""
    table = QTextCursor(document.begin().next()).currentTable()
    return table.cellAt(1, 0).firstPosition() if table and table.rows() > 1 else 0


def table_rows(document: QTextDocument, position: int) -> Iterator[TableRow]:
    """Yield the rows of the table at a position, each cell after the name of its column."""
    cursor = QTextCursor(document)
    cursor.setPosition(position)
    table = cursor.currentTable()
    heads = [_text(table, 0, column) for column in range(table.columns())]
    for row in range(table.rows()):
        cells = [_text(table, row, column) for column in range(table.columns())]
        named = [f"{head}: {cell}" if head and row else cell for head, cell in zip(heads, cells, strict=True)]
        first, last = table.cellAt(row, 0), table.cellAt(row, table.columns() - 1)
        words = ", ".join(one for one, cell in zip(named, cells, strict=True) if cell)
        yield TableRow(first.firstPosition(), last.lastPosition(), words)


def _text(table: QTextTable, row: int, column: int) -> str:
    cell = table.cellAt(row, column)
    return selected_text(table.document(), cell.firstPosition(), cell.lastPosition())
