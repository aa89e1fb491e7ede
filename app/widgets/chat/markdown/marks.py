"""Marked places in a document: all of them on a light ground, the current one filled and with a ring around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from PySide6.QtCore import QRectF
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QPainter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLine,
)

from app.widgets.kit.drawing import stroke_rounded
from app.widgets.kit.theme import Theme

_RING, _RADIUS = 1.0, 2.0
Selected = QAbstractTextDocumentLayout.Selection


class Mark(NamedTuple):
    """From and to, as positions in a document or in its searched text."""

    start: int
    end: int
    is_current: bool

    def at(self, start: int, end: int) -> Mark:
        """Return the mark at another place."""
        return Mark(start, end, self.is_current)


BlockMarks = Mapping[int, Sequence[Mark]]
NO_MARKS: BlockMarks = MappingProxyType({})


def mark_selections(document: QTextDocument, marks: Sequence[Mark], theme: Theme) -> list[Selected]:
    """Return what Qt paints as the ground of each mark; the words of the current one are inverted."""
    last, found = document.characterCount() - 1, []
    for mark in marks:
        if mark.end <= last:
            selected = Selected()
            selected.cursor = QTextCursor(document)
            selected.cursor.setPosition(mark.start)
            selected.cursor.setPosition(mark.end, QTextCursor.MoveMode.KeepAnchor)
            char_format = QTextCharFormat()
            char_format.setBackground(theme.accentfill if mark.is_current else theme.softline)
            if mark.is_current:
                char_format.setForeground(theme.onaccent)
            selected.format = char_format
            found.append(selected)
    return found


def paint_current_mark(painter: QPainter, document: QTextDocument, marks: Sequence[Mark], theme: Theme) -> None:
    """Draw the ring around the current mark, around each line of one that is wrapped."""
    for mark in marks:
        if mark.is_current and mark.end < document.characterCount():
            for rect in _lines(document, mark):
                stroke_rounded(painter, rect.adjusted(-_RING, 0, _RING, 0), _RADIUS, theme.text, _RING)


def cursor_x(line: QTextLine, position: int) -> float:
    """Return the abscissa of a character; PySide returns it alone, or with the position that it settled on."""
    found: Any = line.cursorToX(position)
    return float(found[0] if isinstance(found, tuple | list) else found)


def _lines(document: QTextDocument, mark: Mark) -> Iterator[QRectF]:
    block = document.findBlock(mark.start)
    while block.isValid() and block.position() < mark.end:
        origin, layout = document.documentLayout().blockBoundingRect(block), block.layout()
        start, end = max(mark.start - block.position(), 0), min(mark.end - block.position(), block.length() - 1)
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            first, last = max(start, line.textStart()), min(end, line.textStart() + line.textLength())
            if first < last:
                sides = sorted((cursor_x(line, first), cursor_x(line, last)))
                yield QRectF(origin.left() + sides[0], origin.top() + line.y(), sides[1] - sides[0], line.height())
        block = block.next()
