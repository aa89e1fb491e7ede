"""The check of the cache on the person's own model: what is held of a branch against computing it again.

Two different figures. Exact: repeating the recorded forward calls from empty caches must give the same rows, states and
logits, bit for bit. Drift: the same tokens computed in another way, as one prefill, give logits that differ by the
rounding of the model's arithmetic; that is no fault of the cache, but tells how much a branch may depend on its past.

It goes on in small steps, so that the engine obeys whatever is asked meanwhile, and takes the memory of the branch once
more, and of one layer. Whether there is so much is asked before it begins and before each step.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from typing import cast

import mlx.core as mx

from app.engine.open_model import OpenModel
from app.engine.task import ModelTask
from app.kvcache.live_layers import LiveLayers
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.replay import Replay, replay_steps
from app.protocol.commands import Verify
from app.protocol.events import Verified
from app.protocol.reports import Problem

# Tokens of one call of a plain prefill, as mlx-lm does it.
_STEP = 2048
_PARTS = 4  # parts of a layer that exist at once where two are compared
_STOPPED = Problem(
    "The check was stopped", "Something else was asked before it had ended. Check again when there is time."
)
_SHORT = "There is not enough memory to check this"


class Check(ModelTask):
    """The comparison of what is cached of a branch with computing it again.

    No session may be open; the branch's path is the live one afterwards, and must stay it until the end. Each step
    makes one recorded call again, or compares one layer, or computes a chunk plainly.
    """

    gives_way = True

    def __init__(self, command: Verify, open_model: OpenModel) -> None:
        super().__init__(command.query_id)
        self._command, self._open = command, open_model
        self._model, self._cache, self._room = open_model.model, open_model.cache, open_model.step_memory

    def cancel(self) -> None:
        """End without a result."""
        self.outcome = refusal(self._command, _STOPPED)

    def _refusal(self, problem: Problem) -> Verified:
        return refusal(self._command, problem)

    def _work(self) -> Generator[None, None, None]:
        begun = time.perf_counter()
        prompt = (yield from self._open.read(self._command.turns, self._command.options)).ids
        held = self._cache.price(prompt).cached
        if held == 0:
            self.outcome = refusal(self._command, _nothing_held(self._cache))
            return
        tokens, following = prompt[:held], prompt[held]
        self._require(1, held, self._cache.bytes_to_enter(prompt[: held + 1]))
        logits = _warm(self._cache, tokens, following)
        yield
        first: int | None = 0
        drift = 0.0
        if logits is not None:
            self._require(1, held, self._cache.active.layers.bytes_at(held))
            first = yield from self._first_difference(tokens, following, logits)
            drift = _largest(logits - (yield from self._plain(tokens, following)))
        seconds = time.perf_counter() - begun
        self.outcome = Verified(self._command.query_id, held, first is None, first, drift, seconds)

    def _require(self, tokens: int, context: int, beside: int = 0) -> None:
        """Raises ShortOfMemoryError where a call over `tokens`, after which there are `context`, cannot be made."""
        self._room.require(self._room.need(tokens, context, self._cache) + beside, _SHORT)

    def _first_difference(
        self, tokens: Sequence[int], following: int, warm_logits: mx.array
    ) -> Generator[None, None, int | None]:
        """Return the offset of the first token whose live rows differ; the end for whole states and logits, or None."""
        live = self._cache.active.layers
        repeated = (yield from self._replayed(tokens)).layers
        differing = []
        for index in range(len(repeated.rows)):
            self._room.require(_PARTS * live.rows[index].row_bytes * min(_STEP, live.offset), _SHORT)
            differing.append(_differing_layer(live, repeated, index))
            yield
        found = [at for at in differing if at is not None]
        if found:
            return min(found)
        states = [(ours.take(), again.take()) for ours, again in zip(live.states, repeated.states, strict=True)]
        same = all(_same(one, other) for ours, again in states for one, other in zip(ours, again, strict=True))
        self._require(1, len(tokens) + 1)
        same = same and _same(warm_logits, repeated.compute((following,))[:, -1, :])
        return None if same else len(tokens)

    def _replayed(self, tokens: Sequence[int]) -> Generator[None, None, Replay]:
        """Make the recorded calls of the path again, one by one."""
        steps = replay_steps(self._cache, tokens, keeps_logits=False)
        while True:
            try:
                call = next(steps)
            except StopIteration as end:
                return cast(Replay, end.value)
            self._require(call.length, call.end, self._cache.active.layers.state_bytes)
            yield

    def _plain(self, tokens: Sequence[int], following: int) -> Generator[None, None, mx.array]:
        """Logits [1, vocabulary] after the tokens and one more, by a prefill from empty caches."""
        caches = self._model.new_caches()
        for start in range(0, len(tokens), _STEP):
            chunk = tokens[start : start + _STEP]
            self._require(len(chunk), start + len(chunk))
            self._model.forward(mx.array([list(chunk)]), caches)
            mx.eval([cache.state for cache in caches])
            yield
        self._require(1, len(tokens) + 1)
        return self._model.forward(mx.array([[following]]), caches)[:, -1, :]


def refusal(command: Verify, problem: Problem) -> Verified:
    """Return the outcome of a check that could compare nothing."""
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


def _differing_layer(live: LiveLayers, again: LiveLayers, index: int) -> int | None:
    """Return the first token at which one layer's rows differ, looked at in parts."""
    for start in range(0, live.offset, _STEP):
        end = min(start + _STEP, live.offset)
        parts = zip(live.rows[index].copy(start, end), again.rows[index].copy(start, end), strict=True)
        found = [at for at in (_differing_row(*part) for part in parts) if at is not None]
        if found:
            return start + min(found)
    return None


def _differing_row(one: mx.array, other: mx.array) -> int | None:
    """Return the first token at which two arrays of rows differ in any bit."""
    differs = mx.any(one.view(mx.uint8) != other.view(mx.uint8), axis=(0, 1, 3))
    return cast(int, mx.argmax(differs).item()) if mx.any(differs).item() else None


def _same(one: mx.array | None, other: mx.array | None) -> bool:
    """Equal in shape and in every bit."""
    if one is None or other is None:
        return one is other
    return one.shape == other.shape and bool(mx.array_equal(one.view(mx.uint8), other.view(mx.uint8)))


def _largest(difference: mx.array) -> float:
    """Return the largest absolute value; infinite where there are no numbers."""
    largest = mx.max(mx.abs(difference.astype(mx.float32)))
    return cast(float, largest.item()) if mx.isfinite(largest).item() else float("inf")
