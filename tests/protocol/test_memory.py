"""What a model and the cache may take of a machine's memory."""

from __future__ import annotations

import pytest

from app.protocol.memory import GIB, Memory, default_budget, room_for_weights


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


def test_a_small_machine_has_no_room_for_weights() -> None:
    assert room_for_weights(Memory(16 * GIB, 8 * GIB)) == 8 * GIB - GIB // 4
    assert room_for_weights(Memory(GIB // 8, GIB // 8)) == 0
