"""Why nothing can be reused although something lies on disk: the cause that holds, and none where it is warm."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.protocol.events import CostEstimate, TurnResidency
from app.protocol.reports import Reason, RequestReport
from app.protocol.trie_view import TrieView
from app.viewmodels.edges.cold_text import why_cold
from tests.widgets.samples import NODES, on_disk

OWN = replace(on_disk(NODES[1]), owners=frozenset({"open"}))
OTHERS = replace(OWN, owners=frozenset({"other"}))
TURNS = (TurnResidency(20, 60, "none"), TurnResidency(60, 90, "none"))


def priced(seen: int, matched: int = 0, reason: Reason = Reason.NONE, cached: int = 0) -> CostEstimate:
    return CostEstimate(1, RequestReport(90, seen, matched, cached, reason), TURNS, None)


@pytest.mark.parametrize(
    ("price", "nodes", "why"),
    [
        (priced(0, reason=Reason.NEW), (OWN,), "was read with another system prompt, and differs at token 1"),
        (priced(7, 7, Reason.NOT_CAPTURED), (OWN,), "differs at token 8, before the first restore point"),
        (priced(40, 40, Reason.NOT_CAPTURED), (OWN,), "this branch differs at token 41 from what lies on disk, before"),
        (
            priced(5, reason=Reason.DIVERGED),
            (OTHERS,),
            "other conversations, from which this one differs at token 6",
        ),
        (priced(90, 90, Reason.NOT_CAPTURED), (OWN,), "no restore point of this branch lies on disk"),
        (priced(90, 90, Reason.DISK), (OWN,), "does not answer"),
        (priced(90, 0, Reason.DISK), (OWN,), "missing, damaged"),
        (priced(90, 0, Reason.EVICTED), (OWN,), "given up to stay within the memory limit"),
        (priced(0, reason=Reason.NEW), (), "of other models, or of this one with another template"),
    ],
)
def test_the_cause_is_told(price: CostEstimate, nodes: tuple[object, ...], why: str) -> None:
    said = why_cold(price, TrieView(1, nodes, disk_bytes=9), "open")  # type: ignore[arg-type]
    assert said.startswith("Cold: ")
    assert said.endswith(".")
    assert why in said


@pytest.mark.parametrize(
    ("price", "view"),
    [
        (priced(90, 90, cached=89), TrieView(1, (OWN,), disk_bytes=9)),
        (priced(0), TrieView(1)),
        (priced(0), TrieView(1, (replace(OWN, residency="memory"),), disk_bytes=9)),
        (replace(priced(0), turns=(), is_far_too_long=True), TrieView(1, (OWN,), disk_bytes=9)),
    ],
)
def test_nothing_is_said_where_there_is_nothing_to_explain(price: CostEstimate, view: TrieView) -> None:
    assert why_cold(price, view, "open") == ""
