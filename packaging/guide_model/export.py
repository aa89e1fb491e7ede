"""Writes a trained guide as a folder that mlx_lm loads: float16 weights, its shape, its tokenizer."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

from guide_model import tokenizer as tokenizing
from guide_model.model import Config, Guide


def export(guide: Guide, shape: Config, tokenizer: Tokenizer, folder: Path) -> None:
    """Fills `folder`, which is made if it does not exist."""
    tokenizing.save(tokenizer, folder)
    weights = {}
    for name, weight in guide.state_dict().items():
        half = weight.detach().to(torch.float16)
        # torch keeps a filter as [out, in, width], MLX as [out, width, in].
        weights[name] = (half.transpose(1, 2) if name.endswith("conv.conv.weight") else half).contiguous()
    save_file(weights, folder / "model.safetensors", metadata={"format": "mlx"})
    (folder / "model.safetensors").chmod(0o644)  # safetensors makes it readable by its owner alone
    end = tokenizer.token_to_id("<|end|>")
    full = {**shape, "eos_token_id": end, "pad_token_id": tokenizer.token_to_id("<|pad|>"), "torch_dtype": "float16"}
    (folder / "config.json").write_text(json.dumps(full, indent=1) + "\n", encoding="utf-8")


def load_weights(guide: Guide, folder: Path) -> None:
    """Give `guide` the weights of an exported folder; RuntimeError if they do not fit."""
    weights = {}
    for name, weight in load_file(folder / "model.safetensors").items():
        weights[name] = (weight.transpose(1, 2) if name.endswith("conv.conv.weight") else weight).float()
    guide.load_state_dict(weights)
