"""Tiny models as real ones lie on disks: in several files with an index, quantized, and in Ollama's store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.nn.layers.quantized import quantize
from mlx.utils import tree_flatten
from tokenizers import Tokenizer

from tests.fakes.model_folder import write_model_folder
from tests.fakes.tiny_models import tiny_model
from tests.fakes.tiny_tokenizer import BARE, byte_level, sentence_piece
from tests.models.ollama import write_store

# As mlx-lm quantizes: bits, numbers in a group, mode.
QUANTIZATIONS: dict[str, dict[str, Any]] = {
    "int4": {"bits": 4, "group_size": 64, "mode": "affine"},
    "int8": {"bits": 8, "group_size": 64, "mode": "affine"},
    "mxfp4": {"bits": 4, "group_size": 32, "mode": "mxfp4"},
    "mxfp8": {"bits": 8, "group_size": 32, "mode": "mxfp8"},
    "nvfp4": {"bits": 4, "group_size": 16, "mode": "nvfp4"},
}


@dataclass(frozen=True)
class TinyModel:
    """A model as a real one is published: how it is quantized, in how many files, with which kind of tokenizer."""

    kind: str
    quantization: str = ""
    shards: int = 1
    is_sentence_piece: bool = False
    changes: Mapping[str, Any] = field(default_factory=dict)

    def write(self, path: Path, **config: Any) -> Path:
        """Write its folder. config: what else stands in its configuration."""
        tokenizer = sentence_piece() if self.is_sentence_piece else byte_level()
        options = {**self.changes, **config}
        return write_tiny_folder(path, self.kind, self.quantization, self.shards, tokenizer, **options)


_UNTIED = {"tie_word_embeddings": False}
REAL = {
    "llama": TinyModel("llama", is_sentence_piece=True, shards=2),
    "llama untied": TinyModel("llama", "int8", changes=_UNTIED),
    "qwen3 4-bit": TinyModel("qwen3", "int4"),
    "gemma3 8-bit": TinyModel("gemma3", "int8", shards=3, is_sentence_piece=True),
    "gpt-oss mxfp4": TinyModel("gpt_oss", "mxfp4", shards=2),
    "lfm2 4-bit": TinyModel("lfm2", "int4", shards=2),
    "mamba2": TinyModel("mamba2"),
    "falcon-h1 8-bit": TinyModel("falcon_h1", "int8"),
    "phi3 mxfp4": TinyModel("phi3", "mxfp4", shards=2, is_sentence_piece=True),
    "cohere2 nvfp4": TinyModel("cohere2", "nvfp4"),
    "olmo2 mxfp8": TinyModel("olmo2", "mxfp8", is_sentence_piece=True),
    "glm4": TinyModel("glm4", shards=4, is_sentence_piece=True),
    "nemotron-h 4-bit": TinyModel("nemotron_h", "int4"),
    "qwen3.5 8-bit": TinyModel("qwen3_5", "int8", shards=2),
    "deepseek-v3": TinyModel("deepseek_v3", is_sentence_piece=True),
}


def write_tiny_folder(
    path: Path,
    kind: str = "llama",
    quantization: str = "",
    shards: int = 1,
    tokenizer: Tokenizer | None = None,
    template: str | None = BARE,
    seed: int = 0,
    **config: Any,
) -> Path:
    """Write a tiny model in so many files, quantized in one of these ways if one is named. Returns the folder."""
    tokenizer = tokenizer or byte_level()
    write_model_folder(path, kind, template, tokenizer, seed, **config)
    model = tiny_model(kind, tokenizer.get_vocab_size(), seed, **config)
    if quantization:
        chosen = QUANTIZATIONS[quantization]
        quantize(model, **chosen, class_predicate=lambda _, module: _fits(module, chosen["group_size"]))
        stored = json.loads((path / "config.json").read_text())
        (path / "config.json").write_text(json.dumps({**stored, "quantization": chosen}))
    _save(path, dict(tree_flatten(model.parameters())), shards)
    return path


def _fits(module: Any, group_size: int) -> bool:
    return hasattr(module, "to_quantized") and module.weight.shape[-1] % group_size == 0


def _save(path: Path, weights: Mapping[str, mx.array], shards: int) -> None:
    if shards == 1:
        mx.save_safetensors(str(path / "model.safetensors"), dict(weights))
        return
    (path / "model.safetensors").unlink()
    names = sorted(weights)
    where = {name: f"model-{at % shards + 1:05}-of-{shards:05}.safetensors" for at, name in enumerate(names)}
    for file in sorted(set(where.values())):
        mx.save_safetensors(str(path / file), {name: weights[name] for name in names if where[name] == file})
    (path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": where}))


def to_ollama(folder: Path, store: Path, name: str, quantization: str = "", is_packed: bool = False) -> str:
    """Put a folder's model into a store of Ollama's, a file for each tensor or one for all. Returns its reference."""
    files = {file.name: file.read_bytes() for file in folder.glob("*.json") if "index" not in file.name}
    weights: dict[str, mx.array] = {}
    for file in folder.glob("*.safetensors"):
        weights |= mx.load(str(file))  # type: ignore[arg-type]
    groups: dict[str, dict[str, mx.array]] = {}
    for key, tensor in weights.items():
        layer, _, word = key.rpartition(".")
        is_part = f"{layer}.scales" in weights and word in ("weight", "scales", "biases")
        main = f"{layer}.weight" if is_part else key
        suffix = {"scales": ".scale", "biases": ".bias"}.get(word, "") if is_part else ""
        groups.setdefault(main, {})[main + suffix] = tensor
    blobs = []
    if is_packed:
        metadata: dict[str, str] = {}
        for main, parts in groups.items():
            if len(parts) > 1:
                metadata |= _metadata(quantization, f"{main}.")
        packed = {key: tensor for parts in groups.values() for key, tensor in parts.items()}
        blobs.append(("model.packed", _blob(store, packed, metadata)))
    else:
        for main, parts in groups.items():
            metadata = _metadata(quantization) if len(parts) > 1 else {}
            blobs.append((main, _blob(store, parts, metadata)))
    config = json.loads(files["config.json"])
    config.pop("quantization", None)
    write_store(store, {**files, "config.json": json.dumps(config).encode()}, blobs, name)
    return f"ollama:{name}:latest"


def _metadata(quantization: str, prefix: str = "") -> dict[str, str]:
    group_size = QUANTIZATIONS[quantization]["group_size"]
    return {f"{prefix}quant_type": quantization, f"{prefix}group_size": str(group_size)}


def _blob(store: Path, tensors: dict[str, mx.array], metadata: dict[str, str]) -> bytes:
    store.mkdir(parents=True, exist_ok=True)
    path = store / "blob.safetensors"
    mx.save_safetensors(str(path), tensors, metadata)
    data = path.read_bytes()
    path.unlink()
    return data
