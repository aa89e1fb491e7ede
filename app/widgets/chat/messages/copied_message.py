"""What is copied of whole messages: their words as they are read, or their Markdown. Thoughts are left out."""

from __future__ import annotations

from collections.abc import Sequence

from app.viewmodels.chat.rows import Segment
from app.widgets.chat.messages.message_body import MessageBody
from app.widgets.kit.style import Style


def text_of(segments: Sequence[Segment], style: Style) -> str:
    """Return what a message says, as it is read: without marks, code bare, cells of a table divided by tabs."""
    body = MessageBody(segments, style)
    return body.selected_text(*body.all_of_it())


def markdown_of(segments: Sequence[Segment], style: Style) -> str:
    """Return what a message says as Markdown; code that was never ended ends with it."""
    body = MessageBody(segments, style)
    return body.selected_markdown(*body.all_of_it())
