"""What every kind of layer does for the rest of the cache: two interfaces, one for rows and one for whole states.

A new kind of layer is a class of its own that keeps one of them, and a line in a table of kinds in this package.
Between two calls a layer is at rest. All methods run on the model thread; those that go wrong raise CacheFaultError,
after which the layer is undefined until it is cleared or written anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import mlx.core as mx

from app.kvcache.layers.arrays import Arrays, RowArrays


class LayerWithRows(Protocol):
    """Layer that has a row for each token, and can be taken back to any of them."""

    @property
    def offset(self) -> int:
        """Count of the tokens that were computed: rows [0, offset) can be copied."""
        ...

    @property
    def row_bytes(self) -> int:
        """Bytes of one token's row; 0 before anything was computed."""
        ...

    @property
    def allocated_bytes(self) -> int:
        """Bytes of the live buffers, with the rows that they have room for and a window where there is one."""
        ...

    @property
    def has_window(self) -> bool:
        """Whether a live window is held beside the rows, laid out as the calls of the path left it."""
        ...

    def window_bytes(self, offset: int, expected: int = 0) -> int:
        """Return the bytes of the window when the layer stands at `offset`, 0 without one.

        expected: bytes of one token's row, as long as nothing was computed.
        """
        ...

    def before_call(self, count: int) -> None:
        """Save what a call over `count` tokens will overwrite or drop. Every call needs this before it."""
        ...

    def after_call(self, count: int) -> None:
        """Take in what a call over `count` tokens left. Needed after calls of several tokens and after the first."""
        ...

    def copy(self, start: int, end: int) -> RowArrays:
        """Return rows [start, end) as arrays of their own, not yet evaluated, in plain order."""
        ...

    def write(self, start: int, pieces: Sequence[RowArrays], last_prefill_end: int) -> None:
        """Go back to `start`, which is at most `offset`, and put the rows of `pieces` after it, one after the other.

        The layer then stands at their end, evaluated, as the calls of the path left it. It keeps none of these arrays.
        last_prefill_end: end of the last call of several tokens on the path, cut at the new offset.
        """
        ...

    def overwrite(self, start: int, rows: RowArrays, last_prefill_end: int) -> None:
        """Put stored rows in the place of those from `start` on; the offset stays. last_prefill_end: as in `write`."""
        ...

    def arrays(self) -> Iterator[mx.array]:
        """Give what must be evaluated before the layer is at rest, and what its next call depends on."""
        ...

    def clear(self) -> None:
        """Go back to the offset 0 and let go of all buffers."""
        ...


class LayerWithState(Protocol):
    """Layer whose state at an offset is one object, which can be neither cut nor taken back. It counts no tokens."""

    @property
    def nbytes(self) -> int:
        """Bytes of the state, 0 before anything was computed."""
        ...

    def detach(self) -> None:
        """Give the state arrays of its own, not yet evaluated, and let go of those that it is a view of."""
        ...

    def take(self) -> Arrays:
        """Return the state, shared with the live layer until the next call, which replaces it and never writes it."""
        ...

    def put(self, arrays: Arrays) -> None:
        """Have the next call begin with this state, which is shared and was `take`n from a layer like this one."""
        ...

    def arrays(self) -> Iterator[mx.array]:
        """Give what must be evaluated before the layer is at rest, and what its next call depends on."""
        ...

    def clear(self) -> None:
        """Have the next call begin with nothing."""
        ...
