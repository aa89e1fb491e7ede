"""What goes wrong is handled, counted and seen in the log, and never leads to a wrong token."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from app.kvcache.prefix_cache import PrefixCache
from app.protocol.cache_events import CacheEvent
from app.protocol.cache_events import CacheEventKind as Kind
from app.protocol.commands import SetBudget
from app.protocol.events import CacheHappened, Event
from app.protocol.reports import Reason
from tests.engine.bench import LONG, Bench, opened, user
from tests.fakes.model_folder import write_model_folder


@pytest.fixture(scope="module", params=["llama", "lfm2", "gemma3", "mamba2"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model_folder(tmp_path_factory.mktemp("models") / request.param, kind=request.param)


def cache_of(bench: Bench) -> PrefixCache:
    return bench.cache


def happened(events: list[Event]) -> list[CacheEvent]:
    return [one for event in events if isinstance(event, CacheHappened) for one in event.events]


def answers(bench: Bench) -> list[tuple[int, ...]]:
    """A talk with a fork and a return in it, answered greedily."""
    first = bench.ask(LONG, temperature=0.0)
    turns = (LONG, first.turn, user("And then?"))
    second = bench.ask(*turns, temperature=0.0)
    fork = bench.ask(user(LONG.text[:90]), temperature=0.0)
    back = bench.ask(*turns, second.turn, user("Why?"), temperature=0.0)
    return [asked.finished.ids for asked in (first, second, fork, back)]


# A budget below what one request needs


@pytest.mark.parametrize("budget", [0, 1000, 40_000])
def test_a_budget_below_one_requests_need_changes_no_answer(folder: Path, budget: int) -> None:
    expected = answers(opened(folder))
    bench = opened(folder)
    bench.do(SetBudget(budget))
    begin = len(bench.events)
    assert answers(bench) == expected
    cache = cache_of(bench)
    assert cache.paged_bytes <= max(0, budget - cache.live_bytes)
    requests = [event for event in happened(bench.events[begin:]) if event.kind is Kind.REQUEST]
    assert len(requests) == 4
    assert all(request.reason for request in requests[:1])


def test_what_is_computed_again_for_want_of_room_is_explained(tmp_path: Path) -> None:
    bench = opened(write_model_folder(tmp_path / "m"))
    bench.do(SetBudget(0))
    bench.ask(LONG)
    bench.ask(user("else"))
    report = bench.ask(LONG).started.request
    assert report.excess > 0
    assert report.reason is Reason.EVICTED
    assert [event for event in happened(bench.events) if event.kind is Kind.EVICTED]


# A request longer than the context


def test_a_request_longer_than_the_context_leaves_no_trace_in_the_cache(tmp_path: Path) -> None:
    bench = opened(write_model_folder(tmp_path / "m", max_position_embeddings=150))
    first = bench.ask(user("the fox"))
    number = cache_of(bench).events[-1].number
    assert "at most 150," in bench.ask(user("the fox"), first.turn, LONG, LONG).failed.problem.sentence
    assert cache_of(bench).events[-1].number == number
    assert bench.ask(user("the fox"), first.turn, user("on")).started.request.excess == 0


# A model that returns NaN


def spoil(bench: Bench, when: int) -> None:
    """From its call number `when` on the model answers with NaN, until `heal`."""
    model, cache, calls = bench.model, cache_of(bench), [0]

    def forward(tokens: mx.array, caches: list[Any]) -> mx.array:
        calls[0] += 1
        logits = model.forward(tokens, caches)
        return logits * float("nan") if calls[0] >= when else logits

    bench.model = replace(model, forward=forward)
    cache.forward = cache.active.layers._forward = forward


def heal(bench: Bench, healthy: Any) -> None:
    bench.model, cache = healthy, cache_of(bench)
    cache.forward = cache.active.layers._forward = healthy.forward


@pytest.mark.parametrize("when", [1, 5, 9])
def test_a_model_that_returns_nan_is_stopped_and_nothing_of_it_is_believed(folder: Path, when: int) -> None:
    expected = opened(folder).ask(LONG, temperature=0.0).finished.ids
    bench = opened(folder)
    healthy = bench.model
    spoil(bench, when)
    asked = bench.ask(LONG, temperature=0.0)
    assert asked.failed.problem.title == "The model stopped making sense"
    assert cache_of(bench).faults == 1
    assert [event.reason for event in happened(bench.events) if event.kind is Kind.FAULT] == [Reason.FAULT]
    told = [token.id for event in asked.events for token in getattr(event, "tokens", ())]
    assert tuple(told) == expected[: len(told)]
    heal(bench, healthy)
    assert bench.ask(LONG, temperature=0.0).finished.ids == expected


# A snapshot that fails to restore


def test_a_snapshot_that_fails_to_restore_is_computed_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = opened(folder)
    expected = answers(fresh)
    bench = opened(folder)
    first = bench.ask(LONG, temperature=0.0)
    bench.ask(user("elsewhere"), temperature=0.0)
    break_stored(cache_of(bench))
    begin = len(bench.events)
    again = bench.ask(LONG, first.turn, user("And then?"), temperature=0.0)
    assert again.finished.ids == expected[1]
    request = again.started.request
    assert request.excess > 0
    assert request.reason is Reason.FAULT
    assert request.cached == 0
    assert cache_of(bench).faults == 1
    [fault] = [event for event in happened(bench.events[begin:]) if event.kind is Kind.FAULT]
    assert fault.reason is Reason.FAULT
    once_more = bench.ask(LONG, first.turn, user("And then?"), temperature=0.0)
    assert once_more.finished.ids == expected[1]
    assert once_more.started.request.excess == 0


def break_stored(cache: PrefixCache) -> None:
    """Rows lose their end, and states a layer: neither fits any more."""
    for node in cache.trie:
        if node.stored.rows is not None and node.stored.rows.layers:
            node.stored.rows.layers = tuple(tuple(x[:, :, :-1] for x in layer) for layer in node.stored.rows.layers)
        if node.stored.state is not None:
            node.stored.state = node.stored.state._replace(layers=node.stored.state.layers[:-1])
