"""Which words of two texts differ.

Properties: without the words that are marked, both texts say the same words in the same order. Marks begin and end with
a word, and never cut one. What it costs is bounded by counts, whatever the texts are: a long text is compared by its
lines, and where more differs than is worth telling, nothing is marked.

The shortest edit script is found greedily, by diagonals (E. Myers, "An O(ND) Difference Algorithm and Its Variations",
1986).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from operator import eq
from typing import NamedTuple

from app.protocol.dataclass import dataclass

# Characters of a text that is compared by its words, and of one that is compared at all.
MOST_OF_WORDS, MOST_OF_LINES = 20_000, 4_000_000
# Words or lines of a text, and how many of both together may differ: that many rounds, each of as many steps.
MOST_PIECES, MOST_EDITS = 20_000, 240
# A text of more words than this is told as another one, and unmarked, where no more than this share of it is in both.
_FEW_WORDS, _LEAST_SHARED = 8, 0.25
# Between two changes, a common stretch of so few letters is none that a person would see.
_LEAST_LETTERS = 4
# Where no round has come to: less than any place, also one step on.
_NOWHERE = -2
# Characters that are a word each, as no spaces part them; and those that part words beside spaces.
_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_SIGNS = r"!-&(-/:-@\[-^`{-~¡-©«-±´¶-¹»-¿‐-‗‚-‧‰-⁞、-】！-／：-＠"
_WORD = re.compile(f"[{_IDEOGRAPHS}]|[{_SIGNS}]+|[^\\s{_IDEOGRAPHS}{_SIGNS}]+")
_LINE = re.compile("[^\n]+")


class Span(NamedTuple):
    """Characters of a text from `start` up to `end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Differences:
    """The words that only one of two texts has: of the left one, and of the right one."""

    left: tuple[Span, ...] = ()
    right: tuple[Span, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.left or self.right)


class _Match(NamedTuple):
    """So many pieces that are alike, from these places on."""

    left: int
    right: int
    length: int


def differences(left: str, right: str) -> Differences | None:
    """Return the words that differ; None where the texts have too little in common, or too much to be compared."""
    if left == right:
        return Differences()
    longest = max(len(left), len(right))
    if longest > MOST_OF_LINES:
        return None
    pattern, has_words = (_WORD, True) if longest <= MOST_OF_WORDS else (_LINE, False)
    if not has_words and max(left.count("\n"), right.count("\n")) > MOST_PIECES:
        return None
    ours, theirs = (Pieces(text, [Span(*one.span()) for one in pattern.finditer(text)]) for text in (left, right))
    if max(len(ours.spans), len(theirs.spans)) > MOST_PIECES:
        return None
    found = _matches(ours.texts, theirs.texts)
    if found is None:
        return None
    matches = _seen(_whole_sentences(found, ours.texts, theirs.texts), ours, theirs)
    shared, shorter = sum(one.length for one in matches), min(len(ours.spans), len(theirs.spans))
    if shorter > _FEW_WORDS and shared <= shorter * _LEAST_SHARED:
        return None
    places = [(one.left, one.length) for one in matches], [(one.right, one.length) for one in matches]
    return Differences(ours.others(places[0]), theirs.others(places[1]))


class Pieces:
    """The words or lines of a text. Attributes: spans, where they stand; texts."""

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        self.spans = spans
        self.texts = [text[start:end] for start, end in spans]

    def others(self, kept: Sequence[tuple[int, int]]) -> tuple[Span, ...]:
        """Return the stretches between those that are kept, each given as (first, how many)."""
        edges = [0, *(place for first, length in kept for place in (first, first + length)), len(self.spans)]
        pairs = zip(edges[::2], edges[1::2], strict=True)
        return tuple(Span(self.spans[first].start, self.spans[end - 1].end) for first, end in pairs if first < end)


def _whole_sentences(matches: Sequence[_Match], left: Sequence[str], right: Sequence[str]) -> list[_Match]:
    """Have what was put in be a whole sentence, rather than the end of one and the beginning of the next."""
    kept = [_Match(0, 0, 0)]
    for one in matches:
        before = kept[-1]
        at_left, at_right = before.left + before.length, before.right + before.length
        moved = 0
        if (at_left < one.left) != (at_right < one.right):
            texts, at, end = (left, at_left, one.left) if at_left < one.left else (right, at_right, one.right)
            moved = _to_sign(texts, at, end, before.length, one.length)
        kept[-1] = before._replace(length=before.length + moved)
        kept.append(_Match(one.left + moved, one.right + moved, one.length - moved))
    return [one for one in kept if one.length]


def _to_sign(texts: Sequence[str], at: int, end: int, most_back: int, most_on: int) -> int:
    """Return how far a stretch from `at` to `end` must move to end with a sign; 0 where it does, or cannot.

    most_back, most_on: how many pieces that are in both texts come before and after it.
    """
    for direction, most in ((1, most_on), (-1, most_back)):
        for moved in range(0, direction * (most + 1), direction):
            if not texts[end + moved - 1][-1].isalnum():
                return moved
            falls_out, comes_in = (at + moved, end + moved) if direction > 0 else (end + moved - 1, at + moved - 1)
            if abs(moved) == most or texts[falls_out] != texts[comes_in]:
                break
    return 0


def _seen(matches: Sequence[_Match], left: Pieces, right: Pieces) -> list[_Match]:
    """Leave out short stretches between two changes, which would tear a sentence into pieces."""
    kept: list[_Match] = []
    for one in matches:
        is_inside = (one.left > 0 or one.right > 0) and (
            one.left + one.length < len(left.spans) or one.right + one.length < len(right.spans)
        )
        letters = 0
        for text in left.texts[one.left : one.left + one.length]:
            letters += sum(map(str.isalnum, text))
            if letters >= _LEAST_LETTERS:
                break
        if letters >= _LEAST_LETTERS or not is_inside:
            kept.append(one)
    return kept


def _matches(left: Sequence[str], right: Sequence[str]) -> list[_Match] | None:
    """Return the stretches that are alike, in order; None where more than MOST_EDITS pieces differ."""
    before = _count_alike(map(eq, left, right))
    after = _count_alike(map(eq, reversed(left[before:]), reversed(right[before:])))
    inner_left, inner_right = left[before : len(left) - after], right[before : len(right) - after]
    inner = _matches_within(inner_left, inner_right)
    if inner is None:
        return None
    found = [_Match(0, 0, before)] if before else []
    found += [_Match(one.left + before, one.right + before, one.length) for one in inner]
    if after:
        found.append(_Match(len(left) - after, len(right) - after, after))
    return found


def _count_alike(pairs: Iterator[bool]) -> int:
    return sum(1 for _ in takewhile(bool, pairs))


def _least_edits(left: Sequence[str], right: Sequence[str]) -> int:
    """Count the pieces that only one side has, wherever they stand: no way from one to the other has fewer edits."""
    return len(left) + len(right) - 2 * (Counter(left) & Counter(right)).total()


def _matches_within(left: Sequence[str], right: Sequence[str]) -> list[_Match] | None:
    """Go round by round, one edit more in each; keep of each round how far every diagonal came.

    `reached` holds the diagonals from the left to the right, diagonal 0 at `middle`; those beyond a round are _NOWHERE.
    """
    most, at_left, at_right = min(MOST_EDITS, len(left) + len(right)), len(left), len(right)
    if _least_edits(left, right) > most:
        return None
    middle = most + 1
    ends: list[list[int]] = []
    reached = [_NOWHERE] * (2 * middle + 1)
    reached[middle + 1] = 0
    for edits in range(most + 1):
        ends.append(reached[middle - edits - 1 : middle + edits + 2])
        for place in range(middle - edits, middle + edits + 1, 2):
            down, across = reached[place + 1], reached[place - 1]
            x = down if across < down else across + 1
            y = x - place + middle
            while x < at_left and y < at_right and left[x] == right[y]:
                x, y = x + 1, y + 1
            reached[place] = x
            if x >= at_left and y >= at_right:
                return _way_back(ends, at_left, at_right)
    return None


def _way_back(ends: Sequence[Sequence[int]], x: int, y: int) -> list[_Match]:
    found: list[_Match] = []
    for edits in range(len(ends) - 1, -1, -1):
        diagonal = x - y
        across, down = ends[edits][diagonal + edits], ends[edits][diagonal + edits + 2]
        came_down = across < down
        start = (down if came_down else across + 1) if edits else 0
        if x > start:
            found.append(_Match(start, start - diagonal, x - start))
        x, y = (start, start - diagonal - 1) if came_down else (start - 1, start - diagonal)
    return found[::-1]


def marked_words(text: str, spans: Sequence[Span], most: int, shorten: Callable[[str], str]) -> str:
    """Return the marked words for a screen reader: "“Baixa”, “a rental car”", at most so many, then how many more."""
    told = [f"“{shorten(text[one.start : one.end])}”" for one in spans[:most]]
    more = len(spans) - len(told)
    return ", ".join([*told, *([f"and {more} more"] if more else [])])
