"""The loop: every command is obeyed within one step, and each run ends with exactly one outcome."""

from __future__ import annotations

import threading
from itertools import pairwise
from pathlib import Path

import pytest

from app.engine.loop import EngineLoop
from app.protocol.chat import Sampling, Turn
from app.protocol.commands import Cancel, Generate, LoadModel, Price, ReleaseOwner, SetBudget, Shutdown
from app.protocol.events import (
    EngineStarted,
    Event,
    ModelFailed,
    ModelLoading,
    ModelReady,
    PrefillProgress,
    Priced,
    RunFailed,
    RunFinished,
    RunStarted,
    TextDelta,
    TrieChanged,
)
from app.protocol.reports import Reason, StopReason
from tests.engine.bench import Asked, Bench, opened, user
from tests.engine.conftest import GUIDE
from tests.fakes.model_folder import write_model_folder

LONG = user("the fox and the other fox " * 30)


def outcomes(events: list[Event], run_id: int) -> list[RunFinished | RunFailed]:
    return [event for event in events if isinstance(event, RunFinished | RunFailed) and event.run_id == run_id]


def outcome(events: list[Event], run_id: int) -> RunFinished | RunFailed:
    [only] = outcomes(events, run_id)
    return only


def steps_until(bench: Bench, kind: type[Event], limit: int = 500) -> Event:
    """Step until an event of this kind is told; returns it."""
    for _ in range(limit):
        begin = len(bench.events)
        bench.loop.step()
        found = [event for event in bench.events[begin:] if isinstance(event, kind)]
        if found:
            return found[0]
    raise AssertionError(f"no {kind.__name__} in {limit} steps")


# Answers


def test_the_guide_answers_and_forks_for_free(guide: Bench) -> None:
    first = guide.ask(user("How do I fork a conversation?"), max_tokens=40, seed=3)
    assert first.finished.stats.stop is StopReason.FINISHED
    assert first.finished.text.strip()
    fork = guide.ask(user("What is a snapshot?"), max_tokens=40, seed=3)
    assert fork.started.request.excess == 0
    assert fork.started.request.cached >= 1
    again = guide.ask(user("How do I fork a conversation?"), first.turn, user("Thanks"), max_tokens=40, seed=3)
    assert again.started.request.excess == 0
    assert again.started.request.cached >= first.started.request.total + len(first.finished.ids)


@pytest.mark.parametrize("kind", ["llama", "lfm2", "falcon_h1", "mamba2", "qwen3_5"])
def test_every_kind_of_cache_answers_the_same_warm_and_regenerated(tmp_path: Path, kind: str) -> None:
    bench = opened(write_model_folder(tmp_path / "m", kind=kind))
    cold = bench.ask(LONG, temperature=0.0, max_tokens=12)
    warm = bench.ask(LONG, temperature=0.0, max_tokens=12)
    assert warm.finished.ids == cold.finished.ids
    assert warm.started.request.left == 1
    assert warm.started.request.excess == 0


def test_a_cache_that_is_not_supported_is_named_and_answers_without_reuse(tmp_path: Path) -> None:
    bench = Bench()
    ready = bench.open(write_model_folder(tmp_path / "m", kind="gemma3"))
    assert isinstance(ready, ModelReady)
    first, second = bench.ask(LONG, temperature=0.0), bench.ask(LONG, temperature=0.0)
    assert first.finished.ids == second.finished.ids
    if not ready.info.is_reusable:
        assert "RotatingKVCache" in ready.info.note
        assert second.started.request.reason is Reason.UNSUPPORTED


def test_what_streams_is_the_answer(tiny: Bench) -> None:
    for seed in range(6):
        asked = tiny.ask(user("こ?"), seed=seed, temperature=1.5, top_p=1.0, max_tokens=60)
        finished = asked.finished
        assert asked.streamed == finished.text
        decoded = tiny.loop.model.codec.decode(finished.ids)  # type: ignore[union-attr]
        assert decoded.rstrip("\ufffd") == finished.text.rstrip("\ufffd")


