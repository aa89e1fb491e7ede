"""The models that an engine can open: their types, and what the memory of its machine leaves them and the cache."""

from __future__ import annotations

from app.protocol.dataclass import dataclass

GIB = 1 << 30
_LARGEST_BUDGET = 8 * GIB
# Activations, buffers that grow, and the rest of the program.
HEADROOM = 2 * GIB
_LEAST_FREE = GIB // 4


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of a machine, in bytes. working_set: what may be in use at once without swapping, says the device."""

    total: int
    working_set: int


@dataclass(frozen=True, slots=True)
class ModelSupport:
    """The models that an engine can open.

    model_types: of their configurations, empty where the engine does not say. memory: of its machine, None likewise.
    """

    model_types: frozenset[str] = frozenset()
    memory: Memory | None = None


def room_for_weights(memory: Memory) -> int:
    """Return how many bytes of weights a machine can give room to."""
    return max(0, memory.working_set - _LEAST_FREE)


def default_budget(weight_bytes: int, memory: Memory) -> int:
    """Return the default budget of bytes for cached state.

    The smallest of 8 GiB, a quarter of the memory, and what weights and 2 GiB leave.
    """
    beside = memory.working_set - weight_bytes - HEADROOM
    return max(0, min(_LARGEST_BUDGET, memory.total // 4, beside))
