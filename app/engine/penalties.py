"""The penalties of tokens that stand in the context already: repetition, presence and frequency.

They are as in mlx-lm's `make_repetition_penalty`, `make_presence_penalty` and `make_frequency_penalty`, with one
difference: they look at every token of the context, restored or computed, or at as many of the last ones as a person
says, as otherwise a warm answer would differ from a cold one.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence

import mlx.core as mx

from app.protocol.chat import Sampling


class Penalties:
    """The penalties of one answer, which see each token before its value is known. Owned by the model thread."""

    def __init__(self, sampling: Sampling, context: Sequence[int]) -> None:
        """Count the tokens of the context, or the last `sampling.penalty_range` of them."""
        self._repetition = sampling.repetition_penalty
        self._presence = sampling.presence_penalty
        self._frequency = sampling.frequency_penalty
        self._is_off = self._repetition == 1 and not self._presence and not self._frequency
        self._range = sampling.penalty_range
        self._context = () if self._is_off else context[-(self._range or len(context)) :]
        self._leaving: deque[int | mx.array] | None = deque(self._context) if self._range is not None else None
        self._counts: mx.array | None = None

    def apply(self, logits: mx.array) -> mx.array:
        """Return penalized logits [1, vocabulary], of which the given ones are left as they are."""
        if self._is_off:
            return logits
        if self._counts is None:
            self._counts = _counted(self._context, logits.shape)
        is_seen = self._counts > 0
        if self._repetition != 1:  # sign-aware, and once for each token: arXiv:1909.05858
            scaled = mx.where(logits < 0, logits * self._repetition, logits / self._repetition)
            logits = mx.where(is_seen, scaled, logits)
        if self._presence:
            logits = mx.where(is_seen, logits - self._presence, logits)
        return logits - self._frequency * self._counts if self._frequency else logits

    def add(self, token: mx.array) -> None:
        """Count a token [1] that follows; the one that leaves the range is not counted any more."""
        if self._counts is None:
            return
        self._counts = self._counts.at[:, token].add(1)
        if self._leaving is None or self._range is None:
            return
        self._leaving.append(token)
        if len(self._leaving) > self._range:
            self._counts = self._counts.at[:, mx.array(self._leaving.popleft()).reshape(1)].subtract(1)


def _counted(tokens: Sequence[int], shape: tuple[int, ...]) -> mx.array:
    counts = mx.zeros(shape, mx.float32)
    found = Counter(tokens)
    if found:
        counts[:, mx.array(list(found))] = mx.array(list(found.values()), mx.float32)
    return counts
