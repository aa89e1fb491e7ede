"""What layers of every kind exchange with the rest of the cache, and how they complain."""

from __future__ import annotations

import mlx.core as mx

RowArrays = tuple[mx.array, ...]  # of one layer, each [batch, heads, tokens, width]: keys and values and their like
Arrays = tuple[mx.array | None, ...]  # the whole state of one layer

# Bytes. An array that `mx.contiguous` makes may keep up to 16 KiB of a larger one alive, which is little for one of
# this size and several times its own bytes for a small one.
_LARGE = 1 << 17


def owned(x: mx.array) -> mx.array:
    """Return the same numbers in an array that keeps no other one alive, not yet evaluated; a large one may be shared
    when nothing but 16 KiB of another is kept with it."""
    if x.nbytes >= _LARGE or x.ndim == 0:
        return mx.contiguous(x)
    return mx.concatenate([x, x[..., :0]], axis=-1)  # always copies, and changes no bit


class UnsupportedCacheError(Exception):
    """Error of a model that keeps state of a kind which this program does not know how to store and restore."""

    def __init__(self, name: str) -> None:
        super().__init__(f"cache kind {name} is not supported")
        self.name = name


class CacheFaultError(Exception):
    """Error of stored and live state that do not fit together. The tokens are computed again; nothing is answered from
    it."""
