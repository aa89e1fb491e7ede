"""The models that caches are compared on: one of each mix of layer kinds, with random weights, and the guide itself."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.utils import load_model

from tests.bench.workload import VOCABULARY

GUIDE = Path(__file__).parents[2] / "resources" / "models" / "guide"
SIZES = {"hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 2, "num_key_value_heads": 1}
LINEAR = {
    "linear_num_value_heads": 2,
    "linear_num_key_heads": 1,
    "linear_key_head_dim": 32,
    "linear_value_head_dim": 32,
}
# Small enough to read 400,000 tokens in a minute on two cores. The hybrid: three recurrent layers to one of attention.
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "llama": {"model_type": "llama", **SIZES, "num_hidden_layers": 2, "rms_norm_eps": 1e-5, "vocab_size": VOCABULARY},
    "gemma3": {
        "model_type": "gemma3_text",
        **SIZES,
        "num_hidden_layers": 3,
        "head_dim": 32,
        "sliding_window": 128,
        "sliding_window_pattern": 3,
        "query_pre_attn_scalar": 32,
        "vocab_size": VOCABULARY,
    },
    "hybrid": {
        "model_type": "qwen3_5",
        "text_config": {
            "model_type": "qwen3_5_text",
            **SIZES,
            **LINEAR,
            "num_hidden_layers": 4,
            "head_dim": 32,
            "vocab_size": VOCABULARY,
        },
    },
}
KINDS = (*CONFIGURATIONS, "guide")


@dataclass(frozen=True, slots=True)
class BenchModel:
    """forward: tokens [1, n] and cache objects -> logits [1, n, vocabulary]. weight_bytes: of all parameters."""

    kind: str
    vocabulary: int
    weight_bytes: int
    forward: Callable[[mx.array, list[Any]], mx.array]
    new_caches: Callable[[], list[Any]]


def bench_model(kind: str) -> BenchModel:
    """The model of this kind, the same at every run, its weights in memory."""
    model, vocabulary = _guide() if kind == "guide" else (random_model(CONFIGURATIONS[kind]), VOCABULARY)
    model.eval()
    mx.eval(model.parameters())
    leaves: Any = tree_flatten(model.parameters())
    return BenchModel(
        kind=kind,
        vocabulary=vocabulary,
        weight_bytes=sum(int(leaf.nbytes) for _, leaf in leaves),
        forward=lambda tokens, caches: model(tokens, cache=caches),
        new_caches=lambda: make_prompt_cache(model),
    )


def random_model(configuration: dict[str, Any], seed: int = 0) -> Any:
    """A model of this configuration with random weights, the same for the same seed."""
    name = configuration["model_type"]
    module = importlib.import_module(f"mlx_lm.models.{name}")
    mx.random.seed(seed)
    return module.Model(module.ModelArgs.from_dict(configuration))


def _guide() -> tuple[Any, int]:
    model, configuration = load_model(GUIDE, trust_remote_code=False)
    return model, int(configuration["vocab_size"])
