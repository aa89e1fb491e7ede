"""Tiny models with random weights through mlx-lm's own classes: one for each mix of cache kinds that matters here."""

from __future__ import annotations

import importlib
from typing import Any

import mlx.core as mx
from mlx.utils import tree_map

WIDTH = 64
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 2}
COMMON = {"hidden_size": WIDTH, "intermediate_size": 96, "num_hidden_layers": 3}
LINEAR = {
    "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 16,
    "linear_value_head_dim": 16,
}

# name -> module of mlx_lm.models, its configuration without the vocabulary
CONFIGURATIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("llama", {**COMMON, **HEADS, "rms_norm_eps": 1e-5}),
    "lfm2": (
        "lfm2",
        {
            **COMMON,
            **HEADS,
            "max_position_embeddings": 4096,
            "norm_eps": 1e-5,
            "conv_bias": False,
            "conv_L_cache": 3,
            "block_dim": WIDTH,
            "block_ff_dim": 96,
            "block_multiple_of": 32,
            "block_ffn_dim_multiplier": 1.0,
            "block_auto_adjust_ff_dim": False,
            "full_attn_idxs": [1],
        },
    ),
    "falcon_h1": (
        "falcon_h1",
        {
            **COMMON,
            **HEADS,
            "head_dim": 16,
            "mamba_d_head": 16,
            "mamba_d_ssm": WIDTH,
            "mamba_n_heads": 4,
            "mamba_d_state": 8,
        },
    ),
    "mamba2": (
        "mamba2",
        {
            **COMMON,
            "num_heads": 8,
            "head_dim": 16,
            "state_size": 8,
            "layer_norm_epsilon": 1e-5,
            "conv_kernel": 4,
            "n_groups": 1,
            "use_bias": False,
            "use_conv_bias": True,
            "tie_word_embeddings": True,
            "time_step_limit": (0.0, float("inf")),
            "time_step_rank": "auto",
        },
    ),
    "qwen3_5": (
        "qwen3_5",
        {
            "text_config": {
                "model_type": "qwen3_5_text",
                **COMMON,
                **HEADS,
                **LINEAR,
                "num_hidden_layers": 4,
                "head_dim": 16,
            }
        },
    ),
    "gemma3": (
        "gemma3_text",
        {
            **COMMON,
            **HEADS,
            "head_dim": 16,
            "sliding_window": 16,
            "sliding_window_pattern": 3,
            "query_pre_attn_scalar": 16,
        },
    ),
}


def configuration(kind: str, vocabulary: int) -> dict[str, Any]:
    """The config.json of one of these models."""
    module, config = CONFIGURATIONS[kind]
    config = {"model_type": module, **config}
    if "text_config" in config:
        return {**config, "text_config": {**config["text_config"], "vocab_size": vocabulary}}
    return {**config, "vocab_size": vocabulary}


def tiny_model(kind: str, vocabulary: int = 64, seed: int = 0) -> Any:
    """A model of this kind in float32, the same for the same seed."""
    module = importlib.import_module(f"mlx_lm.models.{CONFIGURATIONS[kind][0]}")
    mx.random.seed(seed)
    model = module.Model(module.ModelArgs.from_dict(configuration(kind, vocabulary)))
    model.update(tree_map(_as_float32, model.parameters()))
    model.eval()
    mx.eval(model.parameters())
    return model


def _as_float32(leaf: Any) -> Any:
    return leaf.astype(mx.float32) if isinstance(leaf, mx.array) and mx.issubdtype(leaf.dtype, mx.floating) else leaf
