"""Model folders for measuring whole programs: random weights, sized so that reading a long prompt is real work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten

from tests.bench.models import GUIDE, random_model
from tests.fakes.tiny_tokenizer import BARE, byte_level

CONTEXT = 8192
SIZES = {"hidden_size": 128, "intermediate_size": 384, "num_hidden_layers": 4, "max_position_embeddings": CONTEXT}
HEADS = {"num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 64}
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "llama": {"model_type": "llama", **SIZES, **HEADS, "rms_norm_eps": 1e-5},
    "gemma3": {
        "model_type": "gemma3_text",
        **SIZES,
        **HEADS,
        "sliding_window": 512,
        "sliding_window_pattern": 3,
        "query_pre_attn_scalar": 64,
    },
    "lfm2": {
        "model_type": "lfm2",
        **SIZES,
        **HEADS,
        "norm_eps": 1e-5,
        "conv_bias": False,
        "conv_L_cache": 3,
        "block_dim": 128,
        "block_ff_dim": 384,
        "block_multiple_of": 32,
        "block_ffn_dim_multiplier": 1.0,
        "block_auto_adjust_ff_dim": False,
        "full_attn_idxs": [1, 3],
    },
    "mamba2": {
        "model_type": "mamba2",
        **SIZES,
        "num_heads": 4,
        "head_dim": 64,
        "state_size": 64,
        "layer_norm_epsilon": 1e-5,
        "conv_kernel": 4,
        "n_groups": 1,
        "use_bias": False,
        "use_conv_bias": True,
        "tie_word_embeddings": True,
        "time_step_limit": (0.0, float("inf")),
        "time_step_rank": "auto",
    },
}
KINDS = (*CONFIGURATIONS, "guide")
# Little to compute and much to keep: 16 KiB of rows for a token.
HEAVY = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "rms_norm_eps": 1e-5,
    "max_position_embeddings": CONTEXT,
}


def model_folder(kind: str, path: Path) -> Path:
    """The folder of a model of this kind, or of the heavy one, written to `path` unless it is the guide."""
    if kind == "guide":
        return GUIDE
    tokenizer = byte_level()
    configuration = {**(HEAVY if kind == "heavy" else CONFIGURATIONS[kind]), "vocab_size": tokenizer.get_vocab_size()}
    path.mkdir(parents=True)
    weights = dict(tree_flatten(random_model(configuration).parameters()))
    mx.save_safetensors(str(path / "model.safetensors"), weights)
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|end|>", "chat_template": BARE}
    (path / "config.json").write_text(json.dumps(configuration), encoding="utf-8")
    (path / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    tokenizer.save(str(path / "tokenizer.json"))
    return path
