"""The segments of one message, laid out block by block where they are seen.

Until it is seen its height is an estimate. A text that grows lays out its last block again and nothing before it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, takewhile
from operator import eq
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPalette, QTextCursor

from app.protocol.excerpts import first_words
from app.viewmodels.chat.rows import Segment
from app.widgets.chat.markdown.blocks import Block, Kind
from app.widgets.chat.markdown.copied import selected_text
from app.widgets.chat.markdown.document import QuietDocument, shown
from app.widgets.chat.markdown.footnotes import FootnoteMark, Footnotes, Link
from app.widgets.chat.markdown.marks import NO_MARKS, BlockMarks
from app.widgets.chat.markdown.searched import shown_place
from app.widgets.chat.markdown.written import fenced, written_markdown
from app.widgets.chat.messages.block_layout import (
    CARD_HEAD,
    Allowance,
    BlockLayout,
    characters_to_line,
    estimated_lines,
)
from app.widgets.chat.messages.passages import Passage, PassageKind, find_links, find_passages, rows_of
from app.widgets.chat.messages.segment_layout import blocks_of, goes_on, rest_of
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_PARAGRAPH, _AFTER_HEADING, _BEFORE_HEADING, _AROUND_CODE, _WITHIN = 12, 6, 20, 14, 4
_MOST_LAID = 256  # documents of one message that are kept
_LONGEST_TIP = 300  # characters of a note
_ALL = 1 << 30


class TextPoint(NamedTuple):
    """A place in a message: which block, and which character of its document. Points compare in reading order."""

    block: int
    position: int


Selection = tuple[TextPoint, TextPoint]  # from and to, in reading order


class Card(NamedTuple):
    """A piece of code whose beginning is in sight: its head, in points from the body's corner, and what Copy copies."""

    block: int
    head: QRectF
    code: Callable[[], str]
    language: str


