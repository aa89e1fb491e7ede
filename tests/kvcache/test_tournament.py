"""The least of many falling worths, against comparing all of them."""

from __future__ import annotations

import random

import pytest

from app.kvcache.tournament import Entry, Tournament
from tests.seeds import each_seed


def least(entries: dict[int, Entry], clock: int) -> int | None:
    return min(entries, key=lambda key: (entries[key].worth(clock), key), default=None)


@each_seed(range(12))
def test_the_least_is_that_of_all(seed: int) -> None:
    """Entries come, change and go while time passes slowly or in leaps; many are worth the same."""
    rng = random.Random(seed)
    tournament, entries, clock = Tournament(), dict[int, Entry](), 1
    values = [rng.choice((1.0, 2.0, 3.0)) if seed % 2 else rng.lognormvariate(0, 3) for _ in range(40)] + [0.0]
    for step in range(1500):
        clock += rng.choice((0, 0, 0, 1, 1, 2, 17, 1000 if seed % 3 == 0 else 5))
        tournament.advance(clock)
        for _ in range(rng.randrange(3)):
            key = rng.randrange(1 + step // 4)
            if rng.random() < 0.3:
                entries.pop(key, None)
                tournament.discard(key)
            else:
                entries[key] = Entry(rng.choice(values), clock - int(rng.random() ** 3 * clock))
                tournament.put(key, entries[key])
        found = tournament.least()
        assert (found and found[0]) == least(entries, clock), f"seed {seed}, step {step}"
        assert len(tournament) == len(entries)
        key = rng.randrange(1 + step // 4)
        assert (key in tournament, tournament.get(key)) == (key in entries, entries.get(key))


def test_time_costs_only_the_comparisons_that_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    tournament, count = Tournament(), [0]
    tournament.advance(7_000)
    for key in range(20_000):
        tournament.put(key, Entry(rng.lognormvariate(0, 2), rng.randrange(7_000)))
    compare = Tournament._compare

    def counted(self: Tournament, level: int, at: int) -> None:
        count[0] += 1
        compare(self, level, at)

    monkeypatch.setattr(Tournament, "_compare", counted)
    for clock in range(7_001, 7_501):
        tournament.advance(clock)
        tournament.put(clock % 20_000, Entry(1.0, clock))
    assert count[0] / 500 < 200, "a look at everything is 20,000 comparisons"
