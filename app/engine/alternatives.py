"""What else a model would have said: its likeliest tokens, by its own probabilities.

The device sums up what all tokens come to; the processor looks for those that are likely enough in the logits that are
there already, while the device computes the next token. It goes over them once, and for half of the tokens not at all:
on a thread that shares the interpreter with a window each array operation may wait for it.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import mlx.core as mx
import numpy as np

from app.prompting.answer_choices import Alternatives

MOST = 8  # tokens that are found
_Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]


def alternatives(logits: mx.array, log_total: float, token: int, least: float) -> Alternatives | None:
    """Return what else could have stood in the place of a token, None after NaN. Waits for the logits.

    logits: [1, vocabulary], float32, as the model gave them. log_total: the logarithm of the sum of their exponentials.
    least: share of all below which a token is not looked for.
    """
    if not math.isfinite(log_total):
        return None
    values: _Floats = np.asarray(logits)[0]
    own_logit = float(values[token])
    own = math.exp(own_logit - log_total)
    if own > 1 - least:
        return Alternatives(own)
    cut = log_total + math.log(least) if least else -math.inf
    ids = np.flatnonzero(values >= cut)
    near = sorted(zip((-values[ids]).tolist(), ids.tolist(), strict=True))[:MOST]
    likeliest = tuple((number, math.exp(-negative - log_total)) for negative, number in near)
    is_below = all(number != token for number, _ in likeliest) and _is_below(values, own_logit, len(likeliest))
    return Alternatives(own, likeliest, is_below)


def _is_below(values: _Floats, own: float, found: int) -> bool:
    """Return whether a token that was not found is none of the likeliest: fewer than those may be likely enough."""
    return found == MOST or own == -math.inf or bool(np.count_nonzero(values > own) >= MOST)
