"""The one module that touches mlx-lm's cache objects: that they still look as it expects, and what it copies."""

from __future__ import annotations

import math
import random

import mlx.core as mx
import pytest
from mlx_lm.models.cache import ArraysCache, CacheList, ConcatenateKVCache, KVCache, RotatingKVCache

from app.kvcache.invariants import check
from app.kvcache.layers import (
    SLACK,
    STEP,
    CacheFaultError,
    RowLayer,
    StateLayer,
    UnsupportedCacheError,
    flatten,
    layers_of,
    owned,
)
from app.kvcache.snapshot import RowsSnapshot
from tests.kvcache.ledger import ask, ledger_cache


def write(cache: KVCache, start: int, count: int) -> None:
    rows = mx.arange(start, start + count).astype(mx.float32).reshape(1, 1, count, 1)
    cache.update_and_fetch(mx.broadcast_to(rows, (1, 2, count, 3)), mx.broadcast_to(rows, (1, 2, count, 4)))


def numbers(keys: mx.array) -> list[int]:
    return [int(x) for x in keys[0, 0, :, 0].tolist()]


class TestWhatMlxLmMustLookLike:
    """When a release of mlx-lm changes one of these, app/kvcache/layers has to change with it."""

    def test_rows(self) -> None:
        cache = KVCache()
        assert (cache.keys, cache.values, cache.offset) == (None, None, 0)
        write(cache, 0, 5)
        assert cache.keys.shape == (1, 2, STEP, 3)
        assert cache.values.shape == (1, 2, STEP, 4)
        assert cache.offset == 5
        cache.offset = 3
        write(cache, 7, 1)
        assert numbers(cache.keys[..., :4, :]) == [0, 1, 2, 7]

    def test_whole_states(self) -> None:
        cache = ArraysCache(2)
        assert cache.cache == [None, None]
        cache[1] = mx.ones(3)
        assert cache.cache[1] is cache[1]
        assert (cache.left_padding, cache.lengths) == (None, None)

    def test_compounds(self) -> None:
        inner = KVCache(), ArraysCache(1)
        assert flatten([CacheList(*inner), KVCache()])[:2] == list(inner)


class TestKinds:
    def test_exact_classes_only(self) -> None:
        class Odd(KVCache):
            pass

        assert isinstance(layers_of([KVCache()]).rows[0], RowLayer)
        assert isinstance(layers_of([ArraysCache(1)]).states[0], StateLayer)
        for cache in (Odd(), ConcatenateKVCache()):
            with pytest.raises(UnsupportedCacheError, match=type(cache).__name__):
                layers_of([cache])

    def test_a_window_that_keeps_all_of_itself_is_refused(self) -> None:
        with pytest.raises(UnsupportedCacheError, match="keeps 4 of 4 rows"):
            layers_of([RotatingKVCache(4, keep=4)])


class TestRows:
    def test_what_was_copied_does_not_change_with_the_live_rows(self) -> None:
        cache = KVCache()
        layer = RowLayer(cache)
        write(cache, 0, 10)
        kept = layer.copy(5, 10)
        whole = layer.copy(0, 10)
        mx.eval(kept, whole)
        layer.write(2, (), 0)
        write(cache, 50, 300)
        assert numbers(kept[0]) == [5, 6, 7, 8, 9]
        assert numbers(whole[1]) == list(range(10))
        layer.clear()
        assert numbers(kept[0]) == [5, 6, 7, 8, 9]

    def test_pieces_join_what_is_there(self) -> None:
        cache = KVCache()
        layer = RowLayer(cache)
        write(cache, 0, 10)
        pieces = [layer.copy(3, 6), layer.copy(6, 10)]
        layer.write(1, (), 0)
        with pytest.raises(CacheFaultError, match="do not join a layer at 1"):
            layer.write(3, pieces, 0)
        layer.clear()
        with pytest.raises(CacheFaultError, match="do not join"):
            layer.write(3, pieces, 0)
        layer.write(0, pieces, 0)
        assert numbers(cache.keys[..., : layer.offset, :]) == [3, 4, 5, 6, 7, 8, 9]

    def test_rows_that_are_not_there_cannot_be_copied(self) -> None:
        layer = RowLayer(KVCache())
        with pytest.raises(CacheFaultError, match="asked of a layer at 0"):
            layer.copy(0, 1)

    def test_a_long_branch_gives_its_buffer_back(self) -> None:
        cache = KVCache()
        layer = RowLayer(cache)
        write(cache, 0, 5 * SLACK)
        layer.write(10, (), 0)
        assert layer.allocated <= 10 + SLACK
        assert numbers(cache.keys[..., :10, :]) == list(range(10))

    def test_a_full_buffer_that_is_copied_whole_stays_as_it_was(self) -> None:
        cache = KVCache()
        layer = RowLayer(cache)
        write(cache, 0, STEP)
        kept = layer.copy(0, STEP)
        mx.eval(kept)
        layer.overwrite(0, (mx.zeros((1, 2, 4, 3)), mx.zeros((1, 2, 4, 4))), 0)
        assert numbers(kept[0])[:6] == [0, 1, 2, 3, 4, 5]
        assert numbers(cache.keys)[:6] == [0, 0, 0, 0, 4, 5]


