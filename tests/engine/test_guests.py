"""Guests: they give way at once, go on with what they would have said, and are told of as any run is."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from mlx_lm.models.cache import make_prompt_cache

from app.engine import loader, run, writer
from app.prompting.codec import Codec
from app.prompting.length import AT_ONCE
from app.protocol.chat import Sampling
from app.protocol.commands import (
    LONGEST_TEXT,
    MOST_GUESTS,
    Cancel,
    CloseModel,
    Command,
    EraseOwner,
    Generate,
    Lane,
    LoadModel,
    Pin,
    SetBudget,
    Shutdown,
    Tokenize,
    Verify,
    WarmUp,
)
from app.protocol.events import (
    CostEstimate,
    EngineStarted,
    Event,
    ModelClosed,
    ModelReady,
    Pinned,
    PrefillProgress,
    RunFailed,
    RunFinished,
    RunStarted,
    TextDelta,
    Tokenized,
    TrieChanged,
    Verified,
    WarmedUp,
)
from app.protocol.reports import StopReason
from app.protocol.trie_view import TrieView
from tests.engine.bench import LONG, Asked, Bench, opened, outcome, outcomes, steps_until, user
from tests.engine.test_unknown_caches import KINDS as CLASSES
from tests.fakes.model_folder import write_model_folder
from tests.seeds import chosen

KINDS = ["llama", "lfm2", "gemma3", "mamba2", "qwen3_5"]
SETTINGS = (
    Sampling(temperature=0.0, max_tokens=21),
    Sampling(temperature=1.0, max_tokens=25, seed=3),
    Sampling(temperature=1.0, top_p=0.9, repetition_penalty=1.3, max_tokens=13, seed=5),
    Sampling(temperature=0.8, xtc_probability=0.5, max_tokens=8, seed=8),
)
QUESTIONS = (LONG, user("Say it."), user("the other fox " * 20))
WORDS = user("And the window?")
FIRST = 1000  # number of guests' runs


@pytest.fixture(scope="module", params=KINDS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model_folder(tmp_path_factory.mktemp("models") / request.param, kind=request.param)


def guest(number: int, question: int = 1, setting: int = 1) -> Generate:
    return Generate(number, (QUESTIONS[question],), SETTINGS[setting], is_guest=True)


@cache
def undisturbed(folder: Path, question: int, setting: int) -> RunFinished:
    return Asked(opened(folder, chunk=16).do(guest(FIRST, question, setting))).finished


def steps(bench: Bench, number: int) -> None:
    for _ in range(number):
        bench.loop.step()


def of_run(events: Sequence[Event], kind: type, number: int) -> list[Event]:
    return [event for event in events if isinstance(event, kind) and event.run_id == number]


def told(bench: Bench, number: int) -> str:
    return "".join(event.text for event in bench.events if isinstance(event, TextDelta) and event.run_id == number)


def require_told_once(bench: Bench, number: int) -> RunFinished:
    """A run was told of as one that nothing interrupted."""
    events, finished = bench.events, outcome(bench.events, number)
    assert isinstance(finished, RunFinished), finished
    assert len(of_run(events, RunStarted, number)) == 1
    deltas = [event for event in events if isinstance(event, TextDelta) and event.run_id == number]
    assert "".join(event.text for event in deltas if event.kind == "text") == finished.text
    assert tuple(token.id for event in deltas for token in event.tokens) == finished.ids
    done = [event.done for event in events if isinstance(event, PrefillProgress) and event.run_id == number]
    assert done == sorted(set(done))
    return finished


def disturbance(rng: random.Random, number: int) -> Command:
    """Whatever the window may ask."""
    asked: list[Command] = [
        Generate(number, (rng.choice((*QUESTIONS, WORDS)),), rng.choice(SETTINGS), owner="me"),
        Verify(number, (WORDS,)),
        Pin(number, (WORDS,), rng.random() < 0.5),
        WarmUp(number, (rng.choice((WORDS, user("the warm fox " * 30))),), owner="me"),
        LoadModel("/nowhere"),
        EraseOwner("you"),
    ]
    return rng.choice(asked)


@pytest.mark.parametrize("seed", chosen(range(6)))
def test_what_gave_way_at_random_says_what_it_would_have_said(folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    bench = opened(folder, chunk=16)
    asked = [(rng.randrange(len(QUESTIONS)), rng.randrange(len(SETTINGS))) for _ in range(3)]
    for at, (question, setting) in enumerate(asked):
        bench.loop.submit(guest(FIRST + at, question, setting))
    windows = []
    for number in range(1, 13):
        steps(bench, rng.randrange(12))
        command = disturbance(rng, number)
        windows += [command] if isinstance(command, Generate) else []
        bench.loop.submit(command)
    bench.idle()
    for at, (question, setting) in enumerate(asked):
        expected = undisturbed(folder, question, setting)
        found = require_told_once(bench, FIRST + at)
        assert (found.ids, found.text, found.stats.tokens) == (expected.ids, expected.text, expected.stats.tokens)
        assert found.stats.stop is expected.stats.stop
    ends = [event.run_id for event in bench.events if isinstance(event, RunFinished) and event.run_id >= FIRST]
    assert ends == sorted(ends)
    for command in windows:
        expected = Asked(opened(folder, chunk=16).do(replace(command, run_id=1))).finished
        assert require_told_once(bench, command.run_id).ids == expected.ids
    assert not bench.cache.sessions
    assert not bench.cache.faults


@pytest.mark.parametrize("seed", chosen(range(3)))
def test_it_says_the_same_where_nothing_of_it_is_kept_meanwhile(folder: Path, seed: int) -> None:
    """In budgets that come and go, down to none."""
    rng = random.Random(seed)
    bench = opened(folder, chunk=16)
    asked = [(rng.randrange(len(QUESTIONS)), rng.randrange(len(SETTINGS))) for _ in range(2)]
    for at, (question, setting) in enumerate(asked):
        bench.loop.submit(guest(FIRST + at, question, setting))
    for number in range(1, 13):
        bench.loop.submit(SetBudget(rng.choice((0, 20_000, 60_000, None))))
        steps(bench, rng.randrange(8))
        bench.loop.submit(disturbance(rng, number))
    bench.idle()
    for at, (question, setting) in enumerate(asked):
        assert outcome(bench.events, FIRST + at).ids == undisturbed(folder, question, setting).ids
        assert told(bench, FIRST + at) == undisturbed(folder, question, setting).text
    assert not bench.cache.faults


@pytest.mark.parametrize(("kind", "way"), [("llama", "a class of its own"), ("lfm2", "a subclass of states")])
def test_it_says_the_same_on_caches_that_nobody_knows(
    kind: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replaced, made = CLASSES[way]
    folder = write_model_folder(tmp_path / "m", kind=kind)
    expected = undisturbed(folder, 0, 1)

    def caches(model: Any) -> list[Any]:
        return [made(cache) if type(cache) is replaced else cache for cache in make_prompt_cache(model)]

    monkeypatch.setattr(loader, "make_prompt_cache", caches)
    for between in (1, 4, 9):
        bench = opened(folder, chunk=16)
        bench.loop.submit(guest(FIRST, 0))
        for number in range(1, 5):
            steps(bench, 6 + between)
            bench.loop.submit(Generate(number, (WORDS,), SETTINGS[3], owner="me"))
        bench.idle()
        assert outcome(bench.events, FIRST).ids == expected.ids
        assert told(bench, FIRST) == expected.text


def test_a_guest_gives_way_within_a_step_and_waits_until_the_window_asks_nothing_more(folder: Path) -> None:
    for steps_before in range(40):
        bench = opened(folder, chunk=16)
        bench.loop.submit(guest(FIRST, 0))
        steps(bench, steps_before)
        before = len(bench.events)
        commands = [bench.command(WORDS), bench.command(user("Again?"))]
        for command in commands:
            bench.loop.submit(command)
        bench.loop.step()
        assert len(of_run(bench.events[before:], TextDelta, FIRST)) <= 2, "one token, and what was held back before"
        assert all(session.owner == "me" for session in bench.cache.sessions)
        bench.idle()
        rest = bench.events[before:]
        last = max(rest.index(outcome(rest, command.run_id)) for command in commands)
        between = [event for event in rest[:last] if isinstance(event, TextDelta) and event.run_id == FIRST]
        assert len(between) <= 2
        require_told_once(bench, FIRST)


def test_a_check_a_pin_and_a_warm_up_are_not_refused_because_of_a_guest(mixed: Bench) -> None:
    mixed.ask(WORDS)
    mixed.loop.submit(guest(FIRST, 0))
    for command, kind in (
        (Verify(1, (WORDS,)), Verified),
        (Pin(2, (WORDS,), True), Pinned),
        (WarmUp(3, (WORDS,)), WarmedUp),
    ):
        steps(mixed, 4)
        mixed.loop.submit(command)
        assert steps_until(mixed, kind).problem is None  # type: ignore[attr-defined]
    mixed.idle()
    require_told_once(mixed, FIRST)


def test_a_guest_waits_while_the_window_asks_for_prices(tiny: Bench) -> None:
    tiny.loop.submit(guest(FIRST, 0))
    steps(tiny, 5)
    before = len(tiny.events)
    for _ in range(4):
        tiny.loop.submit(tiny.estimate_command(LONG, user("And then?")))
    for _ in range(3):
        steps_until(tiny, CostEstimate)
        assert not [event for event in tiny.events[before:] if getattr(event, "run_id", 0) == FIRST]
    tiny.idle()
    require_told_once(tiny, FIRST)


def test_the_time_in_which_it_gave_way_is_not_its_own(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that goes on a little with each look at it."""
    now, looks = [0.0], count()
    for module in (run, writer):
        monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: now[0] + 1e-6 * next(looks)))
    for steps_before in (2, 15, 20):
        bench = opened(tiny_folder, chunk=16)
        bench.loop.submit(guest(FIRST, 0))
        steps(bench, steps_before)
        bench.loop.submit(bench.command(WORDS))
        steps(bench, 3)
        now[0] += 100
        bench.idle()
        stats = require_told_once(bench, FIRST).stats
        assert stats.first_token is not None
        assert stats.first_token < stats.seconds < 1


