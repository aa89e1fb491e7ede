"""What a fork costs: every policy on the same models and the same branching requests, in one process.

Run as `python -m tests.bench.branching`; writes build/bench/branching.json and a chart beside it. Seconds on a machine
that does other things as well are rough; tokens and bytes are exact.
"""

from __future__ import annotations

import gc
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import mlx.core as mx

from app.kvcache.prefix_cache import GRID
from tests.bench.chart import bars
from tests.bench.meter import Meter
from tests.bench.models import KINDS, bench_model
from tests.bench.policies import POLICIES, Policy
from tests.bench.report import FOLDER, machine, percentile, say, write
from tests.bench.workload import WORKLOADS, Turn, clipped, distinct_positions, grid_places, least_tokens, state_places

LONG = 180.0  # seconds that a policy may take on one kind before its long workloads are computed in part
SAMPLE = 30.0  # seconds that are then spent on each


@dataclass(frozen=True, slots=True)
class Row:
    """One policy on one kind of model and one workload.

    tokens_evaluated: of prompts. ttft_ms: from the request to its first logits. stored_bytes: held at the end, as used
    by tokens. least_bytes: see the function of that name.
    peak_bytes: MLX's peak beyond the weights. cache_seconds: spent outside the model's forward calls, over the whole
    workload. sample: which requests were computed; in the others the layers were filled without computing, so that
    tokens and bytes are those of all requests.
    """

    policy: str
    kind: str
    workload: str
    prompt_tokens: int
    tokens_evaluated: int
    least_tokens: int
    ttft_ms_p50: float
    ttft_ms_p90: float
    stored_bytes: int
    least_bytes: int
    peak_bytes: int
    cache_seconds: float
    sample: str = "all"


@dataclass(slots=True)
class Stopwatch:
    """Seconds to the first logits of each computed request, and prompt tokens of all."""

    meter: Meter
    first_logits: list[float]
    evaluated: int = 0

    def ask(self, policy: Policy, turn: Turn, is_real: bool) -> None:
        self.meter.is_real = is_real
        before, begun = self.meter.tokens, time.perf_counter()

        def is_read() -> None:
            self.evaluated += self.meter.tokens - before
            if is_real:
                self.first_logits.append(time.perf_counter() - begun)

        policy.ask(turn, is_read)


