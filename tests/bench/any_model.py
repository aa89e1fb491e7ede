"""Models of all kinds: listing two hundred, opening each, and asking on after an answer with a thought.

Run as `python -m tests.bench.any_model`; writes build/bench/models.json. The models that are listed have headers as
long as those of 8 billion parameters and no data; those that are opened are tiny, so what is measured is what opening
takes beside the weights. Every model is opened and asked by the engine's own loop.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import tests.sealed  # noqa: F401 - offline, as the program is
from app.models.entry import Source
from app.models.places import ModelLocation
from app.models.scan import scan
from app.protocol.events import ModelReady, TextDelta
from tests.bench.report import machine, say, write
from tests.engine import followups
from tests.engine.bench import Bench, user
from tests.fakes.tiny_models import KINDS
from tests.models.folders import write_many
from tests.models.tiny_folders import write_tiny_folder

LISTED = 200
LIST_MS = 300.0
MOST_READ = 40
TIMES = 3
QUESTION = "What does the fox say? " * 40


@dataclass(frozen=True, slots=True)
class Row:
    """Seconds, medians: opening a model of this kind, and its first token after a question of some hundred tokens."""

    kind: str
    open_s: float
    first_token_s: float


def list_ms(folder: Path) -> float:
    """Milliseconds that listing takes: the median, and nothing is remembered from one time to the next."""
    write_many(folder, LISTED)
    place = ModelLocation(Source.HUB, folder)
    return median(_listed(place) for _ in range(TIMES))


def _listed(place: ModelLocation) -> float:
    begun = time.perf_counter()
    found = list(scan([place]))
    spent = time.perf_counter() - begun
    assert sum(not entry.reason for entry in found) == LISTED, "models are missing from the list"
    return 1000 * spent


def rows(folder: Path) -> Iterator[Row]:
    """Each kind of model, opened and asked."""
    for kind in KINDS:
        path = write_tiny_folder(folder / kind, kind)
        measured = [_opened(path) for _ in range(TIMES)]
        opening, first = (median(one[at] for one in measured) for at in (0, 1))
        yield Row(kind, round(opening, 3), round(first, 3))


def _opened(path: Path) -> tuple[float, float]:
    """Seconds of the opening, and from the question to the first token."""
    bench = Bench(chunk=None)
    begun = time.perf_counter()
    ready = bench.open(path)
    assert isinstance(ready, ModelReady), ready
    opened = time.perf_counter()
    bench.loop.submit(bench.command(user(QUESTION), max_tokens=1))
    while not any(isinstance(event, TextDelta) for event in bench.events):
        assert bench.loop.step(), "the engine has nothing to do, and has not answered"
    return opened - begun, time.perf_counter() - opened


def main() -> int:
    """Measure, print and write."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        listed = list_ms(folder / "hub")
        opened = list(rows(folder / "tiny"))
        asked_on = followups.rows(folder / "shapes")
    say(f"{LISTED} models are listed in {listed:.0f} ms ({LIST_MS:.0f} wanted)")
    for row in opened:
        say(f"{row.kind:16} open {row.open_s:6.3f} s   first token {row.first_token_s:6.3f} s")
    for one in asked_on:
        say(f"{one['template']:20} read {one['read']}, least {one['least']}")
    content = {"list_200_ms": round(listed, 1), "rows": [asdict(row) for row in opened], "followups": asked_on}
    say(f"written to {write('models.json', {**machine(), **content})}")
    return 0 if listed <= LIST_MS and all(one["read"] <= MOST_READ for one in asked_on) else 1


if __name__ == "__main__":
    sys.exit(main())
