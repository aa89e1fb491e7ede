"""Which sequences llama.cpp's server keeps: one in each of its slots, and those that it has put away in memory.

    slots = Slots(1)
    slots.found(shares, len(prompt))      # tokens of a prompt that it should find

Read in its source: a prompt goes to the slot that holds most of it, or, where none holds a tenth, to the one that was
used least lately. Where more than half of what a slot holds would be lost, that is put away, and what is put away and
has more of the prompt takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from app.protocol.dataclass import dataclass

_MOST_SLOTS = _MOST_AWAY = 64
_LIKE, _WORTH_KEEPING, _WORTH_TAKING = 0.1, 0.5, 0.25  # shares: of a prompt, of a slot, of what was put away
Shares = Mapping[int, int]
"""How many tokens a sequence has in common with others, from its first one on, by their numbers."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """Say which slot reads a prompt, and what it gives away and takes back for it.

    slot: its place. away: the sequence that is taken back into it, 0 for none. shared: tokens that are found then.
    puts_away: what the slot holds is put away before.
    """

    slot: int
    away: int
    shared: int
    puts_away: bool


class Slots:
    """Follow what is in the slots, and what is put away, by the numbers of sequences, all of them above 0."""

    def __init__(self, count: int) -> None:
        """count: of the slots, of which no more than some are followed."""
        self._slots = [0] * min(count, _MOST_SLOTS)  # what each holds
        self._used = list(reversed(range(len(self._slots))))  # the one that was used least lately first
        self._away: list[int] = []  # the oldest first
        self._lengths: dict[int, int] = {}
        self._places: dict[int, tuple[int, ...]] = {}  # at which a state is kept, of caches that cannot be cut

    @property
    def held(self) -> set[int]:
        """Return the sequences in the slots."""
        return {*self._slots} - {0}

    @property
    def kept(self) -> set[int]:
        """Return all sequences that are kept."""
        return {*self.held, *self._away}

    def found(self, shares: Shares, length: int, *, takes_back: bool = True) -> int:
        """Return how many tokens of a prompt of a length should be found.

        takes_back: what was put away may be found too.
        """
        return self._choose(shares, length, self._away if takes_back else ()).shared

    def found_whole(self, shares: Shares, length: int) -> int:
        """Return how many should be found where a cache cannot be cut: up to where a request has begun or ended."""
        choice = self._choose(shares, length, self._away)
        places = self._places.get(choice.away or self._slots[choice.slot], ())
        return max((place for place in places if place <= min(choice.shared, length - 1)), default=0)

    def take(
        self,
        number: int,
        length: int,
        shares: Shares,
        asked: int,
        cached: int,
        shares_of: Callable[[int], Shares],
    ) -> None:
        """Take over that a sequence was read and written.

        shares, asked, cached: those of its prompt, its length, and how much of it was found. shares_of: returns those
        of a sequence that is kept.
        """
        choice = self._choose(shares, asked, self._away)
        places = self._places.get(choice.away or self._slots[choice.slot], ())
        self._places[number] = (*(place for place in places if place < cached), cached, length)
        if choice.puts_away:
            self._put_away(self._slots[choice.slot], shares_of(self._slots[choice.slot]))
        self._away = [one for one in self._away if one != choice.away][-_MOST_AWAY:]
        self._slots[choice.slot] = number
        self._used = [*(one for one in self._used if one != choice.slot), choice.slot]
        self._lengths[number] = length
        self._lengths = {one: self._lengths[one] for one in self.kept}
        self._places = {one: self._places[one] for one in self.kept}

    def clear(self) -> None:
        """Take over that nothing is kept any more."""
        self._slots, self._away, self._lengths, self._places = [0] * len(self._slots), [], {}, {}

    def _choose(self, shares: Shares, length: int, put_away: Sequence[int]) -> _Choice:
        alike = [shares.get(one, 0) for one in self._slots]
        slot = alike.index(max(alike))
        if alike[slot] <= _LIKE * length:
            slot = self._used[0]
        elif alike[slot] >= _WORTH_KEEPING * self._lengths[self._slots[slot]]:
            return _Choice(slot, 0, alike[slot], puts_away=False)
        away, shared, holds = 0, alike[slot], self._slots[slot]
        worth = shared / self._lengths[holds] if holds else -1.0
        for one in put_away:
            common = shares.get(one, 0)
            of_it = common / self._lengths[one]
            if of_it >= _WORTH_TAKING and of_it > worth and common > shared:
                away, shared, worth = one, common, of_it
        return _Choice(slot, away, shared, puts_away=holds > 0)

    def _put_away(self, number: int, shares: Shares) -> None:
        """Put away what a slot holds, unless something holds all of it, and let go of what it holds all of."""
        length = self._lengths[number]
        if all(shares.get(one, 0) < length for one in self._away):
            self._away = [one for one in self._away if shares.get(one, 0) < self._lengths[one]]
            self._away.append(number)
