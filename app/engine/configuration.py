"""The numbers of a configuration, checked before a library builds a model of them.

A model is put together from what its configuration says, layer by layer, before its weights are compared with it: a
number with a few digits too many would fill the memory with layers that are nowhere stored.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from app.prompting.problems import ModelError
from app.protocol.figures import number

# How much there may be of what is counted under such a name. The largest models known have 126 layers, 896 experts.
_COUNTS = (
    (re.compile(r"(^|_)(layers?|blocks?|depth|loops|loop_num)$"), 4096),
    (re.compile(r"(^|_)experts?(_num)?$"), 16_384),
    (re.compile(r"(^|_)heads?$"), 65_536),
)
_SIZES = re.compile(r"(^|_)(size|dims?|rank|width|window|hidden|embd|state|groups?|topk)$")
_LARGEST_SIZE = (1 << 31) - 1
# Numbers that must be ones. Limits of other kinds may be infinite.
_FINITE = re.compile(r"(^|_)(factor|theta|base|eps|epsilon|scale|scaling|multiplier)$")
# Where the model itself is described, these are whole numbers above zero, or a list with one for each layer.
_NEEDED = ("hidden_size", "vocab_size", "num_attention_heads", "num_hidden_layers")
_LAYERS = ("num_hidden_layers", "num_layers", "n_layers", "n_layer")
_LONGEST_LIST = 65_536
_BY_LAYER = re.compile(r"(layer|block|pattern)")
_MOST_LAYERS = 4096


def check_configuration(config: Mapping[str, Any], tensors: int, file: str = "config.json") -> None:
    """Check that the numbers of a configuration can be those of a model with so many stored tensors.

    Raises ModelError that names the first that cannot, and `file`.
    """
    for name, value in _values(config):
        why = _list_fault(name, value) if isinstance(value, list | str) else _number_fault(name, value)
        if why:
            raise _senseless(file, name, why)
    for part in (config, config.get("text_config")):
        if isinstance(part, dict):
            _check_needed(part, tensors, file)
    _check_quantization(config, file)


def _values(config: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield every value of a configuration that is not a part of it, with its name."""
    parts = [config]
    while parts:
        for name, value in parts.pop().items():
            if isinstance(value, dict) and value.keys() == {"__float__"}:
                yield name, math.nan  # as transformers writes what JSON has no number for
            elif isinstance(value, dict):
                parts.append(value)
            else:
                yield name, value


def _list_fault(name: str, value: list[Any] | str) -> str:
    longest = _MOST_LAYERS if _BY_LAYER.search(name) else _LONGEST_LIST
    if isinstance(value, list) and len(value) > longest:
        return f"it is a list of {number(len(value))} values"
    if isinstance(value, str) and _BY_LAYER.search(name) and len(value) > longest:
        return f"it is a text of {number(len(value))} characters"
    return ""


def _number_fault(name: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    most = next((most for pattern, most in _COUNTS if pattern.search(name)), None)
    if most is None and not _SIZES.search(name):
        return "it is not a number" if _FINITE.search(name) and not abs(value) < math.inf else ""
    if most is not None and value < 0:
        return f"it is {_shown(value)}"
    return "" if abs(value) <= (most or _LARGEST_SIZE) else f"it is {_shown(value)}"


def _check_needed(config: Mapping[str, Any], tensors: int, file: str) -> None:
    for name in _NEEDED:
        value = config.get(name)
        if value is not None and not isinstance(value, list) and (type(value) is not int or value < 1):
            raise _senseless(file, name, f"it is {_shown(value)}")
    for name in _LAYERS:
        layers = config.get(name)
        if isinstance(layers, int) and layers > tensors:
            raise _senseless(file, name, f"it is {number(layers)}, and only {number(tensors)} tensors are stored")


def _check_quantization(config: Mapping[str, Any], file: str) -> None:
    for name in ("quantization", "quantization_config"):
        quantization = config.get(name)
        if quantization is not None and not isinstance(quantization, dict):
            raise _senseless(file, name, f"it is {_shown(quantization)}")
        for key, most in (("bits", 64), ("group_size", 65_536)):
            value = (quantization or {}).get(key)
            if value is not None and (type(value) is not int or not -1 <= value <= most):
                raise _senseless(file, f"{name}, {key}", f"it is {_shown(value)}")


def _shown(value: object) -> str:
    """Return a value of any length in few words."""
    if isinstance(value, int) and not isinstance(value, bool):
        return number(value) if abs(value) < 10**15 else "a number of very many digits"
    if isinstance(value, str):
        return f"“{value}”" if len(value) < 40 else f"a text of {number(len(value))} characters"
    return str(value) if isinstance(value, bool | float) else "a list of values"


def _senseless(file: str, name: str, why: str) -> ModelError:
    return ModelError(
        "The model's configuration makes no sense",
        f"{file} gives a {name} that no model has: {why}. Copy or download the file again, or choose another model.",
    )
