"""Everything that may go wrong, at random, for as long as told: `python -m tests.soak --seconds 600`.

Eight parts take turns, each with fresh seeds: `cache`, histories over every kind of model, each compared with the
replay of its record after every step as in tests/kvcache/test_exact.py, and courses of single operations watched for
the account and for memory as in tests/kvcache/test_account.py; `disk`, histories with restarts, budgets and damaged
files as in tests/kvcache/disk/test_tier.py; `lanes`, sessions over every kind of model that are begun, gone on with by
turns, ended and failed, compared with the replay of their record, and erased to the last byte, as in
tests/kvcache/test_interleaving.py; `lag`, histories of tiny models whose disk is slow, with restarts, kills and failing
writes, compared with the replay of their record as in tests/kvcache/disk/test_saving.py; `damage`, 1,000 corruptions of
snapshot files; `kills`, 200 sessions of the whole program that are killed, 8 at a time; `migrations`, killed as well;
`servers`, 500 questions to llama.cpp's server and to ones that answer from scripts, and 200 kills of each while they
answer, as in tests/remote/endurance.py. With --part only one of them is played. What has a number is played so often at
least, whatever the time. A ninth part is played only where it is named, for it wants Xvfb and xdotool: `keys`, walks of
somebody who does anything at random by real keys and the mouse.

Says twice a minute how far it came, and of each finding the command that repeats it. Exits with 1 when there was one.
"""

from __future__ import annotations

import tests.sealed  # noqa: F401 - before any other import

# isort: split
import argparse
import logging
import math
import random
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from itertools import count, cycle, islice, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import mlx.core as mx

from tests.fakes.tiny_models import KINDS, dtypes
from tests.kvcache import ballast
from tests.kvcache.comparison import cache_of, play
from tests.kvcache.disk import restarts
from tests.kvcache.disk.samples import corrupt
from tests.kvcache.interleaving import interleave
from tests.kvcache.ledger import MIXES
from tests.kvcache.traffic import course
from tests.remote import endurance
from tests.scenarios.key_walk import walk
from tests.scenarios.kills import PHASES, kill_many, kill_migrations

STEPS = 12
OPERATIONS = 1000  # of a course
TURNS = 60  # of sessions that are open at the same time
DAMAGES = 1000  # at a time
MIGRATIONS = 20  # at a time
DEEDS = 180  # of a walk
QUESTIONS, SERVER_KILLS, STOPS = 64, 25, 8  # to a server at a time
LENGTHS = (24, 48, 48, 48, 96, 600)  # tokens of a prompt at most
ALL = (*KINDS, *ballast.MIXES)
TELL_EVERY = 30.0  # seconds
TYPES = {"float32": mx.float32, "bfloat16": mx.bfloat16}


class Case(NamedTuple):
    """One history, or a course of operations where `kind` is a mix of layers."""

    kind: str
    dtype: str
    seed: int

    def play(self) -> None:
        """Raise what a finding raises."""
        if self.kind in ballast.MIXES:
            course(self.kind, self.seed, OPERATIONS)
            return
        longest = random.Random(self.seed).choice(LENGTHS)
        play(cache_of(self.kind, TYPES[self.dtype]), self.seed, STEPS, longest)

    @property
    def command(self) -> str:
        return f"python -m tests.soak --kind '{self.kind}' --dtype {self.dtype} --seed {self.seed}"


class Fault(NamedTuple):
    """One turn of the other parts. `part`: one of `PARTS`."""

    part: str
    seed: int

    def play(self) -> None:
        """Raise what a finding raises."""
        # Whoever closes without patience leaves a write under way, which may still add a file while the folder goes.
        with TemporaryDirectory(ignore_cleanup_errors=True) as name:
            PARTS[self.part](Path(name), self.seed)

    @property
    def command(self) -> str:
        return f"python -m tests.soak --part {self.part} --seed {self.seed}"


def disk_history(folder: Path, seed: int) -> None:
    try:
        restarts.play(random.Random(seed).choice(list(MIXES)), seed, folder)
    finally:
        restarts.close_all()


