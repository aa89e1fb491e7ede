"""Sliding windows and chunks: that mlx-lm's ring still turns as expected, and goes back to any token."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.models.cache import ChunkedKVCache, RotatingKVCache

from app.kvcache.layers import CacheFaultError, ChunkLayer, RowArrays, UnsupportedCacheError, WindowLayer, layers_of
from tests.seeds import each_seed

WIDTH = 8


def rows(numbers: Sequence[int]) -> tuple[mx.array, mx.array]:
    """Keys and values [1, 2, n, WIDTH] that carry their number."""
    x = mx.array(list(numbers), dtype=mx.float32).reshape(1, 1, -1, 1)
    return mx.broadcast_to(x, (1, 2, len(numbers), WIDTH)), mx.broadcast_to(x + 0.5, (1, 2, len(numbers), WIDTH))


def numbers(x: mx.array) -> list[int]:
    return [int(number) for number in x[0, 0, :, 0].tolist()]


class Fed:
    """A layer that is fed as an active path feeds it: numbers 1, 2, 3 ... in calls of several or of one."""

    def __init__(self, cache: Any) -> None:
        self.cache = cache
        [layer] = layers_of([cache]).rows
        assert isinstance(layer, WindowLayer)
        self.layer = layer
        self.last_prefill_end = 0

    def feed(self, *new: int) -> list[int]:
        """One call. Returns what attention is shown, in the order it lies in."""
        self.layer.before_call(len(new))
        if isinstance(self.cache, ChunkedKVCache):
            self.cache.maybe_trim_front()
        keys, values = self.cache.update_and_fetch(*rows(new))
        assert [number + 0.5 for number in numbers(keys)] == values[0, 0, :, 0].tolist()
        shown = numbers(keys)
        self.layer.after_call(len(new))
        if len(new) > 1:
            self.last_prefill_end = self.layer.offset
        return shown

    def feed_singly(self, *new: int) -> list[int]:
        shown: list[int] = []
        for number in new:
            shown = self.feed(number)
        return shown

    def snapshot(self, end: int) -> RowArrays:
        kept = self.layer.copy(0, end)
        mx.eval(kept)
        return kept

    def ring(self) -> list[int]:
        return numbers(self.cache.keys)


def up_to(last: int) -> range:
    return range(1, last + 1)


def window(size: int, keep: int = 0) -> Fed:
    return Fed(RotatingKVCache(size, keep=keep))


class TestTheRingAlone:
    """What mlx-lm's ring shows to attention; app/kvcache/layers rests on it."""

    def test_single_tokens_then_two(self) -> None:
        fed = window(4)
        fed.feed(*up_to(3))
        fed.feed_singly(*range(4, 10))
        assert fed.feed(10, 11) == [7, 8, 9, 10, 11]
        assert fed.layer.offset == 11

    def test_six_then_three_then_one(self) -> None:
        fed = window(4)
        fed.feed(*up_to(6))
        assert fed.feed(7, 8, 9) == [4, 5, 6, 7, 8, 9]
        assert sorted(fed.feed(10)) == [7, 8, 9, 10]

    def test_a_wide_window_is_not_padded(self) -> None:
        fed = window(512)
        fed.feed(1, 2, 3)
        fed.feed(4)
        assert fed.feed(5, 6, 7) == [*up_to(7)]

    def test_calls_longer_than_the_window(self) -> None:
        fed = window(4)
        fed.feed(*up_to(8))
        assert fed.feed(*range(9, 17)) == [*range(6, 17)]
        assert fed.feed(17, 18, 19, 20) == [*range(14, 21)]
        assert sorted(fed.feed(21)) == [18, 19, 20, 21]

    def test_it_cannot_go_back_once_it_has_turned(self) -> None:
        ring = RotatingKVCache(4)
        ring.update_and_fetch(*rows([*up_to(10)]))
        assert not ring.is_trimmable()


