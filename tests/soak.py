"""Random histories over every kind of model for as long as told: `python -m tests.soak --seconds 600`.

Each is compared with the replay of its record after every step, as in tests/kvcache/test_exact.py, with fresh seeds and
now and then with paths long enough for buffers to grow and shrink. In between, courses of single operations over every
mix of layers are watched for the account and for memory, as in tests/kvcache/test_account.py. Says twice a minute how
far it came, and of each finding the command that repeats it. Exits with 1 when there was one.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
import traceback
from typing import NamedTuple

import mlx.core as mx

from tests.fakes.tiny_models import KINDS, dtypes
from tests.kvcache import ballast
from tests.kvcache.comparison import cache_of, play
from tests.kvcache.traffic import course

STEPS = 12
OPERATIONS = 1000  # of a course
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


def is_sound(case: Case) -> bool:
    """Play one history; tell of it when it fails."""
    try:
        case.play()
    except Exception as error:
        say("".join(traceback.format_exception(error)))
        say(f"FINDING: {type(error).__name__}: {error}\n  again with: {case.command}\n")
        return False
    return True


def soak(seconds: float, seed: int, kinds: tuple[str, ...]) -> int:
    """Histories over all kinds until the time is up, in turn. Returns how many had a finding."""
    turns = [(kind, name) for kind in kinds for name, dtype in TYPES.items() if dtype in types_of(kind)]
    begun = told = time.monotonic()
    findings = done = 0
    for number, (kind, name) in zip(itertools.count(seed), itertools.cycle(turns), strict=False):
        findings += not is_sound(Case(kind, name, number))
        done += 1
        now = time.monotonic()
        if now - begun >= seconds:
            break
        if now - told >= TELL_EVERY:
            say(f"{now - begun:.0f} s: {done} histories, {findings} findings\n")
            told = now
    say(f"{done} histories over {len(turns)} models, seeds from {seed}: {findings} findings\n")
    return findings


def types_of(kind: str) -> tuple[mx.Dtype, ...]:
    return (mx.float32,) if kind in ballast.MIXES else dtypes(kind)


def say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, help="play this one history of --kind and --dtype")
    parser.add_argument("--kind", choices=ALL, help="of these models, or mixes of layers, only")
    parser.add_argument("--dtype", choices=list(TYPES), default="float32")
    options = parser.parse_args()
    if options.seed is not None:
        return int(not is_sound(Case(options.kind or KINDS[0], options.dtype, options.seed)))
    seed = time.time_ns() // 1_000_000 % 1_000_000_000
    return int(soak(options.seconds, seed, (options.kind,) if options.kind else ALL) > 0)


if __name__ == "__main__":
    sys.exit(main())
