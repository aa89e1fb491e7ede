"""Restored state is bit for bit what repeating the recorded calls from an empty cache gives, on every kind of model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
import pytest

from app.kvcache.active_path import ActivePath
from app.kvcache.layers import CacheFaultError, ChunkLayer, RowArrays, RowLayer, StateLayer, WindowLayer
from app.kvcache.live_layers import LiveLayers
from app.kvcache.replay import replay
from app.kvcache.snapshot import RowsSnapshot, StateSnapshot
from tests.fakes.tiny_models import KINDS, dtypes
from tests.kvcache.comparison import VOCABULARY, cache_of, play, require_same
from tests.kvcache.history import History
from tests.seeds import each_seed

STEPS = 5
LONGEST = 40  # tokens of a prompt: two and a half windows
SEEDS = range(8)
SEEDS_OF_HALVES = range(4, 8)  # which state is restored does not depend on the type of its numbers
HALVES = [kind for kind in KINDS if mx.bfloat16 in dtypes(kind)]


@pytest.mark.parametrize("kind", KINDS)
@each_seed(SEEDS)
def test_whatever_people_do_each_path_is_reproduced_bit_for_bit(kind: str, seed: int) -> None:
    play(cache_of(kind), seed, STEPS, LONGEST)


@pytest.mark.parametrize("kind", HALVES)
@each_seed(SEEDS_OF_HALVES)
def test_numbers_of_16_bits_are_reproduced_bit_for_bit(kind: str, seed: int) -> None:
    play(cache_of(kind, mx.bfloat16), seed, STEPS, LONGEST)


def test_there_are_enough_of_them() -> None:
    assert len(KINDS) * len(SEEDS) + len(HALVES) * len(SEEDS_OF_HALVES) >= 180


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


@pytest.mark.parametrize("kind", ["mamba2", "lfm2", "falcon_h1"])
def test_a_replay_holds_only_the_states_that_a_later_call_begins_with(kind: str) -> None:
    """On one path of many calls the last one's; after forks and evictions those that something was rebuilt from too."""
    cache = cache_of(kind)
    with cache.begin([1, 2, 3, 4, 5]) as session:
        while session.prefill(2):
            pass
        for token in (5, *range(6, 60)):
            session.decode(token)
    played = replay(cache, range(1, 60))
    assert (len(played.logits), played.most_states) == (55, 1)
    history = History(cache, 5, VOCABULARY, True, longest=200)
    for _ in range(12):
        history.step()
        assert replay(cache, history.last).most_states <= 3


def test_a_path_that_was_not_recorded_cannot_be_replayed() -> None:
    cache = cache_of("llama")
    with pytest.raises(ValueError, match="not a recorded path"):
        replay(cache, [1, 2])


def test_logits_that_are_off_by_one_bit_are_noticed() -> None:
    cache = cache_of("llama")
    with cache.begin([1, 2, 3]) as session:
        session.prefill(8)
        logits = session.decode(3)
    require_same(cache, [1, 2, 3], {2: logits})
    flipped = (logits.view(mx.uint32) ^ mx.array([1] + [0] * 63, dtype=mx.uint32)).view(mx.float32)
    with pytest.raises(AssertionError, match="logits at 2"):
        require_same(cache, [1, 2, 3], {2: flipped})


