"""The one place that knows how each kind of segment is laid out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.protocol.dataclass import dataclass
from app.viewmodels.chat.rows import Segment, SegmentKind
from app.widgets.chat.markdown.blocks import Block, State, split, split_source, split_thought, split_typed


@dataclass(frozen=True, slots=True)
class SegmentLayout:
    """The way in which a kind of segment is cut into blocks, which tell by their own kind how they are drawn.

    split: the blocks of a segment. rest: those from one on, cut with its `start` and `state`, of a text that has grown;
    None where more than the last block may change then.
    """

    split: Callable[[Segment], list[Block]]
    rest: Callable[[str, int, State], list[Block]] | None = None


LAYOUTS = {
    SegmentKind.TYPED: SegmentLayout(lambda segment: split_typed(segment.text)),
    SegmentKind.MARKDOWN: SegmentLayout(lambda segment: split(segment.text), split),
    SegmentKind.THINKING: SegmentLayout(lambda segment: split_thought(segment.text), split_thought),
    SegmentKind.ATTACHED: SegmentLayout(lambda segment: split_thought(segment.text)),
    SegmentKind.SOURCE: SegmentLayout(lambda segment: split_source(segment.text, segment.language)),
}


def blocks_of(segment: Segment, *, is_first: bool) -> list[Block]:
    """Return the blocks of a segment. is_first: of its message; a copy of the others begins after a blank line."""
    blocks = LAYOUTS[segment.kind].split(segment)
    if blocks and not is_first:
        blocks[0] = replace(blocks[0], state=replace(blocks[0].state, joint="\n\n"))
    return blocks


def goes_on(old: Segment, new: Segment) -> bool:
    """Return whether of a segment only the last block changes when it becomes another one."""
    is_told = LAYOUTS[old.kind].rest is not None
    return is_told and new.kind is old.kind and new.text.startswith(old.text)


def rest_of(segment: Segment, block: Block) -> list[Block]:
    """Return the blocks from one on, of a segment that has grown since the block was cut."""
    rest = LAYOUTS[segment.kind].rest
    assert rest is not None, segment.kind
    return rest(segment.text[block.start :], block.start, block.state)
