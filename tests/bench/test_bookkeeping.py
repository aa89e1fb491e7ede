"""What the index takes for a token. Times are for `make bench-cache`."""

from __future__ import annotations

import sys
from array import array

import pytest

from app.kvcache import ghosts
from tests.bench.bookkeeping import STATE_BYTES, Forest, index_bytes
from tests.bench.paper import PaperCache


def test_a_token_takes_at_most_16_bytes_of_index() -> None:
    assert index_bytes(tokens=24_000) <= 16


def test_the_forest_is_as_large_as_it_was_asked_to_be() -> None:
    forest = Forest(nodes=200, tokens=4_096)
    assert 200 <= forest.nodes < 210
    assert forest.cache.price(forest.long_request()).seen == 4_096
    forest.cache.ask(*forest.fork())
    assert forest.cache.faults == 0, "what fails is computed again, and nothing else tells of it"


@pytest.mark.parametrize("state_bytes", [0, STATE_BYTES])
def test_a_turn_costs_no_more_in_a_larger_memory(state_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in calls of Python functions, when the memory is full and as much is known as may be."""
    calls = []
    for nodes in (400, 3_200):
        forest = Forest(nodes, tokens=1_024, state_bytes=state_bytes)
        cache = forest.cache
        monkeypatch.setattr(ghosts, "GHOST_TOKENS", cache.trie.tokens // 10)
        cache.set_budget(int(0.5 * (cache.paged_bytes + cache.live_bytes)))
        for _ in range(20):
            cache.ask(*forest.fork())
        calls.append(counted(cache, [forest.fork() for _ in range(20)]))
    assert calls[1] < 1.5 * calls[0]


def counted(cache: PaperCache, turns: list[tuple[array[int], array[int], tuple[int, ...]]]) -> int:
    """How many functions are called, generators' steps included."""
    count = 0

    def count_call(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(count_call)
    try:
        for turn in turns:
            cache.ask(*turn)
    finally:
        sys.setprofile(None)
    return count
