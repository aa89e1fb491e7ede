"""The building of a model from its configuration and the tensors of its files, none of which is read yet.

What mlx_lm.utils.load_model does, for files that were checked one by one instead of all that a pattern finds, whatever
their names and their folder's are. Code that a folder brings is not even looked for.
"""

from __future__ import annotations

import copy
import inspect
from typing import Any

from mlx.nn.layers.base import Module
from mlx.nn.layers.quantized import QQLinear, QuantizedLinear, quantize
from mlx.utils import tree_map
from mlx_lm.models.bitlinear_layers import bitnet_quantize
from mlx_lm.utils import (
    _compressed_tensors_quantization,
    _decode_tagged_floats,
    _get_classes,
    _transform_awq_weights,
    infer_quant_config,
)

from app.engine.folder import ModelFolder
from app.engine.tensors import Tensors, from_ollama, named_tensors
from app.tokenizing.model_files import read_json

Config = dict[str, Any]

_MXFP4 = {"group_size": 32, "bits": 4, "mode": "mxfp4"}
_MXFP8 = {"group_size": 32, "bits": 8, "mode": "mxfp8"}
_QUANTIZED_ACTIVATIONS = ("nvfp4", "mxfp8")


def build_model(folder: ModelFolder) -> tuple[Module, Config]:
    """Return a model whose weights are named but not read, and its configuration with how it is quantized.

    Raises whatever mlx-lm does of a configuration and weights that do not fit together, and ModelError.
    """
    config: Config = _decode_tagged_floats(copy.deepcopy(folder.config))
    weights = named_tensors(folder.weight_files)
    if folder.digests:
        weights, quantization = from_ollama(weights, folder.weight_files)
        if quantization is not None:
            config.setdefault("quantization", quantization._asdict())
    model_class, arguments = _get_classes(config)
    _find_quantization_config(config, folder)
    model: Module = model_class(arguments.from_dict(config))
    if hasattr(model, "sanitize"):
        weights = model.sanitize(weights)
    model, weights = _quantized(model, config, weights)
    if config.get("quantize_activations", False):
        leaves: Any = model.leaf_modules()
        leaves = tree_map(_with_quantized_activations, leaves, is_leaf=Module.is_module)
        model.update_modules(leaves)
    model.eval()
    model.load_weights(list(weights.items()))
    return model, config


def _find_quantization_config(config: Config, folder: ModelFolder) -> None:
    """Put `quantization_config` where mlx-lm expects it: of some models it stands elsewhere."""
    text_config = config.get("text_config") or {}
    if "quantization_config" not in config and "quantization_config" in text_config:
        config["quantization_config"] = text_config["quantization_config"]
    file = folder.path / "hf_quant_config.json"
    if "quantization_config" not in config and file.is_file():
        config["quantization_config"] = read_json(file)


def _quantized(model: Module, config: Config, weights: Tensors) -> tuple[Module, Tensors]:
    """Return the model with quantized layers wherever its weights are, and the weights as those layers hold them."""
    stated = config.get("quantization_config")
    quantization: Config | None
    if config.get("quantization") is None and stated:
        if stated["quant_method"] == "bitnet":
            return bitnet_quantize(model, stated), weights
        if stated["quant_method"] in ("awq", "gptq"):
            weights, quantization = _transform_awq_weights(weights, stated)
        else:
            quantization = _converted(stated)
        if quantization is not None:
            config["quantization"] = config["quantization_config"] = quantization
    if config.get("quantization") is not None:
        _quantize(model, config["quantization"], weights)
    return model, weights


def _converted(stated: Config) -> Config | None:
    """Return what another program's way to quantize is in MLX's words; None where layers convert it themselves."""
    method = stated["quant_method"]
    if method == "mxfp4":
        return dict(_MXFP4)
    # Powers of two as scales of blocks of 32 by 32 are what MLX calls mxfp8.
    is_blocks = stated.get("scale_fmt") == "ue8m0" and list(stated.get("weight_block_size", ())) == [32, 32]
    if method == "mxfp8" or (method == "fp8" and is_blocks):
        return dict(_MXFP8)
    if method == "compressed-tensors":
        return dict(_compressed_tensors_quantization(stated))
    if method == "modelopt":
        settings = stated.get("quantization", stated)
        if settings["quant_algo"] != "NVFP4":
            raise ValueError(f"Unsupported modelopt quant_algo: {settings['quant_algo']}")
        return {"group_size": settings.get("group_size", 16), "bits": 4, "mode": "nvfp4"}
    return None


def _quantize(model: Module, quantization: Config, weights: Tensors) -> None:
    def how(path: str, module: Module) -> Any:
        if path in quantization:
            return quantization[path]
        if not hasattr(module, "to_quantized") or f"{path}.scales" not in weights:
            return False
        found = infer_quant_config(path, module, weights)
        if f"{path}.global_scale" in weights and "global_scale" in inspect.signature(module.to_quantized).parameters:
            found["global_scale"] = True
        return found

    quantize(
        model,
        group_size=quantization["group_size"],
        bits=quantization["bits"],
        mode=quantization.get("mode", "affine"),
        class_predicate=how,
    )


def _with_quantized_activations(module: Module) -> Module:
    if not isinstance(module, QuantizedLinear):
        return module
    if module.mode not in _QUANTIZED_ACTIVATIONS or module.get("bias", False):
        raise ValueError("a layer of this model cannot compute with quantized activations")
    rows, columns = module.weight.shape
    return QQLinear(columns * 32 // module.bits, rows, module.group_size, module.bits, module.mode)
