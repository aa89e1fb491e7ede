"""Answers that are written by turns: each says what it would say alone, and what ends one leaves the others alone."""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import pytest

from app.engine.run import seeds_of
from app.engine.step_memory import StepMemory
from app.engine.turns import Turns, TurnTask
from app.engine.writer import Writer
from app.prompting.problems import ShortOfMemoryError
from app.protocol.cache_events import CacheEventKind
from app.protocol.chat import Sampling, Turn
from app.protocol.commands import MOST_LANES, Cancel, EraseOwner, EstimateCost, Generate, Lane, Pin, SetBudget, Verify
from app.protocol.events import (
    CostEstimate,
    EngineStarted,
    Event,
    Pinned,
    RunFailed,
    RunFinished,
    RunStarted,
    TextDelta,
    Verified,
)
from app.protocol.reports import Problem, Reason, StopReason
from tests.engine.bench import LONG, Bench, opened, steps_until, user
from tests.fakes.model_folder import write_model_folder
from tests.seeds import chosen

KINDS = ["llama", "lfm2", "gemma3", "mamba2", "qwen3_5"]
SETTINGS = (
    Sampling(temperature=1.1, top_p=0.9, max_tokens=23, seed=2),
    Sampling(temperature=0.0, max_tokens=17),
    Sampling(temperature=0.9, top_k=40, repetition_penalty=1.4, max_tokens=30, seed=3),
    Sampling(temperature=1.3, max_tokens=9, seed=4),
)


def lanes_of(*sampling: Sampling) -> tuple[Lane, ...]:
    return tuple(Lane(replace(one, seed=one.seed or 1)) for one in sampling)


def of_lanes(bench: Bench, lanes: Sequence[Lane], *turns: Turn, owner: str = "me") -> Generate:
    """A question that asks for these answers."""
    command = bench.command(*turns, owner=owner)
    return replace(command, sampling=lanes[0].sampling, forced=lanes[0].forced, beside=tuple(lanes[1:]))


def ended(events: Sequence[Event], run_id: int) -> dict[int | None, RunFinished | RunFailed]:
    """What each answer of a run came to, by its number."""
    outcomes = [event for event in events if isinstance(event, RunFinished | RunFailed) and event.run_id == run_id]
    by_lane = {event.lane: event for event in outcomes}
    assert len(by_lane) == len(outcomes)
    return by_lane


def said(events: Sequence[Event], run_id: int, lane: int) -> str:
    deltas = [event for event in events if isinstance(event, TextDelta) and event.run_id == run_id]
    return "".join(event.text for event in deltas if event.lane == lane)


@cache
def alone(folder: Path, lanes: tuple[Lane, ...], *turns: Turn) -> list[tuple[int, ...]]:
    """The ids of the same answers, each written alone after the prompt was read."""
    bench = opened(folder)
    bench.ask(*turns, max_tokens=1)
    return [
        bench.ask(*turns, forced=lane.forced, **{name: getattr(lane.sampling, name) for name in Sampling.__slots__})
        .finished.ids
        for lane in lanes
    ]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_each_answer_says_what_it_says_alone_and_nothing_is_computed_twice(tmp_path: Path, kind: str) -> None:
    folder = write_model_folder(tmp_path / "m", kind=kind)
    lanes = lanes_of(*SETTINGS)
    bench = opened(folder)
    command = of_lanes(bench, lanes, LONG)
    events = bench.do(command)
    finished = ended(events, command.run_id)
    assert [finished[lane].ids for lane in range(len(lanes))] == alone(folder, lanes, LONG)
    for lane, event in finished.items():
        assert isinstance(event, RunFinished)
        assert event.stats.request.excess == 0
        assert event.stats.request.left == 1 or not lane
        assert said(events, command.run_id, lane) == event.text
    assert not bench.cache.sessions
    assert not bench.cache.faults
    [started] = [event for event in events if isinstance(event, RunStarted)]
    assert started.seeds == tuple(finished[lane].stats.seed for lane in range(len(lanes)))
    lanes_in_turn = [event.lane for event in events if isinstance(event, TextDelta)]
    assert lanes_in_turn != sorted(lanes_in_turn)
    for event in finished.values():
        again = bench.ask(LONG, replace(user(event.text), role="assistant", ids=event.ids), user("on"))
        assert again.started.request.excess == 0


