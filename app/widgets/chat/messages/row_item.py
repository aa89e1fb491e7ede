"""One message in the chat: its row, its laid out text, and where each of its parts stands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from typing import NamedTuple, get_args

from PySide6.QtCore import QPointF, QRectF

from app.protocol.chat import Role
from app.viewmodels.chat.rows import MessageRow, Segment
from app.widgets.chat.column import Column
from app.widgets.chat.messages.block_layout import Allowance, characters_to_line
from app.widgets.chat.messages.figures import prefill_height
from app.widgets.chat.messages.message_body import MessageBody, guessed_lines
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_FIRST, _AFTER_QUESTION, _AFTER_ANSWER = 20, 24, 28
_BUBBLE_SIDE, _BUBBLE_ABOVE = 16, 10
_NAME_TO_BUBBLE, _NAME_TO_TEXT, _NAME_TO_CARD, _TO_FOOTER, _TO_NOTE = 6, 4, 8, 8, 6
_THOUGHT_TO_TEXT = 6
_BUTTON = 28
# What of a row is seen beside its text and its footer.
_LOOK = attrgetter(*(one.name for one in fields(MessageRow) if one.name not in ("segments", "footer")))


class Band(NamedTuple):
    """Part of a row between two heights, in points from its top."""

    top: float
    bottom: float


class _Places(NamedTuple):
    """The places of a row's parts while its text is as high as `body`, and the height of the whole row."""

    body: float
    name: QRectF
    bubble: QRectF
    thought: QRectF
    prefill: QRectF
    text: QRectF
    note: QRectF
    footer: QRectF
    height: float


