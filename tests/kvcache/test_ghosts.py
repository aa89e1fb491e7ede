"""Which tokens without state are forgotten, against looking at all of them."""

from __future__ import annotations

import random
from array import array

import pytest

from app.kvcache import ghosts
from app.kvcache.snapshot import TrieNode
from tests.bench.paper import PaperCache
from tests.seeds import chosen


@pytest.mark.parametrize("state_bytes", [0, 400])
def test_the_longest_unused_leaf_goes_first(state_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ghosts, "GHOST_TOKENS", 120)
    for seed in chosen(range(4)):
        forgotten = history(random.Random(seed), PaperCache(7, state_bytes, 2_000), f"seed {seed}")
        assert forgotten > 50


def history(rng: random.Random, cache: PaperCache, name: str) -> int:
    """Ask at random, and look at each edge that is forgotten. Returns how many were."""
    removed: list[TrieNode] = []
    remove = cache.trie.remove

    def least(node: TrieNode) -> None:
        known = [one for one in cache.trie if not (one.is_held or one.is_on_disk)]
        leaves = [one for one in known if not one.children and not one.usage.pins]
        assert sum(len(one.tokens) for one in known) > 120, name
        assert node is min(leaves, key=lambda one: (one.usage.last_use, -one.end, one.id)), name
        removed.append(node)
        remove(node)

    cache.trie.remove = least  # type: ignore[method-assign]
    prompts = [array("i", [0])]
    for _ in range(150):
        prompt = rng.choice(prompts) + array("i", rng.choices(range(4), k=rng.randrange(1, 25)))
        prompts.append(prompt[: rng.randrange(1, 60)])
        cache.ask(prompt, array("i", rng.choices(range(4), k=5)), (0, len(prompt) // 2))
        known = [one for one in cache.trie if not (one.is_held or one.is_on_disk)]
        assert cache.ghosts.tokens == sum(len(one.tokens) for one in known), name
        assert cache.ghosts.tokens <= 120 or all(one.children or one.usage.pins for one in known), name
    return len(removed)


def test_a_lower_budget_counts_its_ghosts_itself() -> None:
    """So that the request after it does not pay for thousands of them."""
    for seed in chosen(range(4)):
        rng, cache = random.Random(seed), PaperCache(7, 400 * (seed % 2), 100_000)
        for _ in range(40):
            prompt = array("i", rng.choices(range(4), k=rng.randrange(1, 25)))
            cache.ask(prompt, array("i", rng.choices(range(4), k=5)), ())
            if rng.random() < 0.3:
                cache.set_budget(rng.choice((0, 2_000, 100_000)))
                known = [one for one in cache.trie if not (one.is_held or one.is_on_disk)]
                assert cache.ghosts.tokens == sum(len(one.tokens) for one in known), f"seed {seed}"
