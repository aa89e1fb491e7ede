"""What only other programs used is never written."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.kvcache.invariants import check
from tests.kvcache.disk.restarts import close_all, files_in, opened, reopened, write_everything
from tests.kvcache.ledger import MIXES, ask
from tests.seeds import each_seed

MINE = [1, 2, 3, 4, 5, 6, 7, 8]
GUESTS = range(40, 60)  # tokens that only guests use


@pytest.fixture(autouse=True)
def _close_all() -> Iterator[None]:
    yield
    close_all()


@pytest.mark.parametrize("mix", list(MIXES))
@each_seed(range(4))
def test_nothing_that_only_guests_used_is_written_and_all_else_is(mix: str, seed: int, tmp_path: Path) -> None:
    """The same requests of the window's, with guests' between them and without, in little memory and in plenty."""
    kept = []
    for has_guests in (True, False):
        rng, guests = random.Random(seed), random.Random(seed)
        root = tmp_path / str(has_guests)
        cache, _ = opened(mix, root)
        known = [MINE]
        for _ in range(12):
            prompt = rng.choice(known)[: rng.randrange(1, 20)] + rng.choices(range(40), k=rng.randrange(1, 12))
            ask(cache, prompt, rng.choices(range(40), k=3), points=[len(prompt) - 1])
            known.append(prompt)
            if has_guests:
                foreign = guests.choice([[], *known]) + guests.choices(GUESTS, k=guests.randrange(1, 30))
                ask(cache, foreign, guests.choices(GUESTS, k=3), points=[len(foreign) - 1], is_guest=True)
                check(cache)
            if rng.random() < 0.5:
                write_everything(cache)
            if rng.random() < 0.3:
                held = cache.live_bytes + cache.paged_bytes
                cache.set_budget(held // 2)
                cache.set_budget(1 << 30)
                check(cache)
        assert not [node for node in cache.trie if node.usage.is_guest and node.stored.files]
        cache, _ = reopened(cache, mix, root)
        tokens = {token for node in cache.trie for token in node.tokens}
        assert not tokens & {*GUESTS}
        assert not any(node.usage.is_guest for node in cache.trie)
        kept.append([cache.price([*prompt, 63]).left for prompt in known])
    assert [a <= b for a, b in zip(*kept, strict=True)] == [True] * len(kept[0])


@pytest.mark.parametrize("mix", list(MIXES))
def test_what_the_window_uses_afterwards_is_written(mix: str, tmp_path: Path) -> None:
    cache, _ = opened(mix, tmp_path)
    ask(cache, MINE, [9, 10], points=[7], is_guest=True)
    write_everything(cache)
    assert not files_in(tmp_path)
    ask(cache, [*MINE, 9, 20], [21], points=[9])
    cache, _ = reopened(cache, mix, tmp_path)
    assert cache.price([*MINE, 9, 20]).left <= 1
