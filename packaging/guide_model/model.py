"""A twin in torch of mlx_lm.models.lfm2, with the same names of parameters. Shapes: [batch, tokens, hidden]."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

Config = dict[str, Any]


def config(vocabulary: int, context: int) -> Config:
    """The guide's shape, under the names that config.json has for it."""
    layers = ["conv", "full_attention", "conv", "full_attention", "full_attention"]
    return {
        "model_type": "lfm2",
        "architectures": ["Lfm2ForCausalLM"],
        "vocab_size": vocabulary,
        "hidden_size": 192,
        "intermediate_size": 512,
        "num_hidden_layers": len(layers),
        "layer_types": layers,
        "num_attention_heads": 6,
        "num_key_value_heads": 3,
        "max_position_embeddings": context,
        "rope_theta": 10000.0,
        "norm_eps": 1e-5,
        "tie_word_embeddings": True,
        "conv_bias": False,
        "conv_L_cache": 3,
        "block_dim": 192,
        "block_ff_dim": 512,
        "block_multiple_of": 8,
        "block_ffn_dim_multiplier": 1.0,
        "block_auto_adjust_ff_dim": False,
    }


class RMSNorm(nn.Module):
    """Root mean square norm over the last axis."""

    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """[..., size] -> [..., size]."""
        return functional.rms_norm(x, (x.shape[-1],), self.weight, self.eps)


def _linear(inputs: int, outputs: int) -> nn.Linear:
    return nn.Linear(inputs, outputs, bias=False)


def _rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1).to(x.dtype)


class Attention(nn.Module):
    """Causal grouped-query attention; queries and keys are normed before they are rotated."""

    def __init__(self, shape: Config) -> None:
        super().__init__()
        hidden, self.heads, self.kv_heads = (
            shape["hidden_size"],
            shape["num_attention_heads"],
            shape["num_key_value_heads"],
        )
        self.size = hidden // self.heads
        self.q_proj = _linear(hidden, hidden)
        self.k_proj = _linear(hidden, self.kv_heads * self.size)
        self.v_proj = _linear(hidden, self.kv_heads * self.size)
        self.out_proj = _linear(hidden, hidden)
        self.q_layernorm = RMSNorm(self.size, shape["norm_eps"])
        self.k_layernorm = RMSNorm(self.size, shape["norm_eps"])

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """[batch, tokens, hidden] -> the same."""
        batch, tokens, hidden = x.shape
        queries = self.q_layernorm(self.q_proj(x).view(batch, tokens, self.heads, self.size)).transpose(1, 2)
        keys = self.k_layernorm(self.k_proj(x).view(batch, tokens, self.kv_heads, self.size)).transpose(1, 2)
        values = self.v_proj(x).view(batch, tokens, self.kv_heads, self.size).transpose(1, 2)
        queries, keys = _rotate(queries, cos, sin).to(values.dtype), _rotate(keys, cos, sin).to(values.dtype)
        shared = self.heads // self.kv_heads
        keys, values = keys.repeat_interleave(shared, 1), values.repeat_interleave(shared, 1)
        mixed = functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        return self.out_proj(mixed.transpose(1, 2).reshape(batch, tokens, hidden))


class ShortConv(nn.Module):
    """A gated causal convolution over the last `conv_L_cache` tokens, one filter to a channel."""

    def __init__(self, shape: Config) -> None:
        super().__init__()
        hidden, self.width = shape["hidden_size"], shape["conv_L_cache"]
        self.in_proj, self.out_proj = _linear(hidden, 3 * hidden), _linear(hidden, hidden)
        self.conv = nn.Conv1d(hidden, hidden, self.width, groups=hidden, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """[batch, tokens, hidden] -> the same; the rotation is not used."""
        before, after, inner = self.in_proj(x).chunk(3, -1)
        gated, filters, tokens = before * inner, self.conv.weight[:, 0, :], x.shape[1]
        padded = functional.pad(gated, (0, 0, self.width - 1, 0))
        # Shifted sums: on a CPU several times faster than a depthwise conv1d.
        mixed = sum((padded[:, i : i + tokens] * filters[:, i] for i in range(self.width)), torch.zeros(()))
        return self.out_proj(after * mixed)


class FeedForward(nn.Module):
    """SwiGLU."""

    def __init__(self, shape: Config) -> None:
        super().__init__()
        hidden, inner = shape["hidden_size"], shape["intermediate_size"]
        self.w1, self.w3, self.w2 = _linear(hidden, inner), _linear(hidden, inner), _linear(inner, hidden)

    def forward(self, x: Tensor) -> Tensor:
        """[..., hidden] -> the same."""
        return self.w2(functional.silu(self.w1(x)) * self.w3(x))


class Layer(nn.Module):
    """Attention or convolution, then a feed-forward part, each with its norm and its way round."""

    def __init__(self, shape: Config, kind: str) -> None:
        super().__init__()
        self.kind = kind
        if kind == "conv":
            self.conv = ShortConv(shape)
        else:
            self.self_attn = Attention(shape)
        self.feed_forward = FeedForward(shape)
        self.operator_norm = RMSNorm(shape["hidden_size"], shape["norm_eps"])
        self.ffn_norm = RMSNorm(shape["hidden_size"], shape["norm_eps"])

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """[batch, tokens, hidden] -> the same."""
        mix = self.conv if self.kind == "conv" else self.self_attn
        x = x + mix(self.operator_norm(x), cos, sin)
        return x + self.feed_forward(self.ffn_norm(x))


class Trunk(nn.Module):
    """Embedding, layers and the last norm."""

    def __init__(self, shape: Config) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(shape["vocab_size"], shape["hidden_size"])
        self.layers = nn.ModuleList([Layer(shape, kind) for kind in shape["layer_types"]])
        self.embedding_norm = RMSNorm(shape["hidden_size"], shape["norm_eps"])
        size = shape["hidden_size"] // shape["num_attention_heads"]
        frequencies = shape["rope_theta"] ** (-torch.arange(0, size, 2).float() / size)
        angles = torch.arange(shape["max_position_embeddings"]).float()[:, None] * frequencies
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, ids: Tensor) -> Tensor:
        """[batch, tokens] -> [batch, tokens, hidden]."""
        tokens, x = ids.shape[1], self.embed_tokens(ids)
        for layer in self.layers:
            x = layer(x, self.cos[:tokens], self.sin[:tokens])
        return self.embedding_norm(x)


class Guide(nn.Module):
    """The language model; its output layer is its embedding."""

    def __init__(self, shape: Config) -> None:
        super().__init__()
        self.model = Trunk(shape)
        for name, weight in self.named_parameters():
            _initialise(name, weight)

    def forward(self, ids: Tensor, chosen: Tensor | None = None) -> Tensor:
        """[batch, tokens] -> logits [batch, tokens, vocabulary], or [places, vocabulary] at flat places `chosen`."""
        hidden = self.model(ids)
        if chosen is not None:
            hidden = hidden.reshape(-1, hidden.shape[-1])[chosen]
        return hidden @ self.model.embed_tokens.weight.T


def _initialise(name: str, weight: Tensor) -> None:
    """Normal noise; whatever writes into the residual stream begins at zero."""
    if name.endswith(("out_proj.weight", "w2.weight")):
        nn.init.zeros_(weight)
    elif "embed" in name:
        nn.init.normal_(weight, std=0.02)
    elif weight.ndim == 3:
        nn.init.normal_(weight, std=0.4)
    elif weight.ndim == 2:
        nn.init.normal_(weight, std=0.7 * weight.shape[1] ** -0.5)
