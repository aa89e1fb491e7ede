"""What a branch is called wherever it is listed."""

from __future__ import annotations

from app.conversation.message import Message
from app.protocol.excerpts import isolated, plain_words

_LONGEST = 80  # characters of its first words


def branch_title(first: Message, most: int = _LONGEST) -> str:
    """Return the name of the branch that begins with a message, or its first words in quotes, or who speaks in it."""
    return first.name or quoted(plain_words(first.text, most)) or first.speaker


def quoted(words: str) -> str:
    """Put words in quotes, within which alone they may run from right to left; "" where there are none."""
    return f"“{isolated(words)}”" if words else ""
