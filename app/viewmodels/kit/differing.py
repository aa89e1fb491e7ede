"""What differs between two long sequences of which most is the same, and a sum that costs no more than that."""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress, count
from operator import is_not
from typing import Generic, TypeVar

_CHUNK = 128
"""Things that are compared at once: where both hold the very same objects, that costs next to nothing."""

Thing = TypeVar("Thing")


def differing(before: tuple[object, ...], after: tuple[object, ...]) -> tuple[slice, slice]:
    """Return what lies between a beginning and an end that are the same in both, in each of them."""
    first = _same(before, after)
    last = _same(before[first:][::-1], after[first:][::-1])
    return slice(first, len(before) - last), slice(first, len(after) - last)


class RunningSum(Generic[Thing]):
    """A sum over a sequence that changes. Attribute: now, the sum over the one that it followed last."""

    def __init__(self, share: Callable[[Thing], int]) -> None:
        """share: what one thing adds."""
        self.now = 0
        self._share = share
        self._things: tuple[Thing, ...] = ()

    def follow(self, things: tuple[Thing, ...]) -> None:
        """Follow a sequence that stands in the place of the one before."""
        old, new = differing(self._things, things)
        self.now += sum(map(self._share, things[new])) - sum(map(self._share, self._things[old]))
        self._things = things


def _same(before: tuple[object, ...], after: tuple[object, ...]) -> int:
    """Return how many things at the front are the same; some that are equal but other objects may not be counted."""
    most, at = min(len(before), len(after)), 0
    while at < most and before[at : at + _CHUNK] == after[at : at + _CHUNK]:
        at += _CHUNK
    chunk = slice(at, at + _CHUNK)
    return next(compress(count(at), map(is_not, before[chunk], after[chunk])), most)
