"""Edges that a person evicts: their state goes, what is pinned or computed on stays, and no answer is another one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.session import Session
from app.kvcache.view import residency
from app.protocol.cache_events import CacheEventKind
from app.protocol.reports import Reason
from tests.kvcache.disk.restarts import close_all, opened, write_everything
from tests.kvcache.history import History
from tests.kvcache.ledger import MIXES, ROWS, VOCABULARY, ask, ledger_cache
from tests.seeds import chosen

TALK = [1, 2, 3, 4, 5, 6, 7, 8]
OTHER = [1, 2, 3, 4, 20, 21, 22]


class EvictingHistory(History):
    """A history in which edges are pinned, let go and evicted too, also while a request is computed."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.pinned: list[list[int]] = []

    def step(self) -> str:
        done = super().step()
        if self.cache.trie.nodes and self.random.random() < 0.5:
            self.evict_edge()
        if self.random.random() < 0.2:
            tokens = self._turn().tokens or [1]
            if self.pinned and self.random.random() < 0.5:
                self.cache.unpin(self.pinned.pop())
            else:
                self.pinned.append(tokens[: self.cache.pin(tokens)])
            check(self.cache)
        return done

    def evict_edge(self) -> None:
        """Evict an edge or two, and look at what is left."""
        ids = self.random.sample(sorted(self.cache.trie.nodes), k=min(2, len(self.cache.trie.nodes)))
        below = {node.id for number in ids for node in self.cache.trie.below(self.cache.trie.nodes[number])}
        pinned = {node.id for node in self.cache.trie if node.usage.pins}
        self.cache.evict(ids)
        check(self.cache)
        for node in self.cache.trie:
            if node.id in below - pinned:
                in_use = self.cache.session is not None and bool(node.active_paths)
                assert in_use or residency(node) == "none"

    def _run(self, session: Session, prompt: list[int]) -> Iterator[None]:
        for _ in super()._run(session, prompt):
            if self.cache.trie.nodes and self.random.random() < 0.1:
                self.evict_edge()
            yield


@pytest.mark.parametrize("mix", list(MIXES))
def test_whatever_is_evicted_the_promises_hold(mix: str) -> None:
    """At random: the ledger model fails where anything it is given was not computed from the tokens before."""
    for seed in chosen(range(4)):
        cache, _ = ledger_cache(mix)
        cache.grid = (256, 7)[seed % 2]
        history = EvictingHistory(cache, seed, 6 if seed % 2 else VOCABULARY, seed % 2 == 1, longest=80)
        for _ in range(25):
            history.step()


def ids_of(cache: PrefixCache, *, start: int) -> list[int]:
    return [node.id for node in cache.trie if node.start == start]


@pytest.mark.parametrize("mix", list(MIXES))
def test_what_is_evicted_is_computed_again_and_its_tokens_stay_known(mix: str) -> None:
    cache, _ = ledger_cache(mix)
    ask(cache, TALK, [9], points=[4])
    ask(cache, OTHER, [23], points=[4])
    held, before = cache.live_bytes + cache.paged_bytes, cache.events[-1].number
    freed = cache.evict(ids_of(cache, start=4))
    check(cache)
    assert freed.tokens == sum(len(node.tokens) for node in cache.trie if node.start >= 4)
    assert freed.nbytes == held - cache.live_bytes - cache.paged_bytes > 0
    assert cache.price([*TALK, 9, 30]).reason is Reason.EVICTED
    assert cache.price([*TALK, 9, 30]).seen >= 8
    told = [one for one in cache.events if one.number > before and one.kind is CacheEventKind.EVICTED]
    assert [(one.tokens, one.reason) for one in told] == [(freed.tokens, Reason.NONE)], "told once, as asked for"


@pytest.mark.parametrize("mix", list(MIXES))
def test_what_is_pinned_stays_and_so_does_all_that_leads_there(mix: str) -> None:
    cache, _ = ledger_cache(mix)
    ask(cache, TALK, [9], points=[4])
    kept = cache.pin([*TALK, 9, 50])
    ask(cache, OTHER, [23], points=[4])
    assert kept >= 8
    cache.evict([node.id for node in cache.trie])
    check(cache)
    assert cache.price([*TALK, 9, 50]).cached == kept
    assert cache.price([*OTHER, 23, 50]).cached <= 4
    assert cache.evict([node.id for node in cache.trie if node.usage.pins]).tokens == 0


@pytest.mark.parametrize("mix", list(MIXES))
def test_a_file_goes_with_its_edge_and_not_with_one_that_shares_it(mix: str, tmp_path: Path) -> None:
    cache, _ = opened(mix, tmp_path)
    try:
        ask(cache, TALK, [9, 10, 11], points=[4])
        ask(cache, OTHER, [23], points=[4])
        write_everything(cache)
        top = ids_of(cache, start=0)
        below = cache.evict(ids_of(cache, start=4))
        check(cache)
        assert cache.price([*TALK[:4], 60]).cached == (4 if mix in ROWS else cache.price([*TALK[:4], 60]).matched)
        freed = cache.evict(top)
        check(cache)
        assert below.disk_bytes + freed.disk_bytes > 0
        assert not any(residency(node) != "none" for node in cache.trie)
    finally:
        close_all()


@pytest.mark.parametrize("mix", list(MIXES))
def test_the_bytes_of_a_file_that_edges_share_are_told_once(mix: str, tmp_path: Path) -> None:
    cache, _ = opened(mix, tmp_path)
    try:
        ask(cache, TALK, [9, 10, 11])
        write_everything(cache)
        assert cache.disk is not None
        whole = sum(cache.disk.size_of(node) for node in cache.trie)
        assert 0 < whole <= cache.disk.nbytes
        ask(cache, [*TALK[:3], 40, 41], [42])  # divides the edge, and its file with it
        rows = [node for node in cache.trie if node.end <= len(TALK) + 3 and 40 not in node.tokens]
        assert len(rows) > 1
        assert whole - len(rows) <= sum(cache.disk.size_of(node) for node in rows) <= whole
    finally:
        close_all()


def test_an_edge_that_is_gone_is_passed_over() -> None:
    cache, _ = ledger_cache("R")
    ask(cache, TALK, [9])
    assert cache.evict([999]).tokens == 0
    check(cache)
