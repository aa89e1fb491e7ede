"""Where the tokens of an answer stand in its message, as it is laid out; found for what is looked at, and kept."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF

from app.viewmodels.chat.rows import SegmentKind
from app.viewmodels.tokens.answer_tokens import AnswerTokens, Certainty
from app.widgets.chat.markdown.document import QuietDocument
from app.widgets.chat.markdown.marks import Mark, Underline
from app.widgets.chat.messages.message_body import TextPoint
from app.widgets.chat.messages.row_item import RowItem
from app.widgets.chat.tokens.shown_text import ShownText, shown_text
from app.widgets.kit.style import Style

_UNDERLINES = {
    Certainty.SURE: Underline.NONE,
    Certainty.UNSURE: Underline.THIN,
    Certainty.DOUBTFUL: Underline.MIDDLE,
    Certainty.RARE: Underline.THICK,
    Certainty.BELOW: Underline.DASHED,
    Certainty.GIVEN: Underline.DOTTED,
}
_MOST_KEPT = 64  # blocks


class BlockRange(NamedTuple):
    """A token in its message: which block, and from and to in its document; the same twice for one that is not seen."""

    block: int
    first: int
    last: int

    @property
    def point(self) -> TextPoint:
        """The character that it begins with."""
        return TextPoint(self.block, self.first)


class TokenPlaces:
    """The places of one answer's tokens."""

    def __init__(self, tokens: AnswerTokens, style: Style) -> None:
        self.tokens = tokens
        self._style = style
        self._shown: dict[int, tuple[QuietDocument, ShownText]] = {}

    def place(self, item: RowItem, number: int) -> BlockRange | None:
        """Return where a token stands; None in a thought that is folded, and in an answer without words."""
        start, end = self.tokens.span(number)
        segment = self._segment(item, is_thinking=self.tokens.choices[number].is_thinking)
        numbers = range(0) if segment is None else item.body.numbers_of(segment)
        if not numbers:
            return None
        starts = [item.body.source_start(one) for one in numbers]
        at = max(0, bisect_right(starts, start) - 1)
        place = self._in_block(item, numbers[at], start, end)
        for number, its_start in zip(numbers[at + 1 :], starts[at + 1 :], strict=True):
            if place.first < place.last or its_start >= end:
                break
            place = self._in_block(item, number, start, end)
        return place

    def rects(self, item: RowItem, place: BlockRange) -> list[QRectF]:
        """Return where a token is seen, line by line, in points from the row's corner."""
        return [rect.translated(item.text.topLeft()) for rect in item.body.rects(*place)]

    def token_at(self, item: RowItem, point: TextPoint, at: QPointF) -> int | None:
        """Return the token that is seen at a place in a row. point: the character nearest to it."""
        kind = item.row.shown[item.body.segment_of(point.block)].kind
        shown = self._shown_of(item, point.block)
        for position in (point.position, point.position - 1):
            if position < 0:
                continue
            number = self.tokens.at(shown.character(position), is_thinking=kind is SegmentKind.THINKING)
            if number is None:
                continue
            place = self._in_block(item, point.block, *self.tokens.span(number))
            if any(rect.contains(at) for rect in self.rects(item, place)):
                return number
        return None

    def marks(self, item: RowItem, block: int, current: int) -> Iterator[Mark]:
        """Yield the marks of the tokens in a block. current: the one that is looked at, -1 for none."""
        shown = self._shown_of(item, block)
        is_thinking = item.row.shown[item.body.segment_of(block)].kind is SegmentKind.THINKING
        for number in self.tokens.within(*shown.range, is_thinking=is_thinking):
            underline = _UNDERLINES[self.tokens.certainty(number)]
            is_current = number == current
            if underline is Underline.NONE and not is_current:
                continue
            place = self._in_block(item, block, *self.tokens.span(number))
            if place.first < place.last or is_current:
                yield Mark(place.first, place.last, is_current, underline)

    def _in_block(self, item: RowItem, block: int, start: int, end: int) -> BlockRange:
        """Return the place of some characters, without the blanks at their ends unless they are nothing else."""
        shown, document = self._shown_of(item, block), item.body.block(block).document
        first, last = shown.span(start, end)
        while first < last - 1 and document.characterAt(first).isspace():
            first += 1
        while first < last - 1 and document.characterAt(last - 1).isspace():
            last -= 1
        return BlockRange(block, first, last)

    def _segment(self, item: RowItem, *, is_thinking: bool) -> int | None:
        kinds = [segment.kind for segment in item.row.shown]
        kind = SegmentKind.THINKING if is_thinking else SegmentKind.MARKDOWN
        return kinds.index(kind) if kind in kinds else None

    def _shown_of(self, item: RowItem, number: int) -> ShownText:
        laid = item.body.block(number)
        known = self._shown.get(number)
        if known is not None and known[0] is laid.document:
            return known[1]
        message = item.row.shown[item.body.segment_of(number)].text
        found = shown_text(message, laid.block, laid.document, self._style, laid.footnotes)
        self._shown.pop(number, None)
        self._shown[number] = laid.document, found
        while len(self._shown) > _MOST_KEPT:
            del self._shown[next(iter(self._shown))]
        return found


class TokenMarks(Mapping[int, Sequence[Mark]]):
    """The marks of an answer's tokens by block, each found when it is painted. others: marks of something else."""

    def __init__(self, places: TokenPlaces, item: RowItem, current: int, others: Mapping[int, Sequence[Mark]]) -> None:
        self._places, self._item, self._current, self._others = places, item, current, others

    def __getitem__(self, block: int) -> Sequence[Mark]:
        return [*self._others.get(block, ()), *self._places.marks(self._item, block, self._current)]

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))

    def __len__(self) -> int:
        return self._item.body.numbers_of(len(self._item.row.shown) - 1).stop
