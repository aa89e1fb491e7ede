"""Random tests: one test runs every seed, and a failure says which it was."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

LONGEST = 600  # seconds of a test: all its seeds together
FEW = "ESPALIER_SEEDS"  # in the environment: how many seeds of each test are run, instead of all
EVERY = "ESPALIER_EVERY_SEED"  # in the environment: tests of which only some seeds are run otherwise run all


def each_seed(seeds: Iterable[int]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test once for each seed, which it takes as `seed`; a `tmp_path` is a fresh folder each time.

    Fixtures are made once for all seeds: a test that leaves something behind in another one stays a case to a seed.
    """

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run(*arguments: Any, **named: Any) -> None:
            for seed in chosen(seeds):
                own = {"tmp_path": folder_in(named["tmp_path"], seed)} if "tmp_path" in named else {}
                try:
                    test(*arguments, seed=seed, **{**named, **own})
                except BaseException as error:
                    error.add_note(f"seed {seed}")
                    raise

        whole = inspect.signature(test)
        rest = [one for one in whole.parameters.values() if one.name != "seed"]
        run.__signature__ = whole.replace(parameters=rest)  # type: ignore[attr-defined]
        return pytest.mark.timeout(0 if os.environ.get(EVERY) else LONGEST)(run)

    return decorate


def chosen(seeds: Iterable[int]) -> list[int]:
    """Return the seeds to run: all of them, or as many of the first as the environment says.

    Not for a test that counts over its seeds what they brought: it takes all of them.
    """
    few = os.environ.get(FEW)
    return list(seeds)[: int(few) if few else None]


def some(seeds: Iterable[int], few: int) -> list[int]:
    """Return the first few seeds of a long test, all of them where the environment asks for that."""
    return list(seeds)[: None if os.environ.get(EVERY) else few]


def folder_in(folder: Path, seed: int) -> Path:
    """Make a new folder for this seed."""
    made = folder / f"seed {seed}"
    made.mkdir()
    return made
