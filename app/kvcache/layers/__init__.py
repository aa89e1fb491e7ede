"""The kinds of layer state, over mlx-lm's own cache objects. No other package touches their insides.

Written against mlx-lm 0.32 (tests/kvcache/test_layers.py names what it relies on). Properties kept here:

1. What is copied out keeps no other array alive, but for 16 KiB at most beside an array of 128 KiB or more, and
   shares no array object with the live ones: a slice assignment changes the object in place.
2. Whole states are replaced by the models and never written into, so what is taken is shared with the live layer, once
   it has buffers of its own.
3. A live buffer that a long branch left behind is given back: at most `SLACK` rows beyond what is used stay allocated.
4. A windowed layer's rows are copied in plain order before its ring overwrites them, and the ring is rebuilt from them
   at any token as the recorded calls left it, physical layout included. A row that is harvested too late raises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple

from mlx_lm.models.cache import (
    ArraysCache,
    CacheList,
    ChunkedKVCache,
    KVCache,
    QuantizedKVCache,
    RotatingKVCache,
)

from app.kvcache.layers.arrays import Arrays, CacheFaultError, RowArrays, UnsupportedCacheError, owned
from app.kvcache.layers.base import LayerWithRows, LayerWithState
from app.kvcache.layers.rows import SLACK, STEP, RowLayer
from app.kvcache.layers.states import StateLayer
from app.kvcache.layers.windows import ChunkLayer, WindowLayer

__all__ = [
    "SLACK",
    "STEP",
    "Arrays",
    "CacheFaultError",
    "ChunkLayer",
    "LayerWithRows",
    "LayerWithState",
    "Layers",
    "RowArrays",
    "RowLayer",
    "StateLayer",
    "UnsupportedCacheError",
    "WindowLayer",
    "flatten",
    "layers_of",
    "owned",
]

_WITH_ROWS: dict[type[Any], Callable[[Any], LayerWithRows]] = {
    KVCache: RowLayer,
    QuantizedKVCache: RowLayer,
    RotatingKVCache: WindowLayer,
    ChunkedKVCache: ChunkLayer,
}
_WITH_STATE: dict[type[Any], Callable[[Any], LayerWithState]] = {ArraysCache: StateLayer}


class Layers(NamedTuple):
    """Layers of a model by what they keep, each sort in the model's order."""

    rows: list[LayerWithRows]
    states: list[LayerWithState]


def flatten(caches: Sequence[Any]) -> list[Any]:
    """Return the cache objects in order, compound ones replaced by their parts, layers that keep nothing left out."""
    parts = (flatten(cache.caches) if type(cache) is CacheList else [cache] for cache in caches if cache is not None)
    return list(chain.from_iterable(parts))


def layers_of(caches: Sequence[Any]) -> Layers:
    """Return the layers of a model's cache objects, by their exact classes: a subclass may keep its state differently.

    Raises UnsupportedCacheError, with the class's name.
    """
    found = Layers([], [])
    for cache in flatten(caches):
        kind = type(cache)
        if kind in _WITH_STATE:
            found.states.append(_WITH_STATE[kind](cache))
        elif kind in _WITH_ROWS:
            found.rows.append(_WITH_ROWS[kind](cache))
        else:
            raise UnsupportedCacheError(kind.__name__)
    return found
