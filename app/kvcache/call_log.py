"""Where state comes from: the forward calls that computed it.

The same tokens computed in other chunks give other low bits, so "exact" means: repeating the recorded calls from an
empty cache gives the same bits. A call log is the record of one session. Properties it keeps:

1. Calls follow each other without a gap, from `start` to `end`.
2. The call at `start` began with the whole states that `base` left there; every other call with those of the call
   before it. Rows are not part of this: a call sees the rows of its path, and stored rows win over recomputed ones.
3. A call is never cut: an edge that was split inside a call keeps the whole call on record. Of its tokens those that
   follow the edge may be unknown, since no row depends on a later token: they may be the words of somebody who is gone.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

ANY = 0  # stands for a token that is not known, in calls of which only rows before it are wanted


class Call(NamedTuple):
    """One forward call over tokens [start, start + length) of a path."""

    start: int
    length: int

    @property
    def end(self) -> int:
        return self.start + self.length


class CallLog:
    """Forward calls of one session, in order: 8 bytes for a decoded token.

    base: the call log whose states this one began with, None for empty states (and for models without whole states).
    """

    __slots__ = ("__weakref__", "_ends", "_prefill_calls", "_tokens", "base", "start")

    def __init__(self, start: int = 0, base: CallLog | None = None) -> None:
        self.start = start
        self.base = base
        self._ends = array("q")
        self._prefill_calls: list[Call] = []  # those of several tokens
        self._tokens = array("i")

    @property
    def end(self) -> int:
        """Offset after the last call."""
        return self._ends[-1] if self._ends else self.start

    def add(self, tokens: Sequence[int]) -> None:
        """Record one call over `tokens`, which follow what was recorded before."""
        if not tokens:
            raise ValueError(f"a call of no tokens at {self.end}")
        if len(tokens) > 1:
            self._prefill_calls.append(Call(self.end, len(tokens)))
        self._ends.append(self.end + len(tokens))
        self._tokens.extend(tokens)

    def tokens(self, call: Call) -> array[int]:
        """Return the tokens that one of these calls was made with, `ANY` in the place of those that are not known."""
        known = self._tokens[call.start - self.start : call.end - self.start]
        known.extend([ANY] * (call.length - len(known)))
        return known

    def upto(self, end: int) -> tuple[array[int], array[int]]:
        """Return the ends of the calls that begin before `end`, and their tokens up to there."""
        count = bisect_right(self._ends, end - 1) + 1 if self._ends and end > self.start else 0
        return self._ends[:count], self._tokens[: max(0, end - self.start)]

    def forget(self, start: int) -> None:
        """Forget the tokens from an offset on. To be done when no more calls are added."""
        del self._tokens[max(0, start - self.start) :]

    def catch_up(self, ends: Sequence[int], tokens: Sequence[int]) -> None:
        """Add the calls and tokens that are not on record here yet.

        ends, tokens: as `upto` gives them of the same call log.
        """
        known = len(self._ends)
        for begun, end in zip((self.start, *ends)[known:], ends[known:], strict=False):
            if end - begun > 1:
                self._prefill_calls.append(Call(begun, end - begun))
            self._ends.append(end)
        self._tokens.extend(tokens[len(self._tokens) :])

    def last_prefill_end(self, start: int, end: int) -> int:
        """Return the end of the last call of several tokens that touches [start, end), cut at `end`; 0 when there is
        none."""
        index = bisect_right(self._prefill_calls, end - 1, key=lambda call: call.start) - 1
        if index < 0 or self._prefill_calls[index].end <= start:
            return 0
        return min(self._prefill_calls[index].end, end)

    def calls(self, start: int, end: int) -> Iterator[Call]:
        """Give the calls that touch [start, end), whole, in order."""
        index = bisect_right(self._ends, start)
        while index < len(self._ends):
            begun = self._ends[index - 1] if index else self.start
            if begun >= end:
                return
            yield Call(begun, self._ends[index] - begun)
            index += 1


class Provenance(NamedTuple):
    """Origin of rows [start, end) of a path: the calls of `call_log` that touch them."""

    call_log: CallLog
    start: int
    end: int


def cut(provenances: Sequence[Provenance], at: int) -> tuple[list[Provenance], list[Provenance]]:
    """Divide provenances at a token offset; a provenance that spans it stands in both halves with its own range."""
    first = bisect_right(provenances, at, key=lambda provenance: provenance.end)  # the first that ends beyond
    above, below = list(provenances[:first]), list(provenances[first:])
    if below and below[0].start < at:
        above.append(below[0]._replace(end=at))
        below[0] = below[0]._replace(start=at)
    return above, below


def append_provenances(above: list[Provenance], below: Sequence[Provenance]) -> None:
    """Add the provenances of the edge below to those of an edge; two that continue the same call log become one."""
    if above and below and above[-1].call_log is below[0].call_log and above[-1].end == below[0].start:
        above[-1] = above[-1]._replace(end=below[0].end)
        above.extend(below[1:])
    else:
        above.extend(below)


def last_prefill_end(provenances: Iterable[Provenance], at: int) -> int:
    """Return the end of the last call of several tokens on a path before `at`, cut there; 0 when there is none.

    provenances: of the path, the last first. It tells how a sliding window's ring lies: every single token after it
    took the next slot.
    """
    for provenance in provenances:
        if provenance.start < at:
            end = provenance.call_log.last_prefill_end(provenance.start, min(provenance.end, at))
            if end:
                return end
    return 0


def provenances_before(call_log: CallLog, start: int, end: int) -> list[Provenance]:
    """Return the calls of [start, end) on the way to the state that a call log leaves there or later.

    Raises ValueError when not all of them are on record.
    """
    provenances: list[Provenance] = []
    while end > start:
        if call_log.start < end:
            provenances.insert(0, Provenance(call_log, max(start, call_log.start), end))
            end = provenances[0].start
        elif call_log.base is None:
            raise ValueError(f"no calls are on record for [{start}, {end})")
        if call_log.base is not None:
            call_log = call_log.base
    return provenances