@pytest.mark.parametrize("kind", KINDS)
def test_where_the_context_is_full_for_one_answer_the_others_say_what_they_would(tmp_path: Path, kind: str) -> None:
    """It was given more to begin with, and ends first; the others' bits are those that they have alone."""
    prompt = opened(write_model_folder(tmp_path / "long", kind=kind)).ask(LONG, max_tokens=1).started.request.total
    folder = write_model_folder(tmp_path / "m", kind=kind, max_position_embeddings=prompt + 36)
    bench = opened(folder)
    beginning = tuple(bench.model.codec.plain("the fox and the other fox of the story"))[:30]
    full = Lane(Sampling(temperature=1.0, seed=5, max_tokens=None), forced=beginning)
    first, *rest = lanes_of(*SETTINGS[:3])
    lanes = (first, full, *rest)
    command = of_lanes(bench, lanes, LONG)
    finished = ended(bench.do(command), command.run_id)
    stops = [finished[lane].stats.stop for lane in range(len(lanes))]
    assert stops.count(StopReason.CONTEXT) == 1
    assert stops[1] is StopReason.CONTEXT
    assert prompt + len(finished[1].ids) == bench.model.context_length
    assert [finished[lane].ids for lane in range(len(lanes))] == alone(folder, lanes, LONG)


@pytest.mark.parametrize("after", [1, 3, 8, 9, 10, 11, 12, 14, 17, 30])
@pytest.mark.parametrize("lane", range(3))
def test_one_answer_is_stopped_within_a_token_and_the_others_say_what_they_would(
    mixed_folder: Path, after: int, lane: int
) -> None:
    lanes = lanes_of(*SETTINGS[:3])
    bench = opened(mixed_folder)
    command = of_lanes(bench, lanes, LONG)
    bench.loop.submit(command)
    for _ in range(after):
        bench.loop.step()
    bench.loop.submit(Cancel(command.run_id, lane))
    begin = len(bench.events)
    bench.loop.step()
    bench.loop.step()
    at_once = ended(bench.events[begin:], command.run_id)
    bench.idle()
    finished = ended(bench.events, command.run_id)
    assert set(finished) == {0, 1, 2}
    assert lane in at_once or finished[lane].stats.stop is not StopReason.CANCELLED
    expected = alone(mixed_folder, lanes, LONG)
    for number, event in finished.items():
        assert isinstance(event, RunFinished)
        assert event.text == said(bench.events, command.run_id, number)
        ids = expected[number]
        assert event.ids == (ids[: len(event.ids)] if number == lane else ids)
    assert not bench.cache.sessions


@pytest.mark.parametrize("kind", ["llama", "lfm2"])
def test_an_answer_that_waits_for_memory_is_stopped_within_a_token(tmp_path: Path, kind: str) -> None:
    folder = write_model_folder(tmp_path / "m", kind=kind)
    lanes = lanes_of(*SETTINGS)
    bench = opened(folder)
    bench.do(SetBudget(0))
    command = of_lanes(bench, lanes, LONG)
    bench.loop.submit(command)
    while bench.cache.holds_many:
        bench.loop.step()
    for lane in (3, 1):
        bench.loop.submit(Cancel(command.run_id, lane))
        bench.loop.step()
        bench.loop.step()
        assert lane in ended(bench.events, command.run_id)
    bench.idle()
    finished = ended(bench.events, command.run_id)
    expected = alone(folder, lanes, LONG)
    for lane in (0, 2):
        assert finished[lane].ids == expected[lane]


