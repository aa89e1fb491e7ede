"""CostQueries: told within one step, and what the request then costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.prompting.prompt import AT_ONCE
from app.protocol.chat import Turn
from app.protocol.commands import Cancel, EstimateCost, Pin, SetBudget, Verify
from app.protocol.events import (
    CostEstimate,
    CostRefused,
    Pinned,
    TextDelta,
    TrieChanged,
    Verified,
)
from app.protocol.figures import number
from app.protocol.reports import RequestReport
from tests.engine.bench import LONG, Bench, opened, outcomes, steps_until, user
from tests.fakes.renderer import FakeRenderer


@pytest.mark.parametrize("model", ["tiny_folder", "mixed_folder"])
def test_an_estimate_comes_within_one_step_of_a_long_answer_and_is_exact(
    model: str, request: pytest.FixtureRequest
) -> None:
    bench = opened(request.getfixturevalue(model))
    said = bench.ask(LONG, max_tokens=6)
    other = (LONG, said.turn, user("And then?"))
    running = bench.command(user("something else"), max_tokens=300, temperature=1.2, seed=9)
    bench.loop.submit(running)
    steps_until(bench, TextDelta)
    estimates = []
    for query in range(20):
        bench.loop.submit(EstimateCost(query, other))
        begin = len(bench.events)
        bench.loop.step()
        [estimate] = [event for event in bench.events[begin:] if isinstance(event, CostEstimate)]
        estimates.append(estimate)
        assert not outcomes(bench.events[begin:], running.run_id)
    bench.do(Cancel(running.run_id))
    asked = bench.ask(*other)
    assert {estimate.request for estimate in estimates} == {asked.started.request}
    assert [turn.end for turn in estimates[0].turns] == list(asked.started.turn_ends)
    assert estimates[0].request.excess == 0


def test_a_query_about_nothing_is_answered_with_the_reason(tiny: Bench) -> None:
    for turns in ((), (user(""),), (user("hello"), Turn("assistant", ""), user(" "))):
        [refused] = tiny.do(EstimateCost(7, turns))
        assert isinstance(refused, CostRefused)
        assert (refused.query_id, refused.problem and bool(refused.problem.title)) == (7, True), turns


@pytest.mark.parametrize("model", ["tiny_folder", "mixed_folder"])
def test_an_estimate_says_which_edges_its_branch_runs_along(model: str, request: pytest.FixtureRequest) -> None:
    """The deepest one, above which the path is that of the picture: its tokens are those of the branch."""
    bench = opened(request.getfixturevalue(model))
    said = bench.ask(LONG, max_tokens=6)
    branches = [(LONG, said.turn, user(words)) for words in ("And then?", "And who?", "Why?")]
    for branch in branches[:2]:
        bench.ask(*branch)
    for branch in branches:
        estimate = bench.estimate(*branch)
        assert estimate is not None
        nodes = {node.id: node for node in bench.cache.trie}
        node, tokens = nodes[estimate.edge], list[int]()
        while node.parent is not None:
            tokens = [*node.tokens, *tokens]
            node = node.parent
        prompt = bench.model.prompts.build(branch).ids
        assert tuple(tokens[: estimate.known]) == prompt[: estimate.known]
        assert estimate.known >= estimate.request.seen - 1 > 0
        assert list(prompt[: len(tokens)]) != tokens or len(tokens) == estimate.known


def test_a_branch_of_which_nothing_is_known_runs_along_no_edge(tiny: Bench) -> None:
    estimate = tiny.estimate(user("the river"))
    assert estimate is not None
    assert (estimate.edge, estimate.known) == (0, 0)


def test_an_estimate_of_what_is_being_written_is_exact_too(tiny: Bench) -> None:
    command = tiny.command(LONG, max_tokens=300, temperature=1.2)
    tiny.loop.submit(command)
    steps_until(tiny, TextDelta)
    tiny.loop.submit(EstimateCost(1, (LONG,)))
    estimate = steps_until(tiny, CostEstimate)
    assert isinstance(estimate, CostEstimate)
    assert estimate.request.left == 1
    tiny.do(Cancel(command.run_id))
    assert tiny.ask(LONG).started.request == estimate.request


def test_an_estimate_says_where_each_turn_is_and_how_long_it_takes(tiny_folder: Path) -> None:
    bench = opened(tiny_folder)
    unknown = bench.estimate(LONG)
    assert unknown is not None
    assert unknown.seconds is None
    assert [turn.residency for turn in unknown.turns] == ["none"]
    said = bench.ask(LONG, max_tokens=6)
    bench.ask(user("else"))
    estimate = bench.estimate(LONG, said.turn, user("And then?"))
    assert estimate is not None
    assert [turn.residency for turn in estimate.turns] == ["memory", "memory", "none"]
    assert estimate.seconds is not None
    assert 0 < estimate.seconds < 60


def test_an_estimate_changes_nothing(mixed: Bench) -> None:
    mixed.ask(LONG)
    views = []
    for _ in range(2):
        mixed.do(SetBudget(None))
        views.append([event.view for event in mixed.events if isinstance(event, TrieChanged)][-1])
        mixed.estimate(user("the fox and"), Turn("assistant", "no"), user("x"))
    assert views[0].nodes == views[1].nodes


@pytest.mark.parametrize("model", ["tiny_folder", "mixed_folder"])
def test_an_estimate_says_how_much_of_the_branch_is_pinned(model: str, request: pytest.FixtureRequest) -> None:
    bench = opened(request.getfixturevalue(model))
    said = bench.ask(LONG, max_tokens=6)
    branch = (LONG, said.turn)
    assert bench.estimate(*branch).pinned == 0  # type: ignore[union-attr]
    [pinned] = [event for event in bench.do(Pin(1, branch, True)) if isinstance(event, Pinned)]
    estimate = bench.estimate(*branch)
    assert estimate is not None
    assert estimate.pinned == pinned.tokens == estimate.request.cached
    assert bench.estimate(*branch, user("And then?")).pinned == pinned.tokens  # type: ignore[union-attr]
    assert bench.estimate(user("something else")).pinned == 0  # type: ignore[union-attr]
    bench.do(Pin(2, branch, False))
    assert bench.estimate(*branch).pinned == 0  # type: ignore[union-attr]


def test_a_branch_far_beyond_the_context_is_counted_where_that_is_asked_for(tiny: Bench) -> None:
    """And an answer goes on meanwhile: one token in each step, and never more of the branch than a part."""
    far = tuple(user("the fox and the other fox " * 60) for _ in range(50))
    command = tiny.command(user("the fox"), max_tokens=200, temperature=1.2)
    tiny.loop.submit(command)
    steps_until(tiny, TextDelta)
    tiny.loop.submit(EstimateCost(1, far, is_exact=True))
    before, begun = tiny.cache.active.offset, len(tiny.events)
    steps = 0
    while not any(isinstance(event, CostEstimate) for event in tiny.events[begun:]):
        tiny.loop.step()
        steps += 1
    assert steps > sum(len(turn.text) for turn in far) // AT_ONCE
    assert tiny.cache.active.offset == before + steps
    [priced] = [event for event in tiny.events[begun:] if isinstance(event, CostEstimate)]
    tiny.do(Cancel(command.run_id))
    assert not priced.is_far_too_long
    assert priced.request.total == len(tiny.model.prompts.build(far).ids) > 2 * tiny.model.context_length


def test_a_branch_far_beyond_the_context_is_told_as_that_without_being_rendered(tiny: Bench) -> None:
    """Its estimate, its answer, its check and its pin are all refused before the template sees it."""
    context, rendered = tiny.model.context_length, []
    template = tiny.model.prompts.template
    noted = replace(template, renderer=FakeRenderer(lambda messages: str(rendered.append(1))))
    tiny.model = replace(tiny.model, prompts=replace(tiny.model.prompts, template=noted))
    far = [user(f"question {number}") for number in range(3 * context)]
    estimate = tiny.estimate(*far)
    assert estimate == CostEstimate(estimate.query_id, RequestReport(context, 0, 0, 0), (), None, is_far_too_long=True)
    assert f"more than {number(context)} tokens" in tiny.ask(*far).failed.problem.sentence
    [pinned] = [event for event in tiny.do(Pin(1, far, True)) if isinstance(event, Pinned)]
    [checked] = [event for event in tiny.do(Verify(2, far)) if isinstance(event, Verified)]
    for event in (pinned, checked):
        assert event.problem is not None
        assert "too long" in event.problem.title
    assert not rendered


class MadeTurns(Sequence[Turn]):
    """A branch that makes its turns when they are asked for, and counts them."""

    def __init__(self, length: int) -> None:
        self._length, self.made = length, 0

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, at: int | slice) -> Any:
        if isinstance(at, slice):
            return tuple(self[place] for place in range(*at.indices(self._length)))
        if not 0 <= at < self._length:
            raise IndexError(at)
        self.made += 1
        return user(f"question {at}")


def test_of_a_branch_far_beyond_the_context_no_more_turns_are_made_than_are_counted(tiny: Bench) -> None:
    made = [MadeTurns(times * tiny.model.context_length) for times in (4, 40)]
    for turns in made:
        [estimate] = tiny.do(EstimateCost(1, turns))
        assert isinstance(estimate, CostEstimate)
        assert estimate.is_far_too_long
    assert made[0].made == made[1].made < len(made[0])


def test_a_branch_a_little_beyond_the_context_has_an_exact_estimate(tiny: Bench) -> None:
    context = tiny.model.context_length
    estimate = tiny.estimate(user("fox " * context))
    assert estimate is not None
    assert estimate.request.total == len(tiny.model.prompts.build([user("fox " * context)]).ids)
    assert not estimate.is_far_too_long


def test_a_step_answers_one_estimate_so_that_the_answer_under_way_goes_on_between_them(tiny: Bench) -> None:
    command = tiny.command(LONG, max_tokens=300, temperature=1.2)
    tiny.loop.submit(command)
    steps_until(tiny, TextDelta)
    begin = len(tiny.events)
    for query in range(5):
        tiny.loop.submit(EstimateCost(query, (user(f"question {query}"),)))
    for step in range(5):
        tiny.loop.step()
        told = [event.query_id for event in tiny.events[begin:] if isinstance(event, CostEstimate)]
        assert told == list(range(step + 1))
    tiny.do(Cancel(command.run_id))


def test_estimates_are_answered_when_nothing_else_is_to_do(tiny: Bench) -> None:
    asked = [EstimateCost(query, (user(f"question {query}"),)) for query in range(5)]
    told = [event.query_id for event in tiny.do(*asked) if isinstance(event, CostEstimate)]
    assert told == list(range(5))


def test_the_second_estimate_of_nearly_the_same_branch_tokenizes_what_differs(
    tiny: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    branch = [user(f"question {n}") if n % 2 == 0 else Turn("assistant", f"answer {n}") for n in range(41)]
    tokenizer, read = tiny.model.codec._tokenizer, list[str]()
    encode = tokenizer.encode

    class Noting:
        def encode(self, text: str, **how: bool) -> list[int]:
            read.append(text)
            return list(encode(text, **how))

    monkeypatch.setattr(tiny.model.codec, "_tokenizer", Noting())
    first = tiny.estimate(*branch)
    assert len(read) > 40
    read.clear()
    assert tiny.estimate(*branch) == replace(first, query_id=first.query_id + 1)  # type: ignore[union-attr]
    assert read == []
    tiny.estimate(*branch[:-1], user("something else"))
    assert 0 < len(read) < 4
    assert all("something else" in text for text in read)


def test_an_estimate_says_with_which_edge_of_the_trie_its_branch_ends(tiny: Bench) -> None:
    """Those who remember it need not ask again before something on its way has changed."""
    before = tiny.estimate(LONG)
    assert before is not None
    assert before.edge == 0
    tiny.ask(LONG)
    after = tiny.estimate(LONG)
    assert after is not None
    assert after.edge in tiny.cache.trie.nodes
    assert tiny.cache.trie.nodes[after.edge].end >= after.request.seen
