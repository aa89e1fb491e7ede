"""The loop: every command is obeyed within one step, and each run ends with exactly one outcome."""

from __future__ import annotations

import json
import random
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.engine import loader
from app.engine.loop import EngineLoop
from app.engine.model import LoadedModel
from app.prompting.problems import ModelError
from app.prompting.template import _InPython
from app.protocol.chat import Sampling
from app.protocol.commands import (
    Cancel,
    CancelOpening,
    EraseOwner,
    EstimateCost,
    Generate,
    LoadModel,
    SetBudget,
    Shutdown,
)
from app.protocol.events import (
    CacheHappened,
    CostEstimate,
    EngineStarted,
    Event,
    ModelClosed,
    ModelFailed,
    ModelLoading,
    ModelReady,
    OpeningCancelled,
    PrefillProgress,
    RunFailed,
    RunFinished,
    RunStarted,
    TextDelta,
    TrieChanged,
)
from app.protocol.reports import StopReason
from tests.engine.bench import LONG, Asked, Bench, opened, outcome, outcomes, steps_until, user
from tests.engine.conftest import GUIDE
from tests.seeds import chosen

# Stopping


@pytest.mark.parametrize("after", range(12))
def test_cancel_is_obeyed_at_once_and_harmless(mixed_folder: Path, after: int) -> None:
    """At every chunk and token: what was computed stays, and a retry computes the rest only."""
    bench = opened(mixed_folder, chunk=16)
    command = bench.command(LONG, max_tokens=40)
    bench.loop.submit(command)
    for _ in range(1 + after):
        bench.loop.step()
    computed = bench.cache.active.offset
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


def test_runs_begin_in_their_order(tiny: Bench) -> None:
    commands = [tiny.command(user(text), max_tokens=4) for text in "abcdefghijkl"]
    events = tiny.do(*commands)
    for kind in (RunStarted, RunFinished):
        ids = [event.run_id for event in events if isinstance(event, kind)]
        assert ids == [command.run_id for command in commands]


# Models


def test_prompts_wait_for_the_model_that_is_being_opened(tiny_folder: Path) -> None:
    bench = Bench()
    command = bench.command(user("hi"))
    events = bench.do(LoadModel(str(tiny_folder)), command, EstimateCost(7, (user("hi"),)))
    kinds = [type(event) for event in events]
    assert kinds.index(ModelReady) < kinds.index(CostEstimate)
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


