"""A formula as one character of a document: as it is drawn, and until that is known as its TeX."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import QObject, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QFontMetrics,
    QFontMetricsF,
    QPainter,
    QPyTextObject,
    QTextBlock,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
)

from app.widgets.chat.markdown.inlines import Inline, InlineKind
from app.widgets.kit.formulas import Drawing
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

FORMULA = QTextFormat.ObjectTypes.UserObject.value + 1
OBJECT, LINE_END = "\ufffc", "\u2028"
_TEX = QTextFormat.Property.UserProperty.value + 1
_IS_DISPLAY, _SOURCE, _PLACE = _TEX + 1, _TEX + 2, _TEX + 3
LAST_PROPERTY = _PLACE
_BEYOND = re.compile("[\U00010000-\U0010ffff]")
# Letters of formulas are drawn this much larger than those of the text, whose type has the taller small letters.
_SCALE = 1.1
# Points above and below a display.
_AIR = 4


def formula_format(inline: Inline, char_format: QTextCharFormat) -> QTextCharFormat:
    """Return the format of the character that is a formula. char_format: of the text that it stands in."""
    result = with_source(inline, char_format)
    result.setObjectType(FORMULA)
    result.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
    result.setProperty(_TEX, inline.text)
    if inline.kind is not InlineKind.UNFINISHED:
        result.setProperty(_IS_DISPLAY, inline.kind is InlineKind.DISPLAY)
    return result


def with_source(inline: Inline, char_format: QTextCharFormat) -> QTextCharFormat:
    """Return a format that knows what was written for the text that has it, and is no other inline's."""
    result = with_place(inline, char_format)
    result.setProperty(_SOURCE, inline.source)
    return result


def with_place(inline: Inline, char_format: QTextCharFormat) -> QTextCharFormat:
    """Return a format that knows where in the Markdown the inline begins that is shown by it."""
    result = QTextCharFormat(char_format)
    result.setProperty(_PLACE, inline.start)
    return result


def units(text: str) -> str:
    """Return a text in which each character counts as one, as Qt counts it: those beyond the first plane as two."""
    return _BEYOND.sub("xx", text)


def source_of(char_format: QTextCharFormat) -> str:
    """Return what was written for a text that stands for something else, as the TeX of a formula; "" for any other."""
    return str(char_format.property(_SOURCE) or "")


class Written(NamedTuple):
    """A formula in a document: from and to, as positions, and its TeX as it was written."""

    start: int
    end: int
    source: str


def formulas_of(block: QTextBlock) -> Iterator[Written]:
    """Yield the formulas of a block of text in order, those too that stand there as code."""
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        source = source_of(fragment.charFormat())
        if source and fragment.text() != LINE_END:
            yield Written(fragment.position(), fragment.position() + fragment.length(), source)
        iterator += 1


def placed_runs(document: QTextDocument) -> Iterator[tuple[int, int, int]]:
    """Yield the position and length of each inline in a document, and where it begins in the Markdown."""
    block = document.begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            fragment = iterator.fragment()
            place = fragment.charFormat().property(_PLACE)
            if place is not None:
                yield fragment.position(), fragment.length(), int(place)
            iterator += 1
        block = block.next()


class FormulaObject(QPyTextObject):
    """Measures and draws the formulas of one document.

    Qt gives such a character a box with as much above as below the middle of small letters, so that is measured.
    """

    def __init__(self, style: Style, parent: QObject) -> None:
        super().__init__(parent)
        self._style = style

    def intrinsicSize(self, doc: QTextDocument, posInDocument: int, format: QTextFormat) -> QSizeF:
        char_format, drawing = format.toCharFormat(), self._drawing(format)
        if drawing is None:
            code = self._style.text_style(TextRole.CODE)
            width = min(code.width(_in_one_line(format)), doc.textWidth() if doc.textWidth() > 0 else 1e9)
            return QSizeF(width, code.line)
        em = _em(drawing, char_format, doc)
        air = _AIR if format.property(_IS_DISPLAY) else 0
        return QSizeF(drawing.width * em, 2 * (_half(drawing, em, char_format) + air))

    def drawObject(
        self, painter: QPainter, rect: QRectF | QRect, doc: QTextDocument, posInDocument: int, format: QTextFormat
    ) -> None:
        rect, char_format, drawing = QRectF(rect), format.toCharFormat(), self._drawing(format)
        if drawing is None:
            code = self._style.text_style(TextRole.CODE)
            text = QFontMetricsF(code.font).elidedText(_in_one_line(format), Qt.TextElideMode.ElideRight, rect.width())
            painter.setFont(code.font)
            painter.setPen(self._style.theme.text2)
            painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, text)
            return
        em = _em(drawing, char_format, doc)
        block = doc.findBlock(posInDocument)
        line = block.layout().lineForTextPosition(posInDocument - block.position())
        # The rectangle lies around the middle of the line.
        baseline = rect.center().y() + (line.ascent() - line.descent()) / 2
        height = (drawing.ascent + drawing.descent) * em
        place = QRectF(rect.left(), baseline - drawing.ascent * em, rect.width(), height)
        # That of a link, or of the mark it stands in, where it has one.
        has_ink = format.hasProperty(QTextFormat.Property.ForegroundBrush)
        drawing.paint(painter, place, format.foreground().color() if has_ink else self._style.theme.text)

    def _drawing(self, format: QTextFormat) -> Drawing | None:
        if not format.hasProperty(_IS_DISPLAY):
            return None  # not yet whole
        return self._style.formulas.drawing(str(format.property(_TEX)), is_display=bool(format.property(_IS_DISPLAY)))


def _in_one_line(char_format: QTextFormat) -> str:
    return " ".join(str(char_format.property(_TEX)).split())


def _em(drawing: Drawing, char_format: QTextCharFormat, document: QTextDocument) -> float:
    """Return the size of the letters in points: what is wider than the column is drawn smaller."""
    usual = _SCALE * char_format.font().pixelSize()
    return usual if document.textWidth() <= 0 else min(usual, document.textWidth() / drawing.width)


def _half(drawing: Drawing, em: float, char_format: QTextCharFormat) -> float:
    """Return half the height of a box around the middle that holds the drawing."""
    # Qt's middle of small letters, as far above the baseline as QTextDocumentLayout::resizeInlineObject has it.
    middle = QFontMetrics(char_format.font()).xHeight() / 4
    return max(drawing.ascent * em - middle, drawing.descent * em + middle)
