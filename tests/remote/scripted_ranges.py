"""What servers refuse of settings, after their sources and documents: mlx_lm's server and sample_utils; vLLM's and
SGLang's sampling_params; Ollama's and llama.cpp's types; LM Studio's fields; OpenAI's reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

VOCABULARY = 1024  # tokens, of the least model that anybody serves
_WHOLE = {"top_k", "max_tokens", "max_new_tokens", "n_predict", "num_predict", "num_ctx", "seed", "repeat_last_n"}
_INT32 = 1 << 31


def refusals(kind: str, body: Mapping[str, Any], context: int = 1 << 20) -> list[str]:
    """Return what a kind of server refuses of a request's settings. context: tokens that its model reads."""
    return list(_refusals(kind, body, context))


def _refusals(kind: str, body: Mapping[str, Any], context: int) -> Iterator[str]:
    for name, value in body.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if name in _WHOLE and not (isinstance(value, int) and -_INT32 <= value < _INT32):
            yield f"{name} {value!r} is no int32"
        if is_number and not _is_within(kind, name, value):
            yield f"{name} {value!r} is out of range"
    if kind == "mlx_lm.server":
        yield from (name for name in ("xtc_probability", "xtc_threshold") if not isinstance(body[name], float))
    length = body.get("max_tokens", body.get("max_new_tokens"))
    if kind in ("vLLM", "SGLang") and length is not None and length >= context:
        yield "there is no room for so many tokens in the model's context length"


def _is_within(kind: str, name: str, value: float) -> bool:
    if name == "top_p":
        return 0 < value <= 1 if kind in ("vLLM", "SGLang") else 0 <= value <= 1
    if name == "min_p" or name.startswith("xtc_"):
        return 0 <= value <= 1
    if name == "temperature":
        return 0 <= value <= (2 if kind in ("vLLM", "OpenAI’s interface") else 1e9)
    if name in ("repetition_penalty", "repeat_penalty"):
        return 0 < value <= (2 if kind == "SGLang" else 1e9)
    if name in ("presence_penalty", "frequency_penalty"):
        return -2 <= value <= 2
    if name == "top_k":
        least = {"SGLang": 1, "mlx_lm.server": 0, "vLLM": -1}.get(kind, -_INT32)
        most = {"mlx_lm.server": VOCABULARY - 1, "LM Studio": 500}.get(kind, _INT32)
        return least <= value <= most or (kind == "SGLang" and value == -1)
    if name == "repeat_last_n":
        return -1 <= value <= 1 << 20  # it makes room for so many
    return True