class TestPieces:
    """A snapshot that is cut or joined restores to where its parts end."""

    def layer_of_ten(self) -> tuple[RowLayer, RowsSnapshot]:
        cache = KVCache()
        layer = RowLayer(cache)
        write(cache, 0, 10)
        whole = RowsSnapshot((layer.copy(0, 10),))
        layer.clear()
        return layer, whole

    def test_the_whole(self) -> None:
        layer, whole = self.layer_of_ten()
        layer.write(0, [whole.layers[0]], 0)
        assert layer.offset == 10

    def test_cut_at_five(self) -> None:
        layer, whole = self.layer_of_ten()
        above, below = whole.cut(5)
        layer.write(0, [above.layers[0]], 0)
        assert layer.offset == 5
        layer.write(5, [below.layers[0]], 0)
        assert layer.offset == 10
        assert numbers(layer._cache.keys[..., :10, :]) == list(range(10))

    def test_cut_at_six_and_joined(self) -> None:
        layer, whole = self.layer_of_ten()
        nbytes = whole.nbytes
        above, below = whole.cut(6)
        joined = above.join(below)
        layer.write(0, [joined.layers[0]], 0)
        assert layer.offset == 10
        assert joined.nbytes == nbytes
        assert numbers(layer._cache.keys[..., :10, :]) == list(range(10))


class TestStates:
    def test_taking_one_copies_nothing_and_survives_the_next_call(self) -> None:
        cache = ArraysCache(2)
        layer = StateLayer(cache)
        cache[0], cache[1] = mx.ones(3), mx.zeros(2)
        taken = layer.take()
        assert taken[0] is cache[0]
        cache[0] = mx.full(3, 7.0)
        assert taken[0] is not None
        assert taken[0].tolist() == [1, 1, 1]
        layer.put(taken)
        assert cache[0].tolist() == [1, 1, 1]
        cache[1] = mx.ones(2)
        assert taken[1] is not None
        assert taken[1].tolist() == [0, 0]

    def test_a_detached_state_lets_go_of_its_chunk(self) -> None:
        mx.clear_cache()
        cache = ArraysCache(1)
        layer = StateLayer(cache)
        chunk = mx.ones((1, 4096, 256))
        mx.eval(chunk)
        cache[0] = chunk[:, -2:, :]
        before = mx.get_active_memory()
        layer.detach()
        mx.eval(list(layer.arrays()))
        del chunk
        assert before - mx.get_active_memory() > 4_000_000
        assert layer.nbytes == 2 * 256 * 4

    def test_a_state_of_another_shape_is_refused(self) -> None:
        with pytest.raises(CacheFaultError, match="3 arrays for a layer of 1"):
            StateLayer(ArraysCache(1)).put((None, None, None))

    def test_one_restores_to_its_own_offset_only(self) -> None:
        cache, _ = ledger_cache("W")
        tokens = list(range(1, 21))
        ask(cache, tokens, [30], points=[10])
        ask(cache, [60, 61, 62], [30])
        assert cache.price([*tokens[:5], 40]).cached == 0
        assert cache.price([*tokens[:10], 40]).cached == 10
        assert cache.price([*tokens[:15], 40]).cached == 10

    @pytest.mark.parametrize("offset", [0, 1, 2, 3])
    def test_captures_inside_a_prefill_restore_to_each(self, offset: int) -> None:
        cache, model = ledger_cache("W")
        ask(cache, [1, 2, 3, 4, 5], [30], points=[1, 2, 3])
        assert model.calls[:4] == [1, 1, 1, 1]
        assert ask(cache, [*range(1, offset + 1), 40, 41], [30])[2] == offset

    def test_a_capture_at_an_offset_already_passed_is_not_made(self) -> None:
        """The state there is gone: another in its place would be a wrong answer later."""
        cache, model = ledger_cache("W")
        ask(cache, [1, 2, 3, 4, 5, 6], [30])
        ask(cache, [1, 2, 3, 4, 5, 6, 7, 8], [30], points=[3, 5, 6])
        check(cache)
        kept = {node.end for node in cache.trie if node.stored.state is not None}
        assert kept <= {6}
        assert model.calls[-2:] == [1, 1]


class TestArraysOfTheirOwn:
    def test_a_copy_keeps_no_larger_array_alive(self) -> None:
        """`mx.contiguous` would share up to 16 KiB more than what is wanted, several times a small state."""
        for count in (1, 3, 5):
            mx.clear_cache()
            before = mx.get_active_memory()
            parent = mx.zeros((1, 1, 6, 600)) + 1
            mx.eval(parent)
            kept = owned(parent[:, :, -count:, :])
            mx.eval(kept)
            del parent
            assert mx.get_active_memory() - before == kept.nbytes, count
            del kept

    def test_a_copy_changes_no_bit(self) -> None:
        generator = random.Random(4)
        for _ in range(50):
            shape = [generator.randrange(1, 6) for _ in range(generator.randrange(1, 5))]
            bits = mx.array([generator.getrandbits(32) for _ in range(2 * math.prod(shape))], mx.uint32)
            x = bits.view(mx.float32).reshape(*shape, 2)[..., generator.randrange(2)]
            copied = owned(x)
            assert copied.shape == x.shape
            assert mx.array_equal(copied.view(mx.uint32), mx.contiguous(x).view(mx.uint32))
        assert owned(mx.array(3.5)).item() == 3.5
