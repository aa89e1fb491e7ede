"""Pictures of the trie: often enough to follow, seldom enough to draw."""

from __future__ import annotations

from app.engine.trie_feed import TrieFeed
from app.protocol.events import Event, TrieChanged
from tests.engine.bench import Bench, user


def test_growth_is_told_ten_times_a_second_at_most(tiny: Bench) -> None:
    tiny.ask(user("hi"))
    model, cache = tiny.loop.model, tiny.loop.cache
    assert model is not None
    assert cache is not None
    told: list[Event] = []
    clock = [0.0]
    feed = TrieFeed(told.append, lambda: clock[0])
    for hundredth in range(100):
        clock[0] = hundredth / 100
        feed.growing(model, cache)
    assert 9 <= len(told) <= 10
    feed.changed(model, cache)
    feed.changed(model, cache)
    serials = [event.view.serial for event in told if isinstance(event, TrieChanged)]
    assert serials == list(range(1, len(told) + 1))
    assert len(told) >= 11
