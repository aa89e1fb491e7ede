"""One block of a message with its document: measured when it is first seen, estimated until then."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QPainter,
    QPalette,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextLine,
)

from app.widgets.chat.markdown.blocks import Block, Kind, markdown
from app.widgets.chat.markdown.decorations import paint_decorations
from app.widgets.chat.markdown.document import (
    QuietDocument,
    adds_words,
    code_document,
    goes_on,
    is_scrolled,
    plain_document,
    shown,
    thought_document,
)
from app.widgets.chat.markdown.footnotes import Footnotes, Link, Marked, link_of, marked
from app.widgets.chat.markdown.markdown import markdown_document
from app.widgets.chat.markdown.marks import Mark, cursor_x, mark_rects, mark_selections, paint_marks
from app.widgets.chat.markdown.searched import searched_text
from app.widgets.chat.markdown.tables import TableWidths, below_head, fix_columns, only_table, table_widths
from app.widgets.kit.drawing import draw_text, fill_rounded, stroke_rounded
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

CARD_HEAD = 30
_CARD_LEFT, _CARD_ABOVE, _CARD_BELOW, _CARD_RADIUS = 14, 10, 12, 8
_BAR, _BAR_ROOM = 3, 10
_RULE_LEFT, _RULE = 14, 2  # of what is thought: its text stands this far from the rule at its left
# What laying out costs beside the characters of a block, in characters.
_PER_BLOCK = 200
# Width of a usual character as a share of the text size in pixels.
_CHARACTER = 0.5


class Allowance:
    """A limit to what is laid out before the window is shown again, in characters. is_refused: whether it was reached.

    The first block is always granted, so that every turn brings something.
    """

    def __init__(self, left: int) -> None:
        self.is_refused = False
        self._left = left

    def grants(self, laid: BlockLayout) -> bool:
        """Count a block, and return whether it may be laid out too."""
        self.is_refused = self._left <= 0
        self._left -= len(laid.block.text) + _PER_BLOCK
        return not self.is_refused


class BlockLayout:
    """A block as it stands in its message.

    above: points between the block before it and this one. height: in points, without `above`. is_exact: whether the
    height is measured; until then it is an estimate. scrolled: points that what is wider than the column is moved to
    the left by. has_head, has_foot: whether a piece of code begins and ends with this block. marked: what it has
    of footnotes and addresses.
    """

    def __init__(self, block: Block, above: int, style: Style, footnotes: Footnotes | None = None) -> None:
        """footnotes: of the message, None where there is nothing but this block."""
        self.block = block
        self.above = above
        self.is_exact = False
        self.height = 0.0
        self.has_head = block.kind is Kind.CODE and not block.continues_code
        self.has_foot = block.kind is Kind.CODE
        self.scrolled = 0.0
        self.marked = _marked(block)
        self._style = style
        self._footnotes = footnotes
        self._document: QuietDocument | None = None
        self._table: TableWidths | None = None  # of a block that is a table
        self._is_fixed = False  # the widths of its columns

    @property
    def is_code(self) -> bool:
        return self.block.kind is Kind.CODE

    @property
    def is_thought(self) -> bool:
        return self.block.kind is Kind.THOUGHT

    @property
    def head(self) -> int:
        """Points from the block's top to its text: the head of a card."""
        return CARD_HEAD + _CARD_ABOVE if self.has_head else 0

    @property
    def foot(self) -> int:
        """Points below the text: the end of a card."""
        return _CARD_BELOW if self.has_foot else 0

    def set_foot(self, has_foot: bool) -> None:
        """Say whether the code ends with this block; its height changes by that alone."""
        before = self.foot
        self.has_foot = has_foot and self.is_code
        self.height += self.foot - before

    @property
    def side(self) -> int:
        """Points from the block's left edge to its text."""
        if self.is_thought:
            return _RULE_LEFT
        return _CARD_LEFT if self.is_code else 0

    def estimate(self, width: float) -> None:
        """Guess the height from the number of characters."""
        role = TextRole.CODE if self.is_code else TextRole.SMALL if self.is_thought else TextRole.BODY
        text_style = self._style.text_style(role)
        per_line = characters_to_line(width - 2 * self.side, self._style)
        text = self.block.text
        is_unbroken = self.is_code and is_scrolled(text)
        lines = text.count("\n") + 1 if is_unbroken else estimated_lines(text, per_line)
        self.height = lines * text_style.line + self.head + self.foot
        self.is_exact = False

    def is_laid_out(self, width: float) -> bool:
        """Return whether the document is there at this width, so that painting costs nothing more."""
        return self._document is not None and self.is_exact and self._document.textWidth() == self._text_width(width)

    def lay_out(self, width: float) -> QuietDocument:
        """Return the document at this width, and measure the block. Costs nothing the second time."""
        document = self.document
        wanted = self._text_width(width)
        is_wide = wanted > width - 2 * self.side
        if is_wide is not self._is_fixed and self._table is not None:
            table, self._is_fixed = only_table(document), is_wide
            if table is not None:
                fix_columns(table, self._table.columns if is_wide else ())
        if document.textWidth() != wanted:
            document.setTextWidth(wanted)
            self.is_exact = False
        if not self.is_exact:
            self._measure(width)
        return document

    def _text_width(self, width: float) -> float:
        """Return the points that the text is set in: more than the column has, where a table would tear its words."""
        inner = width - 2 * self.side
        if self._table is None or self._table.least <= inner:
            return inner
        return max(inner, self._table.whole)

    @property
    def searched_text(self) -> str:
        """The text in which words are looked for; only of Markdown a document is made for it."""
        if self.block.kind is Kind.MARKDOWN:
            return searched_text(self.document)
        return shown(self.block.text)

    @property
    def can_scroll(self) -> bool:
        """Whether it may be wider than the column, and is moved sideways then."""
        return self.is_code or self._table is not None

    @property
    def text_start(self) -> int:
        """The position in the document where the block's own text begins, below the head of a table that it goes on."""
        return below_head(self.document) if self.block.state.head else 0

    @property
    def document(self) -> QuietDocument:
        """The document, whether or not it was laid out."""
        if self._document is None:
            self._document = self._make()
            self._keep_shapes(self._document)
            table = only_table(self._document) if self.block.kind is Kind.MARKDOWN else None
            self._table, self._is_fixed = None if table is None else table_widths(table, self._style), False
            self.is_exact = False
        return self._document

    def take(self, block: Block, width: float) -> float:
        """Become a longer or a closed version of the same block. What is already laid out is kept where it can be.

        Returns the points from above in which it looks as before.
        """
        old, self.block = self.block, block
        self.marked = _marked(block)
        before = self._document
        if before is None or before.textWidth() <= 0:
            self._document = None  # one that was made to copy from has the old text
            self.estimate(width)
            return 0.0
        last = self.line_top(before.characterCount() - 1, width)
        grown = block.text.removeprefix(old.text) if block.text.startswith(old.text) else None
        if grown is not None and (old.text.endswith("\r") or "\r" in grown):
            grown = None  # what is shown of a return depends on what follows it
        has_ended = block.is_closed is not old.is_closed
        breaks = self.is_code and is_scrolled(old.text) and not is_scrolled(block.text)
        is_prose = block.kind is Kind.MARKDOWN and adds_words(before, old.text, block.text)
        if grown is not None and not breaks and (self.is_thought or is_prose or (self.is_code and not has_ended)):
            self._append(grown)
        elif breaks or grown != "" or (has_ended and (self.is_code or "$" in block.text or "\\" in block.text)):
            self._document = None
        self.is_exact = False
        if self._document is not None:
            self._keep_shapes(self._document)
        after = self.lay_out(width)
        stays = not self.is_code if after is before else goes_on(before, after)
        return last if stays else 0.0

    def renew_formulas(self) -> bool:
        """Take in the formulas of which it is known now how they are drawn; returns whether there were any.

        The height stays what it was until the block is laid out.
        """
        document = self._document
        if document is None or not document.waiting:
            return False
        formulas = self._style.formulas
        known = [key for key in document.waiting if formulas.is_known(key[0], is_display=key[1])]
        if not known:
            return False
        if all(formulas.drawing(tex, is_display=is_display) is not None for tex, is_display in known):
            document.waiting = [key for key in document.waiting if key not in known]
            document.markContentsDirty(0, document.characterCount())
        else:
            self._document = None
        self.is_exact = False
        return True

    @property
    def footnotes(self) -> Footnotes:
        """The footnotes of the message, or those of the block alone."""
        return self._footnotes or Footnotes.of([self.marked], may_grow=False)

    def set_footnotes(self, footnotes: Footnotes) -> bool:
        """Take the footnotes of the message as they are now; returns whether those of this block are shown otherwise.

        The height stays what it was until the block is laid out.
        """
        old, self._footnotes = self.footnotes, footnotes
        if not footnotes.differ(old, self.marked):
            return False
        self._document, self.is_exact = None, False
        return True

    def drop_document(self) -> None:
        """Free the document of a block that is out of sight; its height stays."""
        self._document = None

    def paint(
        self,
        painter: QPainter,
        rect: QRectF,
        palette: QPalette,
        selection: tuple[int, int] | None,
        clip: QRectF,
        marks: Sequence[Mark] = (),
    ) -> None:
        """Draw the block in `rect`. selection: characters of its document. clip: what is visible, as rect.

        marks: places in it.
        """
        document = self.lay_out(rect.width())
        if self.is_code:
            self._paint_card(painter, rect)
        elif self.is_thought:
            painter.fillRect(QRectF(rect.left() + 1, rect.top(), _RULE, rect.height()), self._style.theme.line2)
        painter.save()
        origin = rect.topLeft() + QPointF(self.side - self.scrolled, self.head)
        if self.is_code:
            inside = QRectF(rect.left() + 1, rect.top(), rect.width() - 2, rect.height())
            painter.setClipRect(inside, Qt.ClipOperation.IntersectClip)
        elif self.overhang(rect.width()):
            painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
        painter.translate(origin)
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette = palette
        context.clip = clip.translated(-origin)
        marks = [mark.in_document(document) for mark in marks]
        shown_marks = mark_selections(document, marks, self._style.theme)
        if selection is not None:
            shown_marks.append(self._selected(document, selection))
        context.selections = shown_marks
        document.documentLayout().draw(painter, context)
        paint_marks(painter, document, marks, self._style.theme)
        paint_decorations(painter, document, self._style)
        painter.restore()
        if (self.has_foot or not self.is_code) and self.overhang(rect.width()):
            self._paint_bar(painter, rect)

    def overhang(self, width: float) -> float:
        """Return the points of code or of a table that do not fit; 0 where it is not laid out, or is broken."""
        if self._document is None or not self.can_scroll:
            return 0.0
        wanted = math.ceil(self._document.idealWidth()) if self.is_code else self._text_width(width)
        return max(0.0, wanted - (width - 2 * self.side))

    def _paint_bar(self, painter: QPainter, rect: QRectF) -> None:
        """Paint how much of it is in sight from the left to the right, and where that is."""
        inner = rect.width() - 2 * self.side
        whole = inner + max(self.overhang(rect.width()), self.scrolled)
        left = rect.left() + self.side + inner * self.scrolled / whole
        bar = QRectF(left, rect.bottom() - _BAR - 3, inner * inner / whole, _BAR)
        fill_rounded(painter, bar, _BAR / 2, self._style.theme.mute)

    def hit(self, at: QPointF, width: float) -> int:
        """Return the character nearest to a point; points are counted from the block's top left corner."""
        document = self.lay_out(width)
        return document.documentLayout().hitTest(self._inner(at), Qt.HitTestAccuracy.FuzzyHit)

    def link(self, at: QPointF, width: float) -> Link:
        """Return where the text at a point leads."""
        return link_of(self.lay_out(width).documentLayout().formatAt(self._inner(at)))

    def line_top(self, position: int, width: float) -> float:
        """Return the top of a character's line, in points from the block's top."""
        return self._line(position, width)[0]

    def line_bottom(self, position: int, width: float) -> float:
        """Return the bottom of a character's line, in points from the block's top."""
        return self._line(position, width)[1]

    def _line(self, position: int, width: float) -> tuple[float, float]:
        document = self.lay_out(width)
        position = min(position, document.characterCount() - 1)
        text_block = document.findBlock(position)
        line = text_block.layout().lineForTextPosition(position - text_block.position())
        rect = document.documentLayout().blockBoundingRect(text_block).translated(0, self.head)
        if not line.isValid():
            return rect.top(), rect.bottom()
        return rect.top() + line.y(), rect.top() + line.y() + line.height()

    def rects(self, first: int, last: int, width: float) -> list[QRectF]:
        """Return where characters stand, line by line, in points from the block's corner."""
        document, at = self.lay_out(width), QPointF(self.side - self.scrolled, self.head)
        return [rect.translated(at) for rect in mark_rects(document, first, last)]

    def end(self, width: float) -> QRectF:
        """Return where the next character would stand: a rectangle without width, in points from the block's corner."""
        document = self.lay_out(width)
        text_block = document.lastBlock()
        layout = text_block.layout()
        rect = document.documentLayout().blockBoundingRect(text_block)
        if not layout.lineCount():
            return QRectF(
                self.side - self.scrolled, rect.top() + self.head, 0, self._style.text_style(TextRole.BODY).line
            )
        line = layout.lineAt(layout.lineCount() - 1)
        left = layout.position().x() + _end_x(line, text_block)
        return QRectF(self.side - self.scrolled + left, self.head + rect.top() + line.y(), 0, line.height())

    def _make(self) -> QuietDocument:
        block = self.block
        if block.kind is Kind.CODE:
            before = block.state.before if block.is_closed else None
            language = "" if before is None else block.language
            return code_document(shown(block.text), language, self._style, shown(before or ""))
        if block.kind is Kind.THOUGHT:
            return thought_document(shown(block.text), self._style)
        if block.kind is Kind.PLAIN:
            return plain_document(shown(block.text), self._style)
        text = shown(markdown(block))
        document = markdown_document(text, self._style, is_growing=not block.is_closed, footnotes=self._footnotes)
        # Of many columns and few cells Qt makes no table: its rows are shown as they were written, and no head again.
        is_torn = bool(block.state.head) and not below_head(document)
        return plain_document(shown(block.text), self._style) if is_torn else document

    def _keep_shapes(self, document: QuietDocument) -> None:
        """Have the shapes of the letters kept of a paragraph that grows: it is measured and drawn again and again.

        Qt would find them anew each time, for all of the paragraph.
        """
        document.lastBlock().layout().setCacheEnabled(not self.block.is_closed)

    def _append(self, text: str) -> None:
        assert self._document is not None
        cursor = QTextCursor(self._document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.block().layout().setCacheEnabled("\n" not in text)
        cursor.insertText(shown(text))

    def _measure(self, width: float) -> None:
        assert self._document is not None
        below = self.foot if self.is_code or not self.overhang(width) else _BAR_ROOM
        self.height = self._document.size().height() + self.head + below
        self.is_exact = True

    def _inner(self, at: QPointF) -> QPointF:
        return at - QPointF(self.side - self.scrolled, self.head)

    def _selected(self, document: QuietDocument, selection: Sequence[int]) -> QAbstractTextDocumentLayout.Selection:
        cursor = QTextCursor(document)
        last = document.characterCount() - 1
        cursor.setPosition(min(selection[0], last))
        cursor.setPosition(min(selection[1], last), QTextCursor.MoveMode.KeepAnchor)
        char_format = QTextCharFormat()
        char_format.setBackground(self._style.theme.softline)
        result = QAbstractTextDocumentLayout.Selection()
        result.cursor = cursor
        result.format = char_format
        return result

    def _paint_card(self, painter: QPainter, rect: QRectF) -> None:
        """Paint the ground of code; that of a piece of longer code goes on above or below."""
        theme, text_style = self._style.theme, self._style.text_style(TextRole.CAP)
        above, below = (0 if self.has_head else 2 * _CARD_RADIUS), (0 if self.has_foot else 2 * _CARD_RADIUS)
        card = rect.adjusted(0, -above, 0, below)
        painter.save()
        painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
        fill_rounded(painter, card, _CARD_RADIUS, theme.code)
        stroke_rounded(painter, card, _CARD_RADIUS, theme.codeline)
        painter.restore()
        if self.has_head:
            painter.fillRect(QRectF(rect.left() + 1, rect.top() + CARD_HEAD, rect.width() - 2, 1), theme.codeline)
            head = QRectF(rect.left() + _CARD_LEFT, rect.top(), rect.width() - 2 * _CARD_LEFT - CARD_HEAD, CARD_HEAD)
            draw_text(painter, text_style, head, self.block.language or "code", theme.text3)


def _end_x(line: QTextLine, block: QTextBlock) -> float:
    """Return the abscissa of the end of a block's last line, which Qt knows where it is at the right of all words."""
    if block.textDirection() is Qt.LayoutDirection.LeftToRight and not block.text()[-1:].isspace():
        return line.x() + line.naturalTextWidth()
    return cursor_x(line, block.length() - 1)


def _marked(block: Block) -> Marked:
    """Return what a block has of footnotes and addresses."""
    return marked(shown(block.text), may_grow=not block.is_closed) if block.kind is Kind.MARKDOWN else Marked()


def characters_to_line(width: float, style: Style) -> int:
    """Estimate how many characters stand in a line at this width."""
    return max(8, int(width / (_CHARACTER * style.typography.body)))


def estimated_lines(text: str, per_line: int) -> int:
    """Estimate how many lines a text takes with so many characters to one: at least one for each of its own."""
    return text.count("\n") + len(text) // per_line + 1