def lanes(folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    kind = chance.choice(KINDS)
    interleave(kind, chance.choice(dtypes(kind)), seed, TURNS, folder)


def lag(folder: Path, seed: int) -> None:
    kind = random.Random(seed).choice(("falcon_h1", "deepseek_v3", "lfm2", "gemma3"))
    try:
        restarts.play_model(kind, mx.float32, seed, folder, 2 * STEPS)
    finally:
        restarts.close_all()


def damage(folder: Path, seed: int) -> None:
    corrupt(folder, DAMAGES, seed)


def kills(folder: Path, seed: int) -> None:
    kill_many(folder, len(PHASES), seed)


def migrations(folder: Path, seed: int) -> None:
    kill_migrations(folder, MIGRATIONS, seed)


def servers(folder: Path, seed: int) -> None:
    figures = endurance.Figures()
    if sys.platform == "linux":  # llama.cpp's server is in the lock for it alone
        endurance.real(folder, seed, figures, QUESTIONS, SERVER_KILLS, STOPS)
    endurance.scripted(seed, figures, QUESTIONS, SERVER_KILLS)


def keys(folder: Path, seed: int) -> None:
    walk(folder, seed, DEEDS)


MIXED: dict[str, Callable[[Path, int], object]] = {
    "disk": disk_history,
    "lanes": lanes,
    "lag": lag,
    "damage": damage,
    "kills": kills,
    "migrations": migrations,
    "servers": servers,
}
PARTS = MIXED | {"keys": keys}
# Turns, whatever the time.
LEAST = {"damage": 1, "kills": 200 // len(PHASES), "migrations": 1, "servers": 200 // SERVER_KILLS}


def is_sound(case: Case | Fault) -> bool:
    """Play one history; tell of it when it fails."""
    try:
        case.play()
    except Exception as error:
        say("".join(traceback.format_exception(error)))
        say(f"FINDING: {type(error).__name__}: {error}\n  again with: {case.command}\n")
        return False
    return True


def soak(seconds: float, cases: Iterator[Case | Fault]) -> int:
    """Play these until the time is up. Returns how many had a finding."""
    begun = told = time.monotonic()
    findings = done = 0
    for case in cases:
        findings += not is_sound(case)
        done += 1
        now = time.monotonic()
        if now - begun >= seconds:
            break
        if now - told >= TELL_EVERY:
            say(f"{now - begun:.0f} s: {done} played, {findings} findings\n")
            told = now
    say(f"{done} played in {time.monotonic() - begun:.0f} s: {findings} findings\n")
    return findings


def histories(seed: int, kinds: tuple[str, ...]) -> Iterator[Case]:
    """Of these models in turn, without an end."""
    turns = [(kind, name) for kind in kinds for name, dtype in TYPES.items() if dtype in types_of(kind)]
    return (Case(kind, name, number) for number, (kind, name) in zip(count(seed), cycle(turns), strict=False))


def faults(part: str, seed: int) -> Iterator[Fault]:
    """Of one part, without an end."""
    return (Fault(part, number) for number in count(seed))


def promised(seed: int) -> Iterator[Fault]:
    """What has a number to reach, in turn, and no more."""
    turns = [islice(faults(part, seed), least) for part, least in LEAST.items()]
    return (case for row in zip_longest(*turns) for case in row if case is not None)


def mixed(seed: int) -> Iterator[Case | Fault]:
    """Many histories, now and then something of the other parts."""
    cases, others = histories(seed, ALL), [faults(part, seed + 10**9) for part in MIXED]
    for other in cycle(others):
        yield from islice(cases, len(MIXED))
        yield next(other)


def types_of(kind: str) -> tuple[mx.Dtype, ...]:
    return (mx.float32,) if kind in ballast.MIXES else dtypes(kind)


def say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--part", choices=("cache", *PARTS), help="this only, until the time is up")
    parser.add_argument("--seed", type=int, help="play this one history of --kind and --dtype, or of --part")
    parser.add_argument("--kind", choices=ALL, help="of these models, or mixes of layers, only")
    parser.add_argument("--dtype", choices=list(TYPES), default="float32")
    options = parser.parse_args()
    logging.disable(logging.WARNING)  # damage on purpose is told of a thousand times
    part = options.part or ("cache" if options.kind else "")
    if options.seed is not None:
        one = (
            Fault(part, options.seed) if part in PARTS else Case(options.kind or KINDS[0], options.dtype, options.seed)
        )
        return int(not is_sound(one))
    seed = time.time_ns() // 1_000_000 % 1_000_000_000
    if part in PARTS:
        return int(soak(options.seconds, faults(part, seed)) > 0)
    if part == "cache":
        return int(soak(options.seconds, histories(seed, (options.kind,) if options.kind else ALL)) > 0)
    return int(soak(options.seconds, mixed(seed)) + soak(math.inf, promised(seed + 2 * 10**9)) > 0)


if __name__ == "__main__":
    sys.exit(main())
