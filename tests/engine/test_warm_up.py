"""Warming a branch up: it is held to its end, gives way at once, and changes no answer. Evicting what is held."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from app.protocol.chat import Turn
from app.protocol.commands import Cancel, Evict, Pin, Verify, WarmUp
from app.protocol.events import (
    CostEstimate,
    Event,
    Evicted,
    Pinned,
    RunFinished,
    RunStarted,
    TextDelta,
    TrieChanged,
    Verified,
    WarmedUp,
    WarmingUp,
)
from tests.engine.bench import LONG, Bench, opened, outcomes, steps_until, user
from tests.seeds import each_seed

FOLDERS = ("tiny_folder", "mixed_folder")


@pytest.fixture(params=FOLDERS)
def bench(request: pytest.FixtureRequest) -> Bench:
    return opened(request.getfixturevalue(request.param), chunk=16)


def warmed(events: list[Event]) -> WarmedUp:
    [found] = [event for event in events if isinstance(event, WarmedUp)]
    return found


def price(bench: Bench, *turns: Turn) -> CostEstimate:
    found = bench.estimate(*turns)
    assert found is not None
    return found


def evict_all(bench: Bench) -> Evicted:
    view = [event for event in bench.events if isinstance(event, TrieChanged)][-1].view
    [found] = [event for event in bench.do(Evict(5, tuple(n.id for n in view.nodes))) if isinstance(event, Evicted)]
    return found


def test_a_branch_that_was_warmed_up_goes_on_at_once(bench: Bench) -> None:
    said = bench.ask(LONG, max_tokens=6)
    branch = (LONG, said.turn)
    assert evict_all(bench).tokens > 150
    assert price(bench, *branch).request.cached == 0
    events = bench.do(WarmUp(3, branch, owner="c"))
    steps = [event for event in events if isinstance(event, WarmingUp)]
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert len(steps) > 5
    assert steps[-1].done == steps[-1].total
    found = warmed(events)
    assert (found.query_id, found.is_whole, found.problem) == (3, True, None)
    assert found.tokens == steps[-1].total
    after = price(bench, *branch)
    assert after.is_warm
    question = (*branch, user("And then?"))
    assert price(bench, *question).request.cached >= after.turns[-1].end - 1


def test_an_answer_is_the_same_after_a_warm_up(bench: Bench) -> None:
    said = bench.ask(LONG, max_tokens=6)
    branch = (LONG, said.turn, user("And then?"))
    first = bench.ask(*branch, max_tokens=12, temperature=1.0, seed=4).finished
    evict_all(bench)
    bench.do(WarmUp(3, branch[:2]))
    [check] = [event for event in bench.do(Verify(9, branch[:2])) if isinstance(event, Verified)]
    assert check.is_exact
    assert bench.ask(*branch, max_tokens=12, temperature=1.0, seed=4).finished.text == first.text


def test_a_question_ends_a_warm_up_within_a_step_and_what_it_computed_stays(bench: Bench) -> None:
    bench.loop.submit(WarmUp(3, (LONG,)))
    for _ in range(4):
        steps_until(bench, WarmingUp)
    begin = len(bench.events)
    bench.loop.submit(bench.command(LONG))
    bench.loop.step()
    kinds = [type(event) for event in bench.events[begin:]]
    assert kinds.index(WarmedUp) < len(kinds)
    found = warmed(bench.events)
    assert not found.is_whole
    assert found.tokens >= 32
    bench.idle()
    [started] = [event for event in bench.events[begin:] if isinstance(event, RunStarted)]
    assert started.request.cached >= found.tokens - (0 if bench.cache.active.layers.rows else 256) > 0


def test_it_can_be_cancelled_and_refused(bench: Bench) -> None:
    bench.loop.submit(WarmUp(3, (LONG,)))
    steps_until(bench, WarmingUp)
    assert not warmed(bench.do(Cancel(3))).is_whole
    running = bench.command(user("something"), max_tokens=60)
    bench.loop.submit(running)
    steps_until(bench, TextDelta)
    begin = len(bench.events)
    bench.loop.submit(WarmUp(4, (LONG,)))
    bench.loop.step()
    problem = warmed(bench.events[begin:]).problem
    assert problem is not None
    assert problem.title == "An answer is being written"
    bench.do(Cancel(running.run_id))
    far = (user("the fox " * 4000),)
    problem = warmed(bench.do(WarmUp(6, far))).problem
    assert problem is not None
    assert warmed(Bench().do(WarmUp(7, (LONG,)))).problem is not None


def test_an_answer_keeps_what_it_is_written_on(bench: Bench) -> None:
    running = bench.command(LONG, max_tokens=40, temperature=0)
    bench.loop.submit(running)
    steps_until(bench, TextDelta)
    bench.cache.record()
    bench.loop.submit(Evict(8, tuple(bench.cache.trie.nodes)))
    evicted = steps_until(bench, Evicted)
    assert isinstance(evicted, Evicted)
    assert evicted.problem is not None
    assert evicted.problem.title == "It was not evicted"
    bench.idle()
    [done] = outcomes(bench.events, running.run_id)
    assert isinstance(done, RunFinished)
    fresh = bench.ask(LONG, max_tokens=40, temperature=0)
    assert fresh.finished.text == done.text


def test_what_is_pinned_or_held_nowhere_is_not_evicted_and_that_is_said(bench: Bench) -> None:
    bench.ask(LONG, max_tokens=6)
    [pinned] = [event for event in bench.do(Pin(1, (LONG,), True)) if isinstance(event, Pinned)]
    assert pinned.problem is None
    evict_all(bench)
    problem = evict_all(bench).problem
    assert problem is not None
    assert "pinned" in problem.sentence
    bench.do(Pin(2, (LONG,), False))
    assert evict_all(bench).tokens > 0
    problem = evict_all(bench).problem
    assert problem is not None
    assert problem.title == "There is nothing to evict"


@each_seed(range(3))
def test_whatever_is_evicted_pinned_and_warmed_up_no_answer_is_another_one(bench: Bench, seed: int) -> None:
    """At random, each command between any two steps: against an engine on which nothing is done beside the answers."""
    rng = random.Random(seed)
    plain = opened(Path(bench.model.path), chunk=16)
    branches: list[tuple[Turn, ...]] = [(LONG,)]
    for number in range(6):
        branch = rng.choice(branches)
        question = branch if branch[-1].role == "user" else (*branch, user(f"{number} and the fox"))
        command = plain.command(*question, max_tokens=5, temperature=1.0, seed=number)
        wanted = [event for event in plain.do(command) if isinstance(event, RunFinished)][-1]
        for query in range(rng.randrange(4)):
            bench.loop.submit(_random_command(bench, rng, branches, 100 * number + query))
            for _ in range(rng.randrange(6)):
                bench.loop.step()
        found = [event for event in bench.do(command) if isinstance(event, RunFinished)][-1]
        assert found.text == wanted.text, f"answer {number}"
        branches.append((*question, Turn("assistant", found.text, found.ids)))


def _random_command(
    bench: Bench, rng: random.Random, branches: list[tuple[Turn, ...]], number: int
) -> Evict | Pin | WarmUp:
    branch = rng.choice(branches)
    ids = sorted(bench.cache.trie.nodes)
    if rng.random() < 0.4 and ids:
        return Evict(number, tuple(rng.sample(ids, k=min(len(ids), 2))))
    if rng.random() < 0.3:
        return Pin(number, branch, rng.random() < 0.5)
    return WarmUp(1000 + number, branch)
