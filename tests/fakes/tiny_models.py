"""Tiny models with random weights through mlx-lm's own classes: one for each way of keeping state that mlx-lm knows."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import mlx.core as mx
from mlx.utils import tree_map
from mlx_lm.models.cache import KVCache, QuantizedKVCache, make_prompt_cache

WIDTH = 64
WINDOW = 16  # tokens, of sliding windows and of chunks
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 2}
COMMON = {"hidden_size": WIDTH, "intermediate_size": 96, "num_hidden_layers": 3}
LINEAR = {
    "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 16,
    "linear_value_head_dim": 16,
}
LATENT = {"q_lora_rank": 32, "kv_lora_rank": 32, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16}

# name -> module of mlx_lm.models, its configuration without the vocabulary
CONFIGURATIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("llama", {**COMMON, **HEADS, "rms_norm_eps": 1e-5}),
    # wider heads, since rows are quantized by 32 numbers; see `new_caches`
    "llama_quantized": ("llama", {**COMMON, "num_attention_heads": 2, "num_key_value_heads": 1, "rms_norm_eps": 1e-5}),
    "qwen3": (
        "qwen3",
        {
            **COMMON,
            **HEADS,
            "rms_norm_eps": 1e-5,
            "max_position_embeddings": 4096,
            "head_dim": 16,
            "tie_word_embeddings": True,
            "rope_theta": 1e6,
        },
    ),
    "gemma3": (
        "gemma3_text",
        {
            **COMMON,
            **HEADS,
            "head_dim": 16,
            "sliding_window": WINDOW,
            "sliding_window_pattern": 3,
            "query_pre_attn_scalar": 16,
        },
    ),
    "gpt_oss": (
        "gpt_oss",
        {
            **COMMON,
            **HEADS,
            "num_hidden_layers": 2,
            "head_dim": 16,
            "sliding_window": WINDOW,
            "rope_theta": 150_000,
            "rope_scaling": None,
            "num_local_experts": 4,
            "num_experts_per_tok": 2,
        },
    ),
    "qwen3_next": (
        "qwen3_next",
        {
            **COMMON,
            **HEADS,
            **LINEAR,
            "num_hidden_layers": 4,
            "linear_conv_kernel_dim": 4,
            "num_experts": 4,
            "num_experts_per_tok": 2,
            "decoder_sparse_step": 1,
            "shared_expert_intermediate_size": 32,
            "moe_intermediate_size": 32,
            "mlp_only_layers": [],
            "rms_norm_eps": 1e-6,
            "rope_theta": 1e6,
            "partial_rotary_factor": 0.5,
            "max_position_embeddings": 4096,
            "head_dim": 16,
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
    "granite_h": (
        "granitemoehybrid",
        {
            **COMMON,
            **HEADS,
            "max_position_embeddings": 4096,
            "attention_bias": False,
            "embedding_multiplier": 1.0,
            "attention_multiplier": 0.25,
            "logits_scaling": 1.0,
            "residual_multiplier": 1.0,
            "layer_types": ["mamba", "attention", "mamba"],
            "rms_norm_eps": 1e-5,
            "num_local_experts": 4,
            "num_experts_per_tok": 2,
            "shared_intermediate_size": 32,
            "mamba_n_heads": 8,
            "mamba_d_head": 16,
            "mamba_d_state": 8,
            "mamba_d_conv": 4,
            "mamba_n_groups": 1,
            "mamba_conv_bias": True,
            "mamba_proj_bias": False,
        },
    ),
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
    "jamba": (
        "jamba",
        {
            **COMMON,
            **HEADS,
            "attn_layer_offset": 1,
            "attn_layer_period": 3,
            "expert_layer_offset": 1,
            "expert_layer_period": 2,
            "mamba_d_conv": 4,
            "mamba_d_state": 8,
            "mamba_expand": 2,
            "num_experts": 2,
            "num_experts_per_tok": 1,
            "rms_norm_eps": 1e-6,
            "max_position_embeddings": 4096,
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
    "rwkv7": (
        "rwkv7",
        {
            **COMMON,
            "norm_eps": 1e-5,
            "head_dim": 16,
            "a_low_rank_dim": 8,
            "v_low_rank_dim": 8,
            "gate_low_rank_dim": 8,
            "decay_low_rank_dim": 8,
        },
    ),
    "llama4": (
        "llama4",
        {
            "text_config": {
                "model_type": "llama4_text",
                **COMMON,
                **HEADS,
                "num_hidden_layers": 4,
                "attention_bias": False,
                "attention_chunk_size": WINDOW,
                "head_dim": 16,
                "hidden_act": "silu",
                "interleave_moe_layer_step": 2,
                "intermediate_size_mlp": 96,
                "max_position_embeddings": 4096,
                "num_experts_per_tok": 1,
                "num_local_experts": 2,
                "rms_norm_eps": 1e-5,
                "rope_scaling": None,
                "rope_theta": 5e5,
                "use_qk_norm": True,
            }
        },
    ),
    "llama4_text": (
        "llama4_text",
        {
            **COMMON,
            **HEADS,
            "intermediate_size_mlp": 96,
            "rms_norm_eps": 1e-5,
            "rope_theta": 5e5,
            "head_dim": 16,
            "tie_word_embeddings": True,
            "no_rope_layers": [1, 1, 0],
            "use_qk_norm": True,
        },
    ),
    "deepseek_v3": (
        "deepseek_v3",
        {
            **COMMON,
            **LATENT,
            "num_attention_heads": 4,
            "num_key_value_heads": 4,
            "moe_intermediate_size": 32,
            "n_shared_experts": 1,
            "n_routed_experts": 4,
            "v_head_dim": 16,
            "n_group": 1,
            "topk_group": 1,
            "num_experts_per_tok": 2,
            "first_k_dense_replace": 1,
        },
    ),
    "minicpm3": (
        "minicpm3",
        {
            **COMMON,
            **LATENT,
            "num_attention_heads": 4,
            "num_key_value_heads": 4,
            "dim_model_base": WIDTH,
            "rms_norm_eps": 1e-5,
            "scale_depth": 1.4,
            "scale_emb": 1.0,
            "max_position_embeddings": 4096,
            "rope_scaling": {
                "type": "longrope",
                "original_max_position_embeddings": 4096,
                "short_factor": [1.0] * 4,
                "long_factor": [1.0] * 4,
            },
        },
    ),
}
KINDS = tuple(CONFIGURATIONS)
# Kinds that keep their state as one of those does.
FURTHER: dict[str, tuple[str, dict[str, Any]]] = {
    "phi3": ("phi3", {**COMMON, **HEADS, "rms_norm_eps": 1e-5}),
    "olmo2": ("olmo2", {**COMMON, **HEADS, "rms_norm_eps": 1e-5, "tie_word_embeddings": False}),
    "cohere2": ("cohere2", {**COMMON, **HEADS, "head_dim": 16, "sliding_window": WINDOW, "sliding_window_pattern": 3}),
    "glm4": (
        "glm4",
        {
            **COMMON,
            **HEADS,
            "head_dim": 16,
            "attention_bias": True,
            "rms_norm_eps": 1e-5,
            "partial_rotary_factor": 0.5,
            "rope_theta": 10_000.0,
        },
    ),
    "nemotron_h": (
        "nemotron_h",
        {
            **COMMON,
            **HEADS,
            "head_dim": 16,
            "max_position_embeddings": 4096,
            "attention_bias": False,
            "mamba_num_heads": 4,
            "mamba_head_dim": 16,
            "mamba_proj_bias": False,
            "ssm_state_size": 16,
            "conv_kernel": 4,
            "n_groups": 2,
            "mlp_bias": False,
            "layer_norm_epsilon": 1e-5,
            "use_bias": False,
            "use_conv_bias": True,
            "hybrid_override_pattern": ["M", "*", "-", "M"],
        },
    ),
}

# Mixture-of-experts models multiply gathered matrices, which MLX does in float32 only on the CPU.
FLOAT32_ONLY = frozenset({"gpt_oss", "qwen3_next", "granite_h", "jamba", "llama4", "deepseek_v3"})


def dtypes(kind: str) -> tuple[mx.Dtype, ...]:
    """The types that a model of this kind runs in on the CPU."""
    return (mx.float32,) if kind in FLOAT32_ONLY else (mx.float32, mx.bfloat16)


def configuration(kind: str, vocabulary: int, **changes: Any) -> dict[str, Any]:
    """The config.json of one of these models."""
    module, config = {**CONFIGURATIONS, **FURTHER}[kind]
    config = {"model_type": module, **config, **changes}
    if "text_config" in config:
        return {**config, "text_config": {**config["text_config"], "vocab_size": vocabulary}}
    return {**config, "vocab_size": vocabulary}


def tiny_model(kind: str, vocabulary: int = 64, seed: int = 0, dtype: mx.Dtype = mx.float32, **changes: Any) -> Any:
    """A model of this kind, the same for the same seed. changes: of its configuration."""
    module = importlib.import_module(f"mlx_lm.models.{configuration(kind, vocabulary)['model_type']}")
    mx.random.seed(seed)
    model = module.Model(module.ModelArgs.from_dict(configuration(kind, vocabulary, **changes)))
    model.update(tree_map(_converter(dtype), model.parameters()))
    model.eval()
    mx.eval(model.parameters())
    return model


def new_caches(kind: str, model: Any) -> Callable[[], list[Any]]:
    """What makes a fresh list of the model's cache objects; quantized rows where the kind says so."""
    if kind != "llama_quantized":
        return lambda: make_prompt_cache(model)
    return lambda: [
        QuantizedKVCache(group_size=32, bits=8) if type(cache) is KVCache else cache
        for cache in make_prompt_cache(model)
    ]


def _converter(dtype: mx.Dtype) -> Callable[[Any], Any]:
    def convert(leaf: Any) -> Any:
        return leaf.astype(dtype) if isinstance(leaf, mx.array) and mx.issubdtype(leaf.dtype, mx.floating) else leaf

    return convert
