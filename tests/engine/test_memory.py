"""Models that do not fit, and the memory that there is."""

from __future__ import annotations

import mlx.core as mx
import pytest

from app.engine.memory import GIB, Memory, check_room, machine_memory
from app.prompting.problems import ModelError


def test_a_model_that_does_not_fit_is_refused_with_both_sizes() -> None:
    with pytest.raises(ModelError, match=r"need 10\.7\u00a0GB, and this machine can give them 8\.3\u00a0GB"):
        check_room(10 * GIB, Memory(16 * GIB, 8 * GIB))
    check_room(7 * GIB, Memory(16 * GIB, 8 * GIB))


def test_this_machine_has_memory() -> None:
    memory = machine_memory()
    assert memory.total > GIB
    assert 0 < memory.working_set <= memory.total
    assert mx.get_active_memory() < memory.total
