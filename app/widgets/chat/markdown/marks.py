"""Marked places in a document: on a light ground or underlined, the current one filled and with a ring around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from types import MappingProxyType
from typing import Any, NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QPainter,
    QPainterPath,
    QPen,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLine,
)

from app.widgets.chat.markdown.document import QuietDocument
from app.widgets.chat.markdown.searched import shown_place
from app.widgets.kit.drawing import stroke_rounded
from app.widgets.kit.theme import Theme

_RING, _RADIUS, _EDGE = 1.0, 2.0, 2.0
_UNDER = 4.5  # points from the bottom of a line up to its underlines
Selected = QAbstractTextDocumentLayout.Selection


class Underline(Enum):
    """Lines under marked words, which differ in weight and shape, and not by their colour alone."""

    NONE = auto()
    THIN = auto()
    MIDDLE = auto()
    THICK = auto()
    DASHED = auto()
    DOTTED = auto()


class Mark(NamedTuple):
    """From and to, as positions in a document's searched text; or, with an underline, in the document itself.

    underline: None for a mark that is a ground. One without words is seen as a line between them while it is current.
    """

    start: int
    end: int
    is_current: bool
    underline: Underline | None = None

    def at(self, start: int, end: int) -> Mark:
        """Return the mark at another place."""
        return Mark(start, end, self.is_current, self.underline)

    def in_document(self, document: QuietDocument) -> Mark:
        """Return the mark at its place in the document."""
        return self if self.underline is not None else self.at(*shown_place(document, self.start, self.end))


_LINES: Mapping[Underline | None, tuple[float, str, tuple[float, ...]]] = {
    Underline.THIN: (1.5, "mute", ()),
    Underline.MIDDLE: (2.5, "text3", ()),
    Underline.THICK: (3.5, "text", ()),
    Underline.DASHED: (2.5, "text", (5.0, 3.0)),
    Underline.DOTTED: (2.0, "text3", (2.0, 3.0)),
}
"""Of each line: its width in points, its colour, and what is drawn and left out of it in turn."""
BlockMarks = Mapping[int, Sequence[Mark]]
NO_MARKS: BlockMarks = MappingProxyType({})


def mark_selections(document: QTextDocument, marks: Sequence[Mark], theme: Theme) -> list[Selected]:
    """Return what Qt paints as the ground of each mark; the words of the current one are inverted."""
    last, found = document.characterCount() - 1, []
    for mark in marks:
        if mark.end <= last and (mark.is_current or mark.underline is None):
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


def paint_marks(painter: QPainter, document: QTextDocument, marks: Sequence[Mark], theme: Theme) -> None:
    """Draw the underlines, and the ring around the current mark, around each line of one that is wrapped."""
    for mark in marks:
        if mark.end >= document.characterCount() or not (mark.is_current or mark.underline):
            continue
        for rect in mark_rects(document, mark.start, mark.end):
            if not mark.is_current:
                _paint_underline(painter, rect, mark.underline, theme)
            elif mark.underline is None:
                stroke_rounded(painter, rect.adjusted(-_RING, 0, _RING, 0), _RADIUS, theme.text, _RING)
            else:
                _paint_edges(painter, rect, _edges(document, mark), theme)


def _edges(document: QTextDocument, mark: Mark) -> tuple[float, float]:
    """Return how far the ground of the current token reaches beyond it: no word goes on under it."""
    before, after = (document.characterAt(at) for at in (mark.start - 1, mark.end))
    return 0.0 if before.isalnum() else _EDGE, 0.0 if after.isalnum() else _EDGE


def _paint_edges(painter: QPainter, rect: QRectF, edges: tuple[float, float], theme: Theme) -> None:
    """Draw round sides beside the ground that Qt paints, and nothing over its words."""
    whole, inside = QPainterPath(), QPainterPath()
    whole.addRoundedRect(rect.adjusted(-edges[0], 0, edges[1], 0), _EDGE + 1, _EDGE + 1)
    inside.addRect(rect)
    painter.fillPath(whole.subtracted(inside), theme.accentfill)


def _paint_underline(painter: QPainter, rect: QRectF, underline: Underline | None, theme: Theme) -> None:
    if underline not in _LINES:
        return
    width, ink, dashes = _LINES[underline]
    pen = QPen(getattr(theme, ink), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
    if dashes:
        pen.setDashPattern([one / width for one in dashes])
    painter.setPen(pen)
    y = rect.bottom() - _UNDER + width / 2
    painter.drawLine(QPointF(rect.left() + 0.5, y), QPointF(max(rect.right() - 0.5, rect.left() + 2), y))


def cursor_x(line: QTextLine, position: int) -> float:
    """Return the abscissa of a character; PySide returns it alone, or with the position that it settled on."""
    found: Any = line.cursorToX(position)
    return float(found[0] if isinstance(found, tuple | list) else found)


def mark_rects(document: QTextDocument, first: int, last: int) -> Iterator[QRectF]:
    """Yield where the characters between two positions stand, line by line; a line without width where none are."""
    block = document.findBlock(first)
    if first == last:
        line = block.layout().lineForTextPosition(first - block.position())
        origin = document.documentLayout().blockBoundingRect(block)
        if line.isValid():
            x = origin.left() + cursor_x(line, first - block.position())
            yield QRectF(x, origin.top() + line.y(), 0, line.height())
    while block.isValid() and block.position() < last:
        origin, layout = document.documentLayout().blockBoundingRect(block), block.layout()
        start, end = max(first - block.position(), 0), min(last - block.position(), block.length() - 1)
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            from_, to = max(start, line.textStart()), min(end, line.textStart() + line.textLength())
            if from_ < to:
                sides = sorted((cursor_x(line, from_), cursor_x(line, to)))
                yield QRectF(origin.left() + sides[0], origin.top() + line.y(), sides[1] - sides[0], line.height())
        block = block.next()