class RowItem:
    """A message as it is laid out. All rectangles are in points from the row's top and the pane's left edge.

    above: points between this row's top and its name, the gap after the message before it included.
    """

    def __init__(self, row: MessageRow, style: Style) -> None:
        self.row = row
        self._asked: MessageRow | None = None
        self._asked_height = 0.0
        self.body = MessageBody(row.shown, style, is_growing=row.is_streaming)
        self.above = _FIRST
        self._style = style
        self._column = Column(0, 0)
        self._known: _Places | None = None  # until something else of the row is another one

    @property
    def is_question(self) -> bool:
        return self.row.role == "user"

    def follow(self, before: Role | None) -> None:
        """Take the gap that the message before asks for."""
        self.above = _gap(before)
        self._known = None

    def set_column(self, column: Column) -> None:
        """Take another width; what was measured becomes an estimate."""
        self._column = column
        self._known = None
        self.body.set_width(_text_width(self.row.role, column))

    def set_row(self, row: MessageRow) -> None:
        """Show another state of the same message; only new text is laid out."""
        self.row = row
        self._known = None
        self.body.set_segments(row.shown, is_growing=row.is_streaming)

    def take_changed(self) -> Band:
        """Return what of the row looks other than when this was asked last; all of it for the first time."""
        before, self._asked, changed = self._asked, self.row, self.body.take_changed()
        height, self._asked_height = self._asked_height, self.height
        if before is None or (self.row is not before and _LOOK(self.row) != _LOOK(before)):
            return Band(0.0, math.inf)
        is_end_same = before.footer is self.row.footer and height == self._asked_height
        return Band(self.text.top() + changed, self.text.bottom() if is_end_same else math.inf)

    @property
    def name(self) -> QRectF:
        """The line with the writer's name; its middle is the height of the disc."""
        return self._places.name

    @property
    def disc(self) -> QPointF:
        return QPointF(self._column.rail, self.name.center().y())

    @property
    def bubble(self) -> QRectF:
        """The ground of a question; without a height for an answer."""
        return self._places.bubble

    def attachment(self, number: int) -> QRectF:
        """Return the line of an attachment of the question, by its number from 0 on."""
        height = self._style.text_style(TextRole.SMALL).line + 6
        return self._line(self.name.bottom() + _NAME_TO_TEXT + number * height, height)

    @property
    def thought(self) -> QRectF:
        """The line that stands for the thought before an answer; without a height where there is none."""
        return self._places.thought

    @property
    def has_caret(self) -> bool:
        """Whether text comes where it is seen: not while a thought is written that is folded."""
        thought = self.row.thought
        return self.row.is_streaming and (thought is None or thought.is_open or not thought.is_growing)

    @property
    def text(self) -> QRectF:
        """The message's text; as high as one line while an answer has none yet."""
        return self._places.text

    @property
    def prefill(self) -> QRectF:
        """The card that stands in an answer's place while its prompt is read."""
        return self._places.prefill

    @property
    def note(self) -> QRectF:
        """One line below the text."""
        return self._places.note

    @property
    def note_end(self) -> float:
        """The end of the words of the note, in points from the left."""
        return self.note.left() + min(self._style.text_style(TextRole.SMALL).width(self.row.note), self.note.width())

    @property
    def footer(self) -> QRectF:
        """The line of an answer's figures and actions; questions and prompts being read have none."""
        return self._places.footer

    @property
    def height(self) -> float:
        """The height of the whole row in points."""
        return self._places.height

    def settle(self, top: float, bottom: float, allowance: Allowance | None = None) -> bool:
        """Measure what lies between two heights of the row; returns whether the row's height changed."""
        start = self.text.top()
        return self.body.settle(top - start, bottom - start, allowance)

    @property
    def _places(self) -> _Places:
        known = self._known
        if known is None or known.body != self.body.height:
            known = self._known = self._find_places(self.body.height)
        return known

    def _find_places(self, body: float) -> _Places:
        """Work out where everything stands around a text of this height."""
        row, small = self.row, self._style.text_style(TextRole.SMALL).line
        prefill = bubble = note = footer = QRectF()
        name = self._line(self.above, self._style.text_style(TextRole.SMALL_MEDIUM).line + 6)
        has_thought = row.thought is not None and row.prefill is None
        thought = self._line(name.bottom() + _NAME_TO_TEXT, small + 6 if has_thought else 0)
        if self.is_question:
            above = name.bottom() if not row.attachments else thought.top() + len(row.attachments) * (small + 6)
            bubble = self._line(above + _NAME_TO_BUBBLE, body + 2 * _BUBBLE_ABOVE)
            text = bubble.adjusted(_BUBBLE_SIDE, _BUBBLE_ABOVE, -_BUBBLE_SIDE, -_BUBBLE_ABOVE)
            end = bubble.bottom()
        else:
            is_awaited = not body and self.has_caret and row.prefill is None
            height = self._style.text_style(TextRole.BODY).line if is_awaited else body
            gap = _THOUGHT_TO_TEXT if height and has_thought else 0
            text = self._line(thought.bottom() + gap, height)
            end = text.bottom()
        if row.note:
            note = self._line(end + _TO_NOTE, max(small, _BUTTON) if row.is_unanswered else small)
            end = note.bottom()
        if row.prefill is not None:
            prefill = self._line(name.bottom() + _NAME_TO_CARD, prefill_height(self._style, row.prefill))
            end = prefill.bottom()
        elif not self.is_question:
            footer = self._line(end + _TO_FOOTER, self._style.text_style(TextRole.CAP).line + 6)
            end = footer.bottom()
        return _Places(body, name, bubble, thought, prefill, text, note, footer, end)

    def _line(self, top: float, height: float) -> QRectF:
        """Return a part of the row that is as wide as the column."""
        return QRectF(self._column.left, top, self._column.width, height)


class Estimates:
    """Tells about how high messages are that nobody has seen: what their rows would say, were they made."""

    def __init__(self, style: Style) -> None:
        self._style = style
        self._rest = {role: _height_without_text(role, style) for role in get_args(Role)}

    def heights(
        self, said: Sequence[tuple[Role, Sequence[Segment]]], before: Role | None, column: Column
    ) -> list[float]:
        """Estimate heights in points, in a column. before: who spoke before the first of them."""
        per_line = {role: characters_to_line(_text_width(role, column), self._style) for role in self._rest}
        line, gap = self._style.text_style(TextRole.BODY).line, _gap(before)
        heights = []
        for role, segments in said:
            heights.append(gap + self._rest[role] + line * guessed_lines(segments, per_line[role]))
            gap = _gap(role)
        return heights


def _height_without_text(role: Role, style: Style) -> float:
    item = RowItem(MessageRow("", role, "", (), "none", 1, 1, ()), style)
    return item.height - item.above


def _gap(before: Role | None) -> int:
    if before is None:
        return _FIRST
    return _AFTER_QUESTION if before == "user" else _AFTER_ANSWER


def _text_width(role: Role, column: Column) -> float:
    return column.width - (2 * _BUBBLE_SIDE if role == "user" else 0)
