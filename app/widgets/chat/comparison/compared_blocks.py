"""The paragraphs of a row, laid out beside each other, with the words that differ marked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPalette, QTextCharFormat, QTextCursor

from app.viewmodels.comparison.word_differences import Differences, Span, differences
from app.widgets.chat.comparison.comparison_rows import ComparisonRow
from app.widgets.chat.markdown.blocks import Block
from app.widgets.chat.markdown.document import QuietDocument
from app.widgets.chat.markdown.searched import searched_text, shown_place
from app.widgets.chat.messages.block_layout import BlockLayout
from app.widgets.kit.style import Style


class ComparedBlocks:
    """Both paragraphs of a row at one width of their columns.

    Attribute: is_different, as the words are not marked: one side has no such paragraph, or quite another one.
    """

    def __init__(self, row: ComparisonRow, style: Style) -> None:
        self._style = style
        self._row = row
        self._left, self._right = _layout(row.left, style), _layout(row.right, style)
        self._differences: Differences | None = None
        self._is_compared = False
        self._marked: tuple[QuietDocument | None, QuietDocument | None] = (None, None)

    @property
    def is_different(self) -> bool:
        """Return whether the sides are told as different as a whole, once they were laid out."""
        return not self._row.is_shared and self._is_compared and self._differences is None

    @property
    def has_marks(self) -> bool:
        """Return whether something is told as different: words, or the sides as a whole. Lays nothing out."""
        if not self._row.is_shared and not self._is_compared:
            self._compare()
        return self.is_different or bool(self._differences)

    @property
    def heights(self) -> tuple[float, float]:
        """Return the heights of both, as they were laid out, 0 for one that there is not."""
        left, right = (0.0 if one is None else one.height for one in (self._left, self._right))
        return left, right

    def renew_formulas(self) -> bool:
        """Take in the formulas of which it is known now how they are drawn; returns whether there were any."""
        return sum(one.renew_formulas() for one in (self._left, self._right) if one is not None) > 0

    def height(self, width: float) -> float:
        """Return the points that the higher of both takes in a column of this width."""
        return max((layout.height for layout in self._laid_out(width)), default=0.0)

    def paint(self, painter: QPainter, columns: Sequence[QRectF], palette: QPalette) -> None:
        """Draw both, each in its column; of a paragraph of both sides, one across the only column."""
        self._laid_out(columns[0].width())
        for layout, column in zip((self._left, self._right), columns, strict=False):
            if layout is not None:
                rect = QRectF(column.left(), column.top(), column.width(), layout.height)
                layout.paint(painter, rect, palette, None, rect)

    def _laid_out(self, width: float) -> list[BlockLayout]:
        """Mark the words before anything is measured, as each change has a document laid out again."""
        if self._row.is_shared:
            layouts = [] if self._left is None else [self._left]
        else:
            layouts = [one for one in (self._left, self._right) if one is not None]
            self._mark()
        for layout in layouts:
            layout.lay_out(width)
        return layouts

    def _mark(self) -> None:
        if not self._is_compared:
            self._compare()
        documents = tuple(None if one is None else one.document for one in (self._left, self._right))
        if self._differences is None or documents == self._marked:
            return
        left, right = documents
        theme = self._style.theme
        if left is not None and left is not self._marked[0]:
            gone = QTextCharFormat()
            gone.setFontStrikeOut(True)
            gone.setBackground(theme.fill2)
            _format(left, self._differences.left, gone)
        if right is not None and right is not self._marked[1]:
            new = QTextCharFormat()
            new.setFontUnderline(True)
            new.setBackground(theme.soft)
            _format(right, self._differences.right, new)
        self._marked = (left, right)

    def _compare(self) -> None:
        """Compare what is shown, and not how it was written."""
        self._is_compared = True
        if self._left is not None and self._right is not None:
            left, right = (searched_text(one.document) for one in (self._left, self._right))
            self._differences = differences(left, right)


def _layout(block: Block | None, style: Style) -> BlockLayout | None:
    return None if block is None else BlockLayout(block, 0, style)


def _format(document: QuietDocument, spans: Sequence[Span], char_format: QTextCharFormat) -> None:
    cursor, places = QTextCursor(document), _Places(searched_text(document))
    shown = [shown_place(document, places.of(start), places.of(end)) for start, end in spans]
    cursor.beginEditBlock()
    for start, end in shown:
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(char_format)
    cursor.endEditBlock()


class _Places:
    """Places in a text as Qt counts them: a character beyond U+FFFF is two. Asked for from the left to the right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = self._place = 0

    def of(self, at: int) -> int:
        between = self._text[self._at : at]
        self._place += len(between) + sum(character > "\uffff" for character in between)
        self._at = at
        return self._place
