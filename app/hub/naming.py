"""Parameters and bits of a model, from what its repository is called and what the hub counted."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PARAMETERS = re.compile(
    r"(?<![A-Za-z0-9.])(?:(\d{1,3})x)?(\d{1,4}(?:\.\d{1,3})?)([bmt])(?![A-Za-z0-9])", re.IGNORECASE
)
_SCALES = {"m": 1e6, "b": 1e9, "t": 1e12}
_BITS = re.compile(r"(?<![A-Za-z0-9])(?:(\d(?:\.\d)?)[-_]?bits?|q(\d)|(?:mx|nv)fp(\d)|int(\d))(?![A-Za-z0-9])", re.I)
_WHOLE = re.compile(r"(?<![A-Za-z0-9])(?:bf16|fp16|f16|float16|bfloat16)(?![A-Za-z0-9])", re.I)
_BYTES = {"F64": 8.0, "I64": 8.0, "U64": 8.0, "F32": 4.0, "I32": 4.0, "U32": 4.0}
_BYTES |= {"BF16": 2.0, "F16": 2.0, "I16": 2.0, "U16": 2.0, "BOOL": 1.0, "F4": 0.5}
_SCALES_SHARE = 0.5  # bits for each parameter of scales and biases, in groups of 64


def parameters(name: str) -> int:
    """Return how many parameters a name tells of, 0 where it tells of none: 8_000_000_000 for "Qwen3-8B-4bit".

    Of several numbers the largest counts: in "30B-A3B" the second are those used for one token.
    """
    found = [float(n) * _SCALES[unit.lower()] * int(times or 1) for times, n, unit in _PARAMETERS.findall(name)]
    return round(max(found, default=0))


def bits(name: str) -> float:
    """Return how many bits a parameter has by the name, 0.0 where it does not tell."""
    found = _BITS.search(name)
    if found is not None:
        return float(next(group for group in found.groups() if group))
    return 16.0 if _WHOLE.search(name) else 0.0


def bytes_of(counts: Mapping[str, int]) -> int:
    """Return the bytes of tensors that the hub has counted by their kind, "BF16" or "U32"."""
    return round(sum(number * _BYTES.get(kind, 1.0) for kind, number in counts.items()))


def bytes_about(count: int, precision: float) -> int:
    """Return about how many bytes so many parameters take, at so many bits each and what groups of 64 add."""
    return round(count * (precision + (_SCALES_SHARE if precision < 16 else 0.0)) / 8)
