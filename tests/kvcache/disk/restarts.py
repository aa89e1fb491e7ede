"""Caches with a disk under them, closed and opened again; and random histories of that."""

from __future__ import annotations

import random
import time
from pathlib import Path

from app.kvcache.disk.tier import Tier
from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from tests.kvcache.ledger import Ledger, ask, ledger_cache

BUDGET = 1 << 30

_open: list[PrefixCache] = []


def opened(
    mix: str, root: Path, writes_all: bool = True, budget: int | None = BUDGET, model: str = "model"
) -> tuple[PrefixCache, Ledger]:
    """A cache over a model that keeps books, with what lies below `root`. `close_all` ends its thread."""
    cache, ledger = ledger_cache(mix)
    cache.open_disk(root, model, budget, writes_all)
    _open.append(cache)
    check(cache)
    return cache, ledger


def close_all() -> None:
    """End the threads of all caches that were opened here."""
    while _open:
        _open.pop().close_disk(0)


def tier_of(cache: PrefixCache) -> Tier:
    assert cache.disk is not None
    return cache.disk


def settle(cache: PrefixCache) -> None:
    """Write everything that is to be written."""
    tier = tier_of(cache)
    while tier.tend() or tier.is_saving:
        time.sleep(0.001)
    assert tier.wait(10)
    check(cache)


def reopened(cache: PrefixCache, mix: str, root: Path, writes_all: bool = True) -> tuple[PrefixCache, Ledger]:
    """What is left after the program has ended and was started again."""
    settle(cache)
    cache.close_disk(2)
    cache.close()
    return opened(mix, root, writes_all)


def files_in(root: Path) -> list[Path]:
    return sorted(root.glob("*/*.safetensors"))


def damage(path: Path, generator: random.Random) -> None:
    """Flip a bit, and now and then cut the file in half."""
    data = bytearray(path.read_bytes())
    data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
    path.write_bytes(data[: generator.choice([len(data), len(data) // 2])])


def play(mix: str, seed: int, root: Path, steps: int = 40) -> None:
    """Requests, restarts, changed budgets and damaged files. The model checks at each call what it is given."""
    generator = random.Random(seed)
    cache, _ = opened(mix, root)
    known: list[list[int]] = [[]]
    for _ in range(steps):
        base = generator.choice(known)
        prompt = [*base[: generator.randrange(len(base) + 1)], *generator.sample(range(1, 60), 4)]
        answer = generator.sample(range(1, 60), 3)
        ask(cache, prompt, answer, [generator.randrange(1, len(prompt) + 1)], limit=generator.choice([1, 3, 64]))
        check(cache)
        known.append([*prompt, *answer])
        for _ in range(generator.randrange(12)):
            tier_of(cache).tend()
            check(cache)
        match generator.randrange(6):
            case 0:
                cache, _ = reopened(cache, mix, root, generator.random() < 0.5)
            case 1:
                cache.set_budget(generator.choice([0, 500, 3000, 1 << 30]))
            case 2 if tier_of(cache).wait(10) and files_in(root):
                damage(generator.choice(files_in(root)), generator)
            case 3:
                tier_of(cache).set_budget(generator.choice([0, 5000, 50000, BUDGET]))
        check(cache)