class MessageBody:
    """A message as it is laid out. All coordinates are in points from its corner. Attribute: segments, shown now."""

    def __init__(self, segments: Sequence[Segment], style: Style, *, is_growing: bool = False) -> None:
        """is_growing: whether more of it is being written."""
        self.segments = segments
        self._is_growing = is_growing
        self._style = style
        self._width = 0.0
        self._blocks: list[BlockLayout] | None = None
        self._firsts: list[int] = []  # of each segment, the number of its first block
        self._ends = [0.0]
        self._changed = (0, 0.0)  # the first block that looks otherwise since that was asked, and where in it
        self._laid: dict[BlockLayout, None] = {}
        self._rough = 0.0
        self._footnotes = Footnotes()
        self._passages: list[Passage] | None = None
        self._links: list[Passage] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been said yet."""
        return not any(segment.text for segment in self.segments)

    @property
    def height(self) -> float:
        """The height in points; exact for what was seen at this width."""
        return self._rough if self._blocks is None else self._end_of(len(self._blocks) - 1)

    @property
    def is_measured(self) -> bool:
        """Whether the end of it is laid out, so that its height is no estimate."""
        blocks = self._blocks or ()
        return len(blocks) > 0 and blocks[-1].is_laid_out(self._width)

    def set_width(self, width: float) -> None:
        """Take another width, in points: heights become estimates again."""
        if width == self._width:
            return
        self._width = width
        self._rough = self._guess()
        for laid in self._blocks or ():
            laid.estimate(width)
        self._forget_from(0)

    def set_segments(self, segments: Sequence[Segment], *, is_growing: bool = False) -> None:
        """Show other segments. Those that stay, and the beginning of one that goes on, are not laid out again."""
        self._is_growing = is_growing
        if segments != self.segments:
            self._take(segments)
        if self._blocks is not None:
            self._end_blocks(self._blocks)
            self._renew_footnotes(self._blocks)

    def _take(self, segments: Sequence[Segment]) -> None:
        self._passages = self._links = None
        old, self.segments = self.segments, segments
        kept = sum(takewhile(bool, map(eq, old, segments)))
        grown = kept == len(old) - 1 and kept < len(segments) and goes_on(old[kept], segments[kept])
        if self._blocks is None or not (kept or grown):
            self._blocks = None
            self._laid.clear()
            self._forget_from(0)
            self._rough = self._guess()
            return
        if grown:
            self._extend(segments[kept])
        else:
            self._cut(kept)
        for number in range(kept + grown, len(segments)):
            self._add_segment(number)

    def settle(self, top: float, bottom: float, allowance: Allowance | None = None) -> bool:
        """Measure the blocks between two heights, as far as is allowed. Returns whether the body's height changed."""
        before = self.height
        blocks = self._split()
        number = self._block_at(top)
        while number < len(blocks) and self._top_of(number) < bottom:
            is_ready = allowance is None or blocks[number].is_laid_out(self._width)
            if not is_ready and allowance is not None and not allowance.grants(blocks[number]):
                break
            self._lay_out(number)
            number += 1
        return abs(self.height - before) > 0.01

    def exact_block(self, top: float, bottom: float) -> int | None:
        """Return the first block between two heights that is measured, and so will not move by being measured."""
        if self._blocks is None:
            return None
        for number, laid, _rect in self._placed(top, bottom):
            if laid.is_exact:
                return number
        return None

    def top_of(self, number: int) -> float:
        """Return the top of a block."""
        return self._top_of(number)

    def take_changed(self) -> float:
        """Return the height above which everything looks as it did when this was asked last."""
        blocks, (number, kept) = self._split(), self._changed
        self._changed = (len(blocks), 0.0)
        return self._top_of(number) + kept if number < len(blocks) else self._end_of(len(blocks) - 1)

    def renew_formulas(self) -> bool:
        """Take in the formulas of which it is known now how they are drawn; returns whether there were any."""
        self._passages = self._links = None
        return sum(laid.renew_formulas() for laid in self._laid) > 0

    def drop_documents(self) -> None:
        """Free what is only needed in sight."""
        for laid in self._laid:
            laid.drop_document()
        self._laid.clear()

    def paint(
        self,
        painter: QPainter,
        at: QPointF,
        palette: QPalette,
        clip: QRectF,
        selection: tuple[TextPoint, TextPoint] | None,
        marks: BlockMarks = NO_MARKS,
    ) -> None:
        """Draw what lies in `clip` with the body's corner at `at`.

        selection: from and to, in reading order. marks: marked places, by block.
        """
        for number, laid, rect in self._placed(clip.top() - at.y(), clip.bottom() - at.y()):
            # What is not measured yet may not be as high as it seems: it waits for `settle`.
            if laid.is_exact:
                self._lay_out(number)
                selected, marked = _in_block(number, selection), marks.get(number, ())
                laid.paint(painter, rect.translated(at), palette, selected, clip, marked)

    def point_at(self, at: QPointF) -> TextPoint | None:
        """Return the character nearest to a point, or None for an empty body."""
        blocks = self._split()
        if not blocks:
            return None
        number = min(self._block_at(at.y()), len(blocks) - 1)
        if number and at.y() < self._top_of(number):
            number -= 1
        laid = self._lay_out(number)
        return TextPoint(number, laid.hit(at - QPointF(0, self._top_of(number)), self._width))

    def line_top(self, point: TextPoint) -> float:
        """Return the top of a character's line. Lays out its block alone; those before it may still be estimates."""
        number = min(point.block, len(self._split()) - 1)
        return self._lay_out(number).line_top(point.position, self._width) + self._top_of(number)

    def shown_position(self, number: int, at: int) -> int:
        """Return where in the document of a block a position of its searched text is shown."""
        laid = self._split()[number]
        return shown_place(laid.document, at, at)[0] if laid.block.kind is Kind.MARKDOWN else at

    def block_number(self, segment: int, block: int) -> int:
        """Return the number that a block of a segment has among all blocks."""
        self._split()
        return self._firsts[segment] + block

    def numbers_of(self, segment: int) -> range:
        """Return the numbers of the blocks that a segment is laid out in."""
        blocks = self._split()
        return range(self._firsts[segment], [*self._firsts, len(blocks)][segment + 1])

    def segment_of(self, number: int) -> int:
        """Return which segment a block is of."""
        self._split()
        return bisect_right(self._firsts, number) - 1

    def source_start(self, number: int) -> int:
        """Return where in its segment the source of a block begins."""
        return self._split()[number].block.start

    def block(self, number: int) -> BlockLayout:
        """Return a block as it is laid out."""
        return self._lay_out(number)

    def document(self, number: int) -> QuietDocument:
        """Return the document of a block, whether or not it was laid out."""
        return self._split()[number].document

    def rects(self, number: int, first: int, last: int) -> list[QRectF]:
        """Return where characters of a block stand, line by line. Blocks before it may still be estimates."""
        laid, top = self._lay_out(number), self._top_of(number)
        return [rect.translated(0, top) for rect in laid.rects(first, last, self._width)]

    def link_at(self, at: QPointF) -> Link:
        """Return where the text at a point leads."""
        for _, laid, rect in self._placed(at.y(), at.y() + 1):
            if rect.contains(at):
                return laid.link(at - rect.topLeft(), self._width)
        return ""

    def cards(self, top: float, bottom: float) -> list[Card]:
        """Yield the pieces of code between two heights."""
        if self._blocks is None:
            return []
        return [
            Card(
                number, QRectF(0, rect.top(), rect.width(), CARD_HEAD), partial(self._code, number), laid.block.language
            )
            for number, laid, rect in self._placed(top, bottom)
            if laid.has_head
        ]

    def wide_at(self, y: float) -> int | None:
        """Return the first block of the code at a height, or the table there; None where there is neither."""
        for number, laid, rect in self._placed(y, y + 1):
            if laid.can_scroll and rect.top() <= y < rect.bottom():
                while self._split()[number].block.continues_code:
                    number -= 1
                return number
        return None

    def scroll_wide(self, number: int, by: float) -> bool:
        """Move the code that begins with a block, or a table, to the left; False where it does not move."""
        pieces = list(self._code_pieces(number))
        most = max(laid.overhang(self._width) for laid in pieces)
        wanted = min(max(0.0, pieces[0].scrolled + by), most)
        has_moved = wanted != pieces[0].scrolled
        for laid in pieces:
            laid.scrolled = wanted
        return has_moved

    def end(self) -> QRectF:
        """Return where the next character would stand."""
        blocks = self._split()
        if not blocks:
            return QRectF(0, 0, 0, self._style.text_style(TextRole.BODY).line)
        return self._lay_out(len(blocks) - 1).end(self._width).translated(0, self._top_of(len(blocks) - 1))

    def selected_text(self, first: TextPoint, last: TextPoint) -> str:
        """Return the plain text between two points in reading order, with what divides its blocks."""
        return "".join(self.selected_pieces(first, last, as_markdown=False))

    def selected_markdown(self, first: TextPoint, last: TextPoint) -> str:
        """Return the Markdown between two points: typed text as it is, code between fences."""
        return "".join(self.selected_pieces(first, last, as_markdown=True))

    def selected_pieces(self, first: TextPoint, last: TextPoint, *, as_markdown: bool) -> Iterator[str]:
        """Return what is selected block by block, as it is now: a long message is copied between events."""
        return self._pieces(list(self._split()), (first, last), as_markdown=as_markdown)

    def _pieces(self, blocks: Sequence[BlockLayout], selection: Selection, *, as_markdown: bool) -> Iterator[str]:
        number, last, is_begun = selection[0].block, selection[1], False
        while number < min(last.block + 1, len(blocks)):
            end = number + 1
            while as_markdown and end < len(blocks) and end <= last.block and blocks[end].block.continues_code:
                end += 1
            tell = self._markdown_of if as_markdown else self._text_in
            piece = tell(blocks[number:end], number, selection)
            if piece is not None:
                joint = _joint(blocks[number].block) if as_markdown else blocks[number].block.joint
                yield f"{joint if is_begun else ''}{piece}"
                is_begun = True
            number = end

    def _text_in(self, blocks: Sequence[BlockLayout], number: int, selection: Selection) -> str | None:
        """Return the text of a block, as far as it is selected."""
        span = _in_block(number, selection)
        if span is None:
            return None
        is_part = selection[0].block < selection[1].block
        return self._text_of(blocks[0], max(span[0], blocks[0].text_start), span[1], is_part=is_part)

    def _markdown_of(self, blocks: Sequence[BlockLayout], number: int, selection: Selection) -> str | None:
        """Return the Markdown of one block, or of all pieces of one code, as far as it is selected."""
        laid, span = blocks[0], _in_block(number, selection)
        if laid.is_code:
            spans = [(one, _in_block(at, selection)) for at, one in enumerate(blocks, number)]
            texts = [self._text_of(one, *its) for one, its in spans if its is not None]
            return fenced("\n".join(texts), laid.block.language) if texts else None
        if span is None:
            return None
        if laid.block.kind is not Kind.MARKDOWN:
            return self._text_of(laid, *span)
        if span == (0, _ALL):
            return laid.block.text
        document = laid.document
        is_whole = span[0] == 0 and span[1] >= document.characterCount() - 1
        return laid.block.text if is_whole else written_markdown(document, *span)

    def passages(self) -> list[Passage]:
        """Return what one reads one after the other."""
        if self._passages is None:
            self._passages = list(find_passages(self._split()))
        return self._passages

    def links(self) -> list[Passage]:
        """Return the links in reading order."""
        if self._links is None:
            self._links = list(find_links(self._split()))
        return self._links

    def footnote(self, mark: FootnoteMark, at: tuple[int, int] = (0, 0)) -> Passage | None:
        """Return the place of a footnote's mark, None where it is not shown. at: of several the last that begins there.

        Without one that does, it is the first.
        """
        blocks = [(number, laid) for number, laid in enumerate(self._split()) if mark in laid.marked.marks]
        found = [link for number, laid in blocks for link in find_links([laid], number) if link.link == mark]
        return next((link for link in reversed(found) if link.first <= at), next(iter(found), None))

    def passage_around(self, place: Passage) -> Passage:
        """Return the passage that a place in the message lies in."""
        return next((one for one in self.passages() if one.first <= place.first < one.last), place)

    def link_tip(self, link: Link) -> str:
        """Return what a tip says of a link: its address, or the words of the note that it leads to."""
        if isinstance(link, str):
            return link
        note = None if link.is_note else self.footnote(link.other)
        if note is None:
            return link.says
        around = self.passage_around(note)
        return first_words(self.selected_text(TextPoint(*around.first), TextPoint(*around.last)), _LONGEST_TIP)

    def table_rows(self, passage: Passage) -> list[Passage]:
        """Return the rows of a passage that is a table, none of others."""
        if passage.kind is not PassageKind.TABLE:
            return []
        return rows_of(passage, self._split()[passage.first[0]].document)

    def passage_rect(self, passage: Passage) -> QRectF:
        """Return the place of a passage, as wide as the body; its blocks are laid out."""
        top = self.line_top(TextPoint(*passage.first))
        last = min(passage.last[0], len(self._split()) - 1)
        laid = self._lay_out(last)
        height = laid.line_bottom(passage.last[1], self._width) + self._top_of(last) - top
        return QRectF(0, top, self._width, height)

    def word_at(self, point: TextPoint) -> Selection:
        """Return the first and last point of the word around a point."""
        cursor = QTextCursor(self._split()[point.block].document)
        cursor.setPosition(point.position)
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        return TextPoint(point.block, cursor.selectionStart()), TextPoint(point.block, cursor.selectionEnd())

    def all_of_it(self) -> Selection:
        """Return the points before the first and after the last character."""
        last = len(self._split()) - 1
        return TextPoint(0, 0), TextPoint(max(last, 0), _ALL if last >= 0 else 0)

    def _text_of(self, laid: BlockLayout, start: int, end: int, *, is_part: bool = False) -> str:
        """Return text of one block. A whole one is not laid out for that, unless it is Markdown."""
        if laid.block.kind is not Kind.MARKDOWN and start == 0 and end == _ALL:
            return shown(laid.block.text)
        text = selected_text(laid.document, start, end, is_part=is_part)
        if laid not in self._laid:
            laid.drop_document()
        return text

    def _code(self, number: int) -> str:
        """Return all pieces of the code that begins with a block."""
        first, *rest = self._code_pieces(number)
        return "".join([first.block.text, *(part for laid in rest for part in (laid.block.joint, laid.block.text))])

    def _code_pieces(self, number: int) -> Iterator[BlockLayout]:
        """Yield the block that begins a piece of code, and those that continue it."""
        blocks = self._split()
        yield blocks[number]
        yield from takewhile(lambda laid: laid.block.continues_code, islice(blocks, number + 1, None))

    def _guess(self) -> float:
        per_line = characters_to_line(self._width, self._style)
        return guessed_lines(self.segments, per_line) * self._style.text_style(TextRole.BODY).line

    def _split(self) -> list[BlockLayout]:
        if self._blocks is None:
            self._blocks, self._firsts = [], []
            for number in range(len(self.segments)):
                self._add_segment(number)
            self._end_blocks(self._blocks)
            self._renew_footnotes(self._blocks)
        return self._blocks

    def _renew_footnotes(self, blocks: list[BlockLayout]) -> None:
        """Have all marks of footnotes lead to the notes that there are now."""
        now = Footnotes.of((laid.marked for laid in blocks), may_grow=self._is_growing)
        if now == self._footnotes:
            return
        self._footnotes = now
        for number, laid in enumerate(blocks):
            if laid.set_footnotes(now):
                self._passages = self._links = None
                self._changed = min(self._changed, (number, 0.0))

    def _end_blocks(self, blocks: list[BlockLayout]) -> None:
        """Lay out the last block as one that grows, if it does."""
        is_of_last = bool(blocks) and len(blocks) > self._firsts[-1]
        self._close_last(blocks, is_closed=not (self._is_growing and is_of_last))

    def _close_last(self, blocks: list[BlockLayout], *, is_closed: bool = True) -> None:
        if blocks and blocks[-1].block.is_closed is not is_closed:
            self._passages = self._links = None
            kept = blocks[-1].take(replace(blocks[-1].block, is_closed=is_closed), self._width)
            self._forget_from(len(blocks) - 1, kept)

    def _add_segment(self, number: int) -> None:
        """Add the blocks of a segment after those of the segments before it, which do not grow any more."""
        assert self._blocks is not None
        self._close_last(self._blocks)
        self._firsts.append(len(self._blocks))
        self._add(blocks_of(self.segments[number], is_first=not self._blocks))

    def _add(self, blocks: list[Block]) -> None:
        assert self._blocks is not None
        for block in blocks:
            last = self._blocks[-1] if self._blocks else None
            is_in_segment = len(self._blocks) > self._firsts[-1]
            above = 0 if last is None else _space(last.block, block, is_in_segment=is_in_segment)
            laid = BlockLayout(block, above, self._style, self._footnotes)
            laid.estimate(self._width)
            if last is not None and block.continues_code:
                laid.scrolled = last.scrolled
            if last is not None and block.continues_code:
                last.set_foot(False)
                self._forget_from(len(self._blocks) - 1)
            self._blocks.append(laid)

    def _extend(self, segment: Segment) -> None:
        """Cut the last segment from its open block on again; that block takes its new text, what follows is added."""
        assert self._blocks is not None
        if len(self._blocks) == self._firsts[-1]:
            self._add(blocks_of(segment, is_first=not self._blocks))
            return
        tail = self._blocks[-1]
        new = rest_of(segment, tail.block)
        if new and new[0].kind is tail.block.kind:
            self._forget_from(len(self._blocks) - 1, tail.take(new[0], self._width))
            self._note(tail)
            self._add(new[1:])
            return
        self._laid.pop(self._blocks.pop(), None)
        self._forget_from(len(self._blocks))
        if self._blocks:
            self._blocks[-1].set_foot(True)
            self._forget_from(len(self._blocks) - 1)
        self._add(new)

    def _cut(self, count: int) -> None:
        """Keep the first so many segments."""
        assert self._blocks is not None
        if count == len(self._firsts):
            return
        first = self._firsts[count]
        for laid in self._blocks[first:]:
            self._laid.pop(laid, None)
        del self._firsts[count:], self._blocks[first:]
        self._forget_from(first)

    # Where blocks stand

    def _end_of(self, number: int) -> float:
        """Return where a block ends; that of -1 is the top."""
        assert self._blocks is not None
        while len(self._ends) <= number + 1:
            laid = self._blocks[len(self._ends) - 1]
            self._ends.append(self._ends[-1] + laid.above + laid.height)
        return self._ends[number + 1]

    def _top_of(self, number: int) -> float:
        assert self._blocks is not None
        return self._end_of(number - 1) + self._blocks[number].above

    def _block_at(self, y: float) -> int:
        """Return the first block that ends below a height."""
        self._end_of(len(self._split()) - 1)
        return max(0, bisect_right(self._ends, y) - 1)

    def _forget_from(self, number: int, kept: float = 0.0) -> None:
        """Forget where this block and those after it end. kept: points of it from above that look as before."""
        del self._ends[number + 1 :]
        self._changed = min(self._changed, (number, kept))

    def _placed(self, top: float, bottom: float) -> Iterator[tuple[int, BlockLayout, QRectF]]:
        """Yield the blocks between two heights, with their places."""
        blocks = self._split()
        for number in range(self._block_at(top), len(blocks)):
            rect = QRectF(0, self._top_of(number), self._width, blocks[number].height)
            if rect.top() >= bottom:
                return
            yield number, blocks[number], rect

    def _lay_out(self, number: int) -> BlockLayout:
        laid, before = self._split()[number], self._split()[number].height
        laid.lay_out(self._width)
        self._note(laid)
        if laid.height != before:
            self._forget_from(number)
        return laid

    def _note(self, laid: BlockLayout) -> None:
        """Keep the documents that were used last, and free the others."""
        self._laid.pop(laid, None)
        self._laid[laid] = None
        while len(self._laid) > _MOST_LAID:
            first = next(iter(self._laid))
            del self._laid[first]
            first.drop_document()


