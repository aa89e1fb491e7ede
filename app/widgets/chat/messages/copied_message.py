"""What is copied of whole messages: their words as they are read, or their Markdown. Thoughts are left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.viewmodels.chat.rows import Segment
from app.widgets.chat.messages.message_body import MessageBody
from app.widgets.kit.style import Style


def text_of(segments: Sequence[Segment], style: Style) -> str:
    """Return what a message says, as it is read: without marks, code bare, cells of a table divided by tabs."""
    return "".join(pieces_of(segments, style, as_markdown=False))


def markdown_of(segments: Sequence[Segment], style: Style) -> str:
    """Return what a message says as Markdown; code that was never ended ends with it."""
    return "".join(pieces_of(segments, style, as_markdown=True))


def pieces_of(segments: Sequence[Segment], style: Style, *, as_markdown: bool) -> Iterator[str]:
    """Yield what a message says in pieces that take a moment each."""
    body = MessageBody(segments, style)
    yield from body.selected_pieces(*body.all_of_it(), as_markdown=as_markdown)
