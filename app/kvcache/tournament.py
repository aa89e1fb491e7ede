"""Entries that are worth less as time goes by, and which of them is worth least now.

An entry is worth `value / (clock - used + 1)`, so two of them may change places with time, but only once. Winners of
pairs, of pairs of pairs and so on are kept in levels, each with the clock at which one of its comparisons may turn: a
kinetic tournament (Basch, Guibas and Hershberger, "Data structures for mobile data", 1997). Properties kept here:

1. `least` is what comparing all entries at this clock would give, the smaller key where two are worth the same.
2. A change costs one comparison for each level at most; a new clock only the comparisons that may turn by then.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

NEVER = 1 << 62


class Entry(NamedTuple):
    """Worth that falls with time: `value` at the request number `used`, half of it one request later, a third after
    two."""

    value: float
    used: int

    def worth(self, clock: int) -> float:
        """Return what the entry is worth at a request number."""
        return self.value / (clock - self.used + 1)


class Tournament:
    """Entries by key, the least worth first. The clock never goes back, and no entry is of a later one."""

    def __init__(self) -> None:
        self._clock = 0
        self._slots: dict[int, int] = {}  # by key
        self._free: list[int] = []
        self._keys: list[int] = []  # of slots, as the next two
        self._values: list[float] = []  # infinite where a slot is free
        self._used: list[int] = []
        self._winners: list[list[int]] = []  # the winning slot of 2, 4, 8... slots beside each other
        self._until: list[list[int]] = []  # the clock at which that must be looked at again

    def __len__(self) -> int:
        return len(self._slots)

    def __contains__(self, key: int) -> bool:
        return key in self._slots

    def get(self, key: int) -> Entry | None:
        """Return the entry of a key."""
        slot = self._slots.get(key)
        return None if slot is None else Entry(self._values[slot], self._used[slot])

    def put(self, key: int, entry: Entry) -> None:
        """Add an entry, or put it in the place of the one with this key."""
        slot = self._slots.get(key)
        if slot is None:
            slot = self._slots[key] = self._free.pop() if self._free else self._new_slot()
            self._keys[slot] = key
        elif entry == (self._values[slot], self._used[slot]):
            return
        self._values[slot], self._used[slot] = entry
        self._renew(slot)

    def discard(self, key: int) -> None:
        """Remove the entry of a key, if there is one."""
        slot = self._slots.pop(key, None)
        if slot is not None:
            self._values[slot] = inf
            self._free.append(slot)
            self._renew(slot)

    def advance(self, clock: int) -> None:
        """Let the clock reach a request number."""
        if clock > self._clock:
            self._clock = clock
            if self._winners:
                self._look_again(len(self._winners) - 1, 0)

    def least(self) -> tuple[int, Entry] | None:
        """Return the key and the entry that is worth least now."""
        if not self._slots:
            return None
        slot = self._winners[-1][0] if self._winners else 0
        return self._keys[slot], Entry(self._values[slot], self._used[slot])

    def _new_slot(self) -> int:
        slot = len(self._keys)
        self._keys.append(0)
        self._values.append(inf)
        self._used.append(0)
        if slot >> len(self._winners):
            self._winners.append([])
            self._until.append([])
        for level, winners in enumerate(self._winners, 1):
            if slot >> level == len(winners):
                winners.append(-1)
                self._until[level - 1].append(NEVER)
        return slot

    def _renew(self, slot: int) -> None:
        """Compare again what has to do with a slot, as far up as it makes a difference."""
        for level, winners in enumerate(self._winners):
            at = slot >> level + 1
            before = winners[at], self._until[level][at]
            self._compare(level, at)
            if before == (winners[at], self._until[level][at]) and winners[at] != slot:
                return

    def _look_again(self, level: int, at: int) -> None:
        """Compare again what may have turned by now; no deeper than there are levels."""
        if self._until[level][at] > self._clock:
            return
        if level:
            self._look_again(level - 1, 2 * at)
            if 2 * at + 1 < len(self._until[level - 1]):
                self._look_again(level - 1, 2 * at + 1)
        self._compare(level, at)

    def _compare(self, level: int, at: int) -> None:
        left, right = 2 * at, 2 * at + 1
        until = NEVER
        if level:
            below, times = self._winners[level - 1], self._until[level - 1]
            until = times[left]
            if right < len(below):
                until = min(until, times[right])
                right = below[right]
            else:
                right = -1
            left = below[left]
        elif right == len(self._keys):
            right = -1
        if right >= 0:
            values, used, clock = self._values, self._used, self._clock
            ours, theirs = values[left] / (clock - used[left] + 1), values[right] / (clock - used[right] + 1)
            if theirs < ours or (theirs == ours and self._keys[right] < self._keys[left]):
                left, right = right, left
            if values[left] > values[right]:
                until = min(until, self._turn(left, right))
        self._winners[level][at], self._until[level][at] = left, until

    def _turn(self, winner: int, loser: int) -> int:
        """Return the clock before which the loser cannot be worth less; the winner has the larger value."""
        value, other = self._values[winner], self._values[loser]
        turn = (other * (1 - self._used[winner]) - value * (1 - self._used[loser])) / (value - other)
        return max(self._clock + 1, int(turn)) if turn < NEVER else NEVER