def guessed_lines(segments: Sequence[Segment], per_line: int) -> int:
    """Estimate how many lines an unseen message takes, with so many characters to one."""
    return sum([estimated_lines(text, per_line) for _kind, text, _language in segments if text and not text.isspace()])


def _in_block(number: int, selection: Selection | None) -> tuple[int, int] | None:
    """Return what of a selection lies in a block, in characters; one in the middle is selected whole."""
    if selection is None or not selection[0].block <= number <= selection[1].block:
        return None
    first, last = selection
    start = first.position if number == first.block else 0
    end = last.position if number == last.block else _ALL
    return (start, end) if start < end else None


def _joint(block: Block) -> str:
    """Return what divides a block from the one before it: Markdown and code need a blank line."""
    return block.joint if block.kind in (Kind.PLAIN, Kind.THOUGHT) or block.state.head else "\n\n"


def _space(before: Block, block: Block, *, is_in_segment: bool) -> int:
    """Return the points between two blocks. is_in_segment: of the same one."""
    are_typed = block.kind is before.kind and block.kind in (Kind.PLAIN, Kind.THOUGHT)
    if block.continues_code or (are_typed and is_in_segment):
        return 0
    if Kind.CODE in (before.kind, block.kind):
        return _AROUND_CODE
    if block.text.startswith("#"):
        return _BEFORE_HEADING
    if block.joint != "\n\n" and before.kind is Kind.MARKDOWN:
        return _WITHIN
    return _AFTER_HEADING if before.text.startswith("#") and "\n" not in before.text else _PARAGRAPH
