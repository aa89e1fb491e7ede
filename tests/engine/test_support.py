"""The engine says which models it can open, as it would find out by opening them."""

from __future__ import annotations

import importlib.util
import random

from mlx_lm.utils import MODEL_ARCHITECTURE_REMAPPING, MODEL_REMAPPING

from app.engine.folder import architecture
from app.engine.support import model_support
from app.protocol.events import EngineStarted
from tests.engine.bench import Bench


def is_opened(model_type: str) -> bool:
    return importlib.util.find_spec(f"mlx_lm.models.{architecture({'model_type': model_type})}") is not None


def test_types_are_those_that_mlx_lm_has_a_module_for() -> None:
    types = model_support().model_types
    assert {"llama", "qwen3", "gemma3_text", "mistral", "gpt_oss"} <= types
    assert types == {name for name in types if is_opened(name)} | {name for name, _ in MODEL_ARCHITECTURE_REMAPPING}
    dice = random.Random(1)
    known = sorted(types | set(MODEL_REMAPPING))
    for _ in range(300):
        name = dice.choice(known) + dice.choice(["", "", "_text", "2", "x"])
        assert (name in types) == is_opened(name), name


def test_the_first_event_of_the_engine_says_so() -> None:
    bench = Bench()
    bench.loop.step()
    (started,) = [event for event in bench.events if isinstance(event, EngineStarted)]
    assert started.support == model_support()
    assert started.support.memory is not None
