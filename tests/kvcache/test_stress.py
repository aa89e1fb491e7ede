"""Seeded random histories, every promise checked after each action."""

from __future__ import annotations

import pytest

from tests.kvcache.history import History
from tests.kvcache.ledger import MIXES, VOCABULARY, ledger_cache


@pytest.mark.parametrize("mix", list(MIXES))
@pytest.mark.parametrize("seed", range(12))
def test_whatever_people_do_the_promises_hold(mix: str, seed: int) -> None:
    """The ledger model itself fails when anything it is given was not computed from the tokens before."""
    cache, _ = ledger_cache(mix)
    history = History(cache, seed, 6 if seed % 3 else VOCABULARY, seed % 2 == 1, longest=120)
    for _ in range(40):
        history.step()


@pytest.mark.parametrize("mix", ["T"])
def test_with_room_for_all_rows_nothing_is_computed_twice(mix: str) -> None:
    """Models with rows only restore any prefix that was ever computed, wherever it is cut."""
    cache, _ = ledger_cache(mix)
    history = History(cache, 3, VOCABULARY, False, longest=200)
    for _ in range(60):
        history.step()
    for tokens in history.known[1:]:
        for cut in range(1, len(tokens) + 1, 7):
            assert cache.price(tokens[:cut]).excess == 0
