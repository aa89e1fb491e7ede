"""The text of one message, laid out part by part where it is seen.

Until it is seen its height is an estimate. A text that grows lays out its last part again and nothing before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPalette, QTextCursor

from app.widgets.chat.laid_part import CARD_HEAD, LaidPart, estimated_lines
from app.widgets.chat.parts import Kind, Part, split, split_plain
from app.widgets.look import Look
from app.widgets.typography import Type

_PARAGRAPH, _AFTER_HEADING, _BEFORE_HEADING, _AROUND_CODE = 12, 6, 20, 14


class TextPoint(NamedTuple):
    """A place in a message: which part, and the character in that part's document. Points compare in reading order."""

    part: int
    position: int


# From and to, in reading order.
Selection = tuple[TextPoint, TextPoint]


class Card(NamedTuple):
    """A piece of code that is in sight: its head, in points from the body's corner, and what Copy copies."""

    part: int
    head: QRectF
    code: str
    language: str


class Body:
    """Text of a message. is_plain: as it was typed, not Markdown. All coordinates are in points from its corner."""

    def __init__(self, text: str, look: Look, *, is_plain: bool) -> None:
        self.text = text
        self._look = look
        self._is_plain = is_plain
        self._width = 0.0
        self._parts: list[LaidPart] | None = None
        self._rough = 0.0

    @property
    def height(self) -> float:
        """In points; exact for what was seen at this width."""
        if self._parts is None:
            return self._rough
        return sum(part.above + part.height for part in self._parts)

    @property
    def is_empty(self) -> bool:
        return not self.text.strip()

    def set_width(self, width: float) -> None:
        """Take another width, in points: heights become estimates again."""
        if width == self._width:
            return
        self._width = width
        self._rough = 0 if self.is_empty else self._guess()
        for part in self._parts or ():
            part.estimate(width)

    def set_text(self, text: str) -> None:
        """Show another text. One that continues the old one lays out only what is new."""
        if text == self.text:
            return
        if not self._is_plain and self._parts is not None and text.startswith(self.text):
            self.text = text
            self._extend()
        else:
            self.text = text
            self._parts = None
            self._rough = 0 if self.is_empty else self._guess()

    def settle(self, top: float, bottom: float) -> bool:
        """Measure all parts between two heights. Returns whether the body's height changed."""
        before = self.height
        y = 0.0
        for part in self._split():
            y += part.above
            if y < bottom and y + part.height > top:
                part.lay_out(self._width)
            y += part.height
        return abs(self.height - before) > 0.01

    def exact_part(self, top: float) -> int | None:
        """The first part below a height that is measured, and so will not move by being measured."""
        if self._parts is None:
            return None
        for number, part, rect in self._placed():
            if part.is_exact and rect.bottom() > top:
                return number
        return None

    def top_of(self, number: int) -> float:
        """Where a part begins."""
        return next(rect.top() for index, _, rect in self._placed() if index == number)

    def drop_documents(self) -> None:
        """Free what is only needed in sight."""
        for part in self._parts or ():
            part.drop_document()

    def paint(
        self,
        painter: QPainter,
        at: QPointF,
        palette: QPalette,
        clip: QRectF,
        selection: tuple[TextPoint, TextPoint] | None,
    ) -> None:
        """Draw what lies in `clip` with the body's corner at `at`. selection: from and to, in reading order."""
        for number, part, rect in self._placed():
            rect = rect.translated(at)
            if rect.intersects(clip):
                part.paint(painter, rect, palette, _in_part(number, selection), clip)

    def point_at(self, at: QPointF) -> TextPoint | None:
        """The character nearest to a place, or None for an empty body."""
        best: TextPoint | None = None
        for number, part, rect in self._placed():
            if best is None or at.y() >= rect.top():
                best = TextPoint(number, part.hit(at - rect.topLeft(), self._width))
        return best

    def link_at(self, at: QPointF) -> str:
        """The address of the link at a place, or nothing."""
        for _, part, rect in self._placed():
            if rect.contains(at):
                return part.link(at - rect.topLeft(), self._width)
        return ""

    def cards(self, top: float, bottom: float) -> list[Card]:
        """The pieces of code between two heights."""
        if self._parts is None:
            return []
        return [
            Card(number, QRectF(rect.left(), rect.top(), rect.width(), CARD_HEAD), part.part.text, part.part.language)
            for number, part, rect in self._placed()
            if part.is_code and rect.top() < bottom and rect.bottom() > top
        ]

    def end(self) -> QRectF:
        """Where the next character would stand."""
        placed = list(self._placed())
        if not placed:
            return QRectF(0, 0, 0, self._look.face(Type.BODY).line)
        _, part, rect = placed[-1]
        return part.end(self._width).translated(rect.topLeft())

    def selected_text(self, first: TextPoint, last: TextPoint) -> str:
        """The plain text between two points in reading order; parts are divided by an empty line."""
        pieces = []
        for number in range(first.part, last.part + 1):
            span = _in_part(number, (first, last))
            if span is not None:
                pieces.append(self._text_of(number, *span))
        return "\n\n".join(pieces)

    def word_at(self, point: TextPoint) -> Selection:
        """The word around a point."""
        cursor = QTextCursor(self._split()[point.part].lay_out(self._width))
        cursor.setPosition(point.position)
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        return TextPoint(point.part, cursor.selectionStart()), TextPoint(point.part, cursor.selectionEnd())

    def all_of_it(self) -> Selection:
        """From the first to the last character."""
        last = len(self._split()) - 1
        end = self._split()[last].lay_out(self._width).characterCount() - 1 if last >= 0 else 0
        return TextPoint(0, 0), TextPoint(max(last, 0), end)

    def _text_of(self, number: int, start: int, end: int) -> str:
        cursor = QTextCursor(self._split()[number].lay_out(self._width))
        last = cursor.document().characterCount() - 1
        cursor.setPosition(min(start, last))
        cursor.setPosition(min(end, last), QTextCursor.MoveMode.KeepAnchor)
        return cursor.selectedText().replace("\u2029", "\n").replace("\u2028", "\n")

    def _guess(self) -> float:
        return estimated_lines(self.text, self._width, self._look) * self._look.face(Type.BODY).line

    def _split(self) -> list[LaidPart]:
        if self._parts is None:
            self._parts = []
            self._add(split_plain(self.text) if self._is_plain else split(self.text))
        return self._parts

    def _add(self, parts: list[Part]) -> None:
        assert self._parts is not None
        for part in parts:
            before = self._parts[-1].part if self._parts else None
            laid = LaidPart(part, _space(before, part), self._look)
            laid.estimate(self._width)
            self._parts.append(laid)

    def _extend(self) -> None:
        """Cut the text from the open part on again; that part takes its new text, what follows is added."""
        assert self._parts is not None
        if not self._parts:
            self._add(split(self.text))
            return
        tail = self._parts[-1]
        new = split(self.text[tail.part.start :], tail.part.start)
        if new and new[0].kind is tail.part.kind:
            tail.take(new[0], self._width)
            self._add(new[1:])
        else:
            self._parts.pop()
            self._add(new)

    def _placed(self) -> Iterator[tuple[int, LaidPart, QRectF]]:
        y = 0.0
        for number, part in enumerate(self._split()):
            y += part.above
            yield number, part, QRectF(0, y, self._width, part.height)
            y += part.height


def _in_part(number: int, selection: Selection | None) -> tuple[int, int] | None:
    """What of a selection lies in one part, in characters; a part in the middle is selected whole."""
    if selection is None or not selection[0].part <= number <= selection[1].part:
        return None
    first, last = selection
    start = first.position if number == first.part else 0
    end = last.position if number == last.part else 1 << 30
    return (start, end) if start < end else None


def _space(before: Part | None, part: Part) -> int:
    """Points between two parts."""
    if before is None or part.kind is Kind.PLAIN:
        return 0
    if Kind.CODE in (before.kind, part.kind):
        return _AROUND_CODE
    if part.text.startswith("#"):
        return _BEFORE_HEADING
    return _AFTER_HEADING if before.text.startswith("#") and "\n" not in before.text else _PARAGRAPH
