"""What else a model would have said: its likeliest tokens, by its own probabilities.

They are found among the blocks with the largest logits: to partition a whole vocabulary takes several times as long.
"""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import mlx.core as mx

MOST = 8  # tokens that are found
_BLOCK = 128  # tokens of which the largest logit is compared first


class Alternatives(NamedTuple):
    """The likeliest tokens with their probabilities, likeliest first. own: that of the token that was chosen."""

    own: float
    likeliest: tuple[tuple[int, float], ...]


class Likeliest(NamedTuple):
    """The likeliest tokens that are being computed.

    figures: [18], of which eight are their ids, eight their logits, one the logarithm of the sum of all, one the logit
    of the chosen token. One array, as to read one takes longer than what is in it; its 32 bits hold any id exactly.
    """

    figures: mx.array

    def read(self) -> Alternatives | None:
        """Wait for the tokens. Those that cannot come are left out; None after NaN."""
        *pairs, total, own = cast(list[float], self.figures.tolist())
        if not math.isfinite(total):
            return None
        found = [
            (int(number), math.exp(logit - total)) for number, logit in zip(pairs[:MOST], pairs[MOST:], strict=True)
        ]
        found = [one for one in found if one[1] > 0]
        return Alternatives(math.exp(own - total), tuple(sorted(found, key=lambda one: (-one[1], one[0]))))


def likeliest(logits: mx.array, token: mx.array) -> Likeliest:
    """Begin to find the likeliest tokens of logits [1, vocabulary], float32, as the model gave them.

    token: [1], the one that is chosen. Nothing is evaluated here. What pads the last block has no probability, as has
    all that is missing from a vocabulary of fewer tokens.
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
    figures = [ids.astype(mx.float32), near[index], total.reshape(1), logits[0, token]]
    return Likeliest(mx.concatenate(figures))


def _largest(values: mx.array, count: int) -> mx.array:
    """Return the indices of so many largest of these values, in no order."""
    return mx.argpartition(-values, kth=count - 1)[:count]
