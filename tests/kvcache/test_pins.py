"""Pins: what the person wants kept stays, whatever else needs room, and no more than the budget can be pinned."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.kvcache.invariants import check
from tests.kvcache.disk.restarts import close_all, opened, reopened, write_everything
from tests.kvcache.ledger import MIXES, ROWS, ask, ledger_cache
from tests.seeds import each_seed

KEPT = [1, 2, 3, 4, 5, 6, 7, 8]
PLENTY = 1 << 30


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    yield
    close_all()


@pytest.mark.parametrize("mix", list(MIXES))
def test_a_pinned_branch_survives_any_shortage(mix: str) -> None:
    cache, _ = ledger_cache(mix)
    ask(cache, KEPT, [9, 10], points=[4])
    assert cache.pin([*KEPT, 9, 50]) == 9
    ask(cache, [20, 21, 22, 23, 24], [25])
    for branch in range(20):
        cache.set_budget(cache.live_bytes + cache.trie.pinned_bytes)
        ask(cache, [30 + branch, 2, 3, 4, 5, 6], [7])
        check(cache)
    cache.set_budget(0)
    check(cache)
    assert cache.paged_bytes == cache.trie.pinned_bytes > 0
    assert ask(cache, [*KEPT, 9, 50])[2] == 9


@pytest.mark.parametrize("mix", list(MIXES))
def test_what_was_pinned_goes_once_it_is_let_go(mix: str) -> None:
    cache, _ = ledger_cache(mix)
    ask(cache, KEPT, [9, 10], points=[4])
    cache.pin([*KEPT, 9, 50])
    ask(cache, [20, 21, 22], [25])
    cache.set_budget(0)
    assert cache.unpin([*KEPT, 9, 50]) == 0, "nothing is pinned there"
    assert cache.unpin([*KEPT, 9]) == 9
    check(cache)
    assert cache.paged_bytes == 0
    assert cache.unpin([*KEPT, 9]) == 0


@pytest.mark.parametrize("mix", list(MIXES))
def test_of_two_places_on_a_branch_the_one_that_is_named_goes(mix: str) -> None:
    cache, _ = ledger_cache(mix)
    ask(cache, KEPT, [9, 10], points=[4])
    assert (cache.pin([*KEPT[:4], 50]), cache.pin([*KEPT, 9, 50])) == (4, 9)
    assert [cache.unpin(tokens) for tokens in (KEPT, [*KEPT, 50], [*KEPT[:3], 50], [1], [])] == [0] * 5
    assert cache.unpin(KEPT[:4]) == 4
    ask(cache, [20, 21, 22], [25])
    cache.set_budget(0)
    check(cache)
    assert cache.price([*KEPT, 9, 50]).cached == 9


def test_a_pin_ends_inside_an_edge_where_rows_can_be_cut() -> None:
    cache, _ = ledger_cache("S")
    ask(cache, KEPT, [9, 10])
    assert cache.pin(KEPT[:5]) == 4, "one token of a request is always left to compute"
    ask(cache, [20, 21], [25])
    cache.set_budget(0)
    check(cache)
    assert cache.price([*KEPT, 50]).cached == 4


def test_only_the_last_state_of_a_pinned_branch_is_kept() -> None:
    cache, _ = ledger_cache("R")
    ask(cache, KEPT, [9, 10], points=[2, 4, 6])
    cache.pin([*KEPT, 9, 50])
    ask(cache, [20, 21], [25])
    cache.set_budget(0)
    check(cache)
    assert cache.price([*KEPT[:4], 50]).cached == 0
    assert cache.price([*KEPT, 9, 50]).cached == 9


@pytest.mark.parametrize("mix", list(MIXES))
def test_pins_beyond_the_budget_are_refused(mix: str) -> None:
    cache, _ = ledger_cache(mix)
    ask(cache, KEPT, [9, 10])
    cache.set_budget(cache.live_bytes // 2)
    assert cache.pin([*KEPT, 9, 50]) == 0
    assert cache.trie.root.usage.pins == 0
    check(cache)


def test_nothing_held_is_nothing_to_pin() -> None:
    cache, _ = ledger_cache("T")
    assert cache.pin([1, 2, 3]) == 0
    with cache.begin([1, 2, 3]), pytest.raises(RuntimeError):
        cache.pin([1, 2, 3])


@pytest.mark.parametrize("mix", list(MIXES))
@each_seed(range(4))
def test_no_random_history_takes_a_pinned_branch(mix: str, seed: int) -> None:
    """Forks from it, merges, captures and every budget: what was pinned is restored each time."""
    cache, _ = ledger_cache(mix)
    generator = random.Random(seed)
    ask(cache, KEPT, [9, 10, 11, 12], points=[4])
    pinned = [*KEPT, 9, 10, 11]
    assert cache.pin([*pinned, 50]) == len(pinned)
    branches = [pinned]
    for _ in range(30):
        base = generator.choice(branches)
        prompt = [*base[: generator.randrange(len(base) + 1)], *generator.sample(range(13, 60), 4)]
        points = [generator.randrange(1, len(prompt) + 1)]
        ask(cache, prompt, generator.sample(range(13, 60), 3), points)
        branches.append(prompt)
        cache.set_budget(generator.choice([0, 500, 2000, PLENTY]))
        check(cache)
        assert cache.price([*pinned, 62]).cached == len(pinned), "ROWS" if mix in ROWS else "states"


@pytest.mark.parametrize("mix", list(MIXES))
@each_seed(range(8))
def test_a_pin_without_room_moves_and_reads_nothing(mix: str, seed: int, tmp_path: Path) -> None:
    """After a start, before anything was computed, and later: and one that is kept fits with all that are."""
    dice = random.Random(seed)
    cache, _ = opened(mix, tmp_path)
    branches = [[*KEPT[: dice.randrange(4)], *dice.sample(range(13, 60), dice.randrange(4, 30))] for _ in range(4)]
    for branch in branches:
        ask(cache, branch, [9, 10], points=[len(branch)])
    write_everything(cache)
    each = (cache.live_bytes + cache.paged_bytes) // len(branches)
    for _ in range(3):
        cache, _ = reopened(cache, mix, tmp_path)
        cache.set_budget(int(each * dice.uniform(0.3, 3)))
        for step in range(6):
            if step:
                ask(cache, [*dice.choice([[62], dice.choice(branches)]), 61], [60])
            before = [cache.live_bytes, cache.paged_bytes, cache.active.offset, len(cache.events)]
            held = cache.live_bytes + cache.paged_bytes
            kept = cache.pin([*dice.choice(branches), 9, 50])
            check(cache)
            if kept:
                assert cache.live_bytes + cache.paged_bytes <= max(cache.budget_bytes, held)
            else:
                assert [cache.live_bytes, cache.paged_bytes, cache.active.offset, len(cache.events)] == before


@pytest.mark.parametrize("mix", list(MIXES))
def test_a_pin_is_kept_in_just_as_much_room_as_it_takes(mix: str, tmp_path: Path) -> None:
    cache, _ = opened(mix, tmp_path)
    ask(cache, KEPT, [9, 10], points=[8])
    assert cache.pin([*KEPT, 9, 50]) == 9
    ask(cache, [20, 21], [22])
    nbytes = cache.trie.pinned_bytes + cache.active.layers.window_bytes(9)
    for is_enough in (False, True):
        cache, _ = reopened(cache, mix, tmp_path)
        cache.set_budget(nbytes - (not is_enough))
        assert bool(cache.pin([*KEPT, 9, 50])) == is_enough
        check(cache)
