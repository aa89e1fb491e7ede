"""Model folders as other programs leave them: real in all that a list of models reads, their weights empty."""

from __future__ import annotations

import json
import os
import struct
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from app.models.entry import ModelEntry, Source
from app.models.places import ModelLocation
from app.models.scan import scan

TEMPLATE = "{% for message in messages %}{{ message.content }}{% endfor %}"
WITH_TOOLS = "{% if tools %}{{ tools | tojson }}{% endif %}" + TEMPLATE
CONFIG = {
    "model_type": "qwen3",
    "architectures": ["Qwen3ForCausalLM"],
    "hidden_size": 4096,
    "num_hidden_layers": 36,
    "num_attention_heads": 32,
    "vocab_size": 151_936,
    "max_position_embeddings": 40_960,
    "quantization": {"group_size": 64, "bits": 4},
}
Tensors = Mapping[str, tuple[str, Sequence[int]]]
_WIDTHS = {"U32": 4, "F32": 4, "BF16": 2, "F16": 2, "U8": 1}


def quantized(layers: int, hidden: int, bits: int = 4, group: int = 64) -> dict[str, tuple[str, list[int]]]:
    """Tensors of a model whose layers have seven packed projections of hidden x hidden weights, and two norms."""
    found: dict[str, tuple[str, list[int]]] = {}
    for layer in range(layers):
        for name in ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"):
            stem = f"model.layers.{layer}.{name}"
            found[f"{stem}.weight"] = ("U32", [hidden, hidden * bits // 32])
            found[f"{stem}.scales"] = found[f"{stem}.biases"] = ("BF16", [hidden, hidden // group])
        for name in ("input_layernorm", "post_attention_layernorm"):
            found[f"model.layers.{layer}.{name}.weight"] = ("BF16", [hidden])
    return found


def write_weights(path: Path, tensors: Tensors, metadata: Mapping[str, str] | None = None, cut: int = 0) -> None:
    """Write a safetensors file whose data takes no room on the disk. cut: bytes that are missing at its end."""
    header: dict[str, Any] = {} if metadata is None else {"__metadata__": dict(metadata)}
    end = 0
    for name, (dtype, shape) in tensors.items():
        start, size = end, _WIDTHS[dtype]
        for side in shape:
            size *= side
        end = start + size
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [start, end]}
    data = json.dumps(header, separators=(",", ":")).encode()
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(data)) + data)
    os.truncate(path, 8 + len(data) + end - cut)


def write_model(
    folder: Path,
    config: Mapping[str, Any] | None = None,
    tensors: Tensors | None = None,
    template: str = WITH_TOOLS,
    total: int | None = None,
) -> Path:
    """Write the folder of a model; returns it. total: parameters that its index begins with, none without one."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = quantized(2, 128) if tensors is None else tensors
    (folder / "config.json").write_text(json.dumps(CONFIG if config is None else config))
    (folder / "tokenizer.json").write_text("{}")
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": template, "padding": "x" * 4000}))
    write_weights(folder / "model.safetensors", tensors)
    if total is not None:
        index = {"metadata": {"total_size": 1, "total_parameters": total}}
        index["weight_map"] = dict.fromkeys(tensors, "model.safetensors")  # type: ignore[assignment]
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


def write_snapshot(hub: Path, repository: str, commit: str = "0123abcd", **model: Any) -> Path:
    """Write a model into the hub's cache, its main branch at this snapshot; returns the snapshot."""
    home = hub / f"models--{repository.replace('/', '--')}"
    (home / "refs").mkdir(parents=True, exist_ok=True)
    (home / "refs" / "main").write_text(commit)
    return write_model(home / "snapshots" / commit, **model)


def write_many(hub: Path, count: int = 200) -> list[Path]:
    """Write this many models into the hub's cache, with headers as long as those of 8 billion parameters in 4 bits.

    Every second one has the index that mlx-lm writes, which says how many parameters there are.
    """
    tensors = quantized(36, 4096)
    return [
        write_snapshot(hub, f"someone/Model-{number:03}-4bit", tensors=tensors, total=8 * 10**9 if number % 2 else None)
        for number in range(count)
    ]


def list_models(hub: Path) -> tuple[list[ModelEntry], float]:
    """List the models of a hub's cache; returns them, and the milliseconds that it took."""
    begin = time.perf_counter()
    found = list(scan([ModelLocation(Source.HUB, hub)]))
    return found, (time.perf_counter() - begin) * 1000
