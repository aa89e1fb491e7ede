"""From marked places of a message to those of its blocks, and what its blocks show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from app.viewmodels.chat.rows import Segment
from app.viewmodels.chat.text_marks import TextMark, segment_of
from app.widgets.chat.markdown.blocks import Block, Kind
from app.widgets.chat.markdown.marks import NO_MARKS, BlockMarks, Mark
from app.widgets.chat.messages.block_layout import BlockLayout
from app.widgets.chat.messages.layout import ScrollAnchor
from app.widgets.chat.messages.message_body import TextPoint
from app.widgets.chat.messages.row_item import RowItem
from app.widgets.chat.messages.segment_layout import blocks_of
from app.widgets.kit.style import Style

_KEPT = 512  # blocks of Markdown whose text is remembered


def marks_by_block(marks: Sequence[TextMark], item: RowItem) -> BlockMarks:
    """Return the marks of each block of a message; those in folded parts are in none."""
    if not marks:
        return NO_MARKS
    found: dict[int, list[Mark]] = {}
    for mark in marks:
        segment = segment_of(item.row, mark)
        if segment is not None:
            block = item.body.block_number(segment, mark.block)
            found.setdefault(block, []).append(Mark(mark.start, mark.end, mark.is_current))
    return found


def place_of(mark: TextMark, item: RowItem, number: int) -> ScrollAnchor | None:
    """Return where a mark stands, None in a folded part. number: of the message's row."""
    segment = segment_of(item.row, mark)
    if segment is None:
        return None
    block = item.body.block_number(segment, mark.block)
    return ScrollAnchor(number, TextPoint(block, item.body.shown_position(block, mark.start)), 0.0)


def shown_texts(style: Style) -> Callable[[Segment], Sequence[str]]:
    """Return what tells the texts of the blocks of a segment, in which places are looked for."""

    @lru_cache(_KEPT)
    def of_block(block: Block) -> str:
        return BlockLayout(block, 0, style).searched_text

    def of_segment(segment: Segment) -> list[str]:
        closed = [replace(block, is_closed=True) for block in blocks_of(segment, is_first=True)]
        return [
            of_block(block) if block.kind is Kind.MARKDOWN else BlockLayout(block, 0, style).searched_text
            for block in closed
        ]

    return of_segment
