"""What layers of every kind exchange with the rest of the cache, and how they complain."""

from __future__ import annotations

import mlx.core as mx

RowArrays = tuple[mx.array, ...]  # of one layer, each [batch, heads, tokens, width]: keys and values and their like
Arrays = tuple[mx.array | None, ...]  # the whole state of one layer


class UnsupportedCacheError(Exception):
    """The model keeps state of a kind that this program does not know how to store and restore."""

    def __init__(self, name: str) -> None:
        super().__init__(f"cache kind {name} is not supported")
        self.name = name


class CacheFaultError(Exception):
    """Stored and live state do not fit together. The tokens are computed again; nothing is answered from it."""
