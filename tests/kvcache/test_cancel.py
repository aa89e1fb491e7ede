"""Stopping is harmless at every chunk and at every token: nothing that was computed is lost, and nothing leaks."""

from __future__ import annotations

import gc
from collections.abc import Sequence

import mlx.core as mx
import pytest

from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from app.protocol.reports import Reason, RequestReport
from tests.kvcache.comparison import cache_of, require_same
from tests.kvcache.ledger import MIXES, ledger_cache

PROMPT = [*range(1, 22)]
ANSWER = [*range(30, 39)]
POINTS = [4, 13, 20]  # a question's content, another's, and where the answer begins less its seed
SHARED = POINTS[1]  # tokens that a side request begins with
CHUNK = 6
CHUNKS = 5  # 4, 10, 13, 19, 20 tokens: cut at the points
STOPS = range(CHUNKS + len(ANSWER) + 1)
REAL = ["llama", "gemma3", "llama4", "lfm2", "mamba2", "falcon_h1"]


def ask(
    cache: PrefixCache, prompt: Sequence[int], answer: Sequence[int], points: Sequence[int], steps: int | None = None
) -> RequestReport:
    """One request, stopped after so many chunks and tokens, or gone through."""
    done = 0
    fed: dict[int, mx.array] = {}
    with cache.begin(prompt, points, owner="main") as session:
        while done != steps and session.prefill(CHUNK):
            done += 1
        for token in (prompt[-1], *answer):
            if done == steps or session.left > 1:
                break
            at = cache.active.offset
            fed[at] = session.decode(token)
            mx.eval(fed[at])
            done += 1
    check(cache)
    tokens = session.tokens()[: cache.active.offset]
    if cache.forward.__class__.__name__ != "Ledger":  # which compares with what came before at each call by itself
        require_same(cache, tokens, fed)
    return session.report


def side_request(cache: PrefixCache) -> None:
    """A title, asked for as a fork of the beginning of the conversation."""
    ask(cache, [*PROMPT[:SHARED], 50, 51, 52, 53], [54, 55], POINTS[:2])


def is_stop_harmless(cache: PrefixCache, steps: int, has_side_request: bool) -> None:
    ask(cache, PROMPT, ANSWER, POINTS, steps)
    written = cache.active.offset
    if has_side_request:
        side_request(cache)
        written = max(written, SHARED)
    held = min(written, len(PROMPT) - 1)
    again = cache.price(PROMPT)
    assert (again.cached, again.excess) == (held, 0)
    went_on = [*PROMPT, *ANSWER]
    assert cache.price(went_on).cached == min(written, len(went_on) - 1)
    assert cache.price(went_on).excess == 0
    report = ask(cache, PROMPT, ANSWER, POINTS)
    assert report.cached == held
    follow_up = [*PROMPT, *ANSWER, 60, 61, 62]
    side_request(cache)
    report = ask(cache, follow_up, ANSWER, [*POINTS, len(follow_up) - 1])
    assert (report.cached, report.excess) == (len(PROMPT) + len(ANSWER), 0)


@pytest.mark.parametrize("has_side_request", [False, True])
@pytest.mark.parametrize("steps", STOPS)
@pytest.mark.parametrize("mix", list(MIXES))
def test_at_every_step(mix: str, steps: int, has_side_request: bool) -> None:
    cache, _ = ledger_cache(mix)
    is_stop_harmless(cache, steps, has_side_request)


@pytest.mark.parametrize("steps", [0, 1, 2, 4, 5, 6, 9, 14])
@pytest.mark.parametrize("kind", REAL)
def test_at_every_step_of_real_models(kind: str, steps: int) -> None:
    is_stop_harmless(cache_of(kind), steps, has_side_request=steps % 2 == 0)


@pytest.mark.parametrize("mix", list(MIXES))
def test_between_any_two_tokens_of_the_prompt(mix: str) -> None:
    """Chunks of one: whatever was written is there again."""
    for stop in range(len(PROMPT)):
        cache, _ = ledger_cache(mix)
        with cache.begin(PROMPT, POINTS) as session:
            for _ in range(stop):
                session.prefill(1)
        assert cache.price(PROMPT).cached == stop
        side_request(cache)
        assert cache.price(PROMPT).cached == max(stop, SHARED)


@pytest.mark.parametrize("kind", REAL)
@pytest.mark.parametrize("length", [0, 1, 5])
def test_while_a_token_is_under_way(kind: str, length: int) -> None:
    """What was launched and never read leaves no trace."""
    cache = cache_of(kind)
    with cache.begin(PROMPT, POINTS) as session:
        while session.prefill(CHUNK):
            pass
        for token in [PROMPT[-1], *ANSWER][:length]:
            session.launch(mx.array([token]))
            session.confirm(token)
        session.launch(mx.array([63]))
    check(cache)
    written = [*PROMPT[:-1], *[PROMPT[-1], *ANSWER][:length]]
    assert cache.active.offset == len(written)
    require_same(cache, written, {})
    assert ask(cache, PROMPT, ANSWER, POINTS).excess == 0


@pytest.mark.parametrize("mix", list(MIXES))
def test_what_could_not_be_kept_says_so(mix: str) -> None:
    """With no room for another branch, the stopped one is lost to the next request, which is told of it."""
    cache, _ = ledger_cache(mix, budget_bytes=0)
    ask(cache, PROMPT, ANSWER, [], steps=2)
    assert cache.price(PROMPT).cached == 2 * CHUNK
    ask(cache, [50, 51, 52], [53], [])
    report = cache.price(PROMPT)
    assert (report.seen, report.cached, report.excess) == (2 * CHUNK, 0, 2 * CHUNK)
    assert report.reason in (Reason.EVICTED, Reason.CANCELLED)


@pytest.mark.parametrize("kind", REAL)
def test_nothing_leaks(kind: str) -> None:
    """After a warm up, stopping anywhere and closing gives back every byte."""

    def stop_everywhere() -> int:
        cache = cache_of(kind)
        for steps in (1, 3, 7, 12):
            ask(cache, [steps, *PROMPT], ANSWER, POINTS, steps)
        side_request(cache)
        cache.close()
        held = cache.paged_bytes + cache.live_bytes
        del cache
        gc.collect()
        mx.synchronize()
        return held

    stop_everywhere()
    before = mx.get_active_memory()
    for _ in range(2):
        assert stop_everywhere() == 0
    assert mx.get_active_memory() - before < 4096
