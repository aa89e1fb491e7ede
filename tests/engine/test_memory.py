"""What the cache may take, and models that do not fit."""

from __future__ import annotations

import mlx.core as mx
import pytest

from app.engine.memory import GIB, Memory, check_room, default_budget, machine_memory
from app.engine.problems import ModelError


@pytest.mark.parametrize(
    ("total", "working_set", "weights", "budget"),
    [
        (64, 48, 4, 8),
        (16, 11, 4, 4),
        (16, 11, 8, 1),
        (8, 5, 4, 0),
        (8, 5, 1, 2),
    ],
)
def test_the_budget_is_the_smallest_of_three(total: int, working_set: int, weights: int, budget: int) -> None:
    memory = Memory(total * GIB, working_set * GIB)
    assert default_budget(weights * GIB, memory) == budget * GIB


def test_a_model_that_does_not_fit_is_refused_with_both_sizes() -> None:
    with pytest.raises(ModelError, match=r"need 10\.7\u00a0GB, and this machine can give them 8\.3\u00a0GB"):
        check_room(10 * GIB, Memory(16 * GIB, 8 * GIB))
    check_room(7 * GIB, Memory(16 * GIB, 8 * GIB))


def test_this_machine_has_memory() -> None:
    memory = machine_memory()
    assert memory.total > GIB
    assert 0 < memory.working_set <= memory.total
    assert mx.get_active_memory() < memory.total
