"""The kinds of layer state, over mlx-lm's own cache objects. No other module touches their insides.

Written against mlx-lm 0.32 (tests/kvcache/test_layers.py names what it relies on). Properties kept here:

1. What is copied out shares no buffer with the live arrays beyond what `mx.contiguous` leaves (16 KiB at most), and no
   array object: a slice assignment changes the object in place.
2. Whole states are replaced by the models and never written into, so taking one copies nothing.
3. A live buffer that a long branch left behind is given back: at most `SLACK` rows beyond what is used stay allocated.
4. A windowed layer's rows are copied in plain order before its ring overwrites them, and the ring is rebuilt from them
   at any token as the recorded calls left it, physical layout included. A row that is harvested too late raises.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import (
    ArraysCache,
    CacheList,
    ChunkedKVCache,
    KVCache,
    QuantizedKVCache,
    RotatingKVCache,
)

STEP = 256  # rows by which buffers grow, as mlx-lm's do
SLACK = 1024

RowArrays = tuple[mx.array, ...]  # of one layer, each [batch, heads, tokens, width]: keys and values and their like
Arrays = tuple[mx.array | None, ...]


class UnsupportedCacheError(Exception):
    """The model keeps state of a kind that this program does not know how to store and restore."""

    def __init__(self, name: str) -> None:
        super().__init__(f"cache kind {name} is not supported")
        self.name = name


class CacheFaultError(Exception):
    """Stored and live state do not fit together. The tokens are computed again; nothing is answered from it."""


class RowLayer:
    """Full attention, quantized or not: the state of tokens [a, b) is rows a..b, and can be cut anywhere."""

    def __init__(self, cache: KVCache | QuantizedKVCache) -> None:
        self._cache: Any = cache
        self._is_quantized = isinstance(cache, QuantizedKVCache)
        self._kind: list[tuple[object, ...]] = []  # heads, width and type of each buffer, once known

    @property
    def offset(self) -> int:
        return int(self._cache.offset)

    @property
    def allocated(self) -> int:
        """Rows that the live buffer has room for."""
        buffers = self._buffers()
        return int(buffers[0].shape[2]) if buffers else 0

    @property
    def row_bytes(self) -> int:
        """Bytes of one token's row; 0 before anything was computed."""
        rows = self.allocated
        return sum(int(x.nbytes) for x in self._buffers()) // rows if rows else 0

    @property
    def allocated_bytes(self) -> int:
        return self.allocated * self.row_bytes

    def window_bytes(self, offset: int) -> int:
        """Bytes that the layer holds beside its rows when it stands at `offset`."""
        return 0

    def prepare(self, count: int) -> None:
        """A call over `count` tokens comes next."""

    def settle(self, count: int) -> None:
        """A call over `count` tokens was made."""

    def copy(self, start: int, end: int) -> RowArrays:
        """Rows [start, end) as arrays of their own, not yet evaluated."""
        if not 0 <= start < end <= self.offset:
            raise CacheFaultError(f"rows [{start}, {end}) asked of a layer at {self.offset}")
        return tuple(mx.contiguous(x[..., start:end, :]) for x in self._buffers())

    def view(self, start: int, end: int) -> RowArrays:
        """Rows [start, end) as views of the live buffers, for copying from."""
        return tuple(x[..., start:end, :] for x in self._buffers())

    def write(self, start: int, pieces: Sequence[RowArrays], multi_end: int) -> None:
        """Go back to `start` and put `pieces` after it. One buffer, allocated once; pieces are copied into it.

        multi_end: end of the last call of several tokens on the path, cut at the new offset; rows do not depend on it.
        """
        if start > self.offset:
            raise CacheFaultError(f"rows from {start} on do not join a layer at {self.offset}")
        for piece in pieces:
            self._require_kind(piece)
        end = start + sum(piece[0].shape[2] for piece in pieces)
        if end == 0:
            self.clear()
            return
        if not end <= self.allocated <= end + SLACK:
            self._reallocate(start, -(-end // STEP) * STEP, pieces)
        self._assign(start, pieces)
        self._cache.offset = end
        mx.eval(self._buffers())

    def overwrite(self, start: int, rows: RowArrays, multi_end: int) -> None:
        """Put stored rows in the place of recomputed ones, inside what is already there."""
        end = start + rows[0].shape[2]
        if end > self.offset:
            raise CacheFaultError(f"rows [{start}, {end}) lie beyond a layer at {self.offset}")
        self._assign(start, [rows])

    def arrays(self) -> Iterator[mx.array]:
        """What must be evaluated before the layer is at rest, and what its next call depends on."""
        yield from self._buffers()

    def clear(self) -> None:
        self._note_kind()
        self._cache.keys = self._cache.values = None
        self._cache.offset = 0

    def _note_kind(self) -> None:
        if not self._kind:
            self._kind = [_kind_of(x) for x in self._buffers()]

    def _require_kind(self, rows: RowArrays) -> None:
        """Raises CacheFaultError when stored rows are not of this layer's heads, width and type."""
        self._note_kind()
        found = [_kind_of(x) for x in rows]
        if (self._kind and found != self._kind) or len({x.shape[2] for x in rows}) != 1:
            raise CacheFaultError(f"rows of {found} for a layer of {self._kind}")

    def _buffers(self) -> RowArrays:
        keys, values = self._cache.keys, self._cache.values
        if keys is None:
            return ()
        return (*keys, *values) if self._is_quantized else (keys, values)

    def _assign(self, start: int, pieces: Sequence[RowArrays]) -> None:
        buffers = self._buffers()
        for piece in pieces:
            end = start + piece[0].shape[2]
            for buffer, rows in zip(buffers, piece, strict=True):
                buffer[..., start:end, :] = rows
            start = end

    def _reallocate(self, kept: int, rows: int, pieces: Sequence[RowArrays]) -> None:
        """Move rows [0, kept) into buffers of `rows` rows."""
        old = self._buffers()
        like = pieces[0] if pieces else old
        fresh = tuple(mx.zeros((*x.shape[:2], rows, x.shape[3]), x.dtype) for x in like)
        if kept:
            for x, y in zip(fresh, old, strict=True):
                x[..., :kept, :] = y[..., :kept, :]
        mx.eval(fresh)
        half = len(fresh) // 2
        keys, values = (fresh[:half], fresh[half:]) if self._is_quantized else fresh
        self._cache.keys, self._cache.values = keys, values


def _kind_of(x: mx.array) -> tuple[object, ...]:
    return x.shape[0], x.shape[1], x.shape[3], x.dtype


def _plain_rows() -> Any:
    """A buffer of rows in plain order that grows as mlx-lm's do."""
    new: Any = KVCache
    return new()


class WindowLayer:
    """A sliding window: only the last rows are needed to go on, kept in a ring that overwrites the others.

    All rows are kept beside it in plain order, which is the price of going back to any token. Between two calls the
    ring's newest row stands before `_idx`, and rows not harvested yet are the newest ones.
    """

    def __init__(self, ring: RotatingKVCache) -> None:
        if ring.keep >= ring.max_size:
            raise UnsupportedCacheError(f"{type(ring).__name__} that keeps {ring.keep} of {ring.max_size} rows")
        self._ring: Any = ring
        self._plain = RowLayer(_plain_rows())
        self._row_bytes = 0

    @property
    def offset(self) -> int:
        return int(self._ring.offset)

    @property
    def row_bytes(self) -> int:
        """Bytes of one token's row; 0 before anything was computed."""
        if not self._row_bytes:
            self._row_bytes = sum(int(x.nbytes) // x.shape[2] for x in self.arrays())
        return self._row_bytes

    @property
    def allocated_bytes(self) -> int:
        return self._plain.allocated_bytes + int(self._ring.nbytes)

    def window_bytes(self, offset: int) -> int:
        """Bytes of the live window, which holds rows that are kept in plain order too."""
        return min(offset, self._size) * self.row_bytes

    @property
    def _size(self) -> int:
        return int(self._ring.max_size)

    @property
    def _room(self) -> int:
        """Rows that single tokens may add before the oldest of them would be overwritten."""
        return self._size - int(self._ring.keep)

    def prepare(self, count: int) -> None:
        """Harvest what a call over `count` tokens would overwrite or drop."""
        if count > 1 or self.offset - self._plain.offset >= self._room:
            self._harvest()

    def settle(self, count: int) -> None:
        """After a call of several tokens all of its rows are there: take them, and cut the window to its size."""
        if count > 1:
            self._harvest(is_plain=True)
            self._rebuild(self.offset)

    def copy(self, start: int, end: int) -> RowArrays:
        """Rows [start, end) as arrays of their own, not yet evaluated."""
        self._harvest()
        return self._plain.copy(start, end)

    def write(self, start: int, pieces: Sequence[RowArrays], multi_end: int) -> None:
        """Go back to `start`, put `pieces` after it, and rebuild the window as the path's calls left it.

        multi_end: end of the last call of several tokens on the path, cut at the new offset.
        """
        if start == self.offset and not pieces:
            return
        self._harvest()
        self._plain.write(start, pieces, multi_end)
        self._rebuild(multi_end)

    def overwrite(self, start: int, rows: RowArrays, multi_end: int) -> None:
        """Put stored rows in the place of recomputed ones, in the window too."""
        self._harvest()
        self._plain.overwrite(start, rows, multi_end)
        self._rebuild(multi_end)

    def arrays(self) -> Iterator[mx.array]:
        """What must be evaluated before the layer is at rest, and what its next call depends on."""
        if self._ring.keys is not None:
            yield from (self._ring.keys, self._ring.values)

    def clear(self) -> None:
        self._plain.clear()
        self._rebuild(0)

    def _harvest(self, is_plain: bool = False) -> None:
        """Copy the rows that are not kept yet. is_plain: the last call left the window in plain order."""
        count = self.offset - self._plain.offset
        if count == 0:
            return
        cuts = self._newest(count, is_plain)
        rows = []
        for x in (self._ring.keys, self._ring.values):
            parts = [x[..., start:end, :] for start, end in cuts]
            rows.append(mx.concatenate(parts, axis=2) if len(parts) > 1 else parts[0])
        self._plain.write(self._plain.offset, [tuple(rows)], 0)

    def _newest(self, count: int, is_plain: bool) -> list[tuple[int, int]]:
        """Where the newest `count` rows lie, in order. Raises CacheFaultError when some were overwritten."""
        keep, index, size = self._ring.keep, self._ring._idx, self._size
        never_turned = index == self.offset
        available = index if never_turned else index - keep if is_plain else size - keep
        if count > available:
            raise CacheFaultError(f"{count} rows were not harvested, {available} are left of them")
        if never_turned or count <= index - keep:
            return [(index - count, index)]
        return [(size - (count - (index - keep)), size), (keep, index)]

    def _rebuild(self, multi_end: int) -> None:
        """Fill the window from the plain rows, laid out as it stood after the recorded calls.

        From the end of the last call of several tokens on, each single token took the next slot, and slots turn
        through keep..size.
        """
        end, keep, size = self._plain.offset, self._ring.keep, self._size
        if end <= size:
            cuts, index = [(0, end)], end
        else:
            turn = (end - max(multi_end, size)) % (size - keep)
            cuts = [(0, keep), (end - turn, end), (end - (size - keep), end - turn)]
            index = keep + turn if turn else size
        self._ring.keys = self._ring.values = None
        if end:
            self._ring.keys, self._ring.values = self._gather(cuts)
        self._ring.offset, self._ring._idx = end, index

    def _gather(self, cuts: Sequence[tuple[int, int]]) -> list[mx.array]:
        parts = [self._plain.view(start, end) for start, end in cuts if start < end]
        arrays = [
            mx.concatenate(list(x), axis=2) if len(x) > 1 else mx.contiguous(x[0]) for x in zip(*parts, strict=True)
        ]
        mx.eval(arrays)
        return arrays


class ChunkLayer(WindowLayer):
    """Attention in chunks: the last `chunk_size` rows are kept, and those before are cut off at the next call."""

    def __init__(self, chunk: ChunkedKVCache) -> None:
        self._ring: Any = chunk
        self._plain = RowLayer(_plain_rows())
        self._row_bytes = 0

    @property
    def _size(self) -> int:
        return int(self._ring.chunk_size)

    @property
    def _room(self) -> int:
        return self._size

    def _newest(self, count: int, is_plain: bool) -> list[tuple[int, int]]:
        end = self._ring.offset - self._ring.start_position
        if count > end:
            raise CacheFaultError(f"{count} rows were not harvested, {end} are left of them")
        return [(end - count, end)]

    def _rebuild(self, multi_end: int) -> None:
        end = self._plain.offset
        start = max(0, end - self._size)
        self._ring.keys = self._ring.values = None
        if end:
            self._ring.keys, self._ring.values = self._gather([(start, end)])
        self._ring.offset, self._ring.start_position = end, start


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
        """What must be evaluated before the layer is at rest, and what its next call depends on."""
        yield from (x for x in self._cache.cache if x is not None)

    def clear(self) -> None:
        self._cache.cache = [None] * self._size


AnyRowLayer = RowLayer | WindowLayer
Layer = AnyRowLayer | StateLayer

_KINDS: dict[type[Any], type[Layer]] = {
    KVCache: RowLayer,
    QuantizedKVCache: RowLayer,
    RotatingKVCache: WindowLayer,
    ChunkedKVCache: ChunkLayer,
    ArraysCache: StateLayer,
}


def flatten(caches: Sequence[Any]) -> list[Any]:
    """The cache objects in order, compound ones replaced by their parts, layers that keep nothing left out."""
    parts = (flatten(cache.caches) if type(cache) is CacheList else [cache] for cache in caches if cache is not None)
    return list(chain.from_iterable(parts))


def wrap(cache: Any) -> Layer:
    """The layer kind of one cache object, by its exact class: a subclass may keep its state differently.

    Raises UnsupportedCacheError, with the class's name.
    """
    kind = _KINDS.get(type(cache))
    if kind is None:
        raise UnsupportedCacheError(type(cache).__name__)
    return kind(cache)
