"""What is copied of a comparison: a paragraph of one side, or from its head the whole message."""

from __future__ import annotations

from app.viewmodels.chat.rows import segments_of
from app.widgets.chat.comparison.comparison_rows import ComparisonRow, RowKind
from app.widgets.chat.messages.copied_message import markdown_of, text_of
from app.widgets.kit.style import Style


def copied_side(row: ComparisonRow, side: int, style: Style, *, as_markdown: bool = False) -> str:
    """Return what a side of a row says, as it is read or with its marks; "" where it says nothing. side: 0 or 1."""
    message, block = row.messages[side], (row.left, row.right)[side]
    if message is None or (row.kind is not RowKind.HEAD and block is None):
        return ""
    segments = segments_of(message.role, message.text if block is None else block.text)
    return (markdown_of if as_markdown else text_of)(segments, style)
