"""The plain transcript: for models without a template, which any model that has read dialogues can continue.

A model begins its answer right after "Assistant:", most with a space, and every answer stands as it was generated.
"""

from __future__ import annotations

from app.protocol.chat import Role

STOP = ("\n\nUser:", "\nUser:")
"""Texts that end an answer: the model goes on with the next question by itself."""
BETWEEN = "\n\n"
"""What follows a message."""
END = "Assistant:"
"""What the answer follows."""
OPENINGS: dict[Role, str] = {"system": "System:", "user": "User:", "assistant": END}
"""What precedes a message."""


def as_written(content: str) -> str:
    """Return a message as it stands after its opening, where nothing says that a model wrote it right there."""
    return content if content[:1].isspace() else f" {content}"
