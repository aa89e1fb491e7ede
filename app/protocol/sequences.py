"""What two sequences have in common."""

from __future__ import annotations

from collections.abc import Sequence


def count_common(one: Sequence[object], other: Sequence[object]) -> int:
    """Count what two sequences of one kind begin with alike. Equal ones are compared at once; else by halving."""
    if one == other:
        return len(one)
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
