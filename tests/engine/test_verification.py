"""The check of a branch on one's own model: exact where the cache is, and it finds the token from which it is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from app.engine import verification
from app.kvcache.layers.rows import RowLayer
from app.kvcache.prefix_cache import PrefixCache
from app.protocol.cache_events import CacheEventKind
from app.protocol.chat import Turn
from app.protocol.commands import Cancel, Command, EraseOwner, EstimateCost, Shutdown, Verify
from app.protocol.events import CostEstimate, RunFinished, RunStarted, TrieChanged, Verified
from tests.engine.bench import LONG, Bench, opened, steps_until, user
from tests.fakes.model_folder import write_model_folder


@pytest.fixture(scope="module", params=["llama", "lfm2", "gemma3", "falcon_h1", "mamba2"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model_folder(tmp_path_factory.mktemp("models") / request.param, kind=request.param)


def verified(bench: Bench, *turns: Turn) -> Verified:
    [event] = [event for event in bench.do(Verify(7, turns)) if isinstance(event, Verified)]
    assert event.query_id == 7
    return event


def branch(bench: Bench) -> tuple[Turn, ...]:
    """Two answers, a fork beside them, and back: the path was paged out and in."""
    turns: tuple[Turn, ...] = (LONG,)
    for question in ("And then?", "Why?"):
        turns = (*turns, bench.ask(*turns, max_tokens=9).turn, user(question))
    bench.ask(user("the fox sleeps"), max_tokens=4)
    return (*turns, bench.ask(*turns, max_tokens=9).turn, user("?"))


def cache_of(bench: Bench) -> PrefixCache:
    return bench.cache


def test_a_branch_that_was_left_and_entered_again_is_exact(folder: Path) -> None:
    bench = opened(folder)
    turns = branch(bench)
    held = bench.price(*turns).cached
    found = verified(bench, *turns)
    assert (found.is_exact, found.first_difference, found.problem) == (True, None, None)
    assert found.tokens == held > 150
    assert 0 <= found.drift < 1e-2
    assert found.seconds > 0


def test_checking_changes_nothing(folder: Path) -> None:
    bench = opened(folder)
    turns = branch(bench)
    verified(bench, *turns)
    first = bench.events[-2]
    verified(bench, *turns)
    second = bench.events[-2]
    assert isinstance(first, TrieChanged)
    assert isinstance(second, TrieChanged)
    shapes = [[(node.id, node.start, node.end, node.bytes, node.residency) for node in event.view.nodes]
              for event in (first, second)]  # fmt: skip
    assert shapes[0] == shapes[1]
    assert bench.ask(*turns).started.request.excess == 0


def bump(arrays: Any, at: int) -> tuple[mx.array, ...]:
    """The same rows, and one of them a very little larger."""
    keys, *rest = arrays
    factor = mx.ones((keys.shape[2], 1))
    factor[at] = 1 + 1e-6
    return (keys * factor, *rest)


@pytest.mark.parametrize("kind", ["llama", "lfm2", "gemma3"])
def test_a_row_that_was_changed_in_the_store_is_found(tmp_path: Path, kind: str) -> None:
    bench = opened(write_model_folder(tmp_path / "m", kind=kind))
    turns = branch(bench)
    bench.ask(user("elsewhere"), max_tokens=3)
    cache = cache_of(bench)
    tokens = bench.model.prompts.build(turns).ids
    node = next(
        node for node in cache.trie.match(tokens)[0] if node.stored.rows is not None and node.start < 70 < node.end
    )
    assert node.stored.rows is not None
    node.stored.rows.layers = (*node.stored.rows.layers[:-1], bump(node.stored.rows.layers[-1], 70 - node.start))
    found = verified(bench, *turns)
    assert not found.is_exact
    assert found.first_difference == 70


def test_a_live_row_that_was_changed_is_found(tmp_path: Path) -> None:
    bench = opened(write_model_folder(tmp_path / "m"))
    turns = (LONG, bench.ask(LONG, max_tokens=9).turn, user("?"))
    [layer, *_] = cache_of(bench).active.layers.rows
    assert isinstance(layer, RowLayer)
    layer._cache.values[..., 33, 0] += 1e-3
    found = verified(bench, *turns)
    assert (found.is_exact, found.first_difference) == (False, 33)


@pytest.mark.parametrize("kind", ["lfm2", "mamba2"])
def test_a_whole_state_that_was_changed_is_found(tmp_path: Path, kind: str) -> None:
    bench = opened(write_model_folder(tmp_path / "m", kind=kind))
    turns = branch(bench)
    bench.ask(user("elsewhere"), max_tokens=3)
    cache = cache_of(bench)
    tokens = bench.model.prompts.build(turns).ids
    node = [node for node in cache.trie.match(tokens)[0] if node.stored.state is not None][-1]
    assert node.stored.state is not None
    layers = tuple(tuple(None if x is None else x + 1e-4 for x in layer) for layer in node.stored.state.layers)
    cache.trie.set_state(node, node.stored.state._replace(layers=layers))
    found = verified(bench, *turns)
    assert (found.is_exact, found.first_difference) == (False, node.end)


def test_a_restore_that_does_not_fit_is_told(tmp_path: Path) -> None:
    bench = opened(write_model_folder(tmp_path / "m"))
    turns = (LONG, bench.ask(LONG, max_tokens=9).turn, user("?"))
    bench.ask(user("elsewhere"), max_tokens=3)
    [node, *_] = [node for node in cache_of(bench).trie if node.stored.rows is not None and len(node.tokens) > 99]
    assert node.stored.rows is not None
    node.stored.rows.layers = tuple(tuple(x[:, :, :5] for x in layer) for layer in node.stored.rows.layers)
    found = verified(bench, *turns)
    assert (found.is_exact, found.first_difference) == (False, 0)


# Step by step


def checking(folder: Path) -> tuple[Bench, tuple[Turn, ...]]:
    """A bench in the middle of a check, with that of the branch's turns."""
    bench = opened(folder)
    turns = branch(bench)
    bench.loop.submit(Verify(7, turns))
    for _ in range(4):
        assert bench.loop.step()
    return bench, turns


