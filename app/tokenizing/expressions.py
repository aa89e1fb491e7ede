"""The risk of a regular expression: whether a text exists for which it may take far longer than the text is long.

An expression that backtracks takes a time beyond all bounds where what is repeated can be read in more than one way:
`(a+)+`, `(a|ab)*`, `a*a*b`. Those of tokenizers repeat single characters, and little else. So an expression is read as
far as it takes to tell that it does no more than these do; one that cannot be read is one of risk. What it lets
through takes at most the square of the longest run of alike characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MOST_TIMES = 1000
"""That anything may be repeated, where there is a bound."""
# How often something that may be repeated without bound may have something after it that may then not match.
_MOST_TRIED_AGAIN = 1
_DEEPEST = 50

_OPENING = re.compile(r"\((?:\?(?:[:=!>]|<[=!]|[ims-]+:|[ims-]+(?=\)))|(?!\?))")
_REPETITION = re.compile(r"(?:([*+?])|\{(\d*)(,?)(\d*)\})[?+]?")
_ESCAPE = re.compile(
    r"\\(?:[pP]\{\^?\w+\}|x\{[0-9A-Fa-f ]+\}|x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{4}|[^\w]|[abdefhnrstvwzABDGHSWZ])"
)


class _UnreadError(Exception):
    """An expression has something that ours do not have."""


@dataclass(slots=True)
class _Read:
    """A part of an expression that was read. varies: it can match texts of different lengths, or in different ways.

    endless: how many repetitions without bound may be tried again by what follows them. open: how many of those at
    the end of it have nothing after them yet.
    """

    varies: bool = False
    endless: int = 0
    open: int = 0


def is_risky(expression: str) -> bool:
    """Return whether an expression might take very long for some text, as far as can be told."""
    try:
        found, end = _alternatives(expression, 0, 0)
    except _UnreadError:
        return True
    return end < len(expression) or found.endless > _MOST_TRIED_AGAIN


def _alternatives(text: str, at: int, depth: int) -> tuple[_Read, int]:
    """Read up to the end of a group. Raises _UnreadError."""
    if depth > _DEEPEST:
        raise _UnreadError
    found, at = _sequence(text, at, depth)
    while at < len(text) and text[at] == "|":
        other, at = _sequence(text, at + 1, depth)
        found = _Read(True, max(found.endless, other.endless), max(found.open, other.open))
    return found, at


def _sequence(text: str, at: int, depth: int) -> tuple[_Read, int]:
    """Read one alternative, up to where the next begins."""
    found = _Read()
    while at < len(text) and text[at] not in "|)":
        one, at = _atom(text, at, depth)
        least, most, at = _times(text, at)
        if one.varies and most > 1:
            raise _UnreadError
        if least and found.open:
            found.endless, found.open = found.endless + found.open, 0
        is_endless = most > _MOST_TIMES
        found.varies |= one.varies or least != most
        found.endless += one.endless
        found.open += one.open + is_endless
        if found.endless > _MOST_TRIED_AGAIN:
            raise _UnreadError
    return found, at


def _atom(text: str, at: int, depth: int) -> tuple[_Read, int]:
    """Read a character, a class of them, or a group."""
    if text[at] == "[":
        return _Read(), _after_class(text, at, depth)
    if text[at] == "\\":
        return _Read(), _after_escape(text, at)
    if text[at] != "(":
        return _Read(), at + 1
    opening = _OPENING.match(text, at)
    if opening is None:
        raise _UnreadError
    inner, end = _alternatives(text, opening.end(), depth + 1)
    if end >= len(text):
        raise _UnreadError
    if opening[0].startswith(("(?=", "(?!", "(?<")):
        return _Read(endless=inner.endless), end + 1
    return inner, end + 1


def _times(text: str, at: int) -> tuple[int, float, int]:
    """Read how often what stands before is repeated, at least and at most."""
    found = _REPETITION.match(text, at)
    if found is None:
        return 1, 1, at
    if found[1]:
        least, most = {"*": (0, float("inf")), "+": (1, float("inf")), "?": (0, 1.0)}[found[1]]
    elif found[2] or found[4]:
        least = int((found[2] or "0")[:9])
        most = float(found[4] or "inf") if found[3] else least
    else:
        return 1, 1, at
    if found.end() < len(text) and _REPETITION.match(text, found.end()):
        raise _UnreadError
    if most > _MOST_TIMES and most != float("inf"):
        raise _UnreadError
    return least, most, found.end()


def _after_escape(text: str, at: int) -> int:
    found = _ESCAPE.match(text, at)
    if found is None:
        raise _UnreadError
    return found.end()


def _after_class(text: str, at: int, depth: int) -> int:
    """Return where a class of characters ends, those within it too."""
    if depth > _DEEPEST:
        raise _UnreadError
    at += 1
    at += text.startswith("^", at)
    at += text.startswith("]", at)
    while at < len(text) and text[at] != "]":
        if text[at] == "[":
            at = _after_class(text, at, depth + 1)
        else:
            at += 2 if text[at] == "\\" else 1
    if at >= len(text):
        raise _UnreadError
    return at + 1
