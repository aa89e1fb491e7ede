"""The context length of a model, from its configuration."""

from __future__ import annotations

from typing import Any

# Where the folder does not say; recurrent models, which have no limit, often do not.
UNSTATED = 32_768

_KEYS = (
    "max_position_embeddings",
    "max_sequence_length",
    "max_seq_len",
    "max_seq_length",
    "seq_length",
    "n_positions",
    "n_ctx",
)
# More than any model reads; keeps a number of very many digits out of what is computed and shown.
_MOST = 1 << 30
# These scale positions beyond `original_max_position_embeddings`; the others state the scaled length themselves.
_EXTENDING = ("yarn", "linear", "dynamic")


def context_length(config: dict[str, Any], tokenizer_length: int | None = None) -> int:
    """Return how many tokens a model reads at most.

    The nested `text_config` counts first where there is one, `tokenizer_length` where nothing is stated.
    """
    for part in (config.get("text_config"), config):
        if isinstance(part, dict) and (stated := _stated(part)):
            return max(stated, _extended(part))
    if tokenizer_length is not None and 0 < tokenizer_length < 10_000_000:
        return tokenizer_length
    return UNSTATED


def limited_context(own: int, limit: int | None) -> int:
    """Return how many tokens a model may read that can read `own`. limit: a person's, None for none."""
    return own if limit is None else min(own, limit)


def _stated(config: dict[str, Any]) -> int:
    values = (config.get(key) for key in _KEYS)
    return next((tokens for value in values if (tokens := _tokens(value))), 0)


def _extended(config: dict[str, Any]) -> int:
    """original length x factor, for configurations that keep the unscaled length in `max_position_embeddings`."""
    rope = config.get("rope_scaling") or config.get("rope_parameters")
    if not isinstance(rope, dict) or (rope.get("rope_type") or rope.get("type")) not in _EXTENDING:
        return 0
    original, factor = rope.get("original_max_position_embeddings"), rope.get("factor")
    if isinstance(original, int) and isinstance(factor, int | float) and original < _MOST:
        return _tokens(original * factor) if 0 < factor < _MOST else 0
    return 0


def _tokens(value: object) -> int:
    """Return a number of tokens; 0 for what is none."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not value > 0:
        return 0
    return int(min(value, _MOST))
