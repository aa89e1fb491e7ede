"""Places in the text of a message, as the view lays it out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from app.conversation.message import Message
from app.viewmodels.chat.rows import MessageRow, Segment, SegmentKind, segment_of_attachment, segments_of


class Part(NamedTuple):
    """A piece of a message that is laid out as a whole: an attachment, the thought, or a segment of what was said.

    number: counted from 0 among the pieces of one kind; among attachments whatever they hold.
    """

    number: int
    segment: Segment


class TextMark(NamedTuple):
    """A marked place. part: number and kind. block: of the part. start, end: positions in the block's document."""

    number: int
    kind: SegmentKind
    block: int
    start: int
    end: int
    is_current: bool = False


OF_ATTACHMENTS = (SegmentKind.ATTACHED, SegmentKind.SOURCE)
_UNFOLDED = (*OF_ATTACHMENTS, SegmentKind.THINKING)


def parts_of(message: Message) -> list[Part]:
    """Return all pieces of a stored message in the order in which they stand, folded ones too."""
    return _parts(
        map(segment_of_attachment, message.attachments), message.thinking, segments_of(message.role, message.text)
    )


def parts_of_row(row: MessageRow) -> list[Part]:
    """Return all pieces of a message as it is shown now, which may be growing."""
    attached = map(segment_of_attachment, row.attachments)
    return _parts(attached, row.thought.text if row.thought else "", row.segments)


def segment_of(row: MessageRow, mark: TextMark) -> int | None:
    """Return which of the shown segments a mark is in, None where its part is folded."""
    if mark.kind in OF_ATTACHMENTS:
        if not row.attachments[mark.number].is_open:
            return None
        return sum(one.is_open for one in row.attachments[: mark.number])
    if mark.kind is SegmentKind.THINKING:
        return 0 if row.thought is not None and row.thought.is_open else None
    before = len(row.shown) - len([one for one in row.shown if one.kind not in _UNFOLDED])
    has_thought = row.thought is not None and row.thought.is_open
    said = row.segments[: mark.number]
    return before + (sum(bool(one.text) for one in said) if has_thought else mark.number)


def _parts(attached: Iterable[Segment], thinking: str, said: Iterable[Segment]) -> list[Part]:
    parts = [Part(at, segment) for at, segment in enumerate(attached)]
    if thinking:
        parts.append(Part(0, Segment(SegmentKind.THINKING, thinking)))
    return parts + [Part(at, segment) for at, segment in enumerate(said)]
