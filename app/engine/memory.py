"""The memory of this machine, what a model may take of it, and what the cache may take beside the model."""

from __future__ import annotations

import os
from dataclasses import dataclass

import mlx.core as mx

from app.engine.problems import ModelError
from app.protocol.figures import size

GIB = 1 << 30
_LARGEST_BUDGET = 8 * GIB
# Activations, buffers that grow, and the rest of the program.
_HEADROOM = 2 * GIB
_LEAST_FREE = GIB // 4
_LARGEST_MLX_CACHE = GIB // 2


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of a machine, in bytes. working_set: what may be in use at once without swapping, says the device."""

    total: int
    working_set: int


def machine_memory() -> Memory:
    """Return this machine's memory. On the CPU, where MLX names no working set, that is all there is."""
    info = mx.device_info()
    total = int(info.get("memory_size") or os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    working_set = int(info.get("max_recommended_working_set_size") or total)
    return Memory(total, working_set)


def check_room(weight_bytes: int, memory: Memory) -> None:
    """Refuse weights that do not fit with ModelError: an allocation that fails inside MLX would end the program."""
    have = memory.working_set - _LEAST_FREE
    if weight_bytes > have:
        raise ModelError(
            "Not enough memory for this model",
            f"Its weights need {size(weight_bytes)}, and this machine can give them {size(max(have, 0))}. "
            "Choose a smaller model, or one with fewer bits.",
        )


def has_room_beside(weight_bytes: int, memory: Memory) -> bool:
    """Return whether weights of another model fit beside all that is held now, with some room to work in."""
    return weight_bytes + mx.get_active_memory() + _HEADROOM <= memory.working_set


def default_budget(weight_bytes: int, memory: Memory) -> int:
    """Return the default budget of bytes for cached state.

    The smallest of 8 GiB, a quarter of the memory, and what weights and 2 GiB leave.
    """
    beside = memory.working_set - weight_bytes - _HEADROOM
    return max(0, min(_LARGEST_BUDGET, memory.total // 4, beside))


def limit_mlx_cache(memory: Memory) -> None:
    """Keep MLX from hoarding freed buffers: at most 512 MiB, or a thirty-second of the memory."""
    mx.set_cache_limit(min(_LARGEST_MLX_CACHE, memory.total // 32))
