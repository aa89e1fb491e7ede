"""Whether live arrays are, bit for bit, what repeating their record from empty caches gives, on real tiny models."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from functools import cache as once
from typing import Any

import mlx.core as mx

from app.kvcache.layers import WindowLayer
from app.kvcache.live_layers import LiveLayers
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.replay import Replay, replay
from tests.fakes.tiny_models import new_caches, tiny_model
from tests.kvcache.history import PLENTY, History

VOCABULARY = 64
FEW = 5  # tokens of a vocabulary so small that branches meet again by chance
GRIDS = (256, 7, 0)  # tokens between two whole states; the second so small that short paths have some
CONTINUATION = 2  # tokens that both are continued by
BITS = {1: mx.uint8, 2: mx.uint16, 4: mx.uint32, 8: mx.uint64}

Part = tuple[str, mx.array]


class DifferenceError(AssertionError):
    """Live state is not what its record gives; the text says where."""


@once
def model_of(kind: str, dtype: mx.Dtype = mx.float32) -> Any:
    return tiny_model(kind, vocabulary=VOCABULARY, dtype=dtype)


def cache_of(kind: str, dtype: mx.Dtype = mx.float32, budget_bytes: int = PLENTY) -> PrefixCache:
    """An empty cache over a tiny model of this kind."""
    model = model_of(kind, dtype)
    return PrefixCache(lambda tokens, caches: model(tokens, cache=caches), new_caches(kind, model), budget_bytes)


def require_same(cache: PrefixCache, tokens: Sequence[int], fed: dict[int, mx.array]) -> None:
    """Raise DifferenceError unless the active path, which stands for `tokens`, is the replay of its record.

    fed: logits [1, vocabulary] that the last request showed, by the offset of the token that was fed.
    """
    if not tokens:
        return
    played = replay(cache, tokens)
    ours = [*_parts(cache.active.layers), *((f"logits at {at}", x[0]) for at, x in fed.items() if _is_own(cache, at))]
    theirs = [*_parts(played.layers), *((f"logits at {at}", played.logits[at]) for at in fed if _is_own(cache, at))]
    _require_bits(ours, theirs)
    _require_same_continuation(cache, played, fed.get(len(tokens) - 1))


def play(cache: PrefixCache, seed: int, steps: int, longest: int = 60) -> None:
    """Play a random history and compare after each of its steps. Raises DifferenceError and what History raises."""
    cache.grid = GRIDS[seed % len(GRIDS)]
    history = History(cache, seed, FEW if seed % 4 == 0 else VOCABULARY, seed % 2 == 1, longest)
    done: list[str] = []
    for _ in range(steps):
        done.append(history.step())
        try:
            require_same(cache, history.last[: cache.active.offset], history.fed)
        except DifferenceError as error:
            raise DifferenceError(f"{error}, after {' '.join(done)}") from error


def _parts(live: LiveLayers) -> Iterator[Part]:
    """Everything that the next token depends on, and the rows that are kept for going back."""
    for index, layer in enumerate(live.copy_rows(0, live.offset).layers if live.rows else ()):
        for number, rows in enumerate(layer):
            yield f"rows {number} of layer {index}", rows
    for index, window in enumerate(live.windows):
        assert isinstance(window, WindowLayer)
        for number, rows in enumerate(window._ring.keys_and_values()):
            # What exceeds a chunk is cut off when the next call begins: whether it was cut already is of no account.
            yield f"window {number} of layer {index}", rows[..., -window._size :, :]
        yield f"offset of window {index}", mx.array(window.offset)
        yield f"index of window {index}", mx.array(getattr(window._ring, "_idx", 0))
    for index, state in enumerate(live.states):
        for number, x in enumerate(state.arrays()):
            yield f"state {number} of layer {index}", x


def _require_bits(ours: Sequence[Part], theirs: Sequence[Part]) -> None:
    flags = []
    for (name, live), (_, again) in zip(ours, theirs, strict=True):
        if live.shape != again.shape or live.dtype != again.dtype:
            raise DifferenceError(f"{name}: {live.dtype} {live.shape} live, {again.dtype} {again.shape} replayed")
        kind = BITS[live.itemsize]
        flags.append(mx.array_equal(live.view(kind), again.view(kind)))
    mx.eval(flags)
    for flag, (name, live), (_, again) in zip(flags, ours, theirs, strict=True):
        if not flag.item():
            gap = mx.abs(live.astype(mx.float32) - again.astype(mx.float32)).max().item()
            raise DifferenceError(f"{name}: live and replayed are {gap} apart")


def _is_own(cache: PrefixCache, at: int) -> bool:
    """The row at `at` is on record as the live call log's own: rows that were stored before win over recomputed
    ones."""
    (call_log,) = [
        provenance.call_log
        for node in cache.active.path
        for provenance in node.stored.provenances
        if provenance.start <= at < provenance.end
    ] or [cache.active.layers.call_log]
    return call_log is cache.active.layers.call_log


def _require_same_continuation(cache: PrefixCache, played: Replay, logits: mx.array | None) -> None:
    """Go on greedily on both, on copies of the live arrays."""
    ours, theirs = copy.deepcopy(cache.active.layers._caches), played.layers._caches
    token = int(mx.argmax(logits).item()) if logits is not None else 1
    for step in range(CONTINUATION):
        warm, cold = (cache.forward(mx.array([[token]]), caches)[0, -1] for caches in (ours, theirs))
        name = f"logits of step {step} of the continuation"
        _require_bits([(name, warm)], [(name, cold)])
        token = int(mx.argmax(warm).item())
        assert token == int(mx.argmax(cold).item())
