"""What is compared does what it is said to do, on a short conversation of 12 tokens of system prompt."""

from __future__ import annotations

import mlx.core as mx
import pytest

from tests.bench.branching import Row, Stopwatch, counted, faults, least_bytes, sampled
from tests.bench.chart import bars
from tests.bench.meter import Meter, used_bytes
from tests.bench.models import bench_model
from tests.bench.policies import POLICIES
from tests.bench.report import percentile
from tests.bench.workload import Author, Branch, Turn


@pytest.fixture(scope="module")
def meters() -> dict[str, Meter]:
    return {kind: Meter(bench_model(kind)) for kind in ("llama", "hybrid")}


@pytest.fixture(scope="module")
def turns() -> list[Turn]:
    """A question, another in its place, and a follow-up to the first: prompts of 16, 16 and 24 tokens."""
    author = Author(3)
    system = Branch(author.words(12))
    first = author.ask(system, question=4, answer=4)
    author.ask(system, question=4, answer=4)
    author.ask(first, question=4, answer=4)
    return author.turns


EVALUATED = {
    "none": (56, 56),
    "single": (16 + 4 + 12, 56),
    "lru10": (16 + 4 + 4, 16 + 16 + 4),
    "lru1000-chat": (16 + 4 + 4, 16 + 4 + 4),
    "espalier": (16 + 4 + 4, 16 + 4 + 4),
}


@pytest.mark.parametrize("policy", EVALUATED)
def test_each_policy_evaluates_what_its_kind_of_memory_leaves(
    policy: str, meters: dict[str, Meter], turns: list[Turn]
) -> None:
    found = tuple(counted(meter, policy, turns)[0] for meter in meters.values())
    assert found == EVALUATED[policy]


@pytest.mark.parametrize("kind", ["llama", "hybrid"])
@pytest.mark.parametrize("policy", ["lru10", "espalier"])
def test_filling_holds_the_same_bytes_as_computing(
    policy: str, kind: str, meters: dict[str, Meter], turns: list[Turn]
) -> None:
    held = []
    for is_real in (True, False):
        kept, watch = POLICIES[policy](meters[kind]), Stopwatch(meters[kind], [])
        for turn in turns:
            watch.ask(kept, turn, is_real)
        held.append((kept.stored_bytes, watch.evaluated))
        assert len(watch.first_logits) == (3 if is_real else 0)
    assert held[0] == held[1]


def test_rows_of_all_positions_are_the_least_for_a_model_of_rows(meters: dict[str, Meter], turns: list[Turn]) -> None:
    meter = meters["llama"]
    assert least_bytes(meter, turns) == meter.row_bytes * (12 + 8 + 8 + 8)


def test_padding_is_not_counted_as_used(meters: dict[str, Meter]) -> None:
    meter = meters["llama"]
    caches = meter.model.new_caches()
    mx.eval(meter.model.forward(mx.array([[1, 2, 3]]), caches))
    assert caches[0].keys.shape[2] > 3
    assert used_bytes(caches) == 3 * meter.row_bytes


def test_long_policies_are_computed_in_part() -> None:
    assert sampled({"explore": 20.0, "wide": 150.0}) == {"explore": 1, "wide": 1}
    assert sampled({"explore": 20.0, "wide": 300.0}) == {"explore": 1, "wide": 10}


def test_percentiles_are_values_that_occurred() -> None:
    assert (percentile([3, 1, 2], 0.5), percentile(range(1, 11), 0.9), percentile([7], 0.9)) == (2, 9, 7)


def test_only_this_project_is_held_to_the_least() -> None:
    row = Row("espalier", "llama", "wide", 100, 10, 10, 1.0, 1.0, 104, 100, 0, 0.0)
    assert faults([row]) == []
    assert len(faults([Row("espalier", "llama", "wide", 100, 11, 10, 1.0, 1.0, 106, 100, 0, 0.0)])) == 2
    assert faults([Row("none", "llama", "wide", 100, 100, 10, 1.0, 1.0, 0, 100, 0, 0.0)]) == []


def test_bars_are_as_long_as_their_shares() -> None:
    svg = bars("Tokens & more", {"llama": {"none": 1.0, "espalier": 0.5}})
    widths = [float(part.split('"')[1]) for part in svg.split("<rect ")[2:] for part in [part[part.index("width") :]]]
    assert widths[1] == pytest.approx(widths[0] / 2)
    assert "Tokens &amp; more" in svg
