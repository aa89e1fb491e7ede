"""The text that a question with attachments is for a model, an export and a person who copies it.

Each attachment stands before the words of the question, with its name on a line and its text between fences that
nothing in it can close (https://spec.commonmark.org/0.31.2/#fenced-code-blocks). What comes first is the same whatever
is asked about it, so that the branches about one document share its tokens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.protocol.chat import Attachment, Turn

_MARKS = re.compile("`{3,}")
_FENCE = "```"
_AROUND = 16  # characters beside a name and a text, about


def attached_texts(attachments: Sequence[Attachment]) -> list[str]:
    """Write each attachment as a piece of a question, with the empty line that follows it."""
    return [_fenced(one) for one in attachments]


def question_text(text: str, attachments: Sequence[Attachment]) -> str:
    """Write a question with all that is attached to it, the attachments first."""
    return "".join([*attached_texts(attachments), text]) if attachments else text


def length_of(turn: Turn) -> int:
    """Count the characters of a turn, its attachments with their fences about."""
    return len(turn.text) + sum(len(one.name) + len(one.text) + _AROUND for one in turn.attachments)


def _fenced(attachment: Attachment) -> str:
    text = attachment.text
    longest = max((len(found[0]) for found in _MARKS.finditer(text)), default=0)
    fence = _FENCE if longest < len(_FENCE) else "`" * (longest + 1)
    end = "" if text.endswith("\n") else "\n"
    return f"{attachment.name}\n{fence}\n{text}{end}{fence}\n\n"
