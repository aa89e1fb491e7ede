"""Nothing is stored beyond the budget at any change of the account, and no operation takes more memory than its due."""

from __future__ import annotations

import gc
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.models.cache import QuantizedKVCache

from app.kvcache.budget import Budget
from app.kvcache.invariants import check
from app.kvcache.layers import RowLayer, StateLayer
from app.kvcache.live_layers import LiveLayers
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.snapshot import RowsSnapshot
from tests.kvcache.ballast import MIXES, Ballast, ballast_cache
from tests.kvcache.traffic import course
from tests.kvcache.watch import AccountError, watching
from tests.seeds import each_seed

OPERATIONS = 750  # of a course
SEEDS = range(2)
KINDS = {"begin", "prefill", "decode", "launch", "confirm", "retract", "leave", "fail", "set_budget", "price", "record"}


@pytest.mark.parametrize("mix", MIXES)
@each_seed(SEEDS)
def test_whatever_is_done_the_account_and_the_memory_hold(mix: str, seed: int) -> None:
    watch = course(mix, seed, OPERATIONS)
    assert watch.looks > OPERATIONS
    assert watch.done.keys() >= KINDS
    assert watch.cache.faults > 0, "something was to go wrong on the way"


def test_there_are_enough_of_them() -> None:
    assert len(MIXES) * len(SEEDS) * OPERATIONS > 10_000


