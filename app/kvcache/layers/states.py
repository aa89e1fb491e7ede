"""Layers whose state is one object: recurrent and convolutional ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import ArraysCache

from app.kvcache.layers.arrays import Arrays, CacheFaultError, owned


class StateLayer:
    """Recurrent or convolutional layer: the state at an offset is one object, which cannot be cut or rewound."""

    def __init__(self, cache: ArraysCache) -> None:
        self._cache: Any = cache
        self._size = len(cache.cache)

    @property
    def nbytes(self) -> int:
        return sum(int(x.nbytes) for x in self._cache.cache if x is not None)

    def detach(self) -> None:
        """Let go of the prefill chunk that the states are views of."""
        self._cache.cache = [None if x is None else owned(x) for x in self._cache.cache]

    def take(self) -> Arrays:
        """Return the state itself, shared with the live layer until the next call replaces it there."""
        return tuple(self._cache.cache)

    def put(self, arrays: Arrays) -> None:
        if len(arrays) != self._size:
            raise CacheFaultError(f"a state of {len(arrays)} arrays for a layer of {self._size}")
        self._cache.cache = list(arrays)

    def arrays(self) -> Iterator[mx.array]:
        """Give what must be evaluated before the layer is at rest, and what its next call depends on."""
        yield from (x for x in self._cache.cache if x is not None)

    def clear(self) -> None:
        self._cache.cache = [None] * self._size
