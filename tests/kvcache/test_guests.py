"""What other programs used: found like anything, marked, first to go, and no loss to what others have."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from app.kvcache import budget as budget_module
from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from app.protocol.cache_events import CacheEventKind
from tests.kvcache.ledger import MIXES, ROWS, VOCABULARY, ask, ledger_cache
from tests.seeds import chosen

MINE = [1, 2, 3, 4, 5, 6, 7, 8]


def guests_own(cache: PrefixCache) -> list[int]:
    """Tokens of the edges that only guests used."""
    return [token for node in cache.trie if node.usage.is_guest for token in node.tokens]


@pytest.mark.parametrize("mix", list(MIXES))
def test_a_prompt_that_the_window_had_is_restored_and_stays_the_windows(mix: str) -> None:
    cache, _ = ledger_cache(mix)
    ask(cache, MINE, [9, 10], points=[7])
    assert ask(cache, MINE, [9, 10], points=[7], is_guest=True)[2] == 7
    assert ask(cache, [*MINE, 20, 21, 22], [24, 25], points=[10], is_guest=True)[2] >= 7
    check(cache)
    assert not set(guests_own(cache)) & {*MINE, 9}
    assert set(guests_own(cache)) >= {21, 22}
    assert all(not node.usage.owners for node in cache.trie if node.usage.is_guest)


def test_the_log_tells_who_asked() -> None:
    cache, _ = ledger_cache("T")
    ask(cache, MINE, [9])
    ask(cache, MINE, [9], is_guest=True)
    asked = CacheEventKind.REQUEST, CacheEventKind.GUEST
    told = [(one.kind, one.offset, one.tokens) for one in cache.event_log.events if one.kind in asked]
    assert told == [(CacheEventKind.REQUEST, 0, 8), (CacheEventKind.GUEST, 7, 1)]


@pytest.mark.parametrize("mix", list(MIXES))
def test_what_the_window_asks_too_is_no_guests_any_more(mix: str) -> None:
    cache, _ = ledger_cache(mix)
    ask(cache, MINE, [9, 10, 11, 12], points=[7], is_guest=True)
    assert cache.trie.guest_bytes == cache.paged_bytes
    ask(cache, [30], is_guest=True)
    assert {*guests_own(cache)} == {*MINE, 9, 10, 11, 30}
    ask(cache, [*MINE[:5], 40, 41], [50])
    check(cache)
    assert {*guests_own(cache)} == {*MINE[5:], 9, 10, 11, 30}
    ask(cache, [*MINE, 9, 10, 11], [60])
    check(cache)
    assert {*guests_own(cache)} == {30}
    ask(cache, [30, 31])
    check(cache)
    assert not guests_own(cache)


@pytest.mark.parametrize("mix", list(MIXES))
def test_what_is_pinned_is_the_persons(mix: str) -> None:
    cache, _ = ledger_cache(mix)
    ask(cache, MINE, [9, 10], points=[7], is_guest=True)
    assert cache.pin(MINE)
    check(cache)
    assert {*guests_own(cache)} <= {8, 9}


def talk(rng: random.Random, before: Sequence[int], turns: int) -> list[tuple[list[int], list[int]]]:
    """A branch: prompts, each going on where the one before ended, with answers."""
    found, at = [], list(before)
    for _ in range(turns):
        prompt = at + [rng.randrange(VOCABULARY) for _ in range(rng.randrange(20, 80))]
        answer = [rng.randrange(VOCABULARY) for _ in range(rng.randrange(2, 20))]
        found.append((prompt, answer))
        at = prompt + answer
    return found


def next_turn(branch: list[tuple[list[int], list[int]]]) -> list[int]:
    prompt, answer = branch[-1]
    return [*prompt, *answer, 63]


def computed(cache: PrefixCache, prompts: Sequence[Sequence[int]]) -> list[int]:
    return [cache.price(prompt).left for prompt in prompts]


@pytest.mark.parametrize("mix", list(MIXES))
@pytest.mark.parametrize("seed", chosen(range(4)))
def test_requests_of_guests_cost_the_window_nothing(mix: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """120 of them at random, in a budget of which the window's branches take three quarters."""
    monkeypatch.setattr(budget_module, "PIECE", 16)
    rng = random.Random(seed)
    cache, _ = ledger_cache(mix)
    branches = []
    for _ in range(4):
        known = rng.choice([[], *(prompt for branch in branches for prompt, _ in branch)])
        branches.append(talk(rng, known[: rng.randrange(len(known) + 1)], rng.randrange(1, 5)))
        for prompt, answer in branches[-1]:
            ask(cache, prompt, answer, points=[len(prompt) - 1], limit=64, owner="me")
    asked = [*map(next_turn, branches), *(prompt for branch in branches for prompt, _ in branch)]
    before = computed(cache, asked)
    held = cache.live_bytes + cache.paged_bytes
    cache.set_budget(held * 4 // 3 + 1)
    assert computed(cache, asked) == before
    share = cache.budget_bytes // 4
    longest = max(8, share * len(MINE) // max(1, size_of(mix, MINE)) // 2)
    for _ in range(120):
        known = rng.choice([[], *asked])[: rng.randrange(200)] if rng.random() < 0.4 else []
        prompt = [*known, *(rng.randrange(VOCABULARY) for _ in range(rng.randrange(1, longest)))]
        points = [rng.randrange(1, len(prompt) + 1), len(prompt) - 1]
        stop_after = rng.randrange(len(prompt)) if rng.random() < 0.2 else None
        ask(cache, prompt, [5, 6, 7], points, limit=rng.choice((7, 64)), stop_after=stop_after, is_guest=True)
        check(cache)
        assert all(now <= then for now, then in zip(computed(cache, asked), before, strict=True))
    assert cache.budget.eviction.tally.bytes, "nothing had to go"


def size_of(mix: str, tokens: Sequence[int]) -> int:
    cache, _ = ledger_cache(mix)
    ask(cache, tokens, points=[len(tokens) - 1])
    return cache.live_bytes + cache.paged_bytes


@pytest.mark.parametrize("mix", ROWS)
def test_guests_use_what_nobody_else_does_and_then_each_others(mix: str) -> None:
    cache, _ = ledger_cache(mix)
    for branch in range(20):
        ask(cache, [branch, *MINE], [9], is_guest=True)
    whole = cache.live_bytes + cache.paged_bytes
    cache.set_budget(whole)
    assert cache.price([0, *MINE]).cached == len(MINE)
    cache.set_budget(whole // 2)
    assert cache.price([0, *MINE]).cached < len(MINE)
    assert cache.price([19, *MINE]).cached == len(MINE)