def test_prices_are_told_while_a_check_goes_on(folder: Path) -> None:
    bench, turns = checking(folder)
    begin = len(bench.events)
    bench.loop.submit(EstimateCost(3, turns))
    bench.loop.step()
    assert [type(event) for event in bench.events[begin:]] == [CostEstimate]
    bench.idle()
    assert [event.is_exact for event in bench.events if isinstance(event, Verified)] == [True]


@pytest.mark.parametrize("command", [Cancel(7), EraseOwner("me"), Shutdown(), Verify(7, (LONG,))])
def test_what_is_asked_meanwhile_stops_a_check(tiny: Bench, command: Command) -> None:
    turns = branch(tiny)
    tiny.loop.submit(Verify(7, turns))
    for _ in range(4):
        tiny.loop.step()
    tiny.loop.submit(command)
    told = steps_until(tiny, Verified)
    assert isinstance(told, Verified)
    assert told.problem is not None
    assert (told.query_id, told.problem.title) == (7, "The check was stopped")
    tiny.idle()


def test_a_question_does_not_wait_for_a_check(folder: Path) -> None:
    bench, turns = checking(folder)
    asked = bench.ask(*turns)
    assert asked.started.request.excess == 0
    assert asked.first(Verified).problem is not None
    assert [event.query_id for event in bench.events if isinstance(event, Verified)] == [7]


def test_a_check_stands_in_the_log_as_a_check(tiny: Bench) -> None:
    turns = branch(tiny)
    begin = cache_of(tiny).events[-1].number
    verified(tiny, *turns)
    kinds = [event.kind for event in cache_of(tiny).events if event.number > begin]
    assert CacheEventKind.CHECKED in kinds
    assert CacheEventKind.REQUEST not in kinds


def test_a_check_takes_the_memory_of_the_branch_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And of one of its three layers, and of a call and what is compared at once, here of few tokens."""
    monkeypatch.setattr(verification, "_STEP", 8)
    bench = opened(write_model_folder(tmp_path / "m", max_position_embeddings=8192), chunk=8)
    long = user("the fox and the other fox " * 300)
    turns = (long, bench.ask(long, max_tokens=3).turn, user("?"))
    active = cache_of(bench).active
    before = mx.get_active_memory()
    bench.loop.submit(Verify(7, turns))
    peaks = []
    while not isinstance(bench.events[-1], Verified):
        mx.reset_peak_memory()
        bench.loop.step()
        peaks.append(mx.get_peak_memory() - before)
    assert bench.events[-1].is_exact
    assert max(peaks) / active.layers.allocated_bytes < 1.7


# Refusals


def refused(bench: Bench, *turns: Turn) -> str:
    found = verified(bench, *turns)
    assert not found.is_exact
    assert found.problem is not None
    assert found.problem.sentence.endswith(".")
    return found.problem.title


def test_without_a_model_there_is_nothing_to_check() -> None:
    assert refused(Bench(), LONG) == "No model is open"


def test_what_is_not_cached_cannot_be_checked(tiny: Bench) -> None:
    assert refused(tiny, LONG) == refused(tiny, user("elsewhere")) == "There is nothing to check"
    assert refused(tiny, user("")) == "There is nothing to answer"


def test_while_an_answer_is_written_the_check_waits_for_another_time(tiny: Bench) -> None:
    command = tiny.command(LONG, max_tokens=20)
    tiny.loop.submit(command)
    steps_until(tiny, RunStarted)
    tiny.loop.submit(Verify(3, (LONG,)))
    told = steps_until(tiny, Verified)
    assert isinstance(told, Verified)
    assert told.problem is not None
    assert told.problem.title == "An answer is being written"
    tiny.idle()
    assert isinstance(tiny.events[-1], RunFinished)
    assert verified(tiny, LONG).is_exact
