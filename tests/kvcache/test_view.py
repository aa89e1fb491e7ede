"""The picture that the window gets, and the text of the log."""

from __future__ import annotations

from collections.abc import Sequence

from app.kvcache.view import dump, view
from tests.kvcache.ledger import ask, ledger_cache


def label(tokens: Sequence[int]) -> str:
    return " ".join(str(token) for token in tokens)


def test_it_shows_what_is_where() -> None:
    cache, _ = ledger_cache("R")
    ask(cache, [1, 2, 3, 4], [9, 9], points=[2])
    ask(cache, [1, 2, 5, 6], [8, 8], points=[2])
    seen = view(cache, 7, label)
    rows = {(node.start, node.label): node for node in seen.nodes}
    assert seen.serial == 7
    assert [(node.start, node.label, node.place) for node in seen.nodes] == [
        (0, "1 2", "live"),
        (2, "3 4 9", "memory"),
        (2, "5 6 8", "live"),
    ]
    root = rows[0, "1 2"]
    assert root.parent_id is None
    assert root.is_restore_point
    assert rows[2, "3 4 9"].parent_id == root.id
    assert rows[2, "3 4 9"].lanes == ()
    assert root.lanes == rows[2, "5 6 8"].lanes == (0,)
    assert seen.live_tokens == 5


def test_bytes_add_up() -> None:
    cache, _ = ledger_cache("R")
    for branch in range(4):
        ask(cache, [1, 2, 3, branch], [9, 9], points=[3])
    seen = view(cache, 1, label)
    stored = sum(node.bytes for node in seen.nodes)
    live_rows = cache.lane.row_bytes * cache.lane.offset
    assert stored == seen.paged_bytes + live_rows
    assert seen.live_bytes <= seen.live_allocated_bytes


def test_evicted_edges_are_shown_as_known() -> None:
    cache, _ = ledger_cache("T")
    ask(cache, [1, 2, 3], [9])
    ask(cache, [5, 6, 7], [9])
    cache.set_budget(0)
    assert [node.place for node in view(cache, 1, label).nodes] == ["none", "live"]


def test_the_dump_has_every_edge_and_no_words() -> None:
    cache, _ = ledger_cache("R")
    ask(cache, [41, 42, 43], [9], points=[2])
    text = dump(cache)
    assert text.splitlines()[1].strip().startswith("[0, 2) 2 tokens")
    assert "live, state, anchor" in text
    assert "41" not in text


def test_an_edge_that_is_being_written_was_used_just_now() -> None:
    cache, _ = ledger_cache("T")
    with cache.begin([1, 2, 3]) as session:
        session.prefill(8)
        (node,) = view(cache, 1, label).nodes
    assert node.last_use == 1
    assert node.used_at > 1e9
