"""Seeded random histories, every promise checked after each action."""

from __future__ import annotations

import pytest

from app.kvcache.layers import WindowLayer
from tests.kvcache.history import History
from tests.kvcache.ledger import MIXES, ROWS, VOCABULARY, ledger_cache
from tests.seeds import each_seed


@pytest.mark.parametrize("mix", list(MIXES))
@each_seed(range(6))
def test_whatever_people_do_the_promises_hold(mix: str, seed: int) -> None:
    """The ledger model itself fails when anything it is given was not computed from the tokens before."""
    cache, _ = ledger_cache(mix)
    cache.grid = (256, 7, 0)[seed % 3]
    history = History(cache, seed, 6 if seed % 3 else VOCABULARY, seed % 2 == 1, longest=120)
    for _ in range(40):
        history.step()


@pytest.mark.parametrize("mix", ROWS)
def test_with_room_for_all_rows_nothing_is_computed_twice(mix: str) -> None:
    """Models with rows only restore any prefix that was ever computed, wherever it is cut."""
    cache, _ = ledger_cache(mix)
    history = History(cache, 3, VOCABULARY, False, longest=200)
    for _ in range(60):
        history.step()
    for tokens in history.known[1:]:
        for cut in range(1, len(tokens) + 1, 7):
            assert cache.price(tokens[:cut]).excess == 0


def test_a_ring_that_goes_on_at_the_wrong_slot_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ledger must see what a wrong restore does to a window, or the histories above would prove nothing of it."""
    right = WindowLayer._rebuild

    def wrong(layer: WindowLayer, last_prefill_end: int) -> None:
        right(layer, last_prefill_end)
        if layer.offset > layer._ring.max_size:
            layer._ring._idx = layer._ring._idx % layer._ring.max_size + 1

    monkeypatch.setattr(WindowLayer, "_rebuild", wrong)
    cache, _ = ledger_cache("S")
    history = History(cache, 0, VOCABULARY, False, longest=120)
    with pytest.raises(AssertionError):
        repeat(history, 10)


def repeat(history: History, steps: int) -> None:
    for _ in range(steps):
        history.step()
