"""Eviction by worth against the order that it replaces, on forty traces of people, at three sizes of the cache.

Run as `python -m tests.bench.eviction_table`; writes build/bench/eviction.json. What the other order (oldest, then
deepest, then largest) recomputes stands in eviction_reference.json: trace -> model -> tokens at 10, 25 and 50 %. For
the first four seeds it was counted by another program; for those kept apart by `eviction.OldestFirst`, which computes
as much again with rows and 1.1 to 1.9 times as much with whole states where both are known.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.bench.eviction import BUDGETS, HELD_OUT, MODELS, SEEDS, Request, losses, traces
from tests.bench.report import machine, say, write

REFERENCE = Path(__file__).with_name("eviction_reference.json")
# Recomputed tokens, all traces together, as a share of the reference's: models with whole states, and with rows only.
LIMITS = {"HYB": (0.27, 0.16, 0.12), "KV": (0.90, 0.65, 0.80)}
WORST_TRACE = 0.005  # of a trace's seen tokens may be recomputed beyond the reference


@dataclass(frozen=True, slots=True)
class Row:
    """Tokens of one trace, one kind of model (see `eviction.MODELS`) and one budget, a share of the needed bytes."""

    trace: str
    model: str
    budget: float
    recomputed: int
    reference: int
    seen: int
    empty_restores: int

    @property
    def beyond(self) -> float:
        """Recomputed tokens beyond the reference's, as a share of what was seen."""
        return (self.recomputed - self.reference) / self.seen


def rows(chosen: Iterable[tuple[str, list[Request]]], models: Sequence[str] = tuple(MODELS)) -> list[Row]:
    """Traces by name, on all models and budgets unless told otherwise."""
    reference = json.loads(REFERENCE.read_text(encoding="utf-8"))
    found = []
    for name, asked in chosen:
        for model in models:
            for budget, expected, lost in zip(BUDGETS, reference[name][model], losses(asked, model), strict=True):
                row = Row(name, model, budget, lost.recomputed, expected, lost.seen, lost.empty_restores)
                found.append(row)
    return found


def pooled(found: Iterable[Row], kind: str, budget: float) -> float:
    """Recomputed tokens of all rows of a kind ("HYB" or "KV") and budget, as a share of the reference's."""
    chosen = [row for row in found if row.model.startswith(kind) and row.budget == budget]
    return sum(row.recomputed for row in chosen) / sum(row.reference for row in chosen)


def faults(found: Sequence[Row]) -> list[str]:
    """What is missed of the limits, in words."""
    wrong = [
        f"{kind} at {budget:.0%}: {pooled(found, kind, budget):.3f} of the reference, {limit} is the limit"
        for kind, limits in LIMITS.items()
        for budget, limit in zip(BUDGETS, limits, strict=True)
        if pooled(found, kind, budget) > limit
    ]
    wrong += [
        f"{row.trace} {row.model} at {row.budget:.0%}: {row.beyond:.2%} of what was seen beyond the reference"
        for row in found
        if row.beyond > WORST_TRACE
    ]
    empty = sum(row.empty_restores for row in found)
    return [*wrong, f"{empty} requests restored nothing"] if empty else wrong


def main() -> int:
    """Play everything; 1 when a limit is missed."""
    found = {"traces": rows(traces(SEEDS)), "traces kept apart": rows(traces(HELD_OUT), ("KV64", "HYB60"))}
    wrong = []
    for name, part in found.items():
        say(f"{name}:")
        for kind, limits in LIMITS.items():
            pools = zip(BUDGETS, limits, strict=True)
            say(f"{kind:7} " + ", ".join(f"{pooled(part, kind, b):.3f} at {b:.0%} ({limit})" for b, limit in pools))
        worst = max(part, key=lambda row: row.beyond)
        say(f"worst: {worst.trace} {worst.model} at {worst.budget:.0%}, {worst.beyond:+.2%} of what was seen")
        wrong += faults(part)
    write("eviction.json", {"machine": machine(), "rows": [asdict(row) for part in found.values() for row in part]})
    for fault in wrong:
        say(f"NOT KEPT: {fault}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