class TestGoingBack:
    def test_to_any_token_also_after_it_has_turned(self) -> None:
        fed = window(4)
        fed.feed(*up_to(10))
        fed.layer.write(3, (), 3)
        assert (fed.layer.offset, fed.ring()) == (3, [1, 2, 3])
        assert fed.feed(20) == [1, 2, 3, 20]

    def test_to_a_snapshot(self) -> None:
        fed = window(4)
        fed.feed(*up_to(10))
        kept = fed.snapshot(10)
        fed.feed_singly(*range(11, 16))
        fed.layer.clear()
        fed.layer.write(0, [kept], 10)
        assert (fed.layer.offset, fed.ring()) == (10, [7, 8, 9, 10])

    def test_to_a_snapshot_and_on(self) -> None:
        fed = window(4)
        fed.feed(*up_to(6))
        kept = fed.snapshot(6)
        fed.feed_singly(7, 8, 9)
        fed.layer.clear()
        fed.layer.write(0, [kept], 6)
        assert sorted(fed.feed(30)) == [4, 5, 6, 30]
        assert fed.layer.offset == 7

    def test_inside_a_window_that_is_just_full(self) -> None:
        fed = window(8)
        fed.feed(*up_to(8))
        fed.layer.write(2, (), 2)
        assert fed.feed(9, 10, 11) == [1, 2, 9, 10, 11]
        assert fed.layer.offset == 5

    def test_a_snapshot_without_what_lies_before_it_is_refused(self) -> None:
        fed = window(4)
        fed.feed(*up_to(10))
        late = fed.layer.copy(5, 10)
        fed.layer.clear()
        with pytest.raises(CacheFaultError, match="do not join a layer at 0"):
            fed.layer.write(5, [late], 10)

    def test_a_snapshot_does_not_change_with_the_ring(self) -> None:
        fed = window(4)
        fed.feed(*up_to(6))
        kept = fed.snapshot(6)
        fed.feed_singly(*range(50, 90))
        fed.layer.write(2, (), 2)
        fed.feed(*range(70, 90))
        fed.layer.clear()
        assert numbers(kept[0]) == [*up_to(6)]

    def test_rows_that_were_overwritten_before_they_were_kept_are_an_error(self) -> None:
        """Silence here would be a wrong answer later."""
        fed = window(4)
        fed.feed(*up_to(6))
        for number in range(7, 12):
            fed.cache.update_and_fetch(*rows([number]))
        with pytest.raises(CacheFaultError, match="5 rows were not harvested, 4 are left"):
            fed.layer.copy(0, 11)

    @pytest.mark.parametrize(("size", "keep"), [(4, 4), (4, 7)])
    def test_a_ring_that_never_turns_is_refused(self, size: int, keep: int) -> None:
        with pytest.raises(UnsupportedCacheError, match=f"keeps {keep} of {size} rows"):
            window(size, keep)


CACHES: dict[str, Callable[[], Any]] = {
    "window 4": lambda: RotatingKVCache(4),
    "window 16": lambda: RotatingKVCache(16),
    "window 300": lambda: RotatingKVCache(300),
    "window 7 that keeps 3": lambda: RotatingKVCache(7, keep=3),
    "chunks of 5": lambda: ChunkedKVCache(5),
}


@pytest.mark.parametrize("name", list(CACHES))
@each_seed(range(4))
def test_after_going_back_anywhere_the_ring_is_the_one_that_never_left(name: str, seed: int) -> None:
    """Physical layout included: a cache that made the same calls up to there shows the same rows in the same places."""
    generator = random.Random(seed)
    fed, calls = Fed(CACHES[name]()), list[int]()
    for _ in range(60):
        offset = fed.layer.offset
        calls.append(generator.choice([1, 1, 1, 1, 2, 6, 40]))
        fed.feed(*range(offset + 1, offset + calls[-1] + 1))
        if generator.random() < 0.4:
            calls = calls[: generator.randrange(1, len(calls) + 1)]
            back = sum(calls)
            fed.layer.write(back, (), max((sum(calls[: i + 1]) for i, n in enumerate(calls) if n > 1), default=0))
    twin = Fed(CACHES[name]())
    for length in calls:
        offset = twin.layer.offset
        twin.feed(*range(offset + 1, offset + length + 1))
    assert fed.layer.offset == twin.layer.offset
    following = fed.layer.offset + 1
    for _ in range(3):
        assert fed.feed(following) == twin.feed(following)
        following += 1