class TestWrongRestoresAreNoticed:
    """Deliberate mistakes: each must make the comparison fail, or it would prove nothing."""

    def shift_rows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Rows come back one place off."""
        right = RowLayer.write

        def wrong(layer: RowLayer, start: int, pieces: Sequence[RowArrays], last_prefill_end: int) -> None:
            right(layer, start, [(mx.roll(rows[0], 1, 2), *rows[1:]) for rows in pieces], last_prefill_end)

        monkeypatch.setattr(RowLayer, "write", wrong)

    def leave_a_stale_row(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The first row after the fork stays that of the branch that was left."""
        right = RowLayer._assign

        def wrong(layer: RowLayer, start: int, pieces: Sequence[RowArrays]) -> None:
            rest = [tuple(x[..., 1:, :] for x in piece) for piece in pieces[:1]]
            right(layer, start + 1, [*rest, *pieces[1:]])

        monkeypatch.setattr(RowLayer, "_assign", wrong)

    def swap_layers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each layer gets another layer's rows."""
        right = LiveLayers.restore

        def wrong(
            layers: LiveLayers,
            keep: int,
            target: int,
            pieces: Sequence[RowsSnapshot] = (),
            state: StateSnapshot | None = None,
            last_prefill_end: int = 0,
        ) -> None:
            right(layers, keep, target, [RowsSnapshot(piece.layers[::-1]) for piece in pieces], state, last_prefill_end)

        monkeypatch.setattr(LiveLayers, "restore", wrong)

    def take_another_layers_offset(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """One layer believes that it stands a token further than the others, and nobody compares them."""
        right = LiveLayers.restore

        def wrong(layers: LiveLayers, keep: int, target: int, *args: Any, **options: Any) -> None:
            right(layers, keep, target, *args, **options)
            if target:
                layers.rows[-1]._cache.offset += 1  # type: ignore[attr-defined]

        monkeypatch.setattr(LiveLayers, "restore", wrong)
        monkeypatch.setattr(LiveLayers, "arrays_agree", lambda layers: True)

    def share_arrays(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A snapshot is the live array itself, which later calls write into."""
        monkeypatch.setattr(RowLayer, "copy", lambda layer, start, end: (layer._cache.keys, layer._cache.values))

    def stale_states(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The state of the branch that was left stays."""
        monkeypatch.setattr(StateLayer, "put", lambda layer, arrays: None)
        monkeypatch.setattr(StateLayer, "clear", lambda layer: None)

    def let_recomputed_rows_win(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Rows that a fork computed again replace those that its siblings were built on."""
        monkeypatch.setattr(LiveLayers, "overwrite", lambda *_: None)

    def turn_the_ring(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The next row goes one slot further than it should, in a ring that is full."""
        right = WindowLayer._rebuild

        def wrong(layer: WindowLayer, last_prefill_end: int) -> None:
            right(layer, last_prefill_end)
            ring = layer._ring
            if ring.offset > ring.max_size:
                ring._idx = ring.keep + (ring._idx - ring.keep + 1) % (ring.max_size - ring.keep)

        monkeypatch.setattr(WindowLayer, "_rebuild", wrong)

    def forget_last_prefill_end(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The ring is laid out as if every token had come alone."""
        monkeypatch.setattr(ActivePath, "_last_prefill_end", lambda path, at, more=(): 0)

    def begin_the_window_late(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A chunk lacks its oldest row."""
        right = ChunkLayer._rebuild

        def wrong(layer: ChunkLayer, last_prefill_end: int) -> None:
            right(layer, last_prefill_end)
            if layer._ring.offset > 1:
                layer._ring.keys, layer._ring.values = layer._ring.keys[..., 1:, :], layer._ring.values[..., 1:, :]
                layer._ring.start_position += 1

        monkeypatch.setattr(ChunkLayer, "_rebuild", wrong)

    @pytest.mark.parametrize(
        ("kind", "mistake"),
        [
            ("llama", "shift_rows"),
            ("llama_quantized", "shift_rows"),
            ("llama", "leave_a_stale_row"),
            ("gemma3", "leave_a_stale_row"),
            ("llama", "swap_layers"),
            ("llama", "take_another_layers_offset"),
            ("lfm2", "take_another_layers_offset"),
            ("llama", "share_arrays"),
            ("lfm2", "stale_states"),
            ("mamba2", "stale_states"),
            ("falcon_h1", "let_recomputed_rows_win"),
            ("gemma3", "turn_the_ring"),
            ("gpt_oss", "turn_the_ring"),
            ("gemma3", "forget_last_prefill_end"),
            ("llama4", "begin_the_window_late"),
        ],
    )
    def test_it(self, kind: str, mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
        getattr(self, mistake)(monkeypatch)
        assert any(is_noticed(kind, seed) for seed in range(6))


def is_noticed(kind: str, seed: int) -> bool:
    """A history ends with arrays that differ from their replay, or does not end at all."""
    try:
        play(cache_of(kind), seed, 8, LONGEST)
    except (AssertionError, CacheFaultError, ValueError):
        return True
    return False
