"""What else a model would have said: its likeliest tokens, by its own probabilities.

They are found among the blocks with the largest logits: to partition a whole vocabulary takes several times as long.
"""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import mlx.core as mx

MOST = 8  # tokens that are found
_BLOCK = 128  # tokens of which the largest logit is compared first


class Likeliest(NamedTuple):
    """The likeliest tokens that are being computed. ids, logits: [1, 8]. total: log of the sum of all, [1, 1]."""

    ids: mx.array
    logits: mx.array
    total: mx.array

    def read(self) -> tuple[tuple[int, float], ...]:
        """Wait for the tokens with their probabilities, likeliest first; none that cannot come, none after NaN."""
        ids, logits = cast(list[list[int]], self.ids.tolist())[0], cast(list[list[float]], self.logits.tolist())[0]
        total = cast(float, self.total.item())
        if not math.isfinite(total):
            return ()
        found = [(number, math.exp(logit - total)) for number, logit in zip(ids, logits, strict=True)]
        return tuple(sorted((one for one in found if one[1] > 0), key=lambda one: (-one[1], one[0])))


def likeliest(logits: mx.array) -> Likeliest:
    """Begin to find the likeliest tokens of logits [1, vocabulary], float32, as the model gave them.

    Nothing is evaluated here. What pads the last block has no probability, as has all that is missing from a vocabulary
    of fewer tokens.
    """
    size = logits.shape[-1]
    count = -(-size // _BLOCK)
    padded = mx.pad(logits, [(0, 0), (0, count * _BLOCK - size)], constant_values=-math.inf)
    blocks = padded.reshape(count, _BLOCK)
    best = _largest(blocks.max(axis=-1), min(MOST, count))
    near = blocks[best].reshape(-1)
    index = _largest(near, MOST)
    ids = best[index // _BLOCK] * _BLOCK + index % _BLOCK
    total = mx.logsumexp(mx.logsumexp(blocks, axis=-1))  # by blocks: in one run, 32 bits lose the small ones
    return Likeliest(ids[None], near[index][None], total.reshape(1, 1))


def _largest(values: mx.array, count: int) -> mx.array:
    """Return the indices of so many largest of these values, in no order."""
    return mx.argpartition(-values, kth=count - 1)[:count]
