"""The selection of text, within one message or from one to another.

What is selected are words: where they come to stand elsewhere, as when a thought is opened above them or the Markdown
of a growing answer means something else, the selection goes with them. Where they are no more, nothing is selected.
"""

from __future__ import annotations

from collections.abc import Callable

from app.widgets.chat.markdown.document import QuietDocument
from app.widgets.chat.messages.message_body import MessageBody, Selection, TextPoint

_START, _END = TextPoint(0, 0), TextPoint(1 << 30, 1 << 30)
BodyOf = Callable[[int], MessageBody]


class TextSelection:
    """The selected text: between two positions, each a row and a point in its message.

    Rows keep their numbers while they are there: a path is only ever cut at its end and goes on from there.
    """

    def __init__(self, body_of: BodyOf) -> None:
        """body_of: returns the message of a row as it is now."""
        self._body_of = body_of
        self._anchor: _Position | None = None
        self._end: _Position | None = None

    def clear(self) -> None:
        """Select nothing."""
        self._anchor = self._end = None

    def forget_from(self, number: int) -> None:
        """Select nothing if a row from this one on is part of it."""
        if any(one.row >= number for one in self._ends):
            self.clear()

    def begin(self, row: int, point: TextPoint) -> None:
        """Put the anchor; nothing is selected until `extend`."""
        self._anchor = self._end = _Position(row, point, self._body_of(row))

    def extend(self, row: int, point: TextPoint) -> None:
        """Select from the anchor to a point, of the same message or another one."""
        self._end = _Position(row, point, self._body_of(row))

    def take(self, row: int, span: Selection) -> None:
        """Select this much of a message: a word, or all."""
        self.begin(row, span[0])
        self.extend(row, span[1])

    @property
    def is_begun(self) -> bool:
        """Whether there is an anchor."""
        return self._anchor is not None

    @property
    def rows(self) -> range:
        """The rows of which something is selected; none while nothing is."""
        return self._found(self._ends)

    def of(self, row: int) -> Selection | None:
        """Return from and to in reading order, or None where nothing of this row is selected."""
        if row not in self._found([one for one in self._ends if one.row == row]):
            return None
        first, last = self._ends
        return (first.point if row == first.row else _START), (last.point if row == last.row else _END)

    @property
    def _ends(self) -> list[_Position]:
        """Both ends in reading order, none without an anchor."""
        return [] if self._anchor is None or self._end is None else sorted((self._anchor, self._end), key=_order)

    def _found(self, positions: list[_Position]) -> range:
        """Return the rows of which something is selected. positions: those that are looked for where they stand now."""
        if not all(one.find(self._body_of(one.row)) for one in positions):
            self.clear()
        ends = self._ends
        return range(ends[0].row, ends[1].row + 1) if ends and _order(ends[0]) != _order(ends[1]) else range(0)


class _Position:
    """A position in a message that is found again by the words before it.

    Attributes: row; point, where it stands now.
    """

    def __init__(self, row: int, point: TextPoint, body: MessageBody) -> None:
        self.row, self.point = row, point
        self._is_known = bool(body.segments) and point.block < body.numbers_of(len(body.segments) - 1).stop
        if self._is_known:
            segment = body.segments[body.segment_of(point.block)]
            self._kind, self._before = segment.kind, segment.text[: body.source_start(point.block)]
            self._document = body.document(point.block)
            self._words = _words(self._document, point)

    def find(self, body: MessageBody) -> bool:
        """Look where it stands in the message as it is now; False where its words are not there."""
        if not self._is_known:
            return True
        count = body.numbers_of(len(body.segments) - 1).stop if body.segments else 0
        if self.point.block < count and body.document(self.point.block) is self._document:
            return True
        for number in self._blocks(body):
            document, point = body.document(number), TextPoint(number, self.point.position)
            if document is self._document or _words(document, point) == self._words:
                self._document, self.point = document, point
                return True
        return False

    def _blocks(self, body: MessageBody) -> list[int]:
        """Return the blocks that begin after the same text, that with the same number before others."""
        found = list[int]()
        for number, segment in enumerate(body.segments):
            if segment.kind is self._kind and segment.text.startswith(self._before):
                blocks = body.numbers_of(number)
                found += [one for one in blocks if body.source_start(one) == len(self._before)]
        return sorted(found, key=lambda number: number != self.point.block)


def _order(position: _Position) -> tuple[int, TextPoint]:
    return position.row, position.point


def _words(document: QuietDocument, point: TextPoint) -> bytes | None:
    """Return the text of a block up to a point, by positions of Qt; None where that is all of it, however much."""
    if point.position == _END.position:
        return None
    return document.toPlainText().encode("utf-16-le", "surrogatepass")[: 2 * point.position]
