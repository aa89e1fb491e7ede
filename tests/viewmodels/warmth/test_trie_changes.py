"""Which prices may differ after something happened in the trie: those that are said to stay do."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import pytest

from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.view import EdgeLabel, Views
from app.protocol.reports import Reason
from app.protocol.trie_view import Residency, TrieNodeView, TrieView
from app.viewmodels.warmth import trie_changes
from app.viewmodels.warmth.trie_changes import TrieChanges
from tests.kvcache import history as history_module
from tests.kvcache.history import History
from tests.kvcache.ledger import MIXES, VOCABULARY, ledger_cache
from tests.seeds import each_seed, some

STEPS, HISTORIES = 60, 28  # of 6 mixes: 10,080 events
FEW = 5  # histories of each mix that are run unless all are asked for
BRANCHES = 12


class Price(NamedTuple):
    """What a branch costs, and the edge that its tokens end in."""

    edge: int
    counts: tuple[int, ...]
    why: Reason
    residencies: list[Residency]


def price(cache: PrefixCache, tokens: Sequence[int]) -> Price:
    report, offsets = cache.price(tokens), range(1, len(tokens) + 1, 5)
    counts = (report.total, report.seen, report.cached)
    why = report.reason if report.excess > 0 else Reason.NONE
    return Price(cache.trie.match(tokens).path[-1].id, counts, why, cache.residencies(tokens, offsets))


def disturb(cache: PrefixCache, branches: Sequence[Sequence[int]], rng: random.Random) -> None:
    """Do what a history does not: pin, unpin, erase what one owner used, let go of what is live."""
    tokens = rng.choice(branches)
    rng.choice(
        [
            lambda: cache.pin(tokens),
            lambda: cache.unpin(tokens),
            lambda: cache.abandon(tokens),
            lambda: cache.erase(rng.choice("ab")),
        ]
    )()


@pytest.mark.parametrize("mix", list(MIXES))
@each_seed(some(range(HISTORIES), FEW))
def test_a_price_that_is_not_touched_is_the_same_after_every_event(
    mix: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_module, "check", lambda _: None)  # what the cache promises is tested elsewhere
    cache, _ = ledger_cache(mix)
    cache.grid = (256, 7, 0)[seed % 3]
    history = History(cache, seed, 6 if seed % 3 else VOCABULARY, seed % 2 == 1, longest=60)
    views, changes, rng = Views(cache, lambda _: EdgeLabel("")), TrieChanges(), random.Random(seed)
    known: dict[tuple[int, ...], Price] = {}
    asked = kept = 0
    for serial in range(STEPS):
        history.step()
        if rng.random() < 0.1:
            disturb(cache, history.known[1:], rng)
        changes.take(views.take(serial))
        touched = changes.compare()
        assert touched is not None
        for tokens, before in known.items():
            if touched.has(before.edge):
                known[tokens] = price(cache, tokens)
                asked += 1
            else:
                assert price(cache, tokens) == before
                kept += 1
        new = tuple(history.known[-1]) if rng.random() < 0.7 else tuple(rng.choices(range(1, 6), k=9))
        known[new or (1,)] = price(cache, new or (1,))
        while len(known) > BRANCHES:
            del known[next(iter(known))]
    assert kept > asked / 4, "nearly all is asked again after every event"


def edge(number: int, above: int | None, start: int, end: int, **how: object) -> TrieNodeView:
    return replace(TrieNodeView(number, above, start, end, "", 8, "memory", (), False, False, 1, 1.0), **how)  # type: ignore[arg-type]


def touched_edges(before: TrieView, after: TrieView) -> set[int]:
    changes = TrieChanges()
    changes.take(before)
    changes.compare()
    changes.take(after)
    touched = changes.compare()
    assert touched is not None
    return {number for number in range(5) if touched.has(number)}


TRUNK, LEFT, RIGHT = edge(1, None, 0, 10), edge(2, 1, 10, 20), edge(3, 1, 10, 30)
BEFORE = TrieView(1, (TRUNK, LEFT, RIGHT))


@pytest.mark.parametrize(
    ("after", "wanted"),
    [
        ((TRUNK, LEFT, RIGHT), {4}),
        ((TRUNK, edge(2, 1, 10, 20, last_use=9, used_at=9.0), RIGHT), {4}),
        ((TRUNK, edge(2, 1, 10, 20, residency="none"), RIGHT), {2, 4}),
        ((TRUNK, edge(2, 1, 10, 20, lost=Reason.EVICTED), RIGHT), {2, 4}),
        ((edge(1, None, 0, 10, bytes=9), LEFT, RIGHT), {1, 2, 3, 4}),
        ((TRUNK, LEFT), {3, 4}),
        ((TRUNK, LEFT, edge(4, 2, 20, 30), RIGHT), {2, 4}),
        ((edge(4, None, 0, 5), edge(1, 4, 5, 10), LEFT, RIGHT), {0, 1, 2, 3, 4}),
    ],
)
def test_what_lies_on_a_branch_touches_it_and_nothing_else_does(
    after: tuple[TrieNodeView, ...], wanted: set[int]
) -> None:
    """An edge that no picture has is one that the next may change."""
    assert touched_edges(BEFORE, TrieView(2, after)) == wanted


def test_where_a_live_path_ends_touches_what_goes_through_it() -> None:
    on = (edge(1, None, 0, 10, lanes=(0,)), LEFT, edge(3, 1, 10, 30, residency="live", lanes=(0,)))
    assert touched_edges(TrieView(1, (on[0], LEFT, RIGHT)), TrieView(2, on)) == {1, 2, 3, 4}


def test_a_disk_that_no_longer_answers_touches_all() -> None:
    assert touched_edges(BEFORE, TrieView(2, BEFORE.nodes, disk_problem="no answer")) == {0, 1, 2, 3, 4}


def test_nothing_is_compared_before_there_is_another_picture() -> None:
    changes = TrieChanges()
    assert changes.compare() is None
    changes.take(BEFORE)
    first = changes.compare()
    assert first is not None
    assert first.is_all
    assert changes.compare() is None
    changes.forget()
    assert changes.compare() is None


def test_only_what_lies_between_the_same_edges_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[int] = []
    differs = trie_changes._differs
    monkeypatch.setattr(trie_changes, "_differs", lambda old, new: met.append(new.id) or differs(old, new))
    path = tuple(edge(number, number - 1 or None, number, number + 1) for number in range(1, 1000))
    changes = TrieChanges()
    changes.take(TrieView(1, path))
    changes.compare()
    met.clear()
    changes.take(TrieView(2, (*path[:500], edge(501, 500, 501, 502, bytes=9), *path[501:-1])))
    touched = changes.compare()
    assert touched is not None
    assert met == list(range(501, 999))
    assert not touched.has(500)
    assert touched.has(501)
    met.clear()
    changes.take(TrieView(3, (*path[:600], edge(601, 600, 601, 602, bytes=9), *path[601:-1])))
    changes.compare()
    assert met == list(range(501, 602))
