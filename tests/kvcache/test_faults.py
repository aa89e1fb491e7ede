"""What is broken costs recomputation and is told: never a wrong token, never a mixture of offsets."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import cache as once
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.models.cache import ArraysCache

from app.kvcache.invariants import check
from app.kvcache.layers import CacheFaultError, RowArrays, RowLayer, StateLayer, WindowLayer, flatten
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.snapshot import RowsSnapshot
from app.protocol.cache_events import CacheEventKind
from app.protocol.reports import Reason
from tests.kvcache.comparison import VOCABULARY, cache_of, require_same

PROMPT = [*range(1, 31)]
OTHER = [50, 51, 52, 53]
FORK = [*PROMPT[:20], *range(40, 60)]
POINTS = [5, 20, 29]
CALLS = (1, 3, 4, 5, 8)  # that fail: of the three or four that read FORK, and of the answer
KINDS = ["llama", "llama_quantized", "gemma3", "gpt_oss", "llama4", "lfm2", "falcon_h1", "mamba2"]
WITH_ROWS = [kind for kind in KINDS if kind != "mamba2"]
WITH_STATES = ["lfm2", "falcon_h1", "mamba2"]


def answer(cache: PrefixCache, prompt: Sequence[int], is_compared: bool = True) -> list[mx.array]:
    """Logits of a greedy answer, chunks of 8. Checks the promises afterwards; is_compared: the record too."""
    fed: dict[int, mx.array] = {}
    with cache.begin(prompt, POINTS, owner="chat") as session:
        while session.prefill(8):
            pass
        token = prompt[-1]
        for _ in range(6):
            at = cache.active.offset
            fed[at] = logits = session.decode(token)
            token = int(mx.argmax(logits).item())
    check(cache)
    if is_compared:
        require_same(cache, session.tokens(), fed)
    return [*fed.values()]


@once
def unbroken(kind: str) -> dict[tuple[int, ...], list[mx.array]]:
    """Return what a cache of this kind that nothing breaks answers to each prompt, forks included."""
    cache = cache_of(kind)
    for prompt in (PROMPT, OTHER):
        answer(cache, prompt)
    return {tuple(prompt): answer(cache, prompt) for prompt in (FORK, PROMPT, OTHER)}


@once
def cold(kind: str, prompt: tuple[int, ...]) -> list[mx.array]:
    """Return what an empty cache of this kind answers."""
    return answer(cache_of(kind), prompt)


def are_same(ours: list[mx.array], theirs: list[mx.array]) -> bool:
    return len(ours) == len(theirs) and all(bool(mx.array_equal(a, b)) for a, b in zip(ours, theirs, strict=True))


def left_for_another(kind: str) -> PrefixCache:
    """A cache whose branch over PROMPT is stored, the active path standing elsewhere."""
    cache = cache_of(kind)
    answer(cache, PROMPT, is_compared=False)
    answer(cache, OTHER, is_compared=False)
    return cache


def is_told(cache: PrefixCache, faults: int = 1) -> bool:
    return cache.faults == faults and [e.kind for e in cache.events].count(CacheEventKind.FAULT) == faults


# Ways to break the stored rows of an edge, layer by layer.
def _fewer(rows: RowArrays) -> RowArrays:
    return tuple(x[..., :-1, :] for x in rows)


def _wider(rows: RowArrays) -> RowArrays:
    return tuple(mx.concatenate([x, x], axis=3) for x in rows)


def _more_heads(rows: RowArrays) -> RowArrays:
    return tuple(mx.concatenate([x, x, x], axis=1) for x in rows)


class TestStoredStateThatDoesNotFit:
    @pytest.mark.parametrize("damage", [_fewer, _wider, _more_heads])
    @pytest.mark.parametrize("kind", WITH_ROWS)
    def test_rows_of_another_shape(self, kind: str, damage: Callable[[RowArrays], RowArrays]) -> None:
        cache = left_for_another(kind)
        answer(cache, [*PROMPT[:29], 60, 61])  # so that an edge ends where the branch is entered again
        answer(cache, OTHER)
        for node in cache.trie:
            if node.stored.rows is not None:
                last = node.stored.rows.layers[-1]
                cache.trie.set_rows(node, RowsSnapshot((*node.stored.rows.layers[:-1], damage(last))))
        self._is_computed_again(cache, kind)

    @pytest.mark.parametrize("kind", WITH_ROWS)
    def test_rows_of_too_few_layers(self, kind: str) -> None:
        cache = left_for_another(kind)
        for node in cache.trie:
            if node.stored.rows is not None:
                cache.trie.set_rows(node, RowsSnapshot(node.stored.rows.layers[:-1]))
        self._is_computed_again(cache, kind)

    @pytest.mark.parametrize("kind", WITH_STATES)
    @pytest.mark.parametrize("level", ["layers", "arrays"])
    def test_a_whole_state_with_a_part_missing(self, kind: str, level: str) -> None:
        cache = left_for_another(kind)
        for node in cache.trie:
            if node.stored.state is not None:
                layers = node.stored.state.layers
                layers = layers[:-1] if level == "layers" else (*layers[:-1], layers[-1][:-1])
                cache.trie.set_state(node, node.stored.state._replace(layers=layers))
        self._is_computed_again(cache, kind)

    @pytest.mark.parametrize("kind", WITH_ROWS)
    @pytest.mark.parametrize("layer", [0, 1])
    def test_a_restore_that_fails_half_way(self, kind: str, layer: int, monkeypatch: pytest.MonkeyPatch) -> None:
        cache = left_for_another(kind)
        broken = cache.active.layers.rows[layer % len(cache.active.layers.rows)]
        right = type(broken).write

        def write(self: RowLayer | WindowLayer, start: int, pieces: Sequence[RowArrays], last_prefill_end: int) -> None:
            if self is broken and pieces:
                raise CacheFaultError("the disk lost it")
            right(self, start, pieces, last_prefill_end)  # type: ignore[arg-type]

        monkeypatch.setattr(type(broken), "write", write)
        self._is_computed_again(cache, kind, monkeypatch)

    @pytest.mark.parametrize("kind", WITH_STATES)
    def test_a_state_that_cannot_be_put(self, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
        cache = left_for_another(kind)

        def put(layer: StateLayer, arrays: Any) -> None:
            raise CacheFaultError("the disk lost it")

        monkeypatch.setattr(StateLayer, "put", put)
        self._is_computed_again(cache, kind, monkeypatch)

    def _is_computed_again(self, cache: PrefixCache, kind: str, broken: pytest.MonkeyPatch | None = None) -> None:
        """The branch costs what a new one costs, says why, answers as from cold, and is whole afterwards."""
        with cache.begin(PROMPT, POINTS) as session:
            pass
        if broken:
            broken.undo()
        check(cache)
        assert (session.report.cached, session.report.reason) == (0, Reason.FAULT)
        assert session.report.excess == 29
        assert is_told(cache)
        assert are_same(answer(cache, PROMPT), cold(kind, tuple(PROMPT)))
        assert are_same(answer(cache, OTHER), cold(kind, tuple(OTHER)))
        assert cache.price(PROMPT).cached == 29
        assert is_told(cache)


class Moody:
    """A model that fails, or loses its mind, at a call of one's choice; `at` counts down."""

    def __init__(self, cache: PrefixCache) -> None:
        self.right = cache.forward
        self.at = -1
        self.is_mad = False
        cache.forward = cache.active.layers._forward = self

    def __call__(self, tokens: mx.array, caches: list[Any]) -> mx.array:
        self.at -= 1
        if self.at != 0:
            return self.right(tokens, caches)
        if self.is_mad:
            logits = self.right(tokens, caches)
            for cache in flatten(caches):
                _spoil(cache, tokens.shape[1])
            return logits * float("nan")
        half = len(caches) // 2
        # Layer by layer the caches take the tokens in, and only some of them have.
        self.right(tokens, [*caches[:half], *copy.deepcopy(caches[half:])])
        raise RuntimeError("out of memory")


