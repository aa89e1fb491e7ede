"""Whatever a model's own code raises ends that request and nothing else, at any call and in any state of its caches."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.models.cache import ArraysCache, ConcatenateKVCache

from app.kvcache.invariants import check
from app.kvcache.layers import CacheFaultError, flatten
from app.kvcache.prefix_cache import PrefixCache
from tests.kvcache import ballast
from tests.seeds import chosen

ERRORS = (RuntimeError, KeyError, MemoryError, ZeroDivisionError, CacheFaultError, AttributeError)
FIRST = [*range(1, 24)]
FORK = [*FIRST[:9], *range(30, 44)]
CALLS = 16  # more than a request takes
CHUNK = 4
BUDGET = 1 << 26


class Failing:
    """A model that raises at one call of one's choice: before it, in its midst, or after it spoilt its caches."""

    def __init__(self, layers: str, seed: int) -> None:
        self._right = ballast.Ballast(layers)
        self._random = random.Random(seed)
        self.new_caches = self._right.new_caches
        self.left = -1  # calls up to the one that fails
        self.error: Exception | None = None

    def __call__(self, tokens: mx.array, caches: list[Any]) -> mx.array:
        self.left -= 1
        if self.left != 0:
            return self._right(tokens, caches)
        self.error = self._random.choice(ERRORS)("on purpose")
        how = self._random.choice(["before", "between", "after", "spoilt", "later"])
        if how == "later":  # what a call gives is computed only when it is looked at
            return self._right(tokens, caches) + _failing_array(self.error)
        if how == "between":
            self._right(tokens, [*caches[: len(caches) // 2], *self.new_caches()[len(caches) // 2 :]])
        elif how != "before":
            self._right(tokens, caches)
        for cache in flatten(caches) if how == "spoilt" else ():
            self._spoil(cache)
        raise self.error

    def _spoil(self, cache: Any) -> None:
        if isinstance(cache, ArraysCache):
            cache.cache = self._random.choice([[], [None], ["nonsense"] * 2])
        elif self._random.random() < 0.5:
            cache.offset += self._random.choice([-3, 1, 1000])
        else:
            cache.keys = None


def _failing_array(error: Exception) -> mx.array:
    raise error


def ask(cache: PrefixCache, prompt: Sequence[int]) -> list[mx.array]:
    """The logits [1, vocabulary] of an answer's tokens, each launched, one of them taken back."""
    fed = []
    with cache.begin(prompt, [5, 9, 20], owner="chat") as session:
        while session.prefill(CHUNK):
            pass
        fed.append(session.decode(prompt[-1]))
        for token in range(1, 4):
            session.launch(mx.array([token + 1]))
            session.retract()
            fed.append(session.launch(mx.array([token])))
            session.confirm(token)
        session.launch(mx.array([1]))
    mx.eval(fed)
    return fed


@pytest.fixture(autouse=True)
def small_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ballast, "STATE", 64)
    monkeypatch.setattr(ballast, "WIDTH", 64)
    monkeypatch.setattr(ballast, "WINDOW", 12)


@pytest.mark.parametrize("mix", ballast.MIXES)
def test_a_call_that_fails_ends_its_request_alone(mix: str) -> None:
    layers = ballast.MIXES[mix]
    sound = Failing(layers, 0)
    cold = PrefixCache(sound, sound.new_caches, BUDGET)
    right = [ask(cold, prompt) for prompt in (FIRST, FORK)]
    for seed in chosen(range(2 * CALLS)):
        model = Failing(layers, seed)
        cache = PrefixCache(model, model.new_caches, BUDGET)
        if seed % 4:
            ask(cache, FIRST if seed % 2 else FORK)
        model.left = 1 + seed // 2
        raised = None
        try:
            ask(cache, FORK)
        except Exception as error:
            raised = error
        assert raised is model.error, f"seed {seed}: {model.error!r} is told as {raised!r}"
        assert cache.faults == (raised is not None), f"seed {seed}"
        check(cache)
        model.left = -1
        for prompt, wanted in zip((FORK, FIRST, FORK), (right[1], right[0], right[1]), strict=True):
            given = ask(cache, prompt)
            check(cache)
            assert all(bool(mx.allclose(a, b)) for a, b in zip(given, wanted, strict=True)), f"seed {seed}"
        cache.close()
        check(cache)


def test_what_fails_only_when_it_is_computed_ends_its_request_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session that ends well brings its arrays to rest, and a model may fail even then."""
    model = Failing("rs", 0)
    cache = PrefixCache(model, model.new_caches, BUDGET)
    ask(cache, FIRST)
    session = cache.begin(FORK)
    error = RuntimeError("out of memory")
    session.prefill(CHUNK)
    with monkeypatch.context() as patch:
        patch.setattr(cache.active.layers, "evaluate", lambda: _failing_array(error))
        with pytest.raises(RuntimeError) as raised, session:
            pass
    assert raised.value is error
    check(cache)
    ask(cache, FORK)
    check(cache)


def test_a_model_of_an_unknown_kind_is_closed_after_an_answer() -> None:
    def forward(tokens: mx.array, caches: list[Any]) -> mx.array:
        rows = mx.ones((1, 1, tokens.shape[1], 2))
        caches[0].update_and_fetch(rows, rows)
        return mx.zeros((1, tokens.shape[1], 8))

    cache = PrefixCache(forward, lambda: [ConcatenateKVCache()], BUDGET)  # type: ignore[no-untyped-call]
    with cache.begin([1, 2, 3]) as session:
        session.prefill(8)
        session.decode(3)
    cache.close()
    check(cache)
    assert cache.active.offset == 0
