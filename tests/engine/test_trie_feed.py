"""Pictures of the trie: often enough to follow, seldom enough to draw."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from app.engine import trie_feed
from app.engine.edge_labels import EdgeLabels
from app.engine.trie_feed import TrieFeed
from app.protocol.cache_events import CacheEvent
from app.protocol.cache_events import CacheEventKind as Kind
from app.protocol.chat import Sampling
from app.protocol.commands import Lane, SetBudget
from app.protocol.events import CacheHappened, Event, RunFinished, RunStarted, TextDelta, TrieChanged
from app.protocol.reports import Reason
from tests.engine.bench import LONG, Bench, opened, user
from tests.fakes.model_folder import write_model_folder


def labels(bench: Bench) -> EdgeLabels:
    return EdgeLabels(bench.model.codec, bench.model.prompts.openings)


def test_growth_is_told_twice_a_second_at_most(tiny: Bench) -> None:
    tiny.ask(user("hi"))
    told: list[Event] = []
    clock = [0.0]
    feed = TrieFeed(tiny.cache, labels(tiny), told.append, count(1), lambda: clock[0])
    for hundredth in range(500):
        clock[0] = hundredth / 100
        feed.growing()
    assert 9 <= len([event for event in told if isinstance(event, TrieChanged)]) <= 10
    feed.changed()
    feed.changed()
    serials = [event.view.serial for event in told if isinstance(event, TrieChanged)]
    assert serials == list(range(1, len(serials) + 1))
    assert len(serials) >= 11


def test_pictures_that_take_long_come_seldom(tiny: Bench) -> None:
    """At most a hundredth of the time goes into them."""
    tiny.ask(user("hi"))
    told: list[Event] = []
    ticks = [0.0]

    def now() -> float:
        ticks[0] += 0.05
        return ticks[0]

    feed = TrieFeed(tiny.cache, labels(tiny), told.append, count(1), now)
    while ticks[0] < 20:
        feed.growing()
    assert 3 <= len([event for event in told if isinstance(event, TrieChanged)]) <= 5


def test_the_first_token_waits_for_no_picture_of_a_large_trie(tiny: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trie_feed, "_SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr(trie_feed, "_LARGEST_SHARE", 1e9)  # a picture is due at any time
    tiny.ask(user("hi"))
    monkeypatch.setattr(trie_feed, "_FEW", 0)
    begin = len(tiny.events)
    tiny.ask(LONG)
    kinds = [type(event) for event in tiny.events[begin:]]
    begun, first = kinds.index(RunStarted), kinds.index(TextDelta)
    assert TrieChanged not in kinds[begun:first]
    assert CacheHappened in kinds[begun:first]
    assert TrieChanged in kinds[first:]
    assert kinds[-2:] == [TrieChanged, RunFinished]


@pytest.mark.parametrize("kind", ["llama", "lfm2", "mamba2"])
def test_answers_that_are_written_by_turns_are_all_live_in_the_pictures(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trie_feed, "_SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr(trie_feed, "_LARGEST_SHARE", 1e9)
    bench = opened(write_model_folder(tmp_path / "m", kind=kind))
    bench.ask(user("something else"))
    sampling = [Sampling(temperature=1.5, top_p=1.0, seed=seed, max_tokens=60) for seed in range(3)]
    beside = tuple(Lane(one) for one in sampling[1:])
    command = replace(bench.command(LONG), sampling=sampling[0], beside=beside)
    views = [event.view for event in bench.do(command) if isinstance(event, TrieChanged)]
    assert any({(0, 1, 2), (0,), (1,), (2,)} <= {node.lanes for node in view.nodes} for view in views)
    for view in views:
        by_id = {node.id: node for node in view.nodes}
        for node in view.nodes:
            assert node.residency == "live" or not node.lanes
            above = by_id.get(node.parent_id or 0)
            assert above is None or set(node.lanes) <= set(above.lanes)
    assert {node.lanes for node in views[-1].nodes} == {(), (0,)}


# The log of what the cache did


def happened(events: list[Event]) -> list[CacheEvent]:
    return [one for event in events if isinstance(event, CacheHappened) for one in event.events]


def test_each_thing_that_happened_is_told_once_and_in_order(mixed: Bench) -> None:
    for number in range(4):
        mixed.ask(user(f"{number} {LONG.text}"))
        mixed.ask(LONG)
    numbers = [event.number for event in happened(mixed.events)]
    assert numbers == list(range(1, mixed.cache.events[-1].number + 1))
    kinds = {event.kind for event in happened(mixed.events)}
    assert kinds >= {Kind.REQUEST, Kind.CAPTURED, Kind.PAGED_OUT, Kind.PAGED_IN}


def test_what_a_request_cost_and_why_is_in_the_log(mixed: Bench) -> None:
    mixed.ask(LONG)
    mixed.ask(user("else"))
    begin = len(mixed.events)
    asked = mixed.ask(LONG)
    [request] = [event for event in happened(mixed.events[begin:]) if event.kind is Kind.REQUEST]
    report = asked.started.request
    assert (request.offset, request.tokens, request.reason) == (report.cached, report.left, report.reason)
    [entered] = [event for event in happened(mixed.events[begin:]) if event.kind is Kind.PAGED_IN]
    assert entered.offset + entered.tokens == report.cached
    assert entered.bytes > 0


def test_what_is_evicted_for_a_smaller_budget_is_told_at_once(tiny: Bench) -> None:
    for number in range(3):
        tiny.ask(user(f"{number} {LONG.text}"))
    stored = tiny.cache.paged_bytes
    evicted = [event for event in happened(tiny.do(SetBudget(0))) if event.kind is Kind.EVICTED]
    assert sum(event.bytes for event in evicted) == stored
    assert {event.reason for event in evicted} == {Reason.EVICTED}


def test_another_model_begins_another_log(tiny: Bench, mixed_folder: Path) -> None:
    tiny.ask(LONG)
    begin = len(tiny.events)
    tiny.open(mixed_folder)
    tiny.ask(LONG)
    assert [event.number for event in happened(tiny.events[begin:])][:2] == [1, 2]


def test_the_tree_is_in_the_debug_log_without_its_words(tiny: Bench, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "app.engine"):
        answer = tiny.ask(LONG, max_tokens=9).finished.text
    [tree] = [record.getMessage() for record in caplog.records if "nodes" in record.getMessage()]
    assert re.search(r"\[0, \d+\) \d+ tokens", tree)
    assert not any(words in caplog.text for words in ("fox", answer))
    caplog.clear()
    tiny.ask(LONG, max_tokens=9)
    assert "nodes" not in caplog.text
