"""An adapter: small matrices that a fine-tuning has added to some layers of a model, in a folder of their own.

mlx-lm's format: adapter_config.json says how much they count, adapters.safetensors holds PATH.lora_a and PATH.lora_b
for every layer that has them. They are read like a model's own files, and put beside its weights, which stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.nn.layers.base import Module
from mlx.nn.layers.linear import Linear
from mlx.nn.layers.quantized import QuantizedLinear
from mlx.utils import tree_unflatten
from mlx_lm.models.switch_layers import QuantizedSwitchLinear, SwitchLinear

from app.engine.tensors import Tensors, named_tensors
from app.engine.weights import WeightFile, read_weight_file
from app.prompting.problems import ModelError
from app.tokenizing.model_files import check_files, read_bytes, read_json

_CONFIG, _WEIGHTS = "adapter_config.json", "adapters.safetensors"
_OF_PEFT = "adapter_model.safetensors"
_LARGEST_SCALE = 10_000
_HIGHEST_RANK = 4096


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter's folder that passed every check. config: its configuration as stored. scale: how much it counts."""

    path: Path
    config: bytes
    scale: float
    weights: WeightFile

    @property
    def name(self) -> str:
        """Return what the adapter is called: as its folder."""
        return self.path.name


def check_adapter(path: Path) -> Adapter:
    """Check all of an adapter's folder that can be told without its model. Raises ModelError."""
    try:
        if not path.is_dir():
            raise ModelError(
                "The adapter was not found",
                f"There is no folder at {path}. Choose it again with Add Adapter, or remove it from the model.",
            )
        check_files(path)
        if not (path / _CONFIG).is_file() or not (path / _WEIGHTS).is_file():
            raise _unfit(path, _missing(path))
        scale = _scale(path)
        return Adapter(path, read_bytes(path / _CONFIG), scale, read_weight_file(path / _WEIGHTS))
    except OSError as error:
        raise ModelError("The adapter cannot be read", f"{path}: {error.strerror or error}.") from error


def _missing(path: Path) -> str:
    if (path / _OF_PEFT).is_file():
        return "it is in the format of another program, PEFT. Convert it to mlx-lm's"
    return f"it has no {_CONFIG if not (path / _CONFIG).is_file() else _WEIGHTS}"


def _scale(path: Path) -> float:
    try:
        config = read_json(path / _CONFIG)
    except ValueError as error:
        raise _unfit(path, f"{_CONFIG} is not valid JSON") from error
    parameters = config.get("lora_parameters") if isinstance(config, dict) else None
    if not isinstance(parameters, dict):
        raise _unfit(path, f"{_CONFIG} has no lora_parameters")
    if config.get("fine_tune_type", "lora") != "lora":
        raise _unfit(path, f"it is of the kind {str(config['fine_tune_type'])[:40]}, and only LoRA can be added")
    scale = parameters.get("scale")
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not abs(scale) <= _LARGEST_SCALE:
        raise _unfit(path, f"{_CONFIG} gives it no scale that makes sense")
    return float(scale)


def apply_adapter(model: Module, adapter: Adapter) -> None:
    """Put an adapter's matrices beside the layers that they are for; nothing is read yet.

    Raises ModelError where the model has no such layers, or of other sizes.
    """
    tensors = named_tensors([adapter.weights])
    modules: dict[str, Any] = dict(model.named_modules())
    layers = []
    for path in sorted({name.rpartition(".")[0] for name in tensors}):
        down, up = _matrices(adapter, path, tensors)
        layers.append((path, _adapted(adapter, path, modules.get(path), down, up)))
    if not layers or len(tensors) != 2 * len(layers):
        raise _unfit(adapter.path, f"{_WEIGHTS} holds more, or less, than a pair of matrices for each layer")
    model.update_modules(tree_unflatten(layers))


def _matrices(adapter: Adapter, path: str, tensors: Tensors) -> tuple[mx.array, mx.array]:
    try:
        return tensors[f"{path}.lora_a"], tensors[f"{path}.lora_b"]
    except KeyError as error:
        raise _unfit(
            adapter.path, f"{_WEIGHTS} holds something other than LoRA for {path[:100] or 'a layer'}"
        ) from error


def _adapted(adapter: Adapter, path: str, layer: Any, down: mx.array, up: mx.array) -> Module:
    if isinstance(layer, Linear | QuantizedLinear):
        outputs, inputs = layer.weight.shape
        inputs = inputs * 32 // layer.bits if isinstance(layer, QuantizedLinear) else inputs
        rank = down.shape[-1] if down.ndim else 0
        fits = (down.shape, up.shape) == ((inputs, rank), (rank, outputs))
        adapted: Module = AdaptedLinear(layer, down, up, adapter.scale)
    elif isinstance(layer, SwitchLinear | QuantizedSwitchLinear):
        rank = up.shape[-1] if up.ndim else 0
        wanted = (layer.num_experts, rank, layer.input_dims), (layer.num_experts, layer.output_dims, rank)
        fits = (down.shape, up.shape) == wanted
        adapted = AdaptedExperts(layer, down, up, adapter.scale)
    else:
        raise _unfit(adapter.path, f"the model has no layer {path[:100]} that can take it")
    if not fits or not 1 <= rank <= _HIGHEST_RANK:
        raise _unfit(adapter.path, f"its matrices are of other sizes than the model's layer {path[:100]}")
    return adapted


class AdaptedLinear(Module):
    """A linear layer with an adapter: x W + scale · (x A) B."""

    def __init__(self, layer: Module, down: mx.array, up: mx.array, scale: float) -> None:
        """down: A [inputs, rank]. up: B [rank, outputs]."""
        super().__init__()  # type: ignore[no-untyped-call]  # mlx declares no types
        self.linear, self.lora_a, self.lora_b = layer, down, up
        self._scale = scale

    def __call__(self, x: mx.array) -> mx.array:
        layer: Any = self.linear
        added = (x @ self.lora_a) @ self.lora_b
        whole: mx.array = layer(x) + (self._scale * added).astype(x.dtype)
        return whole


class AdaptedExperts(Module):
    """A linear layer of many experts with an adapter, as `AdaptedLinear` for the experts that are asked."""

    def __init__(self, layer: Module, down: mx.array, up: mx.array, scale: float) -> None:
        """down: A [experts, rank, inputs]. up: B [experts, outputs, rank]."""
        super().__init__()  # type: ignore[no-untyped-call]  # mlx declares no types
        self.linear, self.lora_a, self.lora_b = layer, down, up
        self._scale = scale

    def __call__(self, x: mx.array, indices: mx.array, sorted_indices: bool = False) -> mx.array:
        layer: Any = self.linear
        added = x
        for part in (self.lora_a, self.lora_b):
            added = mx.gather_mm(added, part.swapaxes(-1, -2), rhs_indices=indices, sorted_indices=sorted_indices)
        whole: mx.array = layer(x, indices, sorted_indices=sorted_indices) + (self._scale * added).astype(x.dtype)
        return whole


def _unfit(path: Path, why: str) -> ModelError:
    return ModelError(
        "The adapter cannot be added",
        f"{path.name} does not go with the model: {why}. Choose another adapter, or remove it from the model.",
    )
