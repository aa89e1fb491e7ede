"""A KV cache in fewer bits: approximate answers, in a half or a quarter of the memory for each token.

Layers of full attention allow it where the model leaves attention to mlx-lm. Windows and whole states stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
from mlx.nn.layers.base import Module
from mlx_lm.models.cache import CacheList, KVCache, QuantizedKVCache, make_prompt_cache

from app.prompting.border import foreign_code
from app.prompting.problems import ModelError

NewCaches = Callable[[], list[Any]]

KV_BITS = (8, 4)
# How many numbers share a scale, the best first. A head's width must be a multiple.
_GROUP_SIZES = (64, 32)


def quantized_caches(model: Module, bits: int) -> NewCaches | None:
    """Return what makes a model's fresh caches with rows of so many bits; None where none of its layers allows it.

    Nothing is computed: a call is put together for each size of groups, which fails where a layer does not allow it.
    """
    for group_size in _GROUP_SIZES:
        new_caches = _maker(model, bits, group_size)
        if any(_is_quantized(cache) for cache in new_caches()) and _can_be_called(model, new_caches):
            return new_caches
    return None


def _maker(model: Module, bits: int, group_size: int) -> NewCaches:
    return lambda: [_quantized(cache, bits, group_size) for cache in make_prompt_cache(model)]


def _quantized(cache: Any, bits: int, group_size: int) -> Any:
    if type(cache) is CacheList:
        return CacheList(*(_quantized(part, bits, group_size) for part in cache.caches))
    return QuantizedKVCache(group_size, bits) if type(cache) is KVCache else cache


def _is_quantized(cache: Any) -> bool:
    return any(map(_is_quantized, cache.caches)) if type(cache) is CacheList else type(cache) is QuantizedKVCache


def _can_be_called(model: Any, new_caches: NewCaches) -> bool:
    caches = new_caches()
    try:
        with foreign_code(lambda words: ModelError("No KV cache in fewer bits", words)):
            for tokens in ([[0, 1]], [[0]]):
                model(mx.array(tokens), cache=caches)
    except ModelError:
        return False
    return True
