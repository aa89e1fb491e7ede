"""What is copied of a document: its words, without the characters that Qt keeps in it for itself."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument

from app.widgets.chat.markdown.document import UNSHOWN
from app.widgets.chat.markdown.formula_object import formulas_of


def selected_text(document: QTextDocument, start: int, end: int, *, is_part: bool = False) -> str:
    """Return the text between two positions: cells of a table divided by tabs, rows and all other blocks by lines.

    The mark of a list's item is copied with more than the words of that item. is_part: of a selection that goes on
    before or after the document; with an `end` beyond the last character all of it is selected.
    """
    last, is_beyond = document.characterCount() - 1, end >= document.characterCount()
    start, end = min(start, last), min(end, last)
    has_mark = is_part or is_beyond
    pieces: list[str] = []
    cursor = QTextCursor(document)
    block, row = document.findBlock(start), None
    while block.isValid() and (block.position() < end or not pieces):
        its_row = _row_of(block)
        if not block.text() and block.next().isValid() and (row is None) != (_row_of(block.next()) is None):
            block = block.next()  # Qt puts an empty block before a table
            continue
        if pieces:
            pieces.append("\t" if its_row is not None and its_row == row else "\n")
        if block.position() >= start and (pieces or has_mark or block.position() + block.length() <= end):
            pieces.append(_item_mark(block))
        first, last = max(start, block.position()), min(end, block.position() + block.length() - 1)
        words = "".join(_with_sources(cursor, block, first, last))
        pieces.append(words if its_row is None else words.replace("\u2028", " "))  # another line would be another row
        block, row = block.next(), its_row
    return clean("".join(pieces))


def clean(text: str) -> str:
    """Return text of a document without what Qt keeps in it for itself.

    Line ends within a block have another form there; "&#0;" and the like become controls only when they are read.
    """
    return UNSHOWN.sub("", text.replace("\u2028", "\n").replace("\u2029", "\n"))


def _item_mark(block: QTextBlock) -> str:
    """Return what a reader sees before the item of a list: blanks for its level, and a dash or its number."""
    found = block.textList()
    if not found:
        return ""
    number = found.itemText(block)
    return "  " * (found.format().indent() - 1) + (f"{number} " if number[:1].isalnum() else "- ")


def _with_sources(cursor: QTextCursor, block: QTextBlock, start: int, end: int) -> Iterator[str]:
    """Yield the text of a block between two positions, with the TeX of each formula that is between them."""
    for formula in formulas_of(block):
        if start < formula.end and formula.start < end:
            yield _between(cursor, start, formula.start)
            yield formula.source
            start = formula.end
    yield _between(cursor, start, end)


def _between(cursor: QTextCursor, start: int, end: int) -> str:
    cursor.setPosition(start)
    cursor.setPosition(max(start, end), QTextCursor.MoveMode.KeepAnchor)
    return cursor.selectedText()


def _row_of(block: QTextBlock) -> tuple[int, int] | None:
    """Return the table and the row of it that a block stands in, or None."""
    table = QTextCursor(block).currentTable()
    return (table.firstPosition(), table.cellAt(block.position()).row()) if table else None
