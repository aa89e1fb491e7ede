"""The memory of this machine, and the refusal of a model that does not fit."""

from __future__ import annotations

import os

import mlx.core as mx

from app.prompting.problems import ModelError
from app.protocol.figures import size
from app.protocol.memory import HEADROOM, room_for_weights
from app.protocol.memory import Memory as Memory
from app.protocol.memory import default_budget as default_budget

GIB = 1 << 30
_LARGEST_MLX_CACHE = GIB // 2


def machine_memory() -> Memory:
    """Return this machine's memory. On the CPU, where MLX names no working set, that is all there is."""
    info = mx.device_info()
    total = int(info.get("memory_size") or os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    working_set = int(info.get("max_recommended_working_set_size") or total)
    return Memory(total, working_set)


def check_room(weight_bytes: int, memory: Memory) -> None:
    """Refuse weights that do not fit with ModelError: an allocation that fails inside MLX would end the program."""
    have = room_for_weights(memory)
    if weight_bytes > have:
        raise ModelError(
            "Not enough memory for this model",
            f"Its weights need {size(weight_bytes)}, and this machine can give them {size(have)}. "
            "Choose a smaller model, or one with fewer bits.",
        )


def has_room_beside(weight_bytes: int, memory: Memory) -> bool:
    """Return whether weights of another model fit beside all that is held now, with some room to work in."""
    return weight_bytes + mx.get_active_memory() + HEADROOM <= memory.working_set


def limit_mlx_cache(memory: Memory) -> None:
    """Keep MLX from hoarding freed buffers: at most 512 MiB, or a thirty-second of the memory."""
    mx.set_cache_limit(min(_LARGEST_MLX_CACHE, memory.total // 32))
