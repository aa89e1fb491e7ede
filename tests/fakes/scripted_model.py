"""A model that says what it is told to, over mlx-lm's real cache objects, which hold the very tokens they were fed.

So whatever a tokenizer can spell can be an answer, and a cache that was restored wrongly shows in its content and not
only in its length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import ArraysCache, KVCache

from app.engine.loop import EngineLoop
from app.engine.open_model import OpenModel
from app.kvcache.prefix_cache import PrefixCache
from app.protocol.engine import EventSink

_BASE, _PRIME = 31, 10_007


class ScriptedModel:
    """Rows that are the tokens, and, unless it `has_rows_only`, a whole state that is a checksum of all of them."""

    def __init__(self, vocabulary: int, has_rows_only: bool) -> None:
        self._vocabulary = vocabulary
        self._has_rows_only = has_rows_only
        self._begin = 0
        self._script: list[int] = []

    def says(self, total: int, tokens: Sequence[int]) -> None:
        """After a prompt of `total` tokens, say these; the last one is then repeated for ever."""
        self._begin, self._script = total, list(tokens)

    def new_caches(self) -> list[Any]:
        new_rows: Any = KVCache
        return [new_rows()] if self._has_rows_only else [new_rows(), ArraysCache(1)]

    def forward(self, tokens: mx.array, caches: list[Any]) -> mx.array:
        """tokens [1, n] -> logits [1, n, vocabulary], of which only the last are meant."""
        count = tokens.shape[1]
        rows = tokens.astype(mx.float32).reshape(1, 1, count, 1)
        caches[0].update_and_fetch(rows, rows)
        if not self._has_rows_only:
            sums = caches[1][0] if caches[1][0] is not None else mx.zeros((1, 1), mx.int64)
            weights = mx.array([pow(_BASE, count - 1 - at, _PRIME) for at in range(count)], mx.int64)
            fed = mx.sum(tokens.astype(mx.int64) * weights, axis=1, keepdims=True)
            caches[1][0] = (sums * pow(_BASE, count, _PRIME) + fed) % _PRIME
        at = min(max(caches[0].offset - self._begin, 0), len(self._script) - 1)
        logits = (mx.arange(self._vocabulary) == self._script[at]).astype(mx.float32) * 50
        return mx.broadcast_to(logits, (1, count, self._vocabulary))

    def install(self, loop: EngineLoop, sink: EventSink, budget_bytes: int = 1 << 30) -> None:
        """Take the place of the loop's model, with its tokenizer and template and an empty cache."""
        assert loop.open_model is not None
        model = replace(loop.open_model.model, forward=self.forward, new_caches=self.new_caches)
        loop.open_model = OpenModel(model, budget_bytes, sink, count(1))

    def held(self, cache: PrefixCache) -> tuple[list[int], int | None]:
        """The tokens that the live rows hold, and the checksum in the live state."""
        rows = cache.active.layers.rows[0]
        tokens = [int(x) for x in rows.copy(0, rows.offset)[0].reshape(-1).tolist()]  # type: ignore[union-attr, arg-type]
        if self._has_rows_only:
            return tokens, None
        [state] = cache.active.layers.states[0].take()
        return tokens, None if state is None else int(state.item())  # type: ignore[arg-type]


def checksum(tokens: Sequence[int]) -> int:
    """What the whole state is after these tokens."""
    total = 0
    for token in tokens:
        total = (total * _BASE + token) % _PRIME
    return total