def test_an_opening_is_given_up_within_a_step_wherever_it_is(
    tiny: Bench, mixed_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model that is open stays, with its answer and all that it keeps, and answers what was asked meanwhile."""
    monkeypatch.setattr(loader, "_STEP_BYTES", 1 << 14)
    path = str(mixed_folder)
    first = tiny.ask(user("hi"))
    for steps in range(12):
        running, later = tiny.command(user("a"), max_tokens=60), tiny.command(user("c"))
        begin = len(tiny.events)
        tiny.loop.submit(running)
        tiny.loop.step()
        for command in (LoadModel(path), later):
            tiny.loop.submit(command)
        for _ in range(steps):
            tiny.loop.step()
        tiny.loop.submit(CancelOpening("/another"))
        tiny.loop.submit(CancelOpening(path))
        tiny.loop.step()
        kinds = OpeningCancelled | ModelReady | ModelClosed
        told = [event for event in tiny.events[begin:] if isinstance(event, kinds)]
        assert told == [OpeningCancelled(path)]
        events = tiny.do(CancelOpening(path))
        assert OpeningCancelled(path) not in events
        for command in (running, later):
            ended = outcome(tiny.events, command.run_id)
            assert isinstance(ended, RunFinished)
            assert ended.stats.stop is not StopReason.CANCELLED
    again = tiny.ask(user("hi"), first.turn, user("on"))
    assert again.started.request.excess == 0
    assert isinstance(tiny.open(mixed_folder), ModelReady)


def test_what_waits_for_a_model_that_is_given_up_fails_where_no_other_is_open(tiny_folder: Path) -> None:
    bench = Bench()
    command = bench.command(user("hi"))
    path = str(tiny_folder)
    events = bench.do(LoadModel(path), command, EstimateCost(1, (user("a"),)), CancelOpening(path))
    failed = outcome(events, command.run_id)
    assert isinstance(failed, RunFailed)
    assert failed.problem.title == "No model is open"
    assert isinstance(bench.open(tiny_folder), ModelReady)
    assert bench.ask(user("hi")).finished.ids


@pytest.mark.parametrize("kind", ["nowhere", "no model", "broken weights", "misfit"])
def test_a_folder_that_is_no_model_leaves_the_open_one_and_its_answer_alone(
    tiny: Bench, tiny_folder: Path, tmp_path: Path, kind: str
) -> None:
    """What was asked before goes on, what is asked meanwhile is answered by the model that stayed, and warm."""
    folder = tmp_path / "folder"
    if kind != "nowhere":
        folder.mkdir()
    if kind in ("broken weights", "misfit"):
        folder = Path(shutil.copytree(tiny_folder, tmp_path / "copy"))
        if kind == "misfit":
            config = json.loads((folder / "config.json").read_text())
            (folder / "config.json").write_text(json.dumps({**config, "hidden_size": 32}))
        else:
            (folder / "model.safetensors").write_bytes(b"x" * 100)
    first = tiny.ask(user("hi"))
    running, waiting, later = (tiny.command(user(text), max_tokens=30, temperature=1.2) for text in ("a", "b", "c"))
    tiny.loop.submit(running)
    tiny.loop.submit(waiting)
    steps_until(tiny, TextDelta)
    events = tiny.do(LoadModel(str(folder)), later)
    told = [type(event) for event in events if isinstance(event, ModelFailed | ModelClosed | ModelReady)]
    assert told == [ModelFailed]
    for command in (running, waiting, later):
        ended = outcome(tiny.events, command.run_id)
        assert isinstance(ended, RunFinished)
        assert ended.stats.stop is not StopReason.CANCELLED
    again = tiny.ask(user("hi"), first.turn, user("on"))
    assert again.started.request.excess == 0
    assert again.started.request.cached > 4


def test_a_folder_that_fails_while_its_weights_are_read_may_cost_the_open_model(
    tiny: Bench, mixed_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only where both do not fit into memory, and it is told."""

    def fail(_model: object) -> Iterator[float]:
        yield 0.5
        raise ModelError("The disk failed", "Check it.")

    monkeypatch.setattr(loader, "_read_weights", fail)
    for has_room, kinds in ((True, [ModelFailed]), (False, [ModelClosed, ModelFailed])):
        monkeypatch.setattr("app.engine.loop.has_room_beside", lambda *_, has_room=has_room: has_room)
        later = tiny.command(user("c"))
        events = tiny.do(LoadModel(str(mixed_folder)), later)
        assert [type(event) for event in events if isinstance(event, ModelFailed | ModelClosed)] == kinds
        assert isinstance(outcome(events, later.run_id), RunFinished if has_room else RunFailed)
    assert tiny.ask(user("hi")).failed.problem.title == "No model is open"


def test_models_and_questions_in_any_order_each_get_one_outcome(
    tiny_folder: Path, mixed_folder: Path, tmp_path: Path
) -> None:
    """Random openings, of folders good and bad, between questions, cancellations and steps."""
    for seed in chosen(range(8)):
        dice, bench = random.Random(seed), Bench(chunk=16)
        asked: list[int] = []
        for _ in range(20):
            action = dice.choice(["open", "ask", "ask", "cancel", "price", "give up", "step", "step"])
            if action == "open":
                bench.loop.submit(LoadModel(str(dice.choice([tiny_folder, mixed_folder, tmp_path / "nowhere"]))))
            elif action == "ask":
                text = dice.choice("abc") * dice.randrange(1, 60)
                command = bench.command(user(text), max_tokens=dice.choice([2, 20]))
                asked.append(command.run_id)
                bench.loop.submit(command)
            elif action == "cancel" and asked:
                bench.loop.submit(Cancel(dice.choice(asked)))
            elif action == "give up":
                bench.loop.submit(CancelOpening(str(dice.choice([tiny_folder, mixed_folder]))))
            elif action == "price":
                bench.loop.submit(EstimateCost(1000, (user("a"),)))
            for _ in range(dice.randrange(6)):
                bench.loop.step()
        bench.idle()
        for run_id in asked:
            assert len(outcomes(bench.events, run_id)) == 1, f"seed {seed}: run {run_id}"
        balance = 0
        for event in bench.events:
            balance += isinstance(event, ModelReady) - isinstance(event, ModelClosed)
            assert balance in (0, 1), f"seed {seed}: two models told of at once"
        assert (bench.loop.open_model is not None) == (balance == 1), f"seed {seed}"


class PanicException(BaseException):
    """What a library written in Rust raises where it panics: no `Exception`."""


@pytest.mark.parametrize("error", [PanicException("called `Option::unwrap()`"), SystemExit(1), RuntimeError("no")])
@pytest.mark.parametrize("where", ["tokenizer", "decoder", "template", "model"])
def test_whatever_a_library_raises_ends_the_run_and_not_the_engine(
    tiny_folder: Path, error: BaseException, where: str
) -> None:
    bench = opened(tiny_folder)
    before = bench.ask(user("hi")).finished.ids
    model = bench.model

    def fail(*_: object, **__: object) -> object:
        raise error

    with pytest.MonkeyPatch.context() as patch:
        if where == "tokenizer":
            patch.setattr(model.codec, "_tokenizer", SimpleNamespace(encode=fail))
            model.codec._markup.cache_clear()
        elif where == "decoder":
            guarded = model.codec._decode
            cells = dict(zip(guarded.__code__.co_freevars, guarded.__closure__ or (), strict=True))
            patch.setattr(cells["decode"], "cell_contents", fail)
        elif where == "template":
            patch.setattr(bench, "model", with_template(model, fail))
        else:
            patch.setattr(bench.cache.active.layers, "_forward", fail)
        asked = Asked(bench.do(bench.command(user("ho"))))
        assert asked.failed.problem.sentence
        if where != "model":
            assert bench.estimate(user("hu")) is None or where == "decoder"
    assert bench.ask(user("hi")).finished.ids == before


def with_template(model: LoadedModel, render: Callable[..., object]) -> LoadedModel:
    template = replace(model.prompts.template, renderer=_InPython(SimpleNamespace(apply_chat_template=render)))
    return replace(model, prompts=replace(model.prompts, template=template))


# The trie's picture, budget and owners


def test_pictures_of_the_trie_come_when_it_changes(tiny: Bench) -> None:
    asked = tiny.ask(user("hi"), max_tokens=30, temperature=1.2)
    kinds = [type(event) for event in asked.events if not isinstance(event, TextDelta | PrefillProgress)]
    assert kinds[:3] == [RunStarted, CacheHappened, TrieChanged]
    assert kinds[-2:] == [TrieChanged, RunFinished]
    views = [event.view for event in tiny.events if isinstance(event, TrieChanged)]
    assert [view.serial for view in views] == sorted({view.serial for view in views})
    assert views[-1].live_tokens == asked.started.request.total + len(asked.finished.ids) - 1
    assert views[-1].nodes[0].start == 0
    assert views[-1].nodes[0].label


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
    mixed.do(EraseOwner("me"), SetBudget(None))
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
    assert tiny.loop.open_model is None
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
    assert events[0].capabilities.trie
    assert len([event for event in events if isinstance(event, EngineStarted)]) == 1
    assert any(isinstance(event, ModelLoading) for event in events)


def test_no_event_is_anything_but_values(guide: Bench) -> None:
    """Everything that leaves the loop could be sent to another process."""
    import pickle

    guide.ask(user("Hello"))
    guide.estimate(user("Hello"))
    for event in guide.events:
        assert pickle.loads(pickle.dumps(event)) == event
        assert "mlx" not in repr(event.__reduce_ex__(4)) or isinstance(event, EngineStarted | TrieChanged)