class TestAttention:
    """Through the ring, after a fork, as over the plain sequence with a window mask."""

    SIZE = 6

    def test_decode(self) -> None:
        assert self._gap([9, 7, 1, 1, *[1] * 12]) < 1e-5

    def test_prefill(self) -> None:
        assert self._gap([9, 7, 5, 1, 13, 2]) < 1e-4

    def test_a_wrong_slot_is_far_off(self, monkeypatch: pytest.MonkeyPatch) -> None:
        right = WindowLayer._rebuild

        def wrong(layer: WindowLayer, last_prefill_end: int) -> None:
            right(layer, last_prefill_end)
            if layer.offset > self.SIZE:
                layer._ring._idx = layer._ring._idx % self.SIZE + 1

        monkeypatch.setattr(WindowLayer, "_rebuild", wrong)
        assert self._gap([9, 7, 1, 1, *[1] * 12]) > 1e-3

    def _gap(self, calls: Sequence[int]) -> float:
        """The largest difference of attention over these calls, leaving for elsewhere and coming back between them."""
        mx.random.seed(3)
        ring = RotatingKVCache(self.SIZE)
        layer = WindowLayer(ring)
        queries, keys, values = (mx.random.normal((1, 2, sum(calls), WIDTH)) for _ in range(3))
        plain = self._plain(queries, keys, values)
        start, worst, last_prefill_end = 0, 0.0, 0
        for length in calls:
            end = start + length
            layer.before_call(length)
            mask = ring.make_mask(length)
            shown = ring.update_and_fetch(keys[..., start:end, :], values[..., start:end, :])
            out = mx.fast.scaled_dot_product_attention(queries[..., start:end, :], *shown, scale=0.3, mask=mask)
            layer.after_call(length)
            worst = max(worst, float(mx.abs(out - plain[..., start:end, :]).max()))
            last_prefill_end = end if length > 1 else last_prefill_end
            kept = layer.copy(0, end)
            layer.write(end // 2, (), min(last_prefill_end, end // 2))
            layer.write(0, [kept], last_prefill_end)
            start = end
        return worst

    def _plain(self, queries: mx.array, keys: mx.array, values: mx.array) -> mx.array:
        at = mx.arange(keys.shape[2])
        mask = (at[:, None] >= at[None]) & (at[:, None] < at[None] + self.SIZE)
        return mx.fast.scaled_dot_product_attention(queries, keys, values, scale=0.3, mask=mask)


class TestChunks:
    def test_what_exceeds_a_chunk_is_cut_off_by_the_next_call(self) -> None:
        fed = Fed(ChunkedKVCache(5))
        assert isinstance(fed.layer, ChunkLayer)
        fed.feed(*up_to(4))
        assert fed.feed(5, 6, 7) == [*up_to(7)]
        assert fed.feed(8) == [3, 4, 5, 6, 7, 8]

    def test_going_back_never_uses_the_caches_own_trim(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """It says that it can be trimmed, and leaves the wrong rows."""
        monkeypatch.setattr(ChunkedKVCache, "trim", lambda *_: pytest.fail("trimmed"))
        fed = Fed(ChunkedKVCache(5))
        fed.feed(*up_to(12))
        fed.layer.write(7, (), 7)
        assert (fed.cache.offset, fed.cache.start_position) == (7, 2)
        assert fed.feed(20) == [3, 4, 5, 6, 7, 20]
