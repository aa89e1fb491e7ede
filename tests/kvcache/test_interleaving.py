"""Sessions by turns, at random, on every kind of model: no lock, byte or bit is ever wrong."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import pytest

from tests.fakes.tiny_models import KINDS
from tests.kvcache.comparison import cache_of
from tests.kvcache.interleaving import Interleaving, interleave
from tests.seeds import each_seed

STEPS = 30


@pytest.mark.parametrize("kind", KINDS)
@each_seed(range(2))
def test_random_sessions_by_turns_keep_every_promise(kind: str, seed: int, tmp_path: Path) -> None:
    interleave(kind, mx.float32, seed, STEPS, tmp_path)


def test_a_course_finds_what_is_left_when_all_was_erased() -> None:
    course = Interleaving(cache_of("llama"), 0)
    with course.cache.begin([1, 2, 3, 4], owner="nobody of the course") as session:
        session.prefill(8)
    with pytest.raises(AssertionError, match="edges are left"):
        course.erase_all()
    course.cache.erase("nobody of the course")
    course.erase_all()
    held = mx.ones((8,))
    mx.eval(held)
    with pytest.raises(AssertionError, match="held by MLX"):
        course.erase_all()