def test_the_last_words_of_a_turn_say_that_others_are_written_next(
    tiny: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that nobody holds them back for the next ones. Where a letter is not whole at its end, a turn has no last."""
    monkeypatch.setattr("app.engine.turns._LARGEST_SHARE", 1.0)  # no turn is longer on a slow machine
    events = tiny.do(of_lanes(tiny, lanes_of(*SETTINGS[:3]), user("Which pears keep?")))
    deltas = [event for event in events if isinstance(event, TextDelta)]
    of_turns = [list(found) for _, found in groupby(deltas, key=lambda event: event.lane)]
    assert len(of_turns) > 6
    assert not any(one.ends_turn for found in of_turns for one in found[:-1])
    assert sum(found[-1].ends_turn for found in of_turns) > 2
    events = tiny.do(of_lanes(tiny, lanes_of(SETTINGS[0]), user("Which plums?")))
    assert not any(one.ends_turn for one in events if isinstance(one, TextDelta)), "alone"


def test_all_answers_of_a_run_are_stopped_together(tiny: Bench) -> None:
    command = of_lanes(tiny, lanes_of(*SETTINGS), LONG)
    tiny.loop.submit(command)
    steps_until(tiny, TextDelta)
    finished = ended(tiny.do(Cancel(command.run_id)), command.run_id)
    assert len(finished) == 4
    assert {event.stats.stop for event in finished.values() if isinstance(event, RunFinished)} == {StopReason.CANCELLED}


def test_a_price_is_told_within_a_step_while_several_answers_are_written(tiny: Bench) -> None:
    command = of_lanes(tiny, lanes_of(*SETTINGS), LONG)
    tiny.loop.submit(command)
    steps_until(tiny, TextDelta)
    while tiny.loop.open_model is not None and tiny.loop.open_model.turns:
        begin = len(tiny.events)
        tiny.loop.submit(tiny.estimate_command(LONG))
        tiny.loop.step()
        [priced] = [event for event in tiny.events[begin:] if isinstance(event, CostEstimate)]
        assert priced.request.left == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_run_begins_while_the_first_writes_and_both_say_what_they_would(tmp_path: Path, kind: str) -> None:
    folder = write_model_folder(tmp_path / "m", kind=kind)
    bench, other = opened(folder), user("another question " * 20)
    first = replace(bench.command(LONG, max_tokens=60, temperature=1.1), owner="one")
    second = replace(bench.command(other, max_tokens=20, temperature=1.1), owner="two")
    bench.loop.submit(first)
    for _ in range(20):
        bench.loop.step()
    bench.loop.submit(second)
    began = len(bench.events)
    bench.idle()
    order = [type(event) for event in bench.events[began:] if isinstance(event, RunStarted | RunFinished)]
    assert order == [RunStarted, RunFinished, RunFinished]
    assert {event.run_id for event in bench.events if isinstance(event, TextDelta)} == {first.run_id, second.run_id}
    for command in (first, second):
        cold = opened(folder).ask(*command.turns, max_tokens=command.sampling.max_tokens, temperature=1.1)
        assert ended(bench.events, command.run_id)[0] == replace(
            cold.finished, run_id=command.run_id, stats=ended(bench.events, command.run_id)[0].stats
        )


def test_eight_answers_that_end_with_one_token_leave_nothing_behind(mixed: Bench) -> None:
    lanes = lanes_of(*(Sampling(temperature=1.0, seed=seed, max_tokens=10) for seed in range(MOST_LANES)))
    command = of_lanes(mixed, lanes, LONG)
    finished = ended(mixed.do(command), command.run_id)
    assert len(finished) == MOST_LANES
    assert {len(event.ids) for event in finished.values()} == {10}
    assert not mixed.cache.sessions


def test_more_answers_than_can_be_written_are_refused_and_those_of_several_runs_wait(tiny: Bench) -> None:
    many = of_lanes(tiny, [Lane(Sampling(seed=1, max_tokens=4))] * (MOST_LANES + 1), LONG)
    assert "too many" in ended(tiny.do(many), many.run_id)[None].problem.title
    five = [Lane(Sampling(seed=1, max_tokens=20))] * 5
    commands = [of_lanes(tiny, five[:count], LONG) for count in (5, 3, 2, 1)]
    for command in commands:
        tiny.loop.submit(command)
    writing: set[tuple[int, int]] = set()
    begin = len(tiny.events)
    while tiny.loop.step():
        for event in tiny.events[begin:]:
            if isinstance(event, TextDelta):
                writing.add((event.run_id, event.lane))
            elif isinstance(event, RunFinished):
                writing.discard((event.run_id, event.lane))
        begin = len(tiny.events)
        assert len(writing) <= MOST_LANES
    started = [event.run_id for event in tiny.events if isinstance(event, RunStarted)]
    assert started == [command.run_id for command in commands]
    assert all(len(ended(tiny.events, command.run_id)) == len(command.lanes) for command in commands)


def test_an_answer_that_waits_for_room_can_be_stopped_alone(tiny: Bench) -> None:
    first = of_lanes(tiny, [Lane(Sampling(seed=1, max_tokens=20))] * 7, LONG)
    second = of_lanes(tiny, lanes_of(*SETTINGS[:2]), LONG)
    finished = ended(tiny.do(first, second, Cancel(second.run_id, 0)), second.run_id)
    assert finished[0].stats.stop is StopReason.CANCELLED
    assert not finished[0].ids
    assert finished[1].stats.stop is StopReason.LENGTH


def test_a_stop_text_ends_the_answer_that_has_it(tiny_folder: Path) -> None:
    lanes = lanes_of(*SETTINGS)
    bench = opened(tiny_folder)
    command = of_lanes(bench, lanes, LONG)
    whole = ended(bench.do(command), command.run_id)
    stop = whole[2].text[5:8]
    stopping = (*lanes[:2], Lane(replace(lanes[2].sampling, stop=(stop,))), lanes[3])
    bench = opened(tiny_folder)
    command = of_lanes(bench, stopping, LONG)
    finished = ended(bench.do(command), command.run_id)
    assert finished[2].stats.stop is StopReason.STOP_TEXT
    assert finished[2].text == whole[2].text[: whole[2].text.index(stop)]
    for lane in (0, 1, 3):
        assert finished[lane].ids == whole[lane].ids


class Faulty:
    """A forward call that comes to no number, or raises, where this token is fed."""

    def __init__(self, forward: Any, token: int, error: BaseException | None) -> None:
        self._forward, self._token, self._error = forward, token, error

    def __call__(self, tokens: mx.array, caches: list[Any]) -> mx.array:
        logits: mx.array = self._forward(tokens, caches)
        if not mx.any(tokens == self._token).item():
            return logits
        if self._error is not None:
            raise self._error
        return logits * mx.nan


@pytest.mark.parametrize("error", [None, RuntimeError("no"), SystemExit(1)])
@pytest.mark.parametrize("kind", ["llama", "lfm2"])
def test_a_model_that_fails_in_one_answer_ends_that_one(
    tmp_path: Path, kind: str, error: BaseException | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_model_folder(tmp_path / "m", kind=kind)
    bench = opened(folder)
    bad = bench.model.codec.plain("Z")[0]
    lanes = lanes_of(*SETTINGS)
    wrong = (*lanes[:1], Lane(lanes[1].sampling, (bad,)), *lanes[2:])
    expected = alone(folder, lanes, LONG)
    assert not any(bad in ids for ids in expected)
    layers = bench.cache.active.layers
    monkeypatch.setattr(layers, "_forward", Faulty(layers._forward, bad, error))
    command = of_lanes(bench, wrong, LONG)
    outcomes = ended(bench.do(command), command.run_id)
    failed = outcomes.pop(1)
    assert isinstance(failed, RunFailed)
    assert failed.problem.title == ("The model failed" if error else "The model stopped making sense")
    assert {lane: event.ids for lane, event in outcomes.items()} == {lane: expected[lane] for lane in outcomes}
    assert len(outcomes) == 3
    assert not bench.cache.sessions


def test_settings_that_mean_nothing_end_the_answer_that_has_them(tiny: Bench) -> None:
    command = of_lanes(tiny, lanes_of(replace(SETTINGS[0], temperature=-1.0), SETTINGS[1]), LONG)
    outcomes = ended(tiny.do(command), command.run_id)
    assert "sampling" in outcomes[0].problem.title.lower()
    assert isinstance(outcomes[1], RunFinished)


def test_a_prompt_that_cannot_be_read_ends_all_answers_with_one_sentence(tiny: Bench) -> None:
    command = of_lanes(tiny, lanes_of(*SETTINGS), user(" "))
    assert set(ended(tiny.do(command), command.run_id)) == {None}


def test_a_model_whose_state_cannot_be_parked_writes_one_answer_after_another(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lanes = lanes_of(*SETTINGS)
    expected = alone(tiny_folder, lanes, LONG)
    bench = opened(tiny_folder)
    monkeypatch.setattr(type(bench.cache), "holds_many", False)
    command, second = of_lanes(bench, lanes, LONG), bench.command(user("hi"))
    events = bench.do(command, second)
    assert [event.ids for event in ended(events, command.run_id).values()] == expected
    order = [(event.run_id, event.lane) for event in events if isinstance(event, TextDelta)]
    assert order == sorted(order)
    assert isinstance(ended(events, second.run_id)[0], RunFinished)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_where_memory_is_short_the_youngest_answers_fail_and_the_others_go_on(
    mixed_folder: Path, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lanes = lanes_of(*SETTINGS)
    bench = opened(mixed_folder)
    fitting = StepMemory.fitting

    def tight(self: StepMemory, wanted: int, context: int, cache: Any) -> int:
        writing = sum(session.path.offset >= session.report.total for session in cache.sessions)
        if len(cache.sessions) == len(lanes) and writing >= most and wanted == 1:
            raise ShortOfMemoryError("There is not enough memory to go on", "It is full.")
        return fitting(self, wanted, context, cache)

    monkeypatch.setattr(StepMemory, "fitting", tight)
    command = of_lanes(bench, lanes, LONG)
    outcomes = ended(bench.do(command), command.run_id)
    failed = [lane for lane, event in outcomes.items() if isinstance(event, RunFailed)]
    assert failed == [3]
    monkeypatch.undo()
    expected = alone(mixed_folder, lanes, LONG)
    assert {lane: event.ids for lane, event in outcomes.items() if lane != 3} == dict(enumerate(expected[:3]))
    assert bench.cache.faults == 0


def test_an_answer_that_is_whole_does_not_fail_for_want_of_memory(tiny: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it is still asked what will follow it, while another one is written."""

    def wait(writer: Writer, _session: object) -> Iterator[None]:
        while not writer.is_cancelled:
            yield

    monkeypatch.setattr(Writer, "_keep_rewind_point", wait)
    command = of_lanes(tiny, lanes_of(SETTINGS[0], SETTINGS[3]), LONG)
    tiny.loop.submit(command)
    assert tiny.loop.open_model is not None
    turns = tiny.loop.open_model.turns

    def waiting() -> list[Writer]:
        return [task for task in turns._all_tasks() if isinstance(task, Writer) and task._is_whole]

    while not waiting():
        tiny.loop.step()
    [writer] = waiting()
    assert writer.give_up(ShortOfMemoryError("There is not enough memory to go on", "It is full."))
    outcomes = ended(tiny.do(Cancel(command.run_id)), command.run_id)
    assert isinstance(outcomes[writer.lane], RunFinished)


def test_checks_and_pins_are_refused_and_an_owner_is_erased_when_all_answers_have_ended(tiny: Bench) -> None:
    command = of_lanes(tiny, lanes_of(*SETTINGS), LONG)
    tiny.loop.submit(command)
    steps_until(tiny, TextDelta)
    later = replace(tiny.command(user("hi")), owner="other")
    events = tiny.do(Verify(1, (LONG,)), Pin(2, (LONG,), True), EraseOwner("me"), later)
    assert next(event for event in events if isinstance(event, Verified)).problem is not None
    assert next(event for event in events if isinstance(event, Pinned)).problem is not None
    last = max(at for at, event in enumerate(events) if isinstance(event, RunFinished) and event.run_id != later.run_id)
    assert last < next(at for at, event in enumerate(events) if isinstance(event, RunStarted))
    assert tiny.price(LONG).seen < 20


def test_seeds_are_drawn_and_differ_where_settings_do_not() -> None:
    one, other = Sampling(seed=5), Sampling(seed=5, temperature=0.1)
    assert seeds_of([Lane(one), Lane(other), Lane(one), Lane(one)]) == (5, 5, 7, 8)
    largest = Lane(Sampling(seed=2**53))
    assert all(not Sampling(seed=seed).problem() for seed in seeds_of([largest, largest]))
    drawn = seeds_of([Lane(), Lane(), Lane(one)])
    assert len(set(drawn)) == 3
    assert drawn[2] == 5


@pytest.mark.parametrize("share", [1.05, 0.7, 0.3, 0.0])
@pytest.mark.parametrize("kind", KINDS)
def test_answers_that_do_not_fit_into_the_budget_together_all_say_what_they_would(
    tmp_path: Path, kind: str, share: float
) -> None:
    """What has to be read again is told as that. It is not much, since one then writes to its end before others do."""
    folder = write_model_folder(tmp_path / "m", kind=kind)
    lanes = lanes_of(*SETTINGS)
    roomy = opened(folder)
    roomy.do(of_lanes(roomy, lanes, LONG))
    need = roomy.cache.live_bytes + roomy.cache.paged_bytes
    bench = opened(folder)
    bench.do(SetBudget(int(need * share)))
    command = of_lanes(bench, lanes, LONG)
    finished = ended(bench.do(command), command.run_id)
    assert tuple(finished[lane].ids for lane in range(len(lanes))) == tuple(alone(folder, lanes, LONG))
    requests = [event for event in bench.cache.events if event.kind is CacheEventKind.REQUEST]
    assert len(requests) <= 2 * len(lanes)
    assert sum(event.tokens for event in requests) <= 2 * len(lanes) * requests[0].tokens
    assert any(event.reason is Reason.EVICTED for event in requests) == (share < 1) or kind == "mamba2"
    assert not bench.cache.sessions
    assert not bench.cache.faults
    bench.do(EraseOwner("me"))
    assert not bench.cache.live_bytes + bench.cache.paged_bytes


def test_answers_come_and_go_in_any_order_and_each_says_what_it_would(mixed_folder: Path) -> None:
    """Runs of several answers asked for, stopped and priced at random moments."""
    questions = [user(f"{letter} " * 40) for letter in "abc"]
    lanes = lanes_of(*SETTINGS)
    expected = {turn.text: alone(mixed_folder, lanes, turn) for turn in questions}
    for seed in chosen(range(10)):
        dice, bench = random.Random(seed), opened(mixed_folder, chunk=32)
        asked: list[Generate] = []
        for _ in range(25):
            action = dice.choice(["ask", "stop", "stop all", "price", "step", "step", "step"])
            if action == "ask" and len(asked) < 6:
                command = of_lanes(bench, lanes[: dice.randint(1, 4)], dice.choice(questions), owner=dice.choice("xy"))
                asked.append(command)
                bench.loop.submit(command)
            elif action.startswith("stop") and asked:
                lane = dice.randrange(4) if action == "stop" else None
                bench.loop.submit(Cancel(dice.choice(asked).run_id, lane))
            elif action == "price":
                bench.loop.submit(EstimateCost(1000, (questions[0],)))
            for _ in range(dice.randrange(12)):
                bench.loop.step()
        bench.idle()
        for command in asked:
            finished = ended(bench.events, command.run_id)
            assert set(finished) == set(range(len(command.lanes))), f"seed {seed}"
            for lane, event in finished.items():
                assert isinstance(event, RunFinished)
                whole = expected[command.turns[0].text][lane]
                is_stopped = event.stats.stop is StopReason.CANCELLED
                assert event.ids == (whole[: len(event.ids)] if is_stopped else whole), f"seed {seed}"
                assert event.stats.request.excess <= 0, f"seed {seed}"
        assert not bench.cache.sessions


def test_the_engine_says_how_many_answers_it_writes_at_a_time() -> None:
    bench = Bench()
    bench.loop.step()
    assert next(event for event in bench.events if isinstance(event, EngineStarted)).capabilities.lanes == MOST_LANES


# Whose turn it is


class Steps(TurnTask):
    """Work of so many steps, each of which takes a second of a clock that everything here goes by."""

    def __init__(self, name: str, count: int, told: list[str], is_writing: bool = True) -> None:
        super().__init__(0)
        self.is_writing = is_writing
        self._name, self._count, self._told = name, count, told
        self.is_under_way = False

    def give_up(self, error: ShortOfMemoryError) -> bool:
        return False

    def _refusal(self, problem: Problem) -> RunFailed:
        return RunFailed(0, problem)

    def _work(self) -> Generator[None, None, None]:
        for _ in range(self._count):
            if self.is_cancelled:
                break
            self._told.append(self._name)
            self.is_under_way = self.is_writing and not self.ends_turn
            yield
        self.is_under_way = False
        self.outcome = RunFailed(0, Problem(self._name, ""))


class Several:
    """A run of such work."""

    def __init__(self, number: int, *tasks: Steps) -> None:
        self.number = number
        self._all = list(tasks)

    @property
    def tasks(self) -> Sequence[Steps]:
        return [task for task in self._all if task.outcome is None]

    @property
    def lanes(self) -> int:
        return len(self.tasks)

    def cancel(self, lane: int | None) -> None:
        for at, task in enumerate(self._all):
            task.is_cancelled |= lane in (None, at)

    def take_outcomes(self) -> list[Event]:
        ended = [task.outcome for task in self._all if task.outcome is not None]
        self._all = list(self.tasks)
        return ended


class FakeCache:
    """Mounting takes so many seconds of the clock."""

    def __init__(self, clock: list[float]) -> None:
        self.session: Any = None
        self.holds_many = True
        self.cost = 0.0
        self._clock = clock

    def mount(self, session: Any) -> None:
        self.session = session
        self._clock[0] += self.cost

    def make_room_to_enter(self, *_: object) -> None:
        """There is room."""


def turns(cache: Any = None, clock: Sequence[float] = (0.0,)) -> Turns:
    cache = cache or FakeCache([0.0])
    return Turns(cache, cache, lambda: clock[0])


def test_turns_are_of_four_tokens_and_one_who_is_alone_is_not_interrupted() -> None:
    told: list[str] = []
    one, two = Steps("a", 10, told), Steps("b", 6, told)
    going = turns()
    going.add(Several(1, one, two))
    while going:
        going.advance()
        assert not (one.is_under_way and two.is_under_way)
        others = two if told[-1] == "a" else one
        assert not others.is_under_way
    assert "".join(told) == "aaaabbbbaaaabbaa"


def test_who_comes_has_the_next_turn_and_reading_takes_one_step_of_it() -> None:
    told: list[str] = []
    going = turns()
    going.add(Several(1, Steps("a", 12, told)))
    for _ in range(3):
        going.advance()
    going.add(Several(2, Steps("b", 3, told, is_writing=False)))
    while going:
        going.advance()
    assert "".join(told) == "aaaabaaaabaaaab"


def test_who_is_stopped_ends_when_what_is_under_way_has() -> None:
    for seed in chosen(range(30)):
        dice, told = random.Random(seed), list[str]()
        tasks = [Steps(name, dice.randint(1, 30), told) for name in "abcd"]
        going = turns()
        for number, task in enumerate(tasks):
            going.add(Several(number, task))
        for _ in range(dice.randint(0, 40)):
            if going:
                going.advance()
        number = dice.randrange(4)
        going.cancel(number)
        before = len(told)
        for _ in range(2):
            if going:
                going.advance()
        assert tasks[number].outcome is not None, f"seed {seed}"
        assert "abcd"[number] not in told[before:], f"seed {seed}"


class Mounting(Steps):
    """Steps of a second each, on a session of its own."""

    def __init__(self, name: str, count: int, told: list[str], cache: FakeCache, clock: list[float]) -> None:
        super().__init__(name, count, told)
        self.turns: Turns
        self._clock = clock
        self._session: Any = SimpleNamespace(tokens=lambda: ())

    def advance(self) -> None:
        self._clock[0] += 1.0
        self.turns.mount(self._session)
        super().advance()


def test_turns_are_longer_while_mounting_takes_much_of_them() -> None:
    clock, told = [0.0], list[str]()
    cache = FakeCache(clock)
    tasks = [Mounting(name, 90, told, cache, clock) for name in "ab"]
    going = tasks[0].turns = tasks[1].turns = turns(cache, clock)
    going.add(Several(1, *tasks))
    cache.cost = 1.0
    while len(told) < 120:
        going.advance()
    cache.cost = 0.0
    while going:
        going.advance()
    lengths = [len(list(turn)) for _, turn in groupby(told)]
    assert lengths[:4] == [4, 8, 16, 16]
    assert 4 in lengths[-4:]


def test_turns_of_one_step_or_cut_short_say_nothing_of_how_long_turns_should_be() -> None:
    clock, told = [0.0], list[str]()
    cache = FakeCache(clock)
    reading = [Mounting(name, 6, told, cache, clock) for name in "ab"]
    writing = [Mounting(name, 12, told, cache, clock) for name in "cd"]
    going = turns(cache, clock)
    for task in (*reading, *writing):
        task.turns = going
    for task in reading:
        task.is_writing = False
    cache.cost = 1.0
    going.add(Several(1, *reading))
    while going:
        going.advance()
    cache.cost = 0.0
    going.add(Several(2, writing[0]))
    for _ in range(3):
        going.advance()
    cache.cost = 1.0
    going.add(Several(3, writing[1]))
    going.advance()
    cache.cost = 0.0
    while going:
        going.advance()
    assert "".join(told[12:]) == "ccccddddccccddddccccdddd"


def test_where_the_cache_does_not_hold_several_the_oldest_goes_on_to_its_end() -> None:
    """Also where that turns out in the midst of a turn: what is under way ends first."""
    for after in range(9):
        told: list[str] = []
        cache = FakeCache([0.0])
        one, two, three = (Steps(name, count, told) for name, count in zip("abc", (7, 9, 5), strict=True))
        going = turns(cache)
        going.add(Several(1, one, two, three))
        for _ in range(after):
            going.advance()
        cache.holds_many = False
        assert not going.has_room_for(1)
        while going:
            going.advance()
            assert sum(task.is_under_way for task in (one, two, three)) <= 1
        rest = "".join(told[after:])
        letters = [letter for letter, _ in groupby(rest)]
        assert letters[-3:] == sorted(letters[-3:]), rest
        assert len(letters) <= 4
        assert going.has_room_for(8)
