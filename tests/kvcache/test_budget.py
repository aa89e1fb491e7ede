"""Bytes: that the account is true, and that the budget holds whatever happens."""

from __future__ import annotations

import random

import mlx.core as mx
import pytest
from mlx_lm.models.cache import ArraysCache, KVCache

from app.kvcache import ghosts
from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from app.protocol.reports import Reason
from tests.kvcache.ledger import MIXES, ROWS, ask, ledger_cache


@pytest.mark.parametrize("mix", list(MIXES))
def test_a_budget_of_zero_is_a_single_sequence(mix: str) -> None:
    cache, _ = ledger_cache(mix, budget_bytes=0)
    ask(cache, [1, 2, 3, 4, 5], [10, 11], points=[4])
    check(cache)
    assert cache.paged_bytes == 0
    assert ask(cache, [1, 2, 3, 4, 5, 10, 20])[2] == 6
    assert ask(cache, [1, 2, 3, 4, 5, 10, 30, 31])[2] == (6 if mix in ROWS else 0)
    check(cache)
    assert cache.paged_bytes == 0


@pytest.mark.parametrize("mix", ["T", "S", "R"])
def test_the_oldest_branches_go_and_the_shared_beginning_stays(mix: str) -> None:
    cache, _ = ledger_cache(mix)
    shared = [1, 2, 3, 4, 5]
    for branch in range(5):
        ask(cache, [*shared, 10 + branch, 20, 21, 22], [30, 31], points=[5])
    full = cache.live_bytes + cache.paged_bytes
    cache.set_budget(full * 6 // 10)
    check(cache)
    assert cache.price([*shared, 9]).cached == 5
    assert cache.price([*shared, 14, 20, 21, 22, 30, 9]).cached == 10
    oldest = cache.price([*shared, 10, 20, 21, 22, 30, 9])
    assert oldest.excess > 0
    assert oldest.reason == Reason.EVICTED
    assert oldest.seen == 10


def test_ghosts_are_remembered_only_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ghosts, "GHOST_TOKENS", 20)
    cache, _ = ledger_cache("T", budget_bytes=0)
    for branch in range(8):
        ask(cache, [10 + branch, 2, 3, 4, 5, 6], [7])
    check(cache)
    remembered = [node for node in cache.trie if not node.is_held]
    assert 0 < sum(len(node.tokens) for node in remembered) <= 20
    assert cache.price([10, 2, 3, 4, 5, 6]).seen == 0
    assert cache.price([16, 2, 3, 4, 5, 6]).seen == 6


def test_reasons_tell_what_happened() -> None:
    cache, _ = ledger_cache("R")
    assert cache.price([1, 2, 3]).reason == Reason.NEW
    ask(cache, [1, 2, 3, 4, 5, 6], [9])
    assert cache.price([1, 2, 3, 4, 5, 6, 9]).reason == Reason.NONE
    report = cache.price([1, 2, 3, 7, 8])
    assert (report.reason, report.diverged_at) == (Reason.NOT_CAPTURED, 3)
    ask(cache, [8, 2, 3, 4, 5, 6], stop_after=4)
    ask(cache, [1, 2, 3, 4, 5, 6, 9])
    cache.set_budget(0)
    assert cache.price([8, 2, 3, 4, 5]).reason == Reason.EVICTED


class Blank:
    """A model whose rows and states are large and mean nothing: 64 KiB a token, 256 KiB a state, the
    state being a view of its chunk."""

    def new_caches(self) -> list[KVCache | ArraysCache]:
        return [KVCache(), ArraysCache(1)]

    def __call__(self, tokens: mx.array, caches: list[KVCache | ArraysCache]) -> mx.array:
        rows = mx.ones((1, 4, tokens.shape[1], 2048))
        caches[0].update_and_fetch(rows, rows)
        caches[1][0] = mx.ones((1, tokens.shape[1] + 1, 64 * 1024))[:, :1, :]
        return mx.zeros((1, tokens.shape[1], 8))


def test_the_account_agrees_with_mlx() -> None:
    """Within 2 %, at rest, with well over 64 MiB stored and live."""
    mx.clear_cache()
    before = mx.get_active_memory()
    model = Blank()
    cache = PrefixCache(model, model.new_caches, 4 << 30)
    generator = random.Random(1)
    tokens = [generator.randrange(8) for _ in range(1600)]
    ask(cache, tokens, [1, 2, 3], points=[300, 600])
    ask(cache, [*tokens[:300], *tokens[100:1100]], [1, 2], points=[300, 500])
    check(cache)
    real = mx.get_active_memory() - before
    counted = cache.paged_bytes + cache.active.layers.allocated_bytes
    assert cache.paged_bytes > 64 << 20
    assert cache.live_bytes > 64 << 20
    assert abs(real - counted) / real < 0.02
    cache.close()
    del cache
    mx.clear_cache()
    assert mx.get_active_memory() - before < 1 << 20


def test_nothing_is_stored_beyond_the_budget_at_any_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checked at every change of what is stored, not only at rest."""
    cache, _ = ledger_cache("R", budget_bytes=3000)
    seen = []

    def watch(growth: int = 0) -> None:
        seen.append(cache.paged_bytes)
        assert cache.paged_bytes <= max(0, cache.budget_bytes - cache.live_bytes)

    put = cache.trie.set_state
    monkeypatch.setattr(cache.trie, "set_state", lambda *a, **k: (put(*a, **k), watch())[0])
    generator = random.Random(2)
    known: list[int] = []
    for _ in range(60):
        prompt = known[: generator.randrange(len(known) + 1)] + [generator.randrange(64) for _ in range(9)]
        ask(cache, prompt, [1, 2, 3], points=[len(prompt) - 1, len(prompt) // 2])
        known = prompt
        watch()
    assert max(seen) > 1000


def test_a_model_of_an_unknown_cache_kind_still_answers() -> None:
    from mlx_lm.models.cache import ConcatenateKVCache

    def forward(tokens: mx.array, caches: list[ConcatenateKVCache]) -> mx.array:
        rows = mx.ones((1, 1, tokens.shape[1], 2))
        caches[0].update_and_fetch(rows, rows)
        return mx.zeros((1, tokens.shape[1], 8))

    cache = PrefixCache(forward, lambda: [ConcatenateKVCache()], 1 << 20)
    assert cache.unsupported == "ConcatenateKVCache"
    assert ask(cache, [1, 2, 3, 4], [5, 6], points=[3]) == (4, 0, 0, 4)
    with cache.begin([1, 2, 3, 4, 5, 7]) as session:
        while session.prefill(2):
            pass
        report = session.report
    assert (report.seen, report.cached, report.excess) == (5, 0, 5)
    assert report.reason == Reason.UNSUPPORTED
    assert cache.paged_bytes == 0
    assert cache.layer_counts() == (("ConcatenateKVCache", 1),)
