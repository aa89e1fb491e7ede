"""Stored state of all layers at a node: rows over its edge, or the whole state at its end. Never rewritten."""

from __future__ import annotations

from typing import NamedTuple

import mlx.core as mx

from app.kvcache.layers import Arrays, KeysValues
from app.kvcache.trail import Trail


class RowsSnapshot:
    """Rows of one edge: for each layer with rows its keys and values, [batch, heads, tokens, width], evaluated."""

    __slots__ = ("layers", "nbytes")

    def __init__(self, layers: tuple[KeysValues, ...]) -> None:
        mx.eval(layers)
        self.layers = layers
        self.nbytes = sum(int(keys.nbytes + values.nbytes) for keys, values in layers)

    @property
    def tokens(self) -> int:
        return int(self.layers[0][0].shape[2])

    def part(self, start: int, end: int) -> tuple[KeysValues, ...]:
        """Rows [start, end), counted from the edge's start, as views for copying from."""
        return tuple((keys[..., start:end, :], values[..., start:end, :]) for keys, values in self.layers)

    def cut(self, at: int) -> tuple[RowsSnapshot, RowsSnapshot]:
        """Two snapshots with arrays of their own, [0, at) and [at, tokens). Consumes this one."""
        if not 0 < at < self.tokens:
            raise ValueError(f"cannot cut {self.tokens} rows at {at}")
        above = tuple((mx.contiguous(k), mx.contiguous(v)) for k, v in self.part(0, at))
        below = tuple((mx.contiguous(k), mx.contiguous(v)) for k, v in self.part(at, self.tokens))
        return RowsSnapshot(above), RowsSnapshot(below)

    def join(self, below: RowsSnapshot) -> RowsSnapshot:
        """One snapshot over both edges. Consumes both."""
        pairs = zip(self.layers, below.layers, strict=True)
        return RowsSnapshot(
            tuple((mx.concatenate([a[0], b[0]], axis=2), mx.concatenate([a[1], b[1]], axis=2)) for a, b in pairs)
        )


class StateSnapshot(NamedTuple):
    """The whole state at one offset, layer by layer, and the trail whose calls up to that offset computed it."""

    layers: tuple[Arrays, ...]
    trail: Trail
    nbytes: int
