"""Which paragraphs of two messages stand beside each other.

Properties: the paragraphs of each side keep their order, and each stands in exactly one row. Paragraphs that are alike
stand beside each other wherever the others allow it; the others beside each other in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

# Pairs of paragraphs that are looked at one by one; where there are more, only what is equal at both ends is found.
MOST_PAIRS = 900
# Words of a paragraph that are looked at, and the share of them that makes two paragraphs versions of each other.
_MOST_WORDS, _ALIKE = 200, 0.4

Row = tuple[int | None, int | None]
"""Numbers of a paragraph of the left and of the right side, None where one stands alone."""


def aligned(left: Sequence[str], right: Sequence[str]) -> list[Row]:
    """Return the rows in which the paragraphs of both sides stand."""
    before = 0
    while before < min(len(left), len(right)) and left[before] == right[before]:
        before += 1
    after = 0
    while after < min(len(left), len(right)) - before and left[-1 - after] == right[-1 - after]:
        after += 1
    inner_left, inner_right = left[before : len(left) - after], right[before : len(right) - after]
    pairs = [(a + before, b + before) for a, b in _alike(inner_left, inner_right)]
    rows: list[Row] = [(number, number) for number in range(before)]
    at_left = at_right = before
    for a, b in [*pairs, (len(left) - after, len(right) - after)]:
        rows += zip_longest(range(at_left, a), range(at_right, b))
        if (a, b) != (len(left) - after, len(right) - after):
            rows.append((a, b))
        at_left, at_right = a + 1, b + 1
    rows += zip(range(len(left) - after, len(left)), range(len(right) - after, len(right)), strict=True)
    return rows


def _alike(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs in order that are most alike together."""
    if not left or not right or len(left) * len(right) > MOST_PAIRS:
        return []
    ours, theirs = [_words(text) for text in left], [_words(text) for text in right]
    best = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]
    shares = [[_share(a, b) for b in theirs] for a in ours]
    for a in reversed(range(len(left))):
        for b in reversed(range(len(right))):
            beside = shares[a][b] + best[a + 1][b + 1] if shares[a][b] >= _ALIKE else 0.0
            best[a][b] = max(beside, best[a + 1][b], best[a][b + 1])
    found, a, b = [], 0, 0
    while a < len(left) and b < len(right):
        if shares[a][b] >= _ALIKE and best[a][b] == shares[a][b] + best[a + 1][b + 1]:
            found.append((a, b))
            a, b = a + 1, b + 1
        elif best[a][b] == best[a + 1][b]:
            a += 1
        else:
            b += 1
    return found


def _words(text: str) -> frozenset[str]:
    return frozenset(text[: _MOST_WORDS * 8].split()[:_MOST_WORDS])


def _share(a: frozenset[str], b: frozenset[str]) -> float:
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0
