"""The one place that knows how each kind of segment is laid out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.protocol.dataclass import dataclass
from app.viewmodels.chat.rows import Segment, SegmentKind
from app.widgets.chat.markdown.blocks import Block, State, split, split_thought, split_typed

_START = State()


@dataclass(frozen=True, slots=True)
class SegmentLayout:
    """The way in which a kind of segment is cut into blocks, which tell by their own kind how they are drawn.

    split: the blocks of a text, or of its rest with the `start` and `state` of a block. grows: whether a text that
    goes on changes its last block only.
    """

    split: Callable[[str, int, State], list[Block]]
    grows: bool


def _as_typed(text: str, _start: int, _state: State) -> list[Block]:
    return split_typed(text)


LAYOUTS = {
    SegmentKind.TYPED: SegmentLayout(_as_typed, grows=False),
    SegmentKind.MARKDOWN: SegmentLayout(split, grows=True),
    SegmentKind.THINKING: SegmentLayout(split_thought, grows=True),
    SegmentKind.ATTACHED: SegmentLayout(split_thought, grows=True),
}


def blocks_of(segment: Segment, *, is_first: bool) -> list[Block]:
    """Return the blocks of a segment. is_first: of its message; a copy of the others begins after a blank line."""
    blocks = LAYOUTS[segment.kind].split(segment.text, 0, _START)
    if blocks and not is_first:
        blocks[0] = replace(blocks[0], state=replace(blocks[0].state, joint="\n\n"))
    return blocks


def goes_on(old: Segment, new: Segment) -> bool:
    """Return whether of a segment only the last block changes when it becomes another one."""
    return LAYOUTS[old.kind].grows and new.kind is old.kind and new.text.startswith(old.text)


def rest_of(segment: Segment, block: Block) -> list[Block]:
    """Return the blocks from one on, of a segment that has grown since the block was cut."""
    return LAYOUTS[segment.kind].split(segment.text[block.start :], block.start, block.state)
