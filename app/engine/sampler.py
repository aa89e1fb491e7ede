"""The choice of the next token from logits.

Random numbers come from a key of the run's own, one split for each token: the same seed, settings and logits give the
same tokens, whatever else runs between them.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, cast

import mlx.core as mx
from mlx_lm.sample_utils import apply_min_p, apply_top_k, apply_top_p

from app.engine.alternatives import device_log_total
from app.engine.penalties import Penalties
from app.prompting.problems import RequestError
from app.protocol.chat import Sampling

_Filter = Callable[[mx.array, mx.array], mx.array]
_SORTED = 2048  # tokens that are sorted at once; more are halved first
_LARGEST = float(mx.finfo(mx.float32).max)  # infinity times the largest logit, which is 0, would be no number
_begin: Callable[..., None] = mx.async_eval  # evaluates without waiting; mlx leaves it untyped


class Draw(NamedTuple):
    """A token to be computed. token: [1]. largest: of its logits, [1, 1], a number only if all of them are.

    logits: [1, vocabulary], as the model gave them, where they are wanted. log_total: as of `device_log_total`.
    """

    token: mx.array
    largest: mx.array
    logits: mx.array | None = None
    log_total: mx.array | None = None

    def begin(self) -> None:
        """Begin to compute it. On a processor it returns when there is little left of what was begun before."""
        _begin(*(array for array in self if array is not None))


def draw_seed() -> int:
    """Draw a seed for a run that was given none."""
    return secrets.randbits(32)


class Sampler:
    """A sampler of one answer's tokens, in order. Owned by the model thread."""

    def __init__(
        self,
        sampling: Sampling,
        seed: int,
        context: Sequence[int],
        bias: Mapping[int, float] | None = None,
        ends: Collection[int] = (),
        *,
        keeps_logits: bool = False,
    ) -> None:
        """Check the settings: RequestError when they mean nothing.

        context: every token before the answer. bias: what is added to the logits of tokens. ends: tokens that XTC never
        takes away. keeps_logits: each draw keeps the model's own. Each token given has a logit: MLX does not check.
        """
        _check(sampling)
        self._keeps_logits = keeps_logits
        self._temperature = sampling.temperature
        self._key = mx.random.key(seed & 0xFFFF_FFFF_FFFF_FFFF)
        self._filters = _filters(sampling, ends)
        self._penalties = Penalties(sampling, context)
        self._bias = None if not bias else (mx.array(list(bias)), mx.array(list(bias.values()), mx.float32))

    def next(self, logits: mx.array) -> int:
        """Choose the next token from logits [1, vocabulary]. Raises RequestError when they are not numbers."""
        return self.read(self.draw(logits))

    def draw(self, logits: mx.array) -> Draw:
        """Have the next token chosen from logits [1, vocabulary], once that is begun or waited for."""
        logits = logits.astype(mx.float32)
        given = (logits, device_log_total(logits)) if self._keeps_logits else ()
        if self._bias is not None:
            logits = logits.at[:, self._bias[0]].add(self._bias[1])
        logits = self._penalties.apply(logits)
        largest = mx.max(logits, axis=-1, keepdims=True)
        token = mx.argmax(logits, axis=-1) if self._temperature == 0 else self._choose(logits - largest)
        self._penalties.add(token)
        return Draw(token, largest, *given)

    def read(self, draw: Draw) -> int:
        """Wait for a token. Raises RequestError when its logits were not numbers."""
        token = cast(int, draw.token.item())
        if not math.isfinite(cast(float, draw.largest.item())):
            raise RequestError(
                "The model stopped making sense",
                "Its output is not a number any more. Regenerate the answer, or try another model.",
            )
        return token

    def _choose(self, logits: mx.array) -> mx.array:
        """Draw from logits of which none is above 0, so that their exponentials are finite."""
        self._key, now = mx.random.split(self._key)
        for keep in self._filters:
            logits = keep(logits, now)
        return mx.random.categorical(logits * min(1 / self._temperature, _LARGEST), key=now)


def _check(sampling: Sampling) -> None:
    problem = sampling.problem()
    if problem:
        raise RequestError("These sampling settings mean nothing", f"{problem} Put it right and send again.")


def _filters(sampling: Sampling, ends: Collection[int]) -> list[_Filter]:
    """Return the filters of the vocabulary, in mlx-lm's order. Zero, or for top-p one, switches a filter off."""
    filters: list[_Filter] = []
    if 0 < sampling.top_p < 1:
        filters.append(lambda logits, _key: _top_p(logits, sampling.top_p))
    if sampling.min_p > 0:
        filters.append(lambda logits, _key: apply_min_p(logits, sampling.min_p, 1))
    if sampling.xtc_probability > 0:
        kept = mx.array(sorted(ends)) if ends else None
        filters.append(lambda logits, key: _xtc(logits, key, sampling, kept))
    if sampling.top_k > 0:
        filters.append(lambda logits, _key: _top_k(logits, sampling.top_k))
    return filters


def _top_p(logits: mx.array, top_p: float) -> mx.array:
    """Keep the likeliest tokens that make up `top_p`, as mlx-lm's `apply_top_p` does.

    Instead of sorting the whole vocabulary, which on the CPU takes most of a token's time, halve it until what is left,
    and has the least likely kept token in it, is short. On a GPU a partition is a sort itself, and mlx-lm's is called.
    """
    if mx.default_device() != mx.Device(mx.cpu):
        filtered: mx.array = apply_top_p(logits, top_p)
        return filtered
    probs = mx.exp(logits)
    wanted = top_p * _mass(probs)
    left, mass_above_left = probs, mx.zeros_like(wanted)
    while (size := left.shape[-1]) > _SORTED:
        half = (size + 1) // 2
        left = mx.partition(left, half - 1, axis=-1)
        mass = mass_above_left + _mass(left[:, half:])
        is_in_lower = mass < wanted
        left = mx.where(is_in_lower, left[:, :half], left[:, size - half :])
        mass_above_left = mx.where(is_in_lower, mass, mass_above_left)
    left = mx.sort(left, axis=-1)
    mass_above = mass_above_left + mx.cumsum(left, axis=-1, reverse=True, inclusive=False)
    dropped = (mass_above >= wanted).sum(axis=-1, keepdims=True)
    return mx.where(probs < mx.take_along_axis(left, dropped, axis=-1), -mx.inf, logits)


def _mass(probs: mx.array) -> mx.array:
    """Sum in 64 bits: in 32, a long tail of small numbers is lost."""
    return probs.astype(mx.float64).sum(axis=-1, keepdims=True)


def _xtc(logits: mx.array, key: mx.array, sampling: Sampling, kept: mx.array | None) -> mx.array:
    """Take away, now and then, all likely tokens but the least likely of them, as mlx-lm's `apply_xtc` does.

    Its randomness comes from the token's key, so that a seed decides it.
    """
    probs = mx.softmax(logits, axis=-1)
    least = mx.where(probs > sampling.xtc_threshold, probs, mx.inf).min(axis=-1, keepdims=True)
    is_removed = probs > least
    if kept is not None:
        is_removed[:, kept] = False
    is_applied = mx.random.uniform(key=mx.random.split(key)[1]) < sampling.xtc_probability
    return mx.where(is_applied & is_removed, -mx.inf, logits)


def _top_k(logits: mx.array, top_k: int) -> mx.array:
    """mlx-lm refuses a `top_k` that keeps the whole vocabulary."""
    kept: mx.array = apply_top_k(logits, top_k) if top_k < logits.shape[-1] else logits
    return kept
