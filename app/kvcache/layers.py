"""The kinds of layer state, over mlx-lm's own cache objects. No other module touches their insides.

Written against mlx-lm 0.32: `KVCache` with `keys`, `values` of shape [batch, heads, allocated, width] and `offset`;
`ArraysCache` with a list `cache`; `CacheList` with a tuple `caches`. Properties kept here:

1. What is copied out shares no buffer with the live arrays beyond what `mx.contiguous` leaves (16 KiB at most), and no
   array object: a slice assignment changes the object in place.
2. Whole states are replaced by the models and never written into, so taking one copies nothing.
3. A live buffer that a long branch left behind is given back: at most `SLACK` rows beyond what is used stay allocated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import ArraysCache, CacheList, KVCache

STEP = 256  # rows by which buffers grow, as mlx-lm's do
SLACK = 1024

KeysValues = tuple[mx.array, mx.array]
Arrays = tuple[mx.array | None, ...]


class UnsupportedCacheError(Exception):
    """The model keeps state of a kind that this program does not know how to store and restore."""

    def __init__(self, name: str) -> None:
        super().__init__(f"cache kind {name} is not supported")
        self.name = name


class CacheFaultError(Exception):
    """Stored and live state do not fit together. The tokens are computed again; nothing is answered from it."""


class RowLayer:
    """Full attention: the state of tokens [a, b) is rows a..b of keys and values, and can be cut anywhere."""

    def __init__(self, cache: KVCache) -> None:
        self._cache: Any = cache

    @property
    def offset(self) -> int:
        return int(self._cache.offset)

    @property
    def allocated(self) -> int:
        """Rows that the live buffer has room for."""
        return 0 if self._cache.keys is None else int(self._cache.keys.shape[2])

    @property
    def row_bytes(self) -> int:
        """Bytes of one token's row; 0 before anything was computed."""
        rows = self.allocated
        return (self._cache.keys.nbytes + self._cache.values.nbytes) // rows if rows else 0

    def copy(self, start: int, end: int) -> KeysValues:
        """Rows [start, end) as arrays of their own, not yet evaluated."""
        if not 0 <= start < end <= self.offset:
            raise CacheFaultError(f"rows [{start}, {end}) asked of a layer at {self.offset}")
        keys, values = self._cache.keys, self._cache.values
        return mx.contiguous(keys[..., start:end, :]), mx.contiguous(values[..., start:end, :])

    def write(self, start: int, pieces: Sequence[KeysValues]) -> None:
        """Go back to `start` and put `pieces` after it. One buffer, allocated once; pieces are copied into it."""
        if start > self.offset:
            raise CacheFaultError(f"rows from {start} on do not join a layer at {self.offset}")
        end = start + sum(keys.shape[2] for keys, _ in pieces)
        if end == 0:
            self.clear()
            return
        if not end <= self.allocated <= end + SLACK:
            self._reallocate(start, -(-end // STEP) * STEP, pieces)
        at = start
        for keys, values in pieces:
            after = at + keys.shape[2]
            self._cache.keys[..., at:after, :] = keys
            self._cache.values[..., at:after, :] = values
            at = after
        self._cache.offset = end
        mx.eval(self._cache.keys, self._cache.values)

    def _reallocate(self, kept: int, rows: int, pieces: Sequence[KeysValues]) -> None:
        """Move rows [0, kept) into buffers of `rows` rows."""
        like = pieces[0] if pieces else (self._cache.keys, self._cache.values)
        fresh = [mx.zeros((*x.shape[:2], rows, x.shape[3]), x.dtype) for x in like]
        if kept:
            fresh[0][..., :kept, :] = self._cache.keys[..., :kept, :]
            fresh[1][..., :kept, :] = self._cache.values[..., :kept, :]
        self._cache.keys, self._cache.values = fresh
        mx.eval(fresh)

    def overwrite(self, start: int, rows: KeysValues) -> None:
        """Put stored rows in the place of recomputed ones, inside what is already there."""
        end = start + rows[0].shape[2]
        if end > self.offset:
            raise CacheFaultError(f"rows [{start}, {end}) lie beyond a layer at {self.offset}")
        self._cache.keys[..., start:end, :] = rows[0]
        self._cache.values[..., start:end, :] = rows[1]

    def arrays(self) -> Iterator[mx.array]:
        """What must be evaluated before the layer is at rest."""
        if self._cache.keys is not None:
            yield from (self._cache.keys, self._cache.values)

    def clear(self) -> None:
        self._cache.keys = self._cache.values = None
        self._cache.offset = 0


class StateLayer:
    """Recurrent and convolutional layers: the state at an offset is one object, which cannot be cut or rewound."""

    def __init__(self, cache: ArraysCache) -> None:
        self._cache: Any = cache
        self._size = len(cache.cache)

    @property
    def nbytes(self) -> int:
        return sum(int(x.nbytes) for x in self._cache.cache if x is not None)

    def settle(self) -> None:
        """Let go of the prefill chunk that the states are views of."""
        self._cache.cache = [None if x is None else mx.contiguous(x) for x in self._cache.cache]

    def take(self) -> Arrays:
        """The state itself, shared with the live layer until the next call replaces it there."""
        return tuple(self._cache.cache)

    def put(self, arrays: Arrays) -> None:
        if len(arrays) != self._size:
            raise CacheFaultError(f"a state of {len(arrays)} arrays for a layer of {self._size}")
        self._cache.cache = list(arrays)

    def arrays(self) -> Iterator[mx.array]:
        """What must be evaluated before the layer is at rest."""
        yield from (x for x in self._cache.cache if x is not None)

    def clear(self) -> None:
        self._cache.cache = [None] * self._size


def flatten(caches: Sequence[Any]) -> list[Any]:
    """The cache objects in order, compound ones replaced by their parts."""
    leaves: list[Any] = []
    for cache in caches:
        leaves.extend(flatten(cache.caches) if type(cache) is CacheList else [cache])
    return leaves


def wrap(cache: Any) -> RowLayer | StateLayer:
    """The layer kind of one cache object, by its exact class: a subclass may keep its state differently.

    Raises UnsupportedCacheError, with the class's name.
    """
    if type(cache) is KVCache:
        return RowLayer(cache)
    if type(cache) is ArraysCache:
        return StateLayer(cache)
    raise UnsupportedCacheError(type(cache).__name__)