def test_every_token_is_told_once_with_its_range(tiny: Bench) -> None:
    asked = tiny.ask(user("hi"), temperature=1.5, top_p=1.0, max_tokens=60)
    tokens = [token for event in asked.events if isinstance(event, TextDelta) for token in event.tokens]
    assert tuple(token.id for token in tokens) == asked.finished.ids
    assert tokens[0].start == 0
    assert all(one.end == other.start for one, other in pairwise(tokens))
    assert tokens[-1].end == len(asked.finished.text)


def test_the_same_seed_gives_the_same_answer(tiny: Bench) -> None:
    def answer(seed: int | None) -> RunFinished:
        return tiny.ask(user("hi"), seed=seed, temperature=1.2, max_tokens=20).finished

    assert answer(5).ids == answer(5).ids
    assert answer(5).ids != answer(6).ids
    drawn = answer(None)
    assert answer(drawn.stats.seed).ids == drawn.ids


def test_a_penalty_gives_the_same_warm_and_cold(tiny_folder: Path) -> None:
    """The restored part of the context is penalized as the computed part is."""
    settings = {"temperature": 0.0, "repetition_penalty": 1.8, "max_tokens": 20}
    bench = opened(tiny_folder)
    bench.ask(LONG, max_tokens=3)
    warm = bench.ask(LONG, **settings)
    assert warm.started.request.cached > 100
    assert warm.finished.ids == opened(tiny_folder).ask(LONG, **settings).finished.ids
    prompt = bench.loop.model.prompts.build([LONG]).ids  # type: ignore[union-attr]
    strong = bench.ask(LONG, temperature=0.0, repetition_penalty=900.0, max_tokens=20)
    assert not set(strong.finished.ids) & set(prompt)
    assert len(set(strong.finished.ids)) == 20


def test_the_figures_of_an_answer_add_up(tiny: Bench) -> None:
    asked = tiny.ask(LONG, max_tokens=9, seed=4)
    stats = asked.finished.stats
    assert stats.tokens == len(asked.finished.ids) == 9
    assert stats.stop is StopReason.LENGTH
    assert stats.seed == 4
    assert stats.request == asked.started.request
    assert stats.first_token is not None
    assert 0 < stats.first_token < stats.seconds
    assert stats.rate > 0
    progress = [event for event in asked.events if isinstance(event, PrefillProgress)]
    assert [event.done for event in progress] == sorted({event.done for event in progress})
    assert progress[-1].done == progress[-1].total - 1 == stats.request.total - 1


def test_a_forced_beginning_is_part_of_the_answer(tiny: Bench) -> None:
    forced = tuple(tiny.loop.model.codec.plain("The answer is"))  # type: ignore[union-attr]
    asked = tiny.ask(user("hi"), forced=forced, max_tokens=3)
    assert asked.finished.ids[: len(forced)] == forced
    assert asked.finished.text.startswith("The answer is")
    assert asked.streamed == asked.finished.text
    assert asked.finished.stats.tokens == len(asked.finished.ids) - len(forced)


# Refusals


def test_a_prompt_longer_than_the_context_is_refused_with_the_numbers(tmp_path: Path) -> None:
    bench = opened(write_model_folder(tmp_path / "short", max_position_embeddings=100))
    sentence = bench.ask(LONG).failed.problem.sentence
    assert "100" in sentence
    total = bench.price(LONG).request.total  # type: ignore[union-attr]
    assert str(total) in sentence
    assert bench.ask(user("hi")).finished.ids


def test_an_answer_ends_where_the_context_does(tmp_path: Path) -> None:
    bench = opened(write_model_folder(tmp_path / "short", max_position_embeddings=40))
    asked = bench.ask(user("hi"), max_tokens=500, temperature=1.5, seed=2)
    assert asked.finished.stats.stop is StopReason.CONTEXT
    assert asked.started.request.total + len(asked.finished.ids) == 40


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_prompt_is_refused(tiny: Bench, text: str) -> None:
    assert "empty" in tiny.ask(user(text)).failed.problem.sentence
    assert tiny.price(user(text)) is None


def test_several_lanes_are_refused_for_now(tiny: Bench) -> None:
    events = tiny.do(Generate(1, (user("hi"),), lanes=2))
    assert "one answer" in Asked(events).failed.problem.sentence


