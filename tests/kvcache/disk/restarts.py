"""Caches with a disk under them, closed and opened again; and random histories of that."""

from __future__ import annotations

import errno
import random
import shutil
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import mlx.core as mx

from app.kvcache.disk import tier
from app.kvcache.disk.tier import Tier
from app.kvcache.disk.writer import Done, Failed, Writer
from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from tests.kvcache.comparison import FEW, GRIDS, VOCABULARY, cache_of, require_same
from tests.kvcache.history import PLENTY, History
from tests.kvcache.ledger import Ledger, ask, ledger_cache

BUDGET = 1 << 30

_open: list[PrefixCache] = []


def opened(
    mix: str, root: Path, writes_all: bool = True, budget: int | None = BUDGET, model: str = "model"
) -> tuple[PrefixCache, Ledger]:
    """A cache over a model that keeps books, with what lies below `root`. `close_all` ends its thread."""
    cache, ledger = ledger_cache(mix)
    cache.open_disk(root, model, budget, writes_all)
    ledger.calls.clear()  # the model was asked what its layers keep
    _open.append(cache)
    check(cache)
    return cache, ledger


def to_close(cache: PrefixCache) -> None:
    """Have `close_all` end its thread."""
    _open.append(cache)


def close_all() -> None:
    """End the threads of all caches that were opened here or told of."""
    while _open:
        _open.pop().close_disk(0)


def tier_of(cache: PrefixCache) -> Tier:
    assert cache.disk is not None
    return cache.disk


def write_everything(cache: PrefixCache) -> None:
    """Write everything that is to be written."""
    disk = tier_of(cache)
    while disk.tend() or disk.is_saving:
        time.sleep(0.001)
    assert disk.wait(10)
    check(cache)


def reopened(cache: PrefixCache, mix: str, root: Path, writes_all: bool = True) -> tuple[PrefixCache, Ledger]:
    """What is left after the program has ended and was started again."""
    write_everything(cache)
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


class SteppedWriter(Writer):
    """A writer that works only when told, on the caller's thread, so that a seed decides how far it has come.

    refuses: the disk is full.
    """

    refuses = False

    def _run(self) -> None:
        """Nothing: the thread ends at once."""

    def work(self, jobs: int) -> None:
        """Do the next so many jobs, or all that there are."""
        for _ in range(min(jobs, len(self._jobs))):
            self._do_next()

    def _write(self, job: Any) -> Done | Failed | None:
        return Failed(job.key, errno.ENOSPC, "No space left on device") if self.refuses else super()._write(job)

    def wait(self, seconds: float) -> bool:
        self.work(len(self._jobs))
        return True

    def close(self, deadline_seconds: float) -> int:
        if deadline_seconds:
            self.work(len(self._jobs))
        return super().close(0)


def play_model(kind: str, dtype: mx.Dtype, seed: int, root: Path, steps: int) -> None:
    """Play a random history of a tiny model, with a disk that lags behind as it likes, restarts and kills.

    After each step the live arrays are compared with the replay of their record. Use it with models whose rows depend
    on how a prompt was chunked, so that rows of other calls are seen as such.
    """
    generator = random.Random(seed)

    def begun() -> PrefixCache:
        cache = cache_of(kind, dtype, room)
        cache.grid = GRIDS[seed % len(GRIDS)]
        with patch.object(tier, "Writer", SteppedWriter):
            cache.open_disk(root / str(lives), "model", BUDGET, generator.random() < 0.5)
        _open.append(cache)
        return cache

    lives, room = 0, PLENTY
    history = History(begun(), seed, FEW if seed % 4 == 0 else VOCABULARY, True, longest=60)
    for step in range(steps):
        try:
            history.step()
            require_same(history.cache, history.last[: history.cache.active.offset], history.fed)
            cache = history.cache
            for _ in range(generator.choice([0, 3, 10, 30])):
                if generator.random() < 0.8:
                    tier_of(cache).tend()
                    check(cache)
                else:
                    writer_of(cache).refuses = generator.random() < 0.1
                    writer_of(cache).work(generator.randrange(3))
                    writer_of(cache).refuses = False
                    tier_of(cache)._saver._paused_until = 0.0
            if generator.random() < 0.5:
                history.evict()
                check(cache)
            if generator.random() < 0.15:
                shutil.copytree(root / str(lives), root / str(lives + 1))  # as a killed program leaves it
                if generator.random() < 0.5:
                    cache.close_disk(generator.choice([0.01, 1]))
                    shutil.rmtree(root / str(lives + 1))
                    shutil.copytree(root / str(lives), root / str(lives + 1))
                cache.close_disk(0)
                lives, room = lives + 1, cache.budget_bytes
                cache.close()
                history.cache = begun()
                check(history.cache)
        except Exception as error:
            raise AssertionError(f"{kind} {dtype}, seed {seed}, step {step}: {error}") from error


def writer_of(cache: PrefixCache) -> SteppedWriter:
    writer = tier_of(cache)._writer
    assert isinstance(writer, SteppedWriter)
    return writer
