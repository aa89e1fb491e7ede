"""A model whose time and tokens are counted, and which can be told not to compute but only to fill its layers.

Filling leaves every cache object with arrays of the shapes and sizes that computing leaves, so that a policy can be
taken through a whole workload, its tokens counted and its bytes held, while only a sample of the requests is computed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import ArraysCache, RotatingKVCache

from tests.bench.models import BenchModel


class Meter:
    """`forward` as the model's, evaluated before it returns. seconds: spent in it. tokens: given to it.

    is_real: compute; otherwise only fill. row_bytes: of one token in all layers. state_bytes: of the whole states.
    """

    def __init__(self, model: BenchModel) -> None:
        self.model = model
        self.is_real = True
        self.seconds = 0.0
        self.tokens = 0
        probe = model.new_caches()
        mx.eval(model.forward(mx.array([[1, 2]]), probe))
        self._shapes = [_shapes(cache) for cache in probe]
        rows = [cache for cache in probe if not isinstance(cache, ArraysCache)]
        self.row_bytes = sum(int(x.nbytes) // x.shape[2] for cache in rows for x in arrays(cache))
        self.state_bytes = sum(
            int(x.nbytes) for cache in probe if isinstance(cache, ArraysCache) for x in arrays(cache)
        )

    def forward(self, tokens: mx.array, caches: list[Any]) -> mx.array:
        """Tokens [1, n] -> logits [1, n, vocabulary], evaluated when n is 1; the caches are in any case."""
        begun, count = time.perf_counter(), tokens.shape[1]
        logits = self.model.forward(tokens, caches) if self.is_real else self._fill(count, caches)
        mx.eval([x for cache in caches for x in arrays(cache)], *([logits] if count == 1 else []))
        self.seconds += time.perf_counter() - begun
        self.tokens += count
        return logits

    def read(self, caches: list[Any], tokens: Sequence[int], chunk: int) -> None:
        """As mlx-lm reads a prompt: in chunks, the last token by itself."""
        last = len(tokens) - 1
        for start in range(0, last, chunk):
            self.forward(mx.array([tokens[start : min(start + chunk, last)]]), caches)
        self.forward(mx.array([tokens[last:]]), caches)

    def _fill(self, count: int, caches: list[Any]) -> mx.array:
        for cache, shapes in zip(caches, self._shapes, strict=True):
            if isinstance(cache, ArraysCache):
                cache.cache = list(map(_zeros, shapes))
            else:
                cache.update_and_fetch(*(_zeros(((*shape[:2], count, shape[3]), dtype)) for shape, dtype in shapes))
        return mx.zeros((1, count, 1))


def arrays(cache: Any) -> Iterator[mx.array]:
    """The arrays that one of mlx-lm's cache objects holds now."""
    held = cache.cache if isinstance(cache, ArraysCache) else (cache.keys, cache.values)
    yield from (x for x in held if x is not None)


def used_bytes(caches: Sequence[Any]) -> int:
    """Bytes of what the cache objects hold, without the room that rows may still grow into."""
    return sum(int(x.nbytes) * _used(cache, x) // _rows(cache, x) for cache in caches for x in arrays(cache))


def _rows(cache: Any, x: mx.array) -> int:
    return 1 if isinstance(cache, ArraysCache) else int(x.shape[2])


def _used(cache: Any, x: mx.array) -> int:
    if isinstance(cache, ArraysCache):
        return 1
    most = cache.max_size if isinstance(cache, RotatingKVCache) else x.shape[2]
    return int(min(cache.offset, most))


Shape = tuple[tuple[int, ...], mx.Dtype]


def _shapes(cache: Any) -> list[Shape]:
    return [(tuple(x.shape), x.dtype) for x in arrays(cache)]


def _zeros(shape: Shape) -> Any:
    return mx.zeros(*shape)
