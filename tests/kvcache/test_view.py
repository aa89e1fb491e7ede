"""The picture that the window gets, and the text of the log."""

from __future__ import annotations

import random

import pytest

from app.kvcache.session import Session
from app.kvcache.snapshot import TrieNode
from app.kvcache.view import EdgeLabel, Views, dump, view
from app.protocol.trie_view import LABEL_TOKENS
from tests.kvcache.ledger import ask, ledger_cache
from tests.seeds import chosen


def label(node: TrieNode) -> EdgeLabel:
    return EdgeLabel(" ".join(str(token) for token in node.tokens[:LABEL_TOKENS]))


def test_it_shows_what_is_where() -> None:
    cache, _ = ledger_cache("R")
    ask(cache, [1, 2, 3, 4], [9, 9], points=[2])
    ask(cache, [1, 2, 5, 6], [8, 8], points=[2])
    seen = view(cache, 7, label)
    rows = {(node.start, node.label): node for node in seen.nodes}
    assert seen.serial == 7
    assert [(node.start, node.label, node.residency) for node in seen.nodes] == [
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
    live_rows = cache.active.layers.row_bytes * cache.active.offset
    assert stored == seen.paged_bytes + live_rows
    assert seen.live_bytes <= seen.live_allocated_bytes


def test_evicted_edges_are_shown_as_known() -> None:
    cache, _ = ledger_cache("T")
    ask(cache, [1, 2, 3], [9])
    ask(cache, [5, 6, 7], [9])
    cache.set_budget(0)
    assert [node.residency for node in view(cache, 1, label).nodes] == ["none", "live"]


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


@pytest.mark.parametrize("mix", ["T", "R"])
def test_what_is_used_again_of_the_last_view_is_as_it_is_now(mix: str) -> None:
    for seed in chosen(range(3)):
        rng = random.Random(seed)
        cache, _ = ledger_cache(mix, budget_bytes=1 << 20)
        views, prompts, pinned = Views(cache, label), [[1, 2, 3]], list[list[int]]()
        for step in range(60):
            prompt = rng.choice(prompts)[: rng.randrange(1, 60)] + rng.choices(range(1, 5), k=rng.randrange(1, 40))
            points = sorted(rng.sample(range(len(prompt)), min(3, len(prompt))))
            prompts.append(prompt)
            with cache.begin(prompt, points, owner=rng.choice("abc")) as session:
                while session.prefill(8) and rng.random() < 0.95:
                    assert views.take(step).nodes == view(cache, step, label).nodes, f"seed {seed}, step {step}"
            match rng.randrange(8):
                case 0:
                    cache.set_budget(rng.choice((0, 5_000, 1 << 20)))
                case 1:
                    prompt = rng.choice(prompts)
                    pinned.append(prompt[: cache.pin(prompt)])
                case 2 if pinned:
                    cache.unpin(pinned.pop(rng.randrange(len(pinned))))
                case 3:
                    cache.erase(rng.choice("abc"))
                case 4:
                    cache.release(rng.choice("abc"))
            assert views.take(step).nodes == view(cache, step, label).nodes, f"seed {seed}, step {step}"


@pytest.mark.parametrize("mix", ["T", "R"])
def test_every_open_request_is_seen_on_its_path(mix: str) -> None:
    """By the smallest number that was free when it began, however they take turns."""
    for seed in chosen(range(4)):
        rng, cache = random.Random(seed), ledger_cache(mix, budget_bytes=1 << 20)[0]
        views = Views(cache, label)
        lanes: dict[int, Session] = {}
        for step in range(60):
            free = min(set(range(9)) - set(lanes))
            action = rng.choice(["begin", "mount", "end"])
            if action == "begin" and len(lanes) < 8:
                prompt = [1, 2, 3, *rng.choices(range(1, 5), k=rng.randrange(1, 30))]
                lanes[free] = cache.begin(prompt, [3]).__enter__()
                assert lanes[free].lane == free
            elif action == "mount" and lanes:
                session = rng.choice(list(lanes.values()))
                cache.mount(session)
                session.prefill(rng.randrange(1, 9))
            elif action == "end" and lanes:
                lanes.pop(rng.choice(list(lanes))).__exit__(None, None, None)
            taken = views.take(step)
            assert taken.nodes == view(cache, step, label).nodes, f"seed {seed}, step {step}"
            seen = {lane for node in taken.nodes for lane in node.lanes}
            assert seen <= (set(lanes) or {0}), f"seed {seed}, step {step}"
            computed = {lane for lane, session in lanes.items() if session.offset}
            assert not cache.holds_many or computed <= seen, f"seed {seed}, step {step}"
        for session in lanes.values():
            session.__exit__(None, None, None)


def test_an_edge_that_stays_is_the_same_object() -> None:
    cache, _ = ledger_cache("T")
    for branch in range(20):
        ask(cache, [1, 2, 3, 10 + branch, 5], [7])
    views = Views(cache, label)
    before = views.take(1).nodes
    ask(cache, [1, 2, 3, 10, 5], [7])
    same = {id(node) for node in before} & {id(node) for node in views.take(2).nodes}
    assert len(same) == len(before) - 3, "the one that is left, the one that is entered, and what they share"
