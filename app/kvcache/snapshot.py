"""Stored state of all layers at a node: rows over its edge, or the whole state at its end. Never rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import mlx.core as mx

from app.kvcache.call_log import CallLog
from app.kvcache.layers import Arrays, RowArrays, owned
from app.kvcache.node import Node
from app.kvcache.trie import Trie


class RowsSnapshot:
    """Rows of one edge, for each layer that has rows: arrays [batch, heads, tokens, width], evaluated."""

    __slots__ = ("layers", "nbytes")

    def __init__(self, layers: tuple[RowArrays, ...]) -> None:
        mx.eval(layers)
        self.layers = layers
        self.nbytes = sum(int(x.nbytes) for layer in layers for x in layer)

    @property
    def tokens(self) -> int:
        return int(self.layers[0][0].shape[2])

    def part(self, start: int, end: int) -> tuple[RowArrays, ...]:
        """Return rows [start, end), counted from the edge's start, as views for copying from."""
        return tuple(tuple(x[..., start:end, :] for x in layer) for layer in self.layers)

    def cut(self, at: int) -> tuple[RowsSnapshot, RowsSnapshot]:
        """Return two snapshots with arrays of their own, [0, at) and [at, tokens). Consumes this one by layers."""
        if not 0 < at < self.tokens:
            raise ValueError(f"cannot cut {self.tokens} rows at {at}")
        above, below = [], []
        for layer in self._consume():
            above.append(_evaluated(owned(x[..., :at, :]) for x in layer))
            below.append(_evaluated(owned(x[..., at:, :]) for x in layer))
        return RowsSnapshot(tuple(above)), RowsSnapshot(tuple(below))

    def join(self, below: RowsSnapshot) -> RowsSnapshot:
        """Return one snapshot over both edges. Consumes both, layer by layer."""
        pairs = zip(self._consume(), below._consume(), strict=True)
        return RowsSnapshot(tuple(_evaluated(map(_concatenate, *pair)) for pair in pairs))

    def _consume(self) -> Iterator[RowArrays]:
        """Give the layers, each let go of when the next is asked for, so that no more than one of them exists twice."""
        layers, self.layers = list(self.layers[::-1]), ()
        while layers:
            yield layers.pop()


def _evaluated(arrays: Iterable[mx.array]) -> RowArrays:
    made = tuple(arrays)
    mx.eval(made)
    return made


def concatenated(parts: Sequence[Sequence[RowArrays]]) -> Sequence[RowArrays]:
    """Return the rows of edges that follow each other, layer by layer, as those of one."""
    if len(parts) == 1:
        return parts[0]
    layers = zip(*parts, strict=True)
    return [tuple(mx.concatenate(list(arrays), axis=2) for arrays in zip(*layer, strict=True)) for layer in layers]


def _concatenate(above: mx.array, below: mx.array) -> mx.array:
    return mx.concatenate([above, below], axis=2)


class StateSnapshot(NamedTuple):
    """Whole state at one offset, layer by layer, and the call log whose calls up to that offset computed it."""

    layers: tuple[Arrays, ...]
    call_log: CallLog
    nbytes: int

    def detached(self) -> StateSnapshot:
        """Return a copy with arrays of its own, evaluated, after whatever call is under way."""
        copy = self.lazily_detached()
        mx.eval(copy.arrays)
        return copy

    def lazily_detached(self) -> StateSnapshot:
        """Return a copy with arrays of its own, not evaluated: until they are, they keep those of this one alive."""
        layers = tuple(tuple(None if x is None else owned(x) for x in layer) for layer in self.layers)
        return self._replace(layers=layers)

    @property
    def arrays(self) -> list[mx.array]:
        """The arrays of all layers."""
        return [x for layer in self.layers for x in layer if x is not None]


class Bookmark(NamedTuple):
    """Offset that may turn out to be wanted, and the whole state before its token, not stored anywhere yet."""

    offset: int
    state: StateSnapshot


TrieNode = Node[RowsSnapshot, StateSnapshot]
CacheTrie = Trie[RowsSnapshot, StateSnapshot]


def upwards(node: TrieNode) -> Iterator[TrieNode]:
    """Give a node and those above it, without the root."""
    while node.parent is not None:
        yield node
        node = node.parent
