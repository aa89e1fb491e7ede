"""Layers that need only their last rows to go on: sliding windows that turn in a ring, and chunks.

All rows are harvested in plain order before the ring overwrites them, and the ring is rebuilt from them at any token.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import ChunkedKVCache, RotatingKVCache

from app.kvcache.layers.arrays import CacheFaultError, RowArrays, UnsupportedCacheError, owned
from app.kvcache.layers.rows import RowLayer, plain_rows


class WindowLayer:
    """Layer of a sliding window: only the last rows are needed to go on, in a ring that overwrites the others.

    All rows are kept beside it in plain order, which is the price of going back to any token. Between two calls the
    ring's newest row stands before `_idx`, and rows not harvested yet are the newest ones.
    """

    def __init__(self, ring: RotatingKVCache) -> None:
        if ring.keep >= ring.max_size:
            raise UnsupportedCacheError(f"{type(ring).__name__} that keeps {ring.keep} of {ring.max_size} rows")
        self._ring: Any = ring
        self._plain = RowLayer(plain_rows())
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

    @property
    def has_window(self) -> bool:
        return True

    def window_bytes(self, offset: int, expected: int = 0) -> int:
        """Return the bytes of the live window, which holds rows that are kept in plain order too."""
        return min(offset, self._size) * (self.row_bytes or expected)

    @property
    def _size(self) -> int:
        return int(self._ring.max_size)

    @property
    def _room(self) -> int:
        """Rows that single tokens may add before the oldest of them would be overwritten."""
        return self._size - int(self._ring.keep)

    def before_call(self, count: int) -> None:
        """Harvest what a call over `count` tokens would overwrite or drop."""
        if count > 1 or self.offset - self._plain.offset >= self._room:
            self._harvest()

    def after_call(self, count: int) -> None:
        """Take the rows of a call of several tokens, which are all there after it, and cut the window to its size."""
        if count > 1:
            self._harvest(is_plain=True)
            self._rebuild(self.offset)

    def copy(self, start: int, end: int) -> RowArrays:
        """Return rows [start, end) as arrays of their own, not yet evaluated."""
        self._harvest()
        return self._plain.copy(start, end)

    def write(self, start: int, pieces: Sequence[RowArrays], last_prefill_end: int) -> None:
        """Go back to `start`, put `pieces` after it, and rebuild the window as the path's calls left it.

        last_prefill_end: end of the last call of several tokens on the path, cut at the new offset.
        """
        if start == self.offset and not pieces:
            return
        self._harvest()
        self._plain.write(start, pieces, last_prefill_end)
        self._rebuild(last_prefill_end)

    def overwrite(self, start: int, rows: RowArrays, last_prefill_end: int) -> None:
        """Put stored rows in the place of recomputed ones, in the window too."""
        self._harvest()
        self._plain.overwrite(start, rows, last_prefill_end)
        self._rebuild(last_prefill_end)

    def arrays(self) -> Iterator[mx.array]:
        """Give what must be evaluated before the layer is at rest, and what its next call depends on."""
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
        """Return where the newest `count` rows lie, in order. Raises CacheFaultError when some were overwritten."""
        keep, index, size = self._ring.keep, self._ring._idx, self._size
        never_turned = index == self.offset
        available = index if never_turned else index - keep if is_plain else size - keep
        if count > available:
            raise CacheFaultError(f"{count} rows were not harvested, {available} are left of them")
        if never_turned or count <= index - keep:
            return [(index - count, index)]
        return [(size - (count - (index - keep)), size), (keep, index)]

    def _rebuild(self, last_prefill_end: int) -> None:
        """Fill the window from the plain rows, laid out as it stood after the recorded calls.

        From the end of the last call of several tokens on, each single token took the next slot, and slots turn
        through keep..size.
        """
        end, keep, size = self._plain.offset, self._ring.keep, self._size
        if end <= size:
            cuts, index = [(0, end)], end
        else:
            turn = (end - max(last_prefill_end, size)) % (size - keep)
            cuts = [(0, keep), (end - turn, end), (end - (size - keep), end - turn)]
            index = keep + turn if turn else size
        self._ring.keys = self._ring.values = None
        if end:
            self._ring.keys, self._ring.values = self._gather(cuts)
        self._ring.offset, self._ring._idx = end, index

    def _gather(self, cuts: Sequence[tuple[int, int]]) -> list[mx.array]:
        parts = [self._plain.view(start, end) for start, end in cuts if start < end]
        arrays = [mx.concatenate(list(x), axis=2) if len(x) > 1 else owned(x[0]) for x in zip(*parts, strict=True)]
        mx.eval(arrays)
        return arrays


class ChunkLayer(WindowLayer):
    """Layer of attention in chunks: the last `chunk_size` rows are kept, and those before go at the next call."""

    def __init__(self, chunk: ChunkedKVCache) -> None:
        self._ring: Any = chunk
        self._plain = RowLayer(plain_rows())
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

    def _rebuild(self, last_prefill_end: int) -> None:
        end = self._plain.offset
        start = max(0, end - self._size)
        self._ring.keys = self._ring.values = None
        if end:
            self._ring.keys, self._ring.values = self._gather([(start, end)])
        self._ring.offset, self._ring.start_position = end, start