def test_settings_that_mean_nothing_are_refused(tiny: Bench) -> None:
    assert "sampling" in tiny.ask(user("hi"), temperature=-1.0).failed.problem.title.lower()
    assert tiny.ask(user("hi")).finished.ids


def test_without_a_model_nothing_can_be_asked() -> None:
    bench = Bench()
    events = bench.do(Generate(1, (user("hi"),)), Price(2, (user("hi"),)))
    assert "Open" in Asked(events).failed.problem.sentence
    assert not [event for event in events if isinstance(event, Priced)]


# Stopping


@pytest.mark.parametrize("after", range(12))
def test_cancel_is_obeyed_at_once_and_harmless(mixed_folder: Path, after: int) -> None:
    """At every chunk and token: what was computed stays, and a retry computes the rest only."""
    bench = opened(mixed_folder, chunk=16)
    command = bench.command(LONG, max_tokens=40)
    bench.loop.submit(command)
    for _ in range(1 + after):
        bench.loop.step()
    computed = bench.loop.cache.lane.offset  # type: ignore[union-attr]
    bench.loop.submit(Cancel(command.run_id))
    begin = len(bench.events)
    bench.loop.step()
    finished = outcome(bench.events[begin:], command.run_id)
    assert isinstance(finished, RunFinished)
    assert finished.stats.stop is StopReason.CANCELLED
    bench.idle()
    retry = bench.ask(LONG, max_tokens=2)
    assert retry.started.request.cached >= min(computed, retry.started.request.total - 1) - 1
    assert retry.finished.ids[:1] == finished.ids[:1] or not finished.ids


def test_a_stopped_answer_keeps_its_words(tiny: Bench) -> None:
    command = tiny.command(user("hi"), max_tokens=500, temperature=1.2)
    tiny.loop.submit(command)
    for _ in range(30):
        tiny.loop.step()
    finished = Asked(tiny.do(Cancel(command.run_id))).finished
    told = "".join(event.text for event in tiny.events if isinstance(event, TextDelta))
    assert finished.text == told
    assert finished.text


def test_a_run_that_waits_can_be_cancelled(tiny: Bench) -> None:
    first, second, third = (tiny.command(user(text), max_tokens=5) for text in "abc")
    events = tiny.do(first, second, third, Cancel(second.run_id), Cancel(99))
    assert [event.run_id for event in events if isinstance(event, RunStarted)] == [first.run_id, third.run_id]
    cancelled = outcome(events, second.run_id)
    assert isinstance(cancelled, RunFinished)
    assert cancelled.stats.stop is StopReason.CANCELLED


def test_runs_are_answered_in_their_order(tiny: Bench) -> None:
    commands = [tiny.command(user(text), max_tokens=4) for text in "abc"]
    events = tiny.do(*commands)
    ids = [event.run_id for event in events if isinstance(event, RunStarted | RunFinished)]
    assert ids == [command.run_id for command in commands for _ in range(2)]


# Prices


@pytest.mark.parametrize("model", ["tiny_folder", "mixed_folder"])
def test_a_price_comes_within_one_step_of_a_long_answer_and_is_exact(
    model: str, request: pytest.FixtureRequest
) -> None:
    bench = opened(request.getfixturevalue(model))
    said = bench.ask(LONG, max_tokens=6)
    other = (LONG, said.turn, user("And then?"))
    running = bench.command(user("something else"), max_tokens=300, temperature=1.2, seed=9)
    bench.loop.submit(running)
    steps_until(bench, TextDelta)
    prices = []
    for query in range(20):
        bench.loop.submit(Price(query, other))
        begin = len(bench.events)
        bench.loop.step()
        [priced] = [event for event in bench.events[begin:] if isinstance(event, Priced)]
        prices.append(priced)
        assert not outcomes(bench.events[begin:], running.run_id)
    bench.do(Cancel(running.run_id))
    asked = bench.ask(*other)
    assert {price.request for price in prices} == {asked.started.request}
    assert [turn.end for turn in prices[0].turns] == list(asked.started.turn_ends)
    assert prices[0].request.excess == 0


