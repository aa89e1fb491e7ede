"""Sessions by turns, at random, on every kind of model: no lock, byte or bit is ever wrong."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import pytest

from tests.fakes.tiny_models import KINDS
from tests.kvcache.interleaving import interleave
from tests.seeds import each_seed

STEPS = 30


@pytest.mark.parametrize("kind", KINDS)
@each_seed(range(2))
def test_random_sessions_by_turns_keep_every_promise(kind: str, seed: int, tmp_path: Path) -> None:
    interleave(kind, mx.float32, seed, STEPS, tmp_path)