def test_a_guest_does_not_end_a_warm_up_of_the_windows(tiny: Bench) -> None:
    tiny.loop.submit(WarmUp(1, (LONG,), owner="me"))
    steps(tiny, 2)
    tiny.loop.submit(guest(FIRST))
    tiny.idle()
    [found] = [event for event in tiny.events if isinstance(event, WarmedUp)]
    assert found.is_whole
    require_told_once(tiny, FIRST)


@pytest.mark.parametrize("seed", chosen(range(40)))
def test_it_is_cancelled_in_every_state(tiny_folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    bench = opened(tiny_folder, chunk=16)
    number = rng.choice((FIRST, FIRST + 1))
    for at in (FIRST, FIRST + 1):
        bench.loop.submit(guest(at, 0))
    steps(bench, rng.randrange(30))
    if rng.random() < 0.7:
        bench.loop.submit(bench.command(WORDS))
        steps(bench, rng.randrange(3))
    bench.loop.submit(Cancel(number))
    if rng.random() < 0.3:
        bench.loop.submit(bench.command(user("Again?")))
    steps(bench, 1 + (number == FIRST))
    found = outcome(bench.events, number)
    bench.idle()
    assert isinstance(found, RunFinished)
    assert outcomes(bench.events, number) == [found]
    whole = undisturbed(tiny_folder, 0, 1)
    assert found.stats.stop is StopReason.CANCELLED or found.ids == whole.ids
    assert whole.ids[: len(found.ids)] == found.ids
    assert told(bench, number) == found.text
    assert outcome(bench.events, 2 * FIRST + 1 - number).ids == whole.ids
    assert not bench.cache.sessions


@pytest.mark.parametrize("is_window_answered", [False, True])
def test_as_many_may_wait_as_may_ask_and_one_more_is_refused(tiny: Bench, is_window_answered: bool) -> None:
    """Also while none of them has begun, and where one was stopped that had."""
    tiny.loop.submit(guest(FIRST - 1))
    steps(tiny, 3)
    tiny.loop.submit(Cancel(FIRST - 1))
    if is_window_answered:
        tiny.loop.submit(tiny.command(LONG))
    for number in range(MOST_GUESTS + 1):
        tiny.loop.submit(guest(FIRST + number))
    tiny.idle()
    *answered, refused = [outcome(tiny.events, FIRST + number) for number in range(MOST_GUESTS + 1)]
    assert all(isinstance(event, RunFinished) for event in answered)
    assert isinstance(refused, RunFailed)
    assert "wait" in refused.problem.sentence
    assert isinstance(outcome(tiny.do(guest(FIRST + 20)), FIRST + 20), RunFinished)


def test_more_than_one_answer_or_prompt_is_refused(tiny: Bench) -> None:
    for command in (
        replace(guest(1), beside=(Lane(),)),
        replace(guest(2), begun=WORDS),
        replace(guest(3), text="Hello"),
        Generate(4, (), ids=(1, 2), text="Hello", is_guest=True),
        Generate(5, (), ids=(1, -1), is_guest=True),
        Generate(6, (), ids=(1, 1 << 40), is_guest=True),
        Generate(7, (), ids=(1,) * 100_000, is_guest=True),
        Generate(8, (), text="x" * (LONGEST_TEXT + 1), is_guest=True),
        Generate(9, (), is_guest=True),
        Generate(10, (), ids=(1, 2), forced=(1 << 40,), is_guest=True),
    ):
        assert isinstance(outcome(tiny.do(command), command.run_id), RunFailed), command.run_id
    assert isinstance(outcome(tiny.do(guest(FIRST)), FIRST), RunFinished)


def test_ids_and_a_text_are_prompts_as_they_are(folder: Path) -> None:
    bench = opened(folder)
    expected = bench.ask(LONG, temperature=0.0)
    tokenized = tokens_of(bench, Tokenize(1, turns=(LONG,)))
    assert tokenized.problem is None
    assert len(tokenized.ids) == expected.started.request.total
    by_ids = Asked(bench.do(Generate(2, (), Sampling(temperature=0.0, max_tokens=8), ids=tokenized.ids, is_guest=True)))
    assert by_ids.finished.ids == expected.finished.ids
    assert by_ids.started.request.cached == by_ids.started.request.total - 1, "all but the last is restored"
    text = bench.model.codec.decode(tokenized.ids)
    assert tokens_of(bench, Tokenize(3, text)).ids == bench.model.codec.whole(text)
    by_text = Asked(bench.do(Generate(4, (), Sampling(max_tokens=3), text=text, is_guest=True)))
    assert by_text.started.request.total == len(bench.model.codec.whole(text))
    assert by_text.finished.ids


def test_what_only_guests_used_is_told_as_such_until_the_window_asks_it(folder: Path) -> None:
    bench = opened(folder)
    bench.do(guest(FIRST, 0, 0))
    assert all(node.is_guest and not node.owners for node in last_view(bench).nodes)
    bench.ask(WORDS)
    of_guests = {node.label for node in last_view(bench).nodes if node.is_guest}
    assert of_guests
    bench.ask(LONG, temperature=0.0, max_tokens=30)
    assert {node.label for node in last_view(bench).nodes if node.is_guest} < of_guests
    found = bench.ask(LONG, temperature=0.0).started.request
    assert found.cached == found.total - 1


def last_view(bench: Bench) -> TrieView:
    return [event for event in bench.events if isinstance(event, TrieChanged)][-1].view


def test_a_text_that_is_far_too_long_is_not_read_as_a_whole(tiny: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "the fox " * (LONGEST_TEXT // 8)
    lengths = []
    whole = Codec.whole
    monkeypatch.setattr(Codec, "whole", lambda codec, text: lengths.append(len(text)) or whole(codec, text))
    problem = tokens_of(tiny, Tokenize(1, text)).problem
    assert problem is not None
    assert "too long" in problem.title
    assert max(lengths) <= AT_ONCE
    assert sum(lengths) < len(text)
    fitting = text[: 2 * tiny.model.context_length + 8]
    assert len(tokens_of(tiny, Tokenize(2, fitting)).ids) == len(whole(tiny.model.codec, fitting))


def tokens_of(bench: Bench, command: Tokenize) -> Tokenized:
    [found] = [event for event in bench.do(command) if isinstance(event, Tokenized)]
    assert found.query_id == command.query_id
    return found


def test_the_ids_of_a_prompt_are_told_between_steps_or_why_there_are_none(tiny: Bench) -> None:
    tiny.loop.submit(guest(FIRST, 0))
    steps(tiny, 3)
    tiny.loop.submit(Tokenize(1, "Hello there"))
    assert isinstance(steps_until(tiny, Tokenized, 2), Tokenized)
    assert not outcomes(tiny.events, FIRST)
    tiny.idle()
    for command in (Tokenize(2), Tokenize(3, "x", (WORDS,)), Tokenize(4, "x" * (LONGEST_TEXT + 1))):
        found = tokens_of(tiny, command)
        assert found.problem is not None
        assert not found.ids
    for number in range(2 * MOST_GUESTS):
        tiny.loop.submit(Tokenize(number, "Hello"))
    before = len(tiny.events)
    tiny.idle()
    found_all = [event for event in tiny.events[before:] if isinstance(event, Tokenized)]
    assert sorted(event.query_id for event in found_all) == list(range(2 * MOST_GUESTS))
    assert sum(event.problem is None for event in found_all) == MOST_GUESTS


def test_a_prompt_that_nobody_waits_for_any_more_is_not_read_and_takes_nobody_s_room(tiny: Bench) -> None:
    """At random, while one of them is read and while none is."""
    for seed in chosen(range(20)):
        dice, told = random.Random(seed), len(tiny.events)
        tiny.loop.submit(Tokenize(0, "Hello there"))
        steps(tiny, dice.randrange(3))
        tiny.loop.submit(Cancel(0))
        wanted = [100 + number for number in range(MOST_GUESTS)]
        for number in wanted:
            left = dice.randrange(1, 50)
            for command in (Tokenize(left, "Hello"), Cancel(left), Tokenize(number, "Hello")):
                tiny.loop.submit(command)
        tiny.idle()
        found = {one.query_id: one.problem for one in tiny.events[told:] if isinstance(one, Tokenized)}
        assert [found[number] for number in wanted] == [None] * MOST_GUESTS, seed


@pytest.mark.parametrize("command", [CloseModel(), Shutdown(), LoadModel("")])
def test_a_model_that_is_closed_fails_all_its_guests(tiny_folder: Path, command: Command) -> None:
    for steps_before in (0, 1, 4, 20):
        bench = opened(tiny_folder, chunk=16)
        for number in range(3):
            bench.loop.submit(guest(FIRST + number, 0))
        steps(bench, steps_before)
        bench.loop.submit(Tokenize(1, "Hello"))
        again = LoadModel(str(tiny_folder)) if isinstance(command, LoadModel) else command
        bench.loop.submit(again)
        while bench.loop.step():
            pass
        for number in range(3):
            assert isinstance(outcome(bench.events, FIRST + number), RunFailed)
        assert next(event for event in bench.events if isinstance(event, Tokenized)).problem is not None
        if isinstance(command, LoadModel):
            assert any(isinstance(event, ModelClosed) for event in bench.events)
            assert isinstance(outcome(bench.do(guest(5)), 5), RunFinished)


def test_without_a_model_a_guest_fails() -> None:
    bench = Bench()
    found = bench.do(guest(FIRST), Tokenize(1, "Hello"))
    assert isinstance(outcome(found, FIRST), RunFailed)
    assert next(event for event in found if isinstance(event, Tokenized)).problem is not None
    assert next(event for event in bench.events if isinstance(event, EngineStarted)).capabilities.guests


def test_guests_wait_while_a_model_is_opened_and_go_on_where_it_was_not(tiny_folder: Path) -> None:
    bench = opened(tiny_folder, chunk=16)
    bench.loop.submit(guest(FIRST, 0))
    steps(bench, 15)
    before = len(bench.events)
    bench.loop.submit(LoadModel("/nowhere"))
    bench.idle()
    assert require_told_once(bench, FIRST).ids == undisturbed(tiny_folder, 0, 1).ids
    assert not [event for event in bench.events[before:] if isinstance(event, ModelReady)]
