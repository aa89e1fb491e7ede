"""What differs between two long sequences of which most is the very same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, count
from operator import is_not


def differing(before: Sequence[object], after: Sequence[object]) -> tuple[slice, slice]:
    """Return what lies between the beginning and the end that are the very same objects in both, in each of them."""
    most = min(len(before), len(after))
    first = _same(before, after, most)
    last = min(_same(reversed(before), reversed(after), most), most - first)
    return slice(first, len(before) - last), slice(first, len(after) - last)


def _same(before: Iterable[object], after: Iterable[object], most: int) -> int:
    different: Iterator[int] = compress(count(), map(is_not, before, after))
    return next(different, most)