def test_a_price_of_what_is_being_written_is_exact_too(tiny: Bench) -> None:
    command = tiny.command(LONG, max_tokens=300, temperature=1.2)
    tiny.loop.submit(command)
    steps_until(tiny, TextDelta)
    tiny.loop.submit(Price(1, (LONG,)))
    priced = steps_until(tiny, Priced)
    assert isinstance(priced, Priced)
    assert priced.request.left == 1
    tiny.do(Cancel(command.run_id))
    assert tiny.ask(LONG).started.request == priced.request


def test_a_price_says_where_each_turn_is_and_how_long_it_takes(tiny_folder: Path) -> None:
    bench = opened(tiny_folder)
    unknown = bench.price(LONG)
    assert unknown is not None
    assert unknown.seconds is None
    assert [turn.place for turn in unknown.turns] == ["none"]
    said = bench.ask(LONG, max_tokens=6)
    bench.ask(user("else"))
    price = bench.price(LONG, said.turn, user("And then?"))
    assert price is not None
    assert [turn.place for turn in price.turns] == ["memory", "memory", "none"]
    assert price.seconds is not None
    assert 0 < price.seconds < 60


def test_a_price_changes_nothing(mixed: Bench) -> None:
    mixed.ask(LONG)
    views = []
    for _ in range(2):
        mixed.do(SetBudget(None))
        views.append([event.view for event in mixed.events if isinstance(event, TrieChanged)][-1])
        mixed.price(user("the fox and"), Turn("assistant", "no"), user("x"))
    assert views[0].nodes == views[1].nodes


# Models


def test_prompts_wait_for_the_model_that_is_being_opened(tiny_folder: Path) -> None:
    bench = Bench()
    command = bench.command(user("hi"))
    events = bench.do(LoadModel(str(tiny_folder)), command, Price(7, (user("hi"),)))
    kinds = [type(event) for event in events]
    assert kinds.index(ModelReady) < kinds.index(Priced)
    assert kinds.index(ModelReady) < kinds.index(RunStarted)
    assert isinstance(outcome(events, command.run_id), RunFinished)


def test_prompts_that_wait_for_a_model_that_fails_fail_with_its_problem(tmp_path: Path) -> None:
    bench = Bench()
    command = bench.command(user("hi"))
    events = bench.do(LoadModel(str(tmp_path / "nowhere")), command)
    problem = next(event for event in events if isinstance(event, ModelFailed)).problem
    failed = outcome(events, command.run_id)
    assert isinstance(failed, RunFailed)
    assert failed.problem == problem


def test_opening_another_model_ends_what_runs_first(tiny: Bench, mixed_folder: Path) -> None:
    running, waiting = tiny.command(user("hi"), max_tokens=500), tiny.command(user("ho"))
    tiny.loop.submit(running)
    tiny.loop.submit(waiting)
    steps_until(tiny, TextDelta)
    later = tiny.command(user("hi"))
    events = tiny.do(LoadModel(str(mixed_folder)), later)
    for command in (running, waiting):
        ended = outcome(events, command.run_id)
        assert isinstance(ended, RunFinished)
        assert ended.stats.stop is StopReason.CANCELLED
    assert isinstance(outcome(events, later.run_id), RunFinished)
    ready = next(event for event in events if isinstance(event, ModelReady))
    assert dict(ready.info.layers).keys() == {"KVCache", "ArraysCache"}
    assert next(event for event in events if isinstance(event, RunStarted)).request.seen == 0


def test_opening_can_be_given_up_for_another_model(tiny_folder: Path, mixed_folder: Path) -> None:
    bench = Bench()
    bench.loop.submit(LoadModel(str(tiny_folder)))
    bench.loop.step()
    bench.loop.step()
    events = bench.do(LoadModel(str(mixed_folder)))
    ready = [event for event in events if isinstance(event, ModelReady)]
    assert [event.info.path for event in ready] == [str(mixed_folder)]


def test_an_old_models_failure_leaves_no_model(tiny: Bench, tmp_path: Path) -> None:
    tiny.open(tmp_path / "nowhere")
    assert tiny.ask(user("hi")).failed.problem.title == "No model is open"


# The trie's picture, budget and owners


