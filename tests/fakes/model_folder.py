"""A whole model folder with random weights, as mlx-lm loads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten
from tokenizers import Tokenizer

from tests.fakes.tiny_models import configuration, tiny_model
from tests.fakes.tiny_tokenizer import BARE, byte_level


def write_model_folder(
    path: Path,
    kind: str = "llama",
    template: str | None = BARE,
    tokenizer: Tokenizer | None = None,
    seed: int = 0,
    ends: bool = True,
    **config: Any,
) -> Path:
    """Write a model of one of the tiny kinds with its tokenizer and template. Returns the folder.

    `config` is added to config.json, and the model made by it; without a context length it is of 2,048 tokens. Without
    `ends`, the token that ends an answer is one that the model does not know, and so never draws.
    """
    tokenizer = tokenizer or byte_level()
    vocabulary = tokenizer.get_vocab_size()
    end = "<|end|>" if ends else "<|never|>"
    if not ends:
        tokenizer.add_special_tokens([end])
    path.mkdir(parents=True, exist_ok=True)
    weights = dict(tree_flatten(tiny_model(kind, vocabulary, seed, **config).parameters()))
    mx.save_safetensors(str(path / "model.safetensors"), weights)
    _write_json(path / "config.json", {"max_position_embeddings": 2048, **configuration(kind, vocabulary, **config)})
    tokenizer.save(str(path / "tokenizer.json"))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": end, "pad_token": "<|pad|>"}
    if template is not None:
        settings["chat_template"] = template
    _write_json(path / "tokenizer_config.json", settings)
    return path


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")
