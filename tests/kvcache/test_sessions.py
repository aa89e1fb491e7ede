"""Several sessions over one active path: each computes, bit for bit, what it computes alone."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import mlx.core as mx
import pytest
from mlx_lm.models.cache import ConcatenateKVCache

from app.kvcache.active_path import ActivePath
from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.seat import Seat
from app.kvcache.session import Reread
from app.protocol.reports import Reason
from tests.fakes.tiny_models import KINDS, dtypes
from tests.kvcache import ballast
from tests.kvcache.ballast import ballast_cache
from tests.kvcache.comparison import BITS, cache_of, require_same
from tests.kvcache.history import PLENTY

HISTORY = [*range(1, 22)]
QUESTION = [*HISTORY, *range(30, 44)]
OTHER = [*HISTORY[:9], *range(44, 60)]
POINTS = (9, 21, 34)
STEPS = 17  # tokens of an answer: more than a window
CHUNK = 5

Rows = list[mx.array]


class Lane:
    """One answer: draws its tokens from a generator of its own, and keeps every row of logits it was shown."""

    def __init__(self, cache: PrefixCache, prompt: Sequence[int], seed: int) -> None:
        self.random = random.Random(seed)
        self.rows: Rows = []
        self.session = cache.begin(prompt, POINTS, f"owner {seed % 2}")
        self._cache, self._next = cache, prompt[-1]

    @property
    def is_done(self) -> bool:
        return len(self.rows) == STEPS

    def turn(self, tokens: int) -> None:
        """Feed so many tokens, after what is still to be read."""
        self._cache.mount(self.session)
        while self.session.prefill(CHUNK):
            check(self._cache)
        for _ in range(min(tokens, STEPS - len(self.rows))):
            logits = self.session.decode(self._next)
            mx.eval(logits)
            self.rows.append(logits)
            self._next = self._sample(logits)

    def _sample(self, logits: mx.array) -> int:
        """One of the four likeliest, so that answers part and meet again."""
        return int(mx.argsort(logits[0])[-1 - self.random.randrange(4)].item())

    def end(self) -> None:
        with self.session:
            pass


class Outcome(NamedTuple):
    """What one answer came to."""

    tokens: list[int]
    rows: Rows
    reread: Reread

    @classmethod
    def of(cls, lane: Lane) -> Outcome:
        return cls(list(lane.session.tokens()), lane.rows, lane.session.reread)


def warm_cache(kind: str, dtype: mx.Dtype = mx.float32) -> PrefixCache:
    """A cache in which both prompts are known up to their last token."""
    cache = cache_of(kind, dtype)
    for prompt in (OTHER, QUESTION):
        with cache.begin(prompt, POINTS) as session:
            while session.prefill(CHUNK):
                pass
    return cache


def prompts(lanes: int) -> list[list[int]]:
    """Siblings, and of more than two each third in another branch."""
    return [OTHER if lanes > 2 and index % 3 == 2 else QUESTION for index in range(lanes)]


def alone(kind: str, dtype: mx.Dtype, prompt: Sequence[int], seed: int) -> Outcome:
    cache = warm_cache(kind, dtype)
    lane = Lane(cache, prompt, seed)
    lane.turn(STEPS)
    lane.end()
    return Outcome.of(lane)


def begun(cache: PrefixCache, lanes: int) -> list[Lane]:
    """Answers of which none has a token yet."""
    return [Lane(cache, prompt, seed) for seed, prompt in enumerate(prompts(lanes))]


def write(cache: PrefixCache, lanes: Sequence[Lane], turn: int) -> int:
    """Write all to their ends by turns. Returns the most bytes that were held between two turns."""
    most = 0
    while going := [lane for lane in lanes if not lane.is_done]:
        for lane in going:
            lane.turn(turn if cache.holds_many else STEPS)
            check(cache)
            most = max(most, cache.paged_bytes + cache.paths.used_bytes)
    return most


def by_turns(cache: PrefixCache, lanes: int, turn: int) -> list[Outcome]:
    going = begun(cache, lanes)
    check(cache)
    write(cache, going, turn)
    for lane in going:
        lane.turn(0)
        require_replay(cache, lane)
    for lane in going:
        lane.end()
        check(cache)
    return [Outcome.of(lane) for lane in going]


def require_replay(cache: PrefixCache, lane: Lane) -> None:
    """What was read again shows no logits to compare, but the live arrays are those of the record all the same."""
    cache.active.record()  # also a part of an edge that is known
    first = lane.session.report.total - 1
    fed = {} if lane.session.reread.tokens else {first + at: row for at, row in enumerate(lane.rows)}
    require_same(cache, lane.session.tokens(), fed)


def are_same(ours: Iterable[mx.array], theirs: Iterable[mx.array]) -> bool:
    return all(
        bool(mx.array_equal(one.view(BITS[one.itemsize]), other.view(BITS[other.itemsize])).item())
        for one, other in zip(ours, theirs, strict=True)
    )


def require_as_alone(kind: str, dtype: mx.Dtype, outcomes: Sequence[Outcome]) -> None:
    for seed, (prompt, outcome) in enumerate(zip(prompts(len(outcomes)), outcomes, strict=True)):
        expected = alone(kind, dtype, prompt, seed)
        assert outcome.tokens == expected.tokens, f"answer {seed} of {kind} says something else"
        assert are_same(outcome.rows, expected.rows), f"answer {seed} of {kind} has other logits"
        assert outcome.reread == Reread()


SUPPORTED = [kind for kind in KINDS if not cache_of(kind).unsupported]


@pytest.mark.parametrize("kind", SUPPORTED)
def test_answers_by_turns_are_those_alone(kind: str) -> None:
    for dtype in dtypes(kind):
        for lanes, turn in ((2, 1), (4, 3), (8, 4)) if dtype == mx.float32 else ((3, 3),):
            cache = warm_cache(kind, dtype)
            require_as_alone(kind, dtype, by_turns(cache, lanes, turn))
            assert not cache.sessions
            assert not list(cache.paths.seats)
            assert not cache.faults


@pytest.mark.parametrize("kind", SUPPORTED)
def test_with_too_little_room_what_is_lost_is_read_again_and_told(kind: str) -> None:
    cache = warm_cache(kind)
    need = write(cache, begun(cache, 4), 3)
    for share in (2.0, 1.05, 0.7, 0.0):
        cache = warm_cache(kind)
        cache.set_budget(int(need * share))
        outcomes = by_turns(cache, 4, 3)
        if share > 1:
            require_as_alone(kind, mx.float32, outcomes)
        assert {outcome.reread.reason for outcome in outcomes} <= {Reason.NONE, Reason.EVICTED}
        assert any(outcome.reread.tokens for outcome in outcomes) or share
        assert all(len(outcome.rows) == STEPS for outcome in outcomes)
        assert not cache.faults


@pytest.mark.parametrize("kind", SUPPORTED)
def test_one_that_ends_or_fails_leaves_the_others_as_they_are(kind: str) -> None:
    cache = warm_cache(kind)
    right = cache.active.layers._forward

    def broken(tokens: mx.array, caches: list[Any]) -> mx.array:
        raise RuntimeError("on purpose")

    ended, failed, *others = lanes = begun(cache, 5)
    for lane in lanes:
        lane.turn(3)
    ended.end()
    check(cache)
    cache.active.layers._forward = broken
    with pytest.raises(RuntimeError, match="on purpose"), failed.session:
        failed.turn(3)
    cache.active.layers._forward = right
    check(cache)
    assert cache.sessions == [lane.session for lane in others]
    write(cache, others, 3)
    for lane in others:
        lane.end()
        check(cache)
        expected = alone(kind, mx.float32, prompts(5)[lanes.index(lane)], lanes.index(lane))
        assert list(lane.session.tokens()) == expected.tokens
        assert are_same(lane.rows, expected.rows)
        assert lane.session.reread == Reread()
    assert not any(node.locks for node in cache.trie)


def test_one_that_goes_on_from_the_state_of_another_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    right = ActivePath.seat
    first: list[Seat] = []

    def wrong(path: ActivePath) -> Seat:
        seat = right(path)
        first.append(seat)
        seat.state = first[0].state
        return seat

    monkeypatch.setattr(ActivePath, "seat", wrong)
    with pytest.raises(AssertionError):
        require_as_alone("mamba2", mx.float32, by_turns(warm_cache("mamba2"), 2, 3))


def test_a_session_that_waits_refuses_calls() -> None:
    cache, _ = ballast_cache("everything")
    first = cache.begin([1, 2, 3, 4])
    second = cache.begin([1, 2, 3, 5])
    assert cache.session is second
    assert cache.sessions == [first, second]
    for call in (lambda: first.prefill(1), lambda: first.decode(1), lambda: first.launch(mx.array([1])),
                 lambda: first.confirm(1), first.retract, first.bookmark):  # fmt: skip
        with pytest.raises(RuntimeError, match="not the one that calls are made on"):
            call()
    second.prefill(8)
    second.launch(mx.array([5]))
    with pytest.raises(RuntimeError, match="while a token is launched"):
        cache.mount(first)
    second.retract()
    cache.mount(first)
    assert first.prefill(8) == first.report.left - 1
    for session in (first, second):
        with session:
            pass
    with pytest.raises(RuntimeError, match="has ended"):
        cache.mount(first)
    check(cache)


def test_erase_and_pin_wait_until_no_session_is_open() -> None:
    cache, _ = ballast_cache("everything")
    first = cache.begin([1, 2, 3, 4], owner="a")
    with cache.begin([1, 2, 3, 5], owner="b"):
        pass
    for action in (lambda: cache.erase("b"), lambda: cache.pin([1, 2]), lambda: cache.abandon([1])):
        with pytest.raises(RuntimeError, match="while a session is open"):
            action()
    with first:
        pass
    cache.erase("a")
    cache.erase("b")
    assert not cache.trie.nodes


@pytest.mark.parametrize("mix", ballast.MIXES)
def test_what_a_request_leaves_that_failed_is_erased_with_its_owner(mix: str) -> None:
    """It was not the only one, so that something of it was known before it failed."""
    cache, _ = ballast_cache(mix)
    first = cache.begin([1, 2, 3, 4, 5], owner="a")
    first.prefill(8)
    mx.eval(first.decode(5))
    with cache.begin([7, 6], owner="b"):
        pass
    cache.mount(first)
    with pytest.raises(RuntimeError, match="on purpose"), first:
        _raise()
    cache.erase("a")
    check(cache)
    assert cache.price([1, 2, 3, 4, 5, 6]).seen == 0
    assert cache.live_bytes == cache.paged_bytes == 0


@pytest.mark.parametrize("mix", ballast.MIXES)
def test_what_a_request_leaves_that_lost_its_seat_is_erased_with_its_owner(mix: str) -> None:
    """It is cancelled before it has read again what it had computed."""
    cache, _ = ballast_cache(mix)
    first = cache.begin([1, 2, 3, 4, 5], owner="a")
    first.prefill(8)
    mx.eval(first.decode(5))
    second = cache.begin([7, 6], owner="b")
    cache.set_budget(0)
    cache.mount(first)
    assert first.unread
    for session in (first, second):
        with session:
            pass
    cache.erase("a")
    check(cache)
    assert cache.price([1, 2, 3, 4, 5, 6]).seen == 0


def test_what_is_known_of_requests_that_cannot_be_stored_is_erased_with_their_owner() -> None:
    cache = PrefixCache(lambda tokens, _: mx.zeros((1, tokens.shape[1], 8)), lambda: [ConcatenateKVCache()], PLENTY)
    assert cache.unsupported
    with cache.begin([1, 2, 3, 4], owner="a") as session:
        session.prefill(8)
    assert cache.trie.nodes
    cache.erase("a")
    assert not cache.trie.nodes


@pytest.mark.parametrize("mix", ballast.MIXES)
def test_a_request_that_ends_while_it_waits_has_no_part_in_what_others_asked_beyond_it(mix: str) -> None:
    """It has lost its seat, so that the edge of the other one runs through where it waits."""
    cache, _ = ballast_cache(mix)
    waiting = cache.begin([1, 2, 3, 4, 9], owner="shorter")
    waiting.prefill(8)
    longer = cache.begin([1, 2, 3, 4, 5, 6, 7, 8], owner="longer")
    cache.set_budget(0)
    cache.set_budget(PLENTY)
    longer.prefill(8)
    for session in (longer, waiting):
        with session:
            pass
    cache.erase("longer")
    check(cache)
    assert cache.price([1, 2, 3, 4, 5, 6, 7, 8]).seen == 4


@pytest.mark.parametrize("mix", ballast.MIXES)
def test_what_fails_when_another_goes_on_is_read_again_and_told(mix: str) -> None:
    cache, _ = ballast_cache(mix)
    first, second = cache.begin([1, 2, 3, 4, 5]), cache.begin([1, 2, 6])
    cache.mount(first)
    first.prefill(8)
    mx.eval(first.decode(5), first.decode(7))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache.active.layers, "evaluate", _raise)
        cache.mount(second)
    check(cache)
    assert cache.faults == 1
    cache.mount(first)
    assert first.reread == Reread(6, Reason.FAULT)
    assert first.unread == first.left == 6
    with pytest.raises(ValueError, match="before the prompt"):
        first.decode(7)
    while first.prefill(2):
        check(cache)
    first.decode(7)
    for session in (first, second):
        with session:
            pass
        check(cache)


def _raise() -> None:
    raise RuntimeError("on purpose")


def test_what_cannot_be_stored_is_written_one_after_another() -> None:
    cache = PrefixCache(_embed, lambda: [ConcatenateKVCache()], PLENTY)  # type: ignore[no-untyped-call]
    assert not cache.holds_many
    first, second = cache.begin([1, 2, 3], owner="a"), cache.begin([1, 2, 4], owner="b")
    for session, last in ((first, 3), (second, 4)):
        cache.mount(session)
        while session.prefill(8):
            pass
        mx.eval(session.decode(last))
        check(cache)
    cache.mount(first)
    assert first.reread == Reread(3, Reason.UNSUPPORTED)
    for session in (second, first):
        with session:
            pass
        check(cache)
    assert cache.price([1, 2, 4, 5]).seen == 3


def _embed(tokens: mx.array, caches: list[ConcatenateKVCache]) -> mx.array:
    rows = mx.broadcast_to(tokens.astype(mx.float32)[:, None, :, None], (1, 1, tokens.shape[1], 4))
    keys, _ = caches[0].update_and_fetch(rows, rows)  # type: ignore[no-untyped-call]
    return mx.broadcast_to(keys.sum(), (1, tokens.shape[1], 8))


@pytest.mark.parametrize("kind", SUPPORTED)
def test_what_is_evicted_by_hand_is_nothing_that_an_open_session_stands_on(kind: str) -> None:
    cache = warm_cache(kind)
    lanes = begun(cache, 3)
    for lane in lanes:
        lane.turn(2)
    cache.evict(list(cache.trie.nodes))
    check(cache)
    for lane in lanes:
        lane.turn(2)
        check(cache)
        assert lane.session.reread == Reread()
    for lane in lanes:
        lane.end()
    cache.evict(list(cache.trie.nodes))
    check(cache)
    assert (cache.live_bytes, cache.paged_bytes) == (0, 0)


def test_an_edge_that_was_written_to_disk_while_its_session_waited_is_not_grown(tmp_path: Path) -> None:
    cache, _ = ballast_cache("rows")
    cache.open_disk(tmp_path, "model", PLENTY, writes_all=True)
    assert cache.disk is not None
    first = cache.begin([1, 2, 3, 4])
    first.prefill(8)
    mx.eval(first.decode(4))
    with cache.begin([5, 6]):
        pass
    while cache.disk.tend() or cache.is_saving:
        cache.disk.wait(1.0)
    assert any(node.stored.files for node in cache.trie)
    cache.mount(first)
    mx.eval(first.decode(7))
    first.record()
    check(cache)
    with first:
        pass
    cache.close_disk(0)


@pytest.mark.parametrize("kind", KINDS)
def test_no_state_stays_on_disk_without_the_rows_that_lead_to_it(kind: str, tmp_path: Path) -> None:
    """Where no room is left the rows above are on disk, since another branch needs them, and those below nowhere."""
    cache = cache_of(kind)
    cache.grid = 4
    cache.open_disk(tmp_path, "model", PLENTY, writes_all=True)
    prompts = [[*HISTORY[:8], *range(start, start + 10)] for start in (30, 44)]
    sessions = []
    for prompt in prompts:
        sessions.append(session := cache.begin(prompt, [12, 16], "owner"))
        while session.prefill(4):
            check(cache)
    cache.mount(sessions[0])
    mx.eval(sessions[0].decode(prompts[0][-1]))
    cache.set_budget(0)
    check(cache)
    last = cache.begin([60, 61])
    check(cache)
    for session in (*sessions, last):
        with session:
            pass
    for prompt in prompts:
        with cache.begin(prompt) as session:
            while session.prefill(4):
                check(cache)
            mx.eval(session.decode(prompt[-1]))
        require_same(cache, prompt, {})
    assert not cache.faults
    cache.close_disk(0)
