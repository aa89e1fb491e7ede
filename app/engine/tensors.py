"""The tensors of a model's files, named and not yet read, under the names that mlx-lm's models know them by.

In Ollama's store a quantized tensor NAME.weight lies beside NAME.weight.scale and NAME.weight.bias, which are mlx-lm's
NAME.scales and NAME.biases; the file's metadata says how it is quantized, for the file or for each tensor. A layer's
own bias ends in the same word: which is which can be told only when the names of all files are known.
"""

from __future__ import annotations

import json
import resource
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import mlx.core as mx

from app.engine.weights import WeightFile
from app.prompting.problems import ModelError

Tensors = dict[str, mx.array]

_COMPANIONS = {"scale": "scales", "bias": "biases", "global_scale": "global_scale"}
_SPARE_DESCRIPTORS = 256


class Quantization(NamedTuple):
    """A way to quantize, in the words of a configuration."""

    bits: int
    group_size: int
    mode: str


_INT4, _INT8 = Quantization(4, 64, "affine"), Quantization(8, 64, "affine")
_KINDS = {
    "int4": _INT4,
    "q4": _INT4,
    "fp4": _INT4,
    "int8": _INT8,
    "q8": _INT8,
    "fp8": _INT8,
    "nvfp4": Quantization(4, 16, "nvfp4"),
    "mxfp4": Quantization(4, 32, "mxfp4"),
    "mxfp8": Quantization(8, 32, "mxfp8"),
}


def named_tensors(files: Sequence[WeightFile]) -> Tensors:
    """Return the tensors of all files by name. Raises ModelError where so many files cannot be open at once.

    Each file stays open until its tensors are evaluated or dropped.
    """
    _allow_open_files(len(files))
    tensors: Tensors = {}
    for file in files:
        tensors.update(mx.load(str(file.path), format="safetensors"))  # type: ignore[arg-type]  # a dict, of this format
    return tensors


def _allow_open_files(count: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + _SPARE_DESCRIPTORS
    if soft == resource.RLIM_INFINITY or wanted <= soft:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError) as error:
        raise ModelError(
            "The model cannot be opened",
            f"Its weights are in {count} files, and this machine does not let a program open so many at once.",
        ) from error


def from_ollama(tensors: Tensors, files: Iterable[WeightFile]) -> tuple[Tensors, Quantization | None]:
    """Return the tensors of Ollama's files under mlx-lm's names, and how most of them are quantized, if any are.

    tensors: those of all files. Raises ModelError where one is not quantized as its metadata says.
    """
    quantized = {base for name in tensors if (base := name.removesuffix(".scale")) != name and base in tensors}
    stated: dict[str, Quantization] = {}
    for file in files:
        header = json.loads(file.header)
        metadata = header.get("__metadata__") or {}
        stated |= {name: _stated(name, metadata) for name in header if name in quantized}
    kinds: Counter[Quantization] = Counter()
    for name in quantized:
        kinds[_checked(name, stated.get(name), tensors[name], tensors[f"{name}.scale"])] += 1
    renamed = {_name(name, quantized): tensor for name, tensor in tensors.items()}
    return renamed, kinds.most_common(1)[0][0] if kinds else None


def _name(name: str, quantized: set[str]) -> str:
    base, _, word = name.rpartition(".")
    if base not in quantized or word not in _COMPANIONS:
        return name
    return f"{base.removesuffix('.weight')}.{_COMPANIONS[word]}"


def _stated(name: str, metadata: Mapping[str, Any]) -> Quantization | None:
    """Return how a file's metadata says that one of its tensors is quantized; None where it says nothing."""
    kind = metadata.get(f"{name}.quant_type") or metadata.get("quant_type")
    if not kind:
        return None
    group_size = str(metadata.get(f"{name}.group_size") or metadata.get("group_size") or "")
    known = _KINDS.get(str(kind).lower())
    if known is None or not (group_size == "" or (group_size.isascii() and group_size.isdigit())):
        raise ModelError(
            "The model cannot be opened",
            f"Its weights are quantized as {str(kind)[:40]}, which Espalier does not know. Choose another version.",
        )
    return known._replace(group_size=int(group_size[:9])) if group_size else known


def _checked(name: str, stated: Quantization | None, weight: mx.array, scales: mx.array) -> Quantization:
    """Return how a tensor is quantized by the shapes of its parts. Raises ModelError where they deny what is stated."""
    for kind in (stated,) if stated else _KINDS.values():
        columns = weight.shape[-1] * 32 // kind.bits if weight.ndim else 0
        groups = scales.shape[-1] if scales.ndim else 0
        is_affine = scales.dtype != mx.uint8
        if columns == groups * kind.group_size > 0 and is_affine == (kind.mode == "affine"):
            return kind
    raise ModelError(
        "The model cannot be opened",
        f"{name[:100]} is not quantized in the way that its file says. Copy or download the model again.",
    )
