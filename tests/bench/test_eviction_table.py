"""The limits of eviction, on a quarter of the traces; `make bench-cache` plays all of them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.bench.eviction import CHOSEN_ON, HELD_OUT, SEEDS, losses, requests
from tests.bench.eviction_table import REFERENCE, Row, faults, pooled, rows
from tests.bench.traces import PEOPLE, Trace

ROW = Row("explore.1", "HYB60", 0.25, recomputed=100, reference=1000, seen=10_000, empty_restores=0)
KEPT = [replace(ROW, model=model, budget=budget) for model in ("HYB60", "KV64") for budget in (0.10, 0.25, 0.50)]


def test_one_trace_of_each_person_keeps_the_limits() -> None:
    found = rows([(f"{person}.3", requests(Trace(person, 3))) for person in PEOPLE], models=("KV64", "HYB60"))
    assert len(found) == 30
    assert faults(found) == []


def test_traces_are_pooled_by_tokens() -> None:
    long = replace(ROW, recomputed=9_000, reference=9_000)
    assert pooled([ROW, long, replace(long, budget=0.5)], "HYB", 0.25) == 0.91


def test_each_limit_is_told_when_it_is_missed() -> None:
    assert faults(KEPT) == []
    [pool] = faults([replace(KEPT[0], recomputed=300), *KEPT[1:]])
    assert pool == "HYB at 10%: 0.300 of the reference, 0.27 is the limit"
    worse = replace(KEPT[5], recomputed=1051, reference=1000)
    assert any("0.51% of what was seen" in fault for fault in faults([*KEPT[:5], worse]))
    assert faults([replace(KEPT[0], empty_restores=2), *KEPT[1:]]) == ["2 requests restored nothing"]


@pytest.mark.parametrize("person", ["rewrite"])
def test_restore_points_know_nothing_of_what_comes(person: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trace that ends sooner has the same points up to there."""
    whole = requests(Trace(person, 3))
    monkeypatch.setitem(PEOPLE, person, replace(PEOPLE[person], requests=60))
    part = requests(Trace(person, 3))
    assert len(part) == 60
    assert [(len(one.prompt), one.points) for one in part] == [(len(one.prompt), one.points) for one in whole[:60]]


def test_the_order_that_is_compared_with_is_the_one_on_record() -> None:
    [lost] = losses(requests(Trace("rewrite", 11)), "KV64", (0.25,), is_reference=True)
    assert lost.recomputed == json.loads(REFERENCE.read_text(encoding="utf-8"))["rewrite.11"]["KV64"][1]


def test_traces_that_are_kept_apart_had_no_say_in_the_rule() -> None:
    assert not {*HELD_OUT} & {*CHOSEN_ON, *SEEDS}
