"""A model that keeps books: its rows hold the tokens themselves and its states a running digest of them.

Each call checks what it was given against the tokens before it, so a restore that is wrong fails at the next call, and
not only when its length is wrong. Its logits point at a token that depends on the whole prefix.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import ArraysCache, KVCache, RotatingKVCache

from app.kvcache.prefix_cache import PrefixCache

VOCABULARY = 64
MODULUS = 32_749
WINDOW = 4  # tokens
# T: rows only. S: rows and a sliding window. R: rows and whole states. N: whole states, and layers that keep nothing.
# W: whole states only. M: everything.
MIXES = {"T": "rr", "S": "rw", "R": "rs", "N": "s-r-", "W": "ss", "M": "rws"}
ROWS = ["T", "S"]  # can be cut anywhere


def digest(tokens: Sequence[int], seed: int = 1) -> int:
    """A running digest of a prefix; it depends on the order of the tokens."""
    for token in tokens:
        seed = (seed * 31 + token + 7) % MODULUS
    return seed


class Ledger:
    """The forward function of a model with these layers: "r" rows, "w" a sliding window of 4, "s" a whole state, "-"
    nothing. `computed` counts tokens."""

    def __init__(self, layers: str) -> None:
        self.layers = layers
        self.computed = 0
        self.calls: list[int] = []
        self.fail_after: int | None = None

    def new_caches(self) -> list[Any]:
        made = {"r": KVCache, "w": lambda: RotatingKVCache(WINDOW), "s": lambda: ArraysCache(2), "-": lambda: None}
        return [made[kind]() for kind in self.layers]

    def __call__(self, tokens: mx.array, caches: list[Any]) -> mx.array:
        new: list[int] = tokens[0].tolist()
        self.computed += len(new)
        self.calls.append(len(new))
        seeds = {self._update(cache, new, index) for index, cache in enumerate(caches) if cache is not None}
        assert len(seeds) == 1, f"layers disagree about what came before: {seeds}"
        (seed,) = seeds
        logits = mx.zeros((1, len(new), VOCABULARY))
        for at in range(len(new)):
            logits[0, at, digest(new[: at + 1], seed) % VOCABULARY] = 1.0
        return logits

    def _update(self, cache: Any, new: list[int], index: int) -> int:
        """Take in the new tokens; returns the digest of those before, as this layer knows it."""
        if self.fail_after is not None and index > 0 and self.computed > self.fail_after:
            raise RuntimeError("the model failed half-way through its layers")
        if isinstance(cache, KVCache):
            before = [] if cache.keys is None else cache.keys[0, 0, : cache.offset, 0].astype(mx.int32).tolist()
            rows = mx.array(new, dtype=mx.float32).reshape(1, 1, -1, 1)
            keys, values = cache.update_and_fetch(mx.concatenate([rows, rows + index], axis=-1), rows * 2)
            assert values[0, 0, :, 0].tolist() == [2.0 * token for token in [*before, *new]]
            assert keys.shape[2] == len(before) + len(new)
            return digest(before)
        if isinstance(cache, RotatingKVCache):
            return self._turn(cache, new)
        seed = 1 if cache[0] is None else int(cache[0].item())
        cache[0] = mx.array([digest(new, seed)])
        cache[1] = mx.array([float(index)])
        return seed

    def _turn(self, cache: RotatingKVCache, new: list[int]) -> int:
        """The same for a sliding window: each row knows its token, its place and the digest of all up to it."""
        start, before = cache.offset, _window(cache)
        assert [place for place, _ in before][-WINDOW:] == list(range(max(0, start - WINDOW), start))
        seed = before[-1][1] if before else 1
        digests = [digest(new[: at + 1], seed) for at in range(len(new))]
        places = range(start, start + len(new))
        cache.update_and_fetch(_rows(places), _rows(digests))
        seen = WINDOW if len(new) == 1 else WINDOW - 1 + len(new)
        after = _window(cache)[-seen:]
        assert after == [*before, *zip(places, digests, strict=True)][-seen:], "the window lacks what it should show"
        return seed


def _rows(numbers: Sequence[int]) -> mx.array:
    return mx.array(list(numbers), dtype=mx.float32).reshape(1, 1, -1, 1)


def _window(cache: RotatingKVCache) -> list[tuple[int, int]]:
    """Place and digest of each row that the ring shows, oldest first."""
    if not cache.offset:
        return []
    keys, values = (x[0, 0, :, 0].astype(mx.int32).tolist() for x in cache.keys_and_values())
    return sorted(zip(keys, values, strict=True))


def ledger_cache(mix: str, budget_bytes: int = 1 << 30) -> tuple[PrefixCache, Ledger]:
    model = Ledger(MIXES[mix])
    return PrefixCache(model, model.new_caches, budget_bytes), model


def ask(
    cache: PrefixCache,
    prompt: Sequence[int],
    answer: Sequence[int] = (),
    points: Sequence[int] = (),
    limit: int = 512,
    stop_after: int | None = None,
    owner: str = "test",
    is_guest: bool = False,
) -> tuple[int, int, int, int]:
    """One request: prefill all but the last prompt token, decode it and all but the last of `answer`.

    stop_after: cancel when so many prompt tokens were computed. Returns (total, matched, cached, left), as begun.
    """
    with cache.begin(prompt, points, "" if is_guest else owner, is_guest=is_guest) as session:
        done = 0
        while stop_after is None or done < stop_after:
            step = session.prefill(limit if stop_after is None else min(limit, stop_after - done))
            done += step
            if not step:
                break
        if stop_after is None:
            for fed in (prompt[-1], *answer[:-1]):
                session.decode(fed)
        report = session.report
    return report.total, report.matched, report.cached, report.left
