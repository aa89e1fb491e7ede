"""Restored state is bit for bit what repeating the recorded calls from an empty cache gives, on real layers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import mlx.core as mx
import pytest
from mlx_lm.models.cache import make_prompt_cache

from app.kvcache.lane import Lane
from app.kvcache.layers import CacheFaultError, RowArrays, RowLayer, StateLayer
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.replay import replay
from app.kvcache.snapshot import RowsSnapshot, StateSnapshot
from tests.fakes.tiny_models import tiny_model
from tests.kvcache.history import History

VOCABULARY = 64
KINDS = ["llama", "lfm2", "falcon_h1", "mamba2", "qwen3_5", "gemma3"]


def cache_of(kind: str) -> PrefixCache:
    model = tiny_model(kind, vocabulary=VOCABULARY)
    return PrefixCache(lambda tokens, caches: model(tokens, cache=caches), lambda: make_prompt_cache(model), 1 << 30)


def arrays(lane: Lane) -> Iterator[mx.array]:
    """Everything that the next token's logits depend on."""
    for rows in lane.copy_rows(0, lane.offset).layers if lane.rows else ():
        yield from rows
    for window in lane.windows if lane.offset else ():
        yield from window._ring.keys_and_values()
        yield mx.array(getattr(window._ring, "_idx", 0))
    for layer in lane.states:
        yield from layer.arrays()


def difference(cache: PrefixCache, tokens: list[int]) -> float:
    """The largest difference between the live arrays and a replay of their path; 0 when each bit is the same."""
    played = replay(cache, tokens)
    pairs = list(zip(arrays(cache.lane), arrays(played.lane), strict=True))
    return max(0.0 if bool(mx.array_equal(ours, theirs)) else gap(ours, theirs) for ours, theirs in pairs)


def gap(ours: mx.array, theirs: mx.array) -> float:
    return float(mx.abs(ours - theirs).max()) or 1e-30


def play(kind: str, seed: int, steps: int) -> float:
    """The largest difference that a random history comes to."""
    cache = cache_of(kind)
    budgets = (20_000, 60_000, 1 << 30) if seed % 2 else ()
    history = History(cache, seed, 5 if seed < 2 else VOCABULARY, budgets, longest=80)
    worst = 0.0
    for _ in range(steps):
        history.step()
        if cache.lane.offset and cache.lane.offset == len(history.last):
            worst = max(worst, difference(cache, list(history.last)))
    return worst


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_every_path_is_reproduced_bit_for_bit(kind: str, seed: int) -> None:
    assert play(kind, seed, 12) == 0.0


def test_logits_of_single_tokens_are_replayed() -> None:
    cache = cache_of("lfm2")
    prompt = [1, 2, 3, 4, 5]
    with cache.begin(prompt, [4]) as session:
        session.prefill(3)
        session.prefill(3)
        first = session.decode(5)
        second = session.decode(7)
        mx.eval(first, second)
    played = replay(cache, [*prompt, 7])
    assert {4, 5} <= played.logits.keys()
    assert bool(mx.array_equal(played.logits[4], first[0]))
    assert bool(mx.array_equal(played.logits[5], second[0]))


def test_a_path_that_was_not_recorded_cannot_be_replayed() -> None:
    cache = cache_of("llama")
    with pytest.raises(ValueError, match="not a recorded path"):
        replay(cache, [1, 2])


class TestWrongRestoresAreNoticed:
    """Deliberate mistakes: each must make the comparison above fail, or it would prove nothing."""

    def shift_rows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Rows come back one place off."""
        right = RowLayer.write

        def wrong(layer: RowLayer, start: int, pieces: Sequence[RowArrays], multi_end: int) -> None:
            right(layer, start, [(mx.roll(keys, 1, axis=2), values) for keys, values in pieces], multi_end)

        monkeypatch.setattr(RowLayer, "write", wrong)

    def swap_layers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each layer gets another layer's rows."""
        right = Lane.restore

        def wrong(
            lane: Lane,
            keep: int,
            target: int,
            pieces: Sequence[RowsSnapshot] = (),
            state: StateSnapshot | None = None,
            multi_end: int = 0,
        ) -> None:
            right(lane, keep, target, [RowsSnapshot(piece.layers[::-1]) for piece in pieces], state, multi_end)

        monkeypatch.setattr(Lane, "restore", wrong)

    def share_arrays(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A snapshot is the live array itself, which later calls write into."""
        monkeypatch.setattr(RowLayer, "copy", lambda layer, start, end: (layer._cache.keys, layer._cache.values))

    def stale_states(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The state of the branch that was left stays."""
        monkeypatch.setattr(StateLayer, "put", lambda layer, arrays: None)
        monkeypatch.setattr(StateLayer, "clear", lambda layer: None)

    def let_recomputed_rows_win(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Rows that a fork computed again replace those that its siblings were built on."""
        monkeypatch.setattr(Lane, "overwrite", lambda *_: None)

    @pytest.mark.parametrize(
        ("kind", "mistake"),
        [
            ("llama", "shift_rows"),
            ("llama", "swap_layers"),
            ("llama", "share_arrays"),
            ("lfm2", "stale_states"),
            ("mamba2", "stale_states"),
            ("falcon_h1", "let_recomputed_rows_win"),
        ],
    )
    def test_it(self, kind: str, mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
        getattr(self, mistake)(monkeypatch)
        assert any(is_noticed(kind, seed) for seed in range(4))


def is_noticed(kind: str, seed: int) -> bool:
    """A history ends with arrays that differ from their replay, or does not end at all."""
    try:
        return play(kind, seed, 12) > 0.0
    except (AssertionError, CacheFaultError, ValueError):
        return True
