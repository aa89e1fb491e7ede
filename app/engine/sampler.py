"""The choice of the next token from logits.

Random numbers come from a key of the run's own, one split for each token: the same seed, settings and logits give the
same tokens, whatever else runs between them. The repetition penalty sees every token of the context, restored or
computed, as otherwise a warm answer would differ from a cold one.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Sequence
from typing import NamedTuple, cast

import mlx.core as mx
from mlx_lm.sample_utils import apply_min_p, apply_top_k, apply_top_p

from app.engine.problems import RequestError
from app.protocol.chat import Sampling

_Filter = Callable[[mx.array], mx.array]
_begin: Callable[..., None] = mx.async_eval  # evaluates without waiting; mlx leaves it untyped


class Draw(NamedTuple):
    """A token that is being computed. token: [1]. norm: of its logits, [1, 1], a number only when they are numbers."""

    token: mx.array
    norm: mx.array


def draw_seed() -> int:
    """Draw a seed for a run that was given none."""
    return secrets.randbits(32)


class Sampler:
    """A sampler of one answer's tokens, in order. Owned by the model thread."""

    def __init__(self, sampling: Sampling, seed: int, context: Sequence[int]) -> None:
        """Check the settings: RequestError when they mean nothing. `context`: every token before the answer."""
        _check(sampling)
        self._temperature = sampling.temperature
        self._key = mx.random.key(seed & 0xFFFF_FFFF_FFFF_FFFF)
        self._filters = _filters(sampling)
        self._penalty = sampling.repetition_penalty
        self._context = context if self._penalty != 1 else ()
        self._seen: mx.array | None = None

    def next(self, logits: mx.array) -> int:
        """Choose the next token from logits [1, vocabulary]. Raises RequestError when they are not numbers."""
        return self.read(self.draw(logits))

    def draw(self, logits: mx.array) -> Draw:
        """Begin to choose the next token from logits [1, vocabulary], and return at once."""
        logits = self._penalized(logits.astype(mx.float32))
        norm = mx.logsumexp(logits, axis=-1, keepdims=True)
        token = mx.argmax(logits, axis=-1) if self._temperature == 0 else self._choose(logits - norm)
        self._remember(token)
        _begin(token, norm)
        return Draw(token, norm)

    def read(self, draw: Draw) -> int:
        """Wait for a token. Raises RequestError when its logits were not numbers."""
        token = cast(int, draw.token.item())
        if not math.isfinite(cast(float, draw.norm.item())):
            raise RequestError(
                "The model stopped making sense",
                "Its output is not a number any more. Regenerate the answer, or try another model.",
            )
        return token

    def _choose(self, logprobs: mx.array) -> mx.array:
        for keep in self._filters:
            logprobs = keep(logprobs)
        self._key, now = mx.random.split(self._key)
        return mx.random.categorical(logprobs * (1 / self._temperature), key=now)

    def _penalized(self, logits: mx.array) -> mx.array:
        """Each token of the context once: the penalty does not grow with repetitions (arXiv:1909.05858).

        `_seen` marks them over the vocabulary, so that a token can be marked before its value is known.
        """
        if self._penalty == 1:
            return logits
        if self._seen is None:
            self._seen = mx.zeros(logits.shape, mx.bool_)
            if self._context:
                self._seen[:, mx.array(sorted(set(self._context)))] = True
        return mx.where(self._seen, mx.where(logits < 0, logits * self._penalty, logits / self._penalty), logits)

    def _remember(self, token: mx.array) -> None:
        if self._seen is not None:
            self._seen = mx.put_along_axis(self._seen, token[:, None], mx.array(True), axis=-1)


def _check(sampling: Sampling) -> None:
    wrong = sampling.first_wrong()
    if wrong is not None:
        raise RequestError(
            "These sampling settings mean nothing",
            f"The {wrong.title} must be {wrong.range}. Put it right and send again.",
        )


def _filters(sampling: Sampling) -> list[_Filter]:
    """Return the filters of the vocabulary, in mlx-lm's order. Zero, or for top-p one, switches a filter off."""
    filters: list[_Filter] = []
    if 0 < sampling.top_p < 1:
        filters.append(lambda logprobs: apply_top_p(logprobs, sampling.top_p))
    if sampling.min_p > 0:
        filters.append(lambda logprobs: apply_min_p(logprobs, sampling.min_p, 1))
    if sampling.top_k > 0:
        filters.append(lambda logprobs: _top_k(logprobs, sampling.top_k))
    return filters


def _top_k(logprobs: mx.array, top_k: int) -> mx.array:
    """mlx-lm refuses a `top_k` that keeps the whole vocabulary."""
    kept: mx.array = apply_top_k(logprobs, top_k) if top_k < logprobs.shape[-1] else logprobs
    return kept