class TestMistakesAreNoticed:
    """Each must make a course fail, or it would prove nothing."""

    def forget_to_make_room(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Budget, "make_room", lambda *_, **__: True)

    def make_room_afterwards(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The call is made first, and then what is too much goes."""
        right = Budget.make_room
        monkeypatch.setattr(Budget, "make_room", lambda budget, growth, **options: right(budget, 0, **options))

    def hold_all_layers_twice(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The buffers of a path that is left are let go of only when all layers have new ones."""
        right = LiveLayers.restore

        def wrong(layers: LiveLayers, *args: Any, **options: Any) -> None:
            held = [layer.view(0, layer.offset) for layer in layers.rows if isinstance(layer, RowLayer)]
            mx.eval(held)
            right(layers, *args, **options)
            del held

        monkeypatch.setattr(LiveLayers, "restore", wrong)

    def cut_all_layers_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """An edge that is split has both halves of all layers before the whole is let go of."""
        right = RowsSnapshot.cut

        def wrong(rows: RowsSnapshot, at: int) -> tuple[RowsSnapshot, RowsSnapshot]:
            held = rows.layers
            halves = right(rows, at)
            del held
            return halves

        monkeypatch.setattr(RowsSnapshot, "cut", wrong)

    def store_views(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """What is stored keeps the live buffer alive."""
        monkeypatch.setattr(RowLayer, "copy", RowLayer.view)

    def keep_the_chunk(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A whole state stays a view of what prefill made."""
        monkeypatch.setattr(StateLayer, "detach", lambda layer: None)

    @pytest.mark.parametrize(
        ("mistake", "mix"),
        [
            ("forget_to_make_room", "rows"),
            ("forget_to_make_room", "states"),
            ("make_room_afterwards", "rows and windows"),
            ("make_room_afterwards", "rows and states"),
            ("hold_all_layers_twice", "rows"),
            ("cut_all_layers_at_once", "rows"),
            ("store_views", "rows"),
            ("keep_the_chunk", "states"),
        ],
    )
    def test_it(self, mistake: str, mix: str, monkeypatch: pytest.MonkeyPatch) -> None:
        getattr(self, mistake)(monkeypatch)
        with pytest.raises(AccountError):
            several_courses(mix)


def several_courses(mix: str) -> None:
    for seed in range(6):
        course(mix, seed, OPERATIONS)


def test_room_is_made_for_the_state_of_a_path_that_was_empty_for_a_while() -> None:
    with watching(lambda: ballast_cache("rows and states")[0]) as watch:
        cache = watch.cache
        for first in range(3):
            with cache.begin([first, 2, 3, 4, 5]) as session:
                session.prefill(8)
        with cache.begin([7, 1]):
            pass
        with watch.moving():
            cache.set_budget(cache.paged_bytes + cache.active.layers.row_bytes)
        with cache.begin([7, 1]) as session:
            session.prefill(8)


def test_a_state_that_is_stored_already_is_never_counted_twice() -> None:
    cache, _ = ballast_cache("states")
    with cache.begin([1, 2, 3], [2]) as session:
        session.prefill(8)
    before = cache.live_bytes + cache.paged_bytes
    assert cache.active.layers.take_state() is cache.active.path[-1].stored.state
    assert cache.live_bytes + cache.paged_bytes == before


def test_a_quantized_buffer_that_was_made_anew_is_of_the_kind_that_mlx_lm_makes() -> None:
    cache = QuantizedKVCache(group_size=64, bits=8)
    rows = mx.ones((1, 2, 2000, 128))
    cache.update_and_fetch(rows, rows)
    RowLayer(cache).write(10, (), 10)
    keys, values = cache.keys_and_values()
    assert (type(keys), type(values)) == (tuple, tuple)
    assert cache.keys[0].shape[2] == 256


def test_what_leads_beyond_the_place_that_is_entered_goes_when_its_windows_need_the_room() -> None:
    with watching(lambda: ballast_cache("rows and windows")[0]) as watch:
        cache, tokens = watch.cache, list(range(1, 70))
        with cache.begin(tokens) as session:
            while session.prefill(64):
                pass
            session.decode(tokens[-1])
        with cache.begin([*tokens[:1], 99]) as session:
            pass
        with watch.moving():
            cache.set_budget(cache.live_bytes + cache.paged_bytes)
        with cache.begin(tokens) as session:
            assert session.report.cached == len(tokens) - 1
        assert cache.paged_bytes == 0


def test_room_that_a_launched_call_needs_is_not_given_away() -> None:
    with watching(lambda: ballast_cache("states")[0]) as watch:
        cache = watch.cache
        for first in range(3):
            with cache.begin([first, 2, 3, 4, 5]) as session:
                session.prefill(8)
        with cache.begin([7]) as session:
            session.launch(mx.array([7]))
            with watch.moving():
                cache.set_budget(cache.paged_bytes)
            session.confirm(7)


def test_the_empty_beginning_cannot_be_pinned() -> None:
    cache, _ = ballast_cache("states")
    assert cache.pin([1, 2, 3]) == 0
    check(cache)


@pytest.mark.parametrize("layers", ["r", "w", "c", "s", "rws"])
@pytest.mark.parametrize("budget", [1 << 30, 80 << 20])
def test_buffers_that_are_larger_than_small_arrays_are_told_and_leave_less_room(layers: str, budget: int) -> None:
    """Whatever MLX has to give, what is told with the overhead is within 2 % of what it holds, and within the budget
    but for the padding of live buffers."""
    model = Ballast(layers * (24 // len(layers)))
    gc.collect()
    mx.clear_cache()
    cache, base = PrefixCache(model, model.new_caches, budget), mx.get_active_memory()
    for first in range(10_000):
        left_over = [mx.zeros(size, dtype=mx.uint8) for size in (31 << 10, 135 << 10) for _ in range(60)]
        mx.eval(left_over)
        del left_over
        with cache.begin([first, *range(1, 25)], owner="chat") as session:
            while session.prefill(16):
                pass
        if cache.paged_bytes > 68 << 20 or cache.budget.eviction.tally.bytes:
            break
    gc.collect()
    check(cache)
    path = cache.active
    live = path.layers.allocated_bytes - (path.layers.state_bytes if path.is_state_stored else 0)
    told, active = cache.paged_bytes + live + cache.budget.overhead_bytes, mx.get_active_memory() - base
    assert abs(told - active) <= 0.02 * active, f"{told} bytes told, {active} held"
    assert cache.budget.overhead_bytes > 0.02 * told
    assert cache.live_bytes + cache.paged_bytes + cache.budget.overhead_bytes <= budget
    cache.close()
    assert cache.budget.overhead_bytes == 0
