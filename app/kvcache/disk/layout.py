"""Which arrays a model's layers keep: what a file must hold before any of it is used.

Two calls are described to the model and not computed, MLX being lazy: the shapes of what it would keep are known then.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import mlx.core as mx

from app.kvcache.disk.stored import RECORD, array_name, bytes_of, dtype_name
from app.kvcache.layers import Arrays, layers_of
from app.kvcache.live_layers import Forward

log = logging.getLogger(__name__)

Kinds = Mapping[str, tuple[str, tuple[int, ...]]]  # type, as safetensors names it, and shape, by the array's name
PATH = "path"  # the tensor with the tokens [0, end)


class Layout(NamedTuple):
    """Arrays that are kept of [start, end), and of the whole state at a token.

    rows: of each layer with rows, for each array its type, and its shape [batch, heads, tokens, width] without tokens.
    state: the arrays of the whole state. vocabulary: how many tokens the model knows.
    """

    rows: tuple[tuple[tuple[str, int, int, int], ...], ...]
    state: Kinds
    vocabulary: int

    @property
    def row_bytes(self) -> list[int]:
        """Bytes of one token's row in each layer with rows."""
        return [
            sum(batch * heads * width * bytes_of(dtype) for dtype, batch, heads, width in arrays)
            for arrays in self.rows
        ]

    @property
    def state_bytes(self) -> int:
        """Bytes of the whole states of all layers."""
        return sum(math.prod(shape) * bytes_of(dtype) for dtype, shape in self.state.values())

    def fits_rows(self, found: Kinds, tokens: int) -> bool:
        """Return whether these arrays are the rows of so many tokens."""
        wanted = {
            array_name(layer, place): (dtype, (batch, heads, tokens, width))
            for layer, arrays in enumerate(self.rows)
            for place, (dtype, batch, heads, width) in enumerate(arrays)
        }
        return _without_notes(found) == wanted

    def fits_state(self, found: Kinds) -> bool:
        """Return whether these arrays are a whole state."""
        return _without_notes(found) == self.state

    def knows(self, tokens: Sequence[int]) -> bool:
        """Return whether all of these are tokens of the model."""
        return not tokens or (min(tokens) >= 0 and max(tokens) < self.vocabulary)


def layout_of(forward: Forward, new_caches: Callable[[], list[Any]]) -> Layout | None:
    """Return what a model's layers keep; None, which is logged, when it cannot be told."""
    try:
        caches = new_caches()
        for _ in range(2):
            logits = forward(mx.array([[0]]), caches)
        layers = layers_of(caches)
        rows = tuple(
            tuple((dtype_name(x), x.shape[0], x.shape[1], x.shape[3]) for x in layer.arrays()) for layer in layers.rows
        )
        states = [layer.take() for layer in layers.states]
        return Layout(rows, kinds_of(states), int(logits.shape[-1]))
    except Exception:  # the model's own code, which may raise anything: its runs will tell
        log.warning("what the model's layers keep cannot be told: nothing is kept on disk", exc_info=True)
        return None


def kinds_of(layers: Sequence[Arrays]) -> Kinds:
    """Return type and shape of the arrays of all layers."""
    return {
        array_name(layer, place): (dtype_name(x), tuple(x.shape))
        for layer, arrays in enumerate(layers)
        for place, x in enumerate(arrays)
        if x is not None
    }


def _without_notes(found: Kinds) -> Kinds:
    return {name: kind for name, kind in found.items() if name not in (PATH, RECORD)}
