"""What a search finds, as values, and the line that is shown of it."""

from __future__ import annotations

import re

from app.conversation.terms import Term, ranges_of
from app.protocol.chat import Role
from app.protocol.dataclass import dataclass
from app.protocol.reports import Problem

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
BEFORE, LENGTH = 40, 160  # characters of an excerpt before the first match, and in all


@dataclass(frozen=True, slots=True)
class Hit:
    """A message with everything that was looked for.

    excerpt: one line of it. ranges: where the words stand in that line, first and last character, the latter excluded.
    created_at: of the message; updated_at: of the conversation; seconds since the epoch. attachment: the name of what
    the words stand in, "" where that is the message's own text.
    """

    conversation_id: str
    message_id: str
    title: str | None
    role: Role
    excerpt: str
    ranges: tuple[tuple[int, int], ...]
    created_at: float
    updated_at: float
    attachment: str = ""


@dataclass(frozen=True, slots=True)
class SearchState:
    """State of the search: whether there is one, how many messages are not indexed yet, and what to tell about it."""

    is_available: bool
    left: int
    problem: Problem | None


def excerpt_of(
    text: str, terms: tuple[Term, ...], begins: bool = True, ends: bool = True
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Cut one line out of a text around the first match, and the ranges of all matches in it.

    begins, ends: whether the text is where the message begins and ends; else there is an ellipsis.
    """
    matches = ranges_of(text, terms)
    first = matches[0][0] if matches else 0
    start = _word_start(text, max(0, first - BEFORE), first)
    stop = min(len(text), start + LENGTH)
    lead = "" if begins and start == 0 else "…"
    trail = "" if ends and stop == len(text) else "…"
    shift = len(lead) - start
    ranges = tuple((low + shift, min(high, stop) + shift) for low, high in matches if start <= low < stop)
    return f"{lead}{_CONTROLS.sub(' ', text[start:stop])}{trail}", ranges


def _word_start(text: str, start: int, latest: int) -> int:
    """Return the beginning of a word at or after a place, but not after the match."""
    if start == 0:
        return 0
    space = text.find(" ", start, latest)
    return start if space < 0 else space + 1
