"""Layers of full attention: rows in plain order in a buffer that grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import KVCache, QuantizedKVCache

from app.kvcache.layers.arrays import CacheFaultError, RowArrays, owned

STEP = 256  # rows by which buffers grow, as mlx-lm's do
SLACK = 1024  # rows beyond what is used that may stay allocated


class RowLayer:
    """Layer of full attention, quantized or not: the state of tokens [a, b) is rows a..b, and can be cut anywhere."""

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

    @property
    def has_window(self) -> bool:
        return False

    def window_bytes(self, offset: int, expected: int = 0) -> int:
        """Return the bytes that the layer holds beside its rows when it stands at `offset`: none."""
        return 0

    def before_call(self, count: int) -> None:
        """Do nothing: a call over `count` tokens overwrites no rows."""

    def after_call(self, count: int) -> None:
        """Do nothing: a call over `count` tokens leaves the rows in plain order."""

    def copy(self, start: int, end: int) -> RowArrays:
        """Return rows [start, end) as arrays of their own, not yet evaluated."""
        if not 0 <= start < end <= min(self.offset, self.allocated):
            raise CacheFaultError(f"rows [{start}, {end}) asked of a layer at {self.offset} of {self.allocated}")
        return tuple(owned(x[..., start:end, :]) for x in self._buffers())

    def view(self, start: int, end: int) -> RowArrays:
        """Return rows [start, end) as views of the live buffers, for copying from."""
        return tuple(x[..., start:end, :] for x in self._buffers())

    def write(self, start: int, pieces: Sequence[RowArrays], last_prefill_end: int) -> None:
        """Go back to `start` and put `pieces` after it. One buffer, allocated once; pieces are copied into it.

        last_prefill_end: end of the last call of several tokens on the path, cut at the new offset; rows do not depend
        on it.
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

    def overwrite(self, start: int, rows: RowArrays, last_prefill_end: int) -> None:
        """Put stored rows in the place of recomputed ones, inside what is already there."""
        end = start + rows[0].shape[2]
        if end > self.offset:
            raise CacheFaultError(f"rows [{start}, {end}) lie beyond a layer at {self.offset}")
        self._assign(start, [rows])

    def arrays(self) -> Iterator[mx.array]:
        """Give what must be evaluated before the layer is at rest, and what its next call depends on."""
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


def plain_rows() -> Any:
    """Return an empty buffer of rows in plain order."""
    new: Any = KVCache
    return new()
