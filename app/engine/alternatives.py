"""What else a model would have said: its likeliest tokens, by its own probabilities.

They are looked for in the logits that are there already, by the processor, while the device computes the next token: so
they cost the answer little. They are found among the blocks with the largest logits: to partition a whole vocabulary
takes several times as long.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

import mlx.core as mx
import numpy as np

MOST = 8  # tokens that are found
_BLOCK = 128  # tokens of which the largest logit is compared first
_Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]
_Ids: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]


class Alternatives(NamedTuple):
    """The likeliest tokens with their probabilities, likeliest first, where the chosen one left so much to them.

    own: the probability of the token that was chosen. is_below: that was none of the likeliest.
    """

    own: float
    likeliest: tuple[tuple[int, float], ...] = ()
    is_below: bool = False


def alternatives(logits: mx.array, token: int, least: float) -> Alternatives | None:
    """Return what else could have stood in the place of a token, None after NaN. Waits for the logits.

    logits: [1, vocabulary], float32, as the model gave them. least: share of all below which a token is not looked for.
    """
    values: _Floats = np.asarray(logits)[0]
    with np.errstate(all="ignore"):
        largest = values.max()
        total = float(np.exp(values - largest).sum(dtype=np.float64))
        if not math.isfinite(total):
            return None
        own = math.exp(float(values[token] - largest)) / total
        if own > 1 - least:
            return Alternatives(own)
        ids = _largest_of(values)
        shares = np.exp(values[ids] - largest) / total
    found = sorted(zip(ids.tolist(), shares.tolist(), strict=True), key=lambda one: (-one[1], one[0]))
    is_below = all(number != token for number, _ in found)
    return Alternatives(own, tuple(one for one in found if one[1] >= least), is_below)


def _largest_of(values: _Floats) -> _Ids:
    """Return the ids of the largest values, in no order."""
    if values.size <= MOST * _BLOCK:
        return _partition(values)
    whole = values.size - values.size % _BLOCK
    blocks = _partition(values[:whole].reshape(-1, _BLOCK).max(axis=1))
    near = (blocks[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
    ids: _Ids = np.concatenate([near, np.arange(whole, values.size)])
    found: _Ids = ids[_partition(values[ids])]
    return found


def _partition(values: _Floats) -> _Ids:
    count = min(MOST, values.size)
    order: _Ids = np.argpartition(values, values.size - count)
    return order[values.size - count :]