def _spoil(cache: Any, count: int) -> None:
    """Make not-a-number of what the last call left."""
    nan = mx.array(float("nan"))
    if isinstance(cache, ArraysCache):
        cache.cache = [x * nan for x in cache.cache]
    else:
        end = getattr(cache, "_idx", cache.offset)
        cache.keys[..., end - count : end, :] = cache.values[..., end - count : end, :] = nan


class TestModelsThatFail:
    @pytest.mark.parametrize("call", CALLS)
    @pytest.mark.parametrize("kind", KINDS)
    def test_in_the_middle_of_a_call(self, kind: str, call: int) -> None:
        """The first layers have taken the tokens in, the others not."""
        cache = left_for_another(kind)
        model = Moody(cache)
        model.at = call
        with pytest.raises(RuntimeError, match="out of memory"):
            answer(cache, FORK)
        check(cache)
        assert is_told(cache)
        assert cache.active.offset == 0
        self._goes_on(cache, kind)

    @pytest.mark.parametrize("call", CALLS)
    @pytest.mark.parametrize("kind", ["llama", "gemma3", "lfm2", "falcon_h1", "mamba2"])
    def test_with_numbers_that_are_none(self, kind: str, call: int) -> None:
        """The engine sees it in the logits, which may be some calls later, and raises: nothing of it may stay."""
        cache = left_for_another(kind)
        model = Moody(cache)
        model.at, model.is_mad = call, True
        with pytest.raises(ArithmeticError):
            self._answer_and_look(cache)
        check(cache)
        assert is_told(cache)
        self._goes_on(cache, kind)

    def _answer_and_look(self, cache: PrefixCache) -> None:
        with cache.begin(FORK, POINTS, owner="chat") as session:
            while session.prefill(8):
                session.record()  # as a window does that shows the tree while it grows
            token = FORK[-1]
            for _ in range(8):
                logits = session.decode(token)
                session.record()
                if not bool(mx.isfinite(logits).all()):
                    raise ArithmeticError("not a number")
                token = int(mx.argmax(logits).item())

    def _goes_on(self, cache: PrefixCache, kind: str) -> None:
        for asked, theirs in unbroken(kind).items():
            ours = answer(cache, asked)
            tokens = [[int(mx.argmax(x).item()) for x in logits] for logits in (ours, theirs)]
            assert tokens[0] == tokens[1]
            assert all(bool(mx.allclose(a, b, atol=1e-4)) for a, b in zip(ours, theirs, strict=True))
        assert is_told(cache)


class TestTooLittleRoom:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("share", [0.0, 0.5])
    def test_a_request_larger_than_the_budget(self, kind: str, share: float) -> None:
        """It is answered all the same, exactly, with nothing stored beside it."""
        plenty = cache_of(kind)
        answer(plenty, PROMPT, is_compared=False)
        cache = cache_of(kind, budget_bytes=int(plenty.live_bytes * share))
        assert are_same(answer(cache, PROMPT), cold(kind, tuple(PROMPT)))
        assert cache.paged_bytes == 0
        assert are_same(answer(cache, OTHER), cold(kind, tuple(OTHER)))
        assert cache.faults == 0
        assert max(PROMPT) < VOCABULARY