def measure(meter: Meter, name: str, workload: str, turns: Sequence[Turn], every: int = 1) -> Row:
    """Take a policy through a workload, computing every so many requests."""
    _clean()
    at_rest = mx.get_active_memory()
    mx.reset_peak_memory()
    watch, forward_before, begun = Stopwatch(meter, []), meter.seconds, time.perf_counter()
    policy = POLICIES[name](meter)
    for number, turn in enumerate(turns):
        watch.ask(policy, turn, number % every == every // 2)
    seconds = time.perf_counter() - begun - (meter.seconds - forward_before)
    return Row(
        policy=name,
        kind=meter.model.kind,
        workload=workload,
        prompt_tokens=sum(len(turn.prompt) for turn in turns),
        tokens_evaluated=watch.evaluated,
        least_tokens=least_tokens(turns),
        ttft_ms_p50=round(percentile(watch.first_logits, 0.5) * 1e3, 2),
        ttft_ms_p90=round(percentile(watch.first_logits, 0.9) * 1e3, 2),
        stored_bytes=policy.stored_bytes,
        least_bytes=least_bytes(meter, turns),
        peak_bytes=mx.get_peak_memory() - at_rest,
        cache_seconds=round(seconds, 3),
        sample="all" if every == 1 else f"{len(watch.first_logits)} of {len(turns)} requests",
    )


def least_bytes(meter: Meter, turns: Sequence[Turn]) -> int:
    """Rows of each position once, and a whole state for each place that needs one or lies on the grid."""
    states = state_places(turns) + grid_places(turns, GRID)
    return meter.row_bytes * distinct_positions(turns) + meter.state_bytes * states


def counted(meter: Meter, name: str, turns: Sequence[Turn]) -> tuple[int, int]:
    """Prompt tokens that a policy evaluates, and answer tokens, found without computing any."""
    watch, policy = Stopwatch(meter, []), POLICIES[name](meter)
    for turn in turns:
        watch.ask(policy, turn, is_real=False)
    return watch.evaluated, sum(len(turn.answer) for turn in turns)


class Pace:
    """Seconds for a prompt token and for an answer token on this machine, measured once."""

    def __init__(self, meter: Meter) -> None:
        meter.is_real = True
        caches, tokens = meter.model.new_caches(), list(range(1024))
        meter.read(caches, tokens, 512)
        begun = time.perf_counter()
        meter.read(caches, tokens, 512)
        self._prompt = (time.perf_counter() - begun) / len(tokens)
        begun = time.perf_counter()
        for token in range(8):
            meter.forward(mx.array([[token]]), caches)
        self._answer = (time.perf_counter() - begun) / 8

    def seconds(self, tokens: tuple[int, int]) -> float:
        return tokens[0] * self._prompt + tokens[1] * self._answer


def sampled(estimates: dict[str, float]) -> dict[str, int]:
    """Of which workloads only every so many requests are computed, so that a policy does not take too long."""
    if sum(estimates.values()) <= LONG:
        return dict.fromkeys(estimates, 1)
    return {name: math.ceil(seconds / SAMPLE) for name, seconds in estimates.items()}


def rows(kind: str, tell: Callable[[Row], None]) -> list[Row]:
    """All policies and workloads on one kind of model."""
    meter = Meter(bench_model(kind))
    pace = Pace(meter)
    workloads = {name: clipped(make(), meter.model.vocabulary) for name, make in WORKLOADS.items()}
    found = []
    for policy in POLICIES:
        counts = {name: counted(meter, policy, turns) for name, turns in workloads.items()}
        every = sampled({name: pace.seconds(count) for name, count in counts.items()})
        for name, turns in workloads.items():
            row = measure(meter, policy, name, turns, every[name])
            tell(row)
            found.append(row)
    return found


def faults(found: Sequence[Row]) -> list[str]:
    """What this project promises and the figures do not show."""
    ours = [row for row in found if row.policy == "espalier"]
    wrong = [
        f"{row.kind} {row.workload}: {row.tokens_evaluated} tokens evaluated, {row.least_tokens} is the least"
        for row in ours
        if row.tokens_evaluated > row.least_tokens
    ]
    return wrong + [
        f"{row.kind} {row.workload}: {row.stored_bytes} bytes stored, {row.least_bytes} is the least"
        for row in ours
        if row.stored_bytes > 1.05 * row.least_bytes
    ]


def line(row: Row) -> str:
    return (
        f"{row.kind:7} {row.workload:8} {row.policy:13} {row.tokens_evaluated:8} tokens  "
        f"{row.ttft_ms_p50:8.1f} {row.ttft_ms_p90:8.1f} ms  {row.stored_bytes / row.least_bytes:7.2f} x least bytes  "
        f"{row.peak_bytes / 1e6:7.1f} MB peak  {row.cache_seconds:7.2f} s cache  {row.sample}"
    )


def _clean() -> None:
    gc.collect()
    mx.clear_cache()


def main() -> int:
    """Measure everything; 1 when a promise is not kept."""
    found = [row for kind in KINDS for row in rows(kind, lambda row: say(line(row)))]
    write("branching.json", {"machine": machine(), "rows": [asdict(row) for row in found]})
    groups = sorted({(row.kind, row.workload) for row in found}, key=lambda group: KINDS.index(group[0]))
    chart = bars(
        "Prompt tokens evaluated, as a share of all prompt tokens",
        {
            f"{kind}, {workload}": {
                row.policy: row.tokens_evaluated / row.prompt_tokens
                for row in found
                if (row.kind, row.workload) == (kind, workload)
            }
            for kind, workload in groups
        },
    )
    (FOLDER / "branching.svg").write_text(chart, encoding="utf-8")
    wrong = faults(found)
    for fault in wrong:
        say(f"NOT KEPT: {fault}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