def test_pictures_of_the_trie_come_when_it_changes(tiny: Bench) -> None:
    asked = tiny.ask(user("hi"), max_tokens=30, temperature=1.2)
    kinds = [type(event) for event in asked.events if not isinstance(event, TextDelta | PrefillProgress)]
    assert kinds[:2] == [RunStarted, TrieChanged]
    assert kinds[-2:] == [TrieChanged, RunFinished]
    views = [event.view for event in tiny.events if isinstance(event, TrieChanged)]
    assert [view.serial for view in views] == sorted({view.serial for view in views})
    assert views[-1].live_tokens == asked.started.request.total + len(asked.finished.ids) - 1
    assert views[-1].nodes[0].label.startswith("<|user|>")


def test_the_budget_can_be_changed_and_set_back(tiny: Bench) -> None:
    for number in range(4):
        tiny.ask(user(f"{number} {LONG.text}"))
    default = [event.view for event in tiny.events if isinstance(event, TrieChanged)][-1]
    assert default.paged_bytes > 0
    [changed] = [event.view for event in tiny.do(SetBudget(0)) if isinstance(event, TrieChanged)]
    assert (changed.paged_bytes, changed.budget_bytes) == (0, 0)
    [back] = [event.view for event in tiny.do(SetBudget(None)) if isinstance(event, TrieChanged)]
    assert back.budget_bytes == default.budget_bytes


def test_a_budget_set_before_the_model_is_opened_holds(tiny_folder: Path) -> None:
    bench = Bench()
    events = bench.do(SetBudget(12_345_678), LoadModel(str(tiny_folder)))
    assert [event.view.budget_bytes for event in events if isinstance(event, TrieChanged)] == [12_345_678]


def test_owners_hold_restore_points_until_they_are_released(mixed: Bench) -> None:
    mixed.ask(LONG)
    mixed.do(ReleaseOwner("me"), SetBudget(None))
    view = [event.view for event in mixed.events if isinstance(event, TrieChanged)][-1]
    assert not any(node.is_restore_point for node in view.nodes)


# The loop itself


def test_shutdown_ends_the_run_and_the_loop(tiny: Bench) -> None:
    running, waiting = tiny.command(user("hi"), max_tokens=500), tiny.command(user("ho"))
    tiny.loop.submit(running)
    tiny.loop.submit(waiting)
    steps_until(tiny, TextDelta)
    events = tiny.do(Shutdown())
    for command in (running, waiting):
        assert isinstance(outcome(events, command.run_id), RunFinished)
    assert tiny.loop.model is None
    assert not tiny.loop.step()


def test_shutdown_ends_an_opening(tiny_folder: Path) -> None:
    bench = Bench()
    bench.loop.submit(LoadModel(str(tiny_folder)))
    bench.loop.step()
    assert not [event for event in bench.do(Shutdown()) if isinstance(event, ModelReady)]


def test_it_runs_on_a_thread_and_sleeps_until_asked() -> None:
    events: list[Event] = []
    ended, ready = threading.Event(), threading.Event()

    def sink(event: Event) -> None:
        events.append(event)
        if isinstance(event, ModelReady):
            ready.set()
        if isinstance(event, RunFinished):
            ended.set()

    loop = EngineLoop(sink)
    thread = threading.Thread(target=loop.run)
    thread.start()
    loop.submit(LoadModel(str(GUIDE)))
    assert ready.wait(60)
    loop.submit(Generate(1, (user("Hello"),), Sampling(seed=1, max_tokens=5)))
    assert ended.wait(60)
    loop.submit(Shutdown())
    thread.join(60)
    assert not thread.is_alive()
    assert isinstance(events[0], EngineStarted)
    assert dict(events[0].versions)["mlx-lm"]
    assert len([event for event in events if isinstance(event, EngineStarted)]) == 1
    assert any(isinstance(event, ModelLoading) for event in events)


def test_no_event_is_anything_but_values(guide: Bench) -> None:
    """Everything that leaves the loop could be sent to another process."""
    import pickle

    guide.ask(user("Hello"))
    guide.price(user("Hello"))
    for event in guide.events:
        assert pickle.loads(pickle.dumps(event)) == event
        assert "mlx" not in repr(event.__reduce_ex__(4)) or isinstance(event, EngineStarted | TrieChanged)
