"""What is copied of a comparison: a paragraph of one side, or from its head the whole message."""

from __future__ import annotations

from app.protocol.chat import Role
from app.viewmodels.chat.rows import segments_of
from app.widgets.chat.comparison.comparison_rows import ComparisonRow, RowKind
from app.widgets.chat.markdown.blocks import Kind
from app.widgets.chat.markdown.written import fenced
from app.widgets.chat.messages.copied_message import markdown_of, text_of
from app.widgets.kit.style import Style


def copied_side(row: ComparisonRow, side: int, style: Style, *, as_markdown: bool = False) -> str:
    """Return what a side of a row says, as it is read or with its marks; "" where it says nothing. side: 0 or 1."""
    message, block = row.messages[side], (row.left, row.right)[side]
    if message is None:
        return ""
    if row.kind is RowKind.THOUGHT:
        return message.thought
    if row.kind is RowKind.HEAD:
        return _told(message.role, message.text, style, as_markdown=as_markdown)
    if block is None:
        return ""
    if block.kind is Kind.CODE:
        return fenced(block.text, block.language) if as_markdown else block.text
    return _told("assistant", block.text, style, as_markdown=as_markdown) if block.kind is Kind.MARKDOWN else block.text


def _told(role: Role, text: str, style: Style, *, as_markdown: bool) -> str:
    return (markdown_of if as_markdown else text_of)(segments_of(role, text), style)
