"""A model whose layers are heavy and mean little: what it keeps outweighs by far whatever else a call allocates.

Each layer is evaluated before the next, so that a call's own memory is one layer's, and the rest is the cache's.
"""

from __future__ import annotations

from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import ArraysCache, ChunkedKVCache, KVCache, QuantizedKVCache, RotatingKVCache

from app.kvcache.prefix_cache import PrefixCache

VOCABULARY = 8
HEADS = 2  # with one alone a slice of rows is contiguous, and MLX would share up to 16 KiB of it
WIDTH = 128  # float32 numbers of a head's key, and of its value
ROW = 2 * HEADS * 4 * WIDTH  # bytes of a layer's row, before it is quantized
STEP = 256  # rows by which mlx-lm's buffers grow
WINDOW = 48  # tokens
STATE = 32 * 1024  # float32 numbers: 128 KiB, twice for a layer
STATE_BYTES = 2 * 4 * STATE
# r: rows. q: quantized rows. w: a sliding window, f: one that keeps its first rows. c: chunks. s: a whole state.
# -: nothing.
MIXES = {
    "rows": "rrrr",
    "quantized rows": "qq",
    "rows and windows": "rwf",
    "rows and chunks": "rc",
    "rows and states": "rs",
    "rows, states, nothing": "s-r-",
    "states": "ss",
    "everything": "rws",
}


class Ballast:
    """The forward function of a model with these layers. `fails`: the next call breaks off after its first layer."""

    def __init__(self, layers: str) -> None:
        self._layers = layers
        self.fails = False

    def new_caches(self) -> list[Any]:
        made: dict[str, Any] = {
            "r": KVCache,
            "q": lambda: QuantizedKVCache(group_size=64, bits=8),
            "w": lambda: RotatingKVCache(WINDOW),
            "f": lambda: RotatingKVCache(WINDOW, keep=4),
            "c": lambda: ChunkedKVCache(WINDOW),
            "s": lambda: ArraysCache(2),
            "-": lambda: None,
        }
        return [made[layer]() for layer in self._layers]

    def call_bytes(self, tokens: int) -> int:
        """What a call takes for itself: one layer's new rows, before and after they are quantized, and those that its
        buffer grows by; and of each layer what exceeds its window until the call is over, the larger array that its
        state is a view of, and the state."""
        beyond = {"w": tokens * ROW, "f": tokens * ROW, "c": (tokens + STEP) * ROW, "s": 3 * STATE_BYTES}
        return (2 * tokens + STEP) * ROW + STATE_BYTES + sum(beyond.get(layer, 0) for layer in self._layers)

    @property
    def harvest_bytes(self) -> int:
        """What rows that are taken out of windows may add to the buffers that keep them."""
        return sum(layer in "wfc" for layer in self._layers) * STEP * ROW

    def __call__(self, tokens: mx.array, caches: list[Any]) -> mx.array:
        x = tokens.astype(mx.float32)
        for cache in caches:
            if cache is not None:
                x = x + 1e-6 * (_step(cache, x) if isinstance(cache, ArraysCache) else _attend(cache, x))
                mx.eval(x, cache.state)
                if self.fails:
                    self.fails = False
                    raise RuntimeError("out of memory")
        return mx.broadcast_to(x[..., None], (*x.shape, VOCABULARY)) * mx.arange(VOCABULARY)


def _attend(cache: Any, x: mx.array) -> mx.array:
    """Take rows in; returns a number [1, 1] from all that the layer shows."""
    if isinstance(cache, ChunkedKVCache):
        cache.maybe_trim_front()
    rows = mx.contiguous(mx.broadcast_to(x[:, None, :, None], (1, HEADS, x.shape[1], WIDTH)))
    shown = cache.update_and_fetch(rows, rows + 1)
    keys, values = (part[1] if isinstance(cache, QuantizedKVCache) else part for part in shown)
    return keys[:, 0, :, 0].mean(axis=1, keepdims=True) + values[:, 0, :, 0].mean(axis=1, keepdims=True)


def _step(cache: ArraysCache, x: mx.array) -> mx.array:
    """Replace the state by views of a larger array, as prefill does; returns a number [1, 1] from it."""
    for index in range(2):
        before = 0.0 if cache[index] is None else cache[index] * 0.5
        chunk = mx.broadcast_to(before + x[:, -1:, None], (1, 1, STATE))
        cache[index] = mx.concatenate([chunk, chunk], axis=1)[:, :1, :] if x.shape[1] > 1 else mx.contiguous(chunk)
    return cache[0][:, :, 0] + cache[1][:, :, 0]


def ballast_cache(mix: str, budget_bytes: int = 1 << 30) -> tuple[PrefixCache, Ballast]:
    """An empty cache over a model of these layers."""
    model = Ballast(MIXES[mix])
    return PrefixCache(model, model.new_caches, budget_bytes), model
