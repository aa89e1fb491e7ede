"""The settings of sampling that a model's authors recommend, from its generation_config.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.protocol.chat import PARAMETERS, Sampling

_LARGEST = 1e9  # of any of these numbers; keeps infinity and integers of many digits out
_READ = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")


def default_sampling(generation_config: Mapping[str, Any]) -> Sampling:
    """Return the settings that a model is sampled with unless a person says otherwise.

    What the file leaves out, or gives out of range, is as in `Sampling`. `do_sample` false means greedy.
    """
    allowed = ((name, _allowed(name, generation_config.get(name))) for name in _READ)
    chosen: dict[str, Any] = {name: value for name, value in allowed if value is not None}
    if generation_config.get("do_sample") is False:
        chosen["temperature"] = 0.0
    return replace(Sampling(), **chosen)


def _allowed(name: str, value: object) -> float | int | None:
    """Return the number as the field has it, None for one that may not be."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= _LARGEST:
        return None
    number = int(value) if name == "top_k" else float(value)
    return number if PARAMETERS[name].allows(number) else None
