"""Tooltips that say words of a person, a model or a file: as they are, whatever they look like.

Qt takes a tooltip that looks like HTML for HTML, and reads the pictures that it names from the disk.
"""

from __future__ import annotations

from html import escape


def plain_tip(text: str) -> str:
    """Return what Qt shows as this text."""
    if "<" not in text:
        return text
    return f"<qt>{escape(text)}</qt>".replace("\n", "<br>")
