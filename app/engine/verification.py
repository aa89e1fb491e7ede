"""Checking the cache on the person's own model: what is held of a branch against computing it again.

Two different figures. Exact: repeating the recorded forward calls from empty caches must give the same rows, states and
logits, bit for bit. Drift: the same tokens computed in another way, as one prefill, give logits that differ by the
rounding of the model's arithmetic; that is no fault of the cache, but tells how much a branch may depend on its past.

It goes on in small steps, so that the engine obeys whatever is asked meanwhile, and takes the memory of the branch once
more, and of one layer.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from typing import cast

import mlx.core as mx

from app.engine.model import LoadedModel
from app.engine.problems import RequestError
from app.kvcache.lane import Lane
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.replay import replay_steps
from app.protocol.commands import Verify
from app.protocol.events import Verified
from app.protocol.reports import Problem

# Tokens of one call of a plain prefill, as mlx-lm does it.
_STEP = 2048


class Check:
    """Compares what is cached of a branch. No session may be open; the branch's path is the live one afterwards, and
    must stay it until the end.

    `outcome` is set when `steps` has run to its end.
    """

    def __init__(self, command: Verify, model: LoadedModel, cache: PrefixCache) -> None:
        self.command = command
        self.outcome: Verified | None = None
        self._model, self._cache = model, cache

    def steps(self) -> Iterator[None]:
        """Each step makes one recorded call again, or compares one layer, or computes a chunk plainly."""
        begun = time.perf_counter()
        try:
            prompt = self._model.prompts.build(self.command.turns).ids
        except RequestError as error:
            self.outcome = refusal(self.command, error.problem)
            return
        held = self._cache.price(prompt).cached
        if held == 0:
            self.outcome = refusal(self.command, _nothing_held(self._cache))
            return
        tokens, following = prompt[:held], prompt[held]
        logits = _warm(self._cache, tokens, following)
        yield
        first: int | None = 0
        drift = 0.0
        if logits is not None:
            first = yield from _first_difference(self._cache, tokens, following, logits)
            drift = _largest(logits - (yield from _plain(self._model, tokens, following)))
        seconds = time.perf_counter() - begun
        self.outcome = Verified(self.command.query_id, held, first is None, first, drift, seconds)


def refusal(command: Verify, problem: Problem) -> Verified:
    """The answer where nothing could be compared."""
    return Verified(command.query_id, 0, False, None, 0.0, 0.0, problem)


def _nothing_held(cache: PrefixCache) -> Problem:
    if cache.unsupported:
        return Problem(
            "There is nothing to check",
            f"The model's cache kind {cache.unsupported} is not kept, so nothing is reused.",
        )
    return Problem("There is nothing to check", "Nothing of this branch is cached now. Continue it once, then check.")


def _warm(cache: PrefixCache, tokens: Sequence[int], following: int) -> mx.array | None:
    """Go to the end of the tokens as a request would; the logits [1, vocabulary] after one more, which is taken back.

    None when what is stored did not fit together.
    """
    with cache.begin((*tokens, following), is_check=True) as session:
        if session.report.cached != len(tokens):
            return None
        logits = session.launch(mx.array([following]))
        mx.eval(logits)
        session.retract()
    return logits


def _first_difference(
    cache: PrefixCache, tokens: Sequence[int], following: int, warm_logits: mx.array
) -> Generator[None, None, int | None]:
    """The offset of the first token whose live rows differ; the end for whole states and logits; None for nothing."""
    repeated = (yield from replay_steps(cache, tokens, keeps_logits=False)).lane
    differing = []
    for index in range(len(repeated.rows)):
        differing.append(_differing_layer(cache.lane, repeated, index))
        yield
    found = [at for at in differing if at is not None]
    if found:
        return min(found)
    states = [(live.take(), again.take()) for live, again in zip(cache.lane.states, repeated.states, strict=True)]
    same = all(_same(one, other) for live, again in states for one, other in zip(live, again, strict=True))
    same = same and _same(warm_logits, repeated.compute((following,))[:, -1, :])
    return None if same else len(tokens)


def _differing_layer(live: Lane, again: Lane, index: int) -> int | None:
    """The first token at which one layer's rows differ, looked at in parts."""
    for start in range(0, live.offset, _STEP):
        end = min(start + _STEP, live.offset)
        parts = zip(live.rows[index].copy(start, end), again.rows[index].copy(start, end), strict=True)
        found = [at for at in (_differing_row(*part) for part in parts) if at is not None]
        if found:
            return start + min(found)
    return None


def _differing_row(one: mx.array, other: mx.array) -> int | None:
    """The first token at which two arrays of rows differ in any bit."""
    differs = mx.any(one.view(mx.uint8) != other.view(mx.uint8), axis=(0, 1, 3))
    return cast(int, mx.argmax(differs).item()) if mx.any(differs).item() else None


def _same(one: mx.array | None, other: mx.array | None) -> bool:
    """Equal in shape and in every bit."""
    if one is None or other is None:
        return one is other
    return one.shape == other.shape and bool(mx.array_equal(one.view(mx.uint8), other.view(mx.uint8)))


def _plain(model: LoadedModel, tokens: Sequence[int], following: int) -> Generator[None, None, mx.array]:
    """Logits [1, vocabulary] after the tokens and one more, by a prefill from empty caches."""
    caches = model.new_caches()
    for start in range(0, len(tokens), _STEP):
        model.forward(mx.array([list(tokens[start : start + _STEP])]), caches)
        mx.eval([cache.state for cache in caches])
        yield
    return model.forward(mx.array([[following]]), caches)[:, -1, :]


def _largest(difference: mx.array) -> float:
    """The largest absolute value; infinite where there are no numbers."""
    largest = mx.max(mx.abs(difference.astype(mx.float32)))
    return cast(float, largest.item()) if mx.isfinite(largest).item() else float("inf")
