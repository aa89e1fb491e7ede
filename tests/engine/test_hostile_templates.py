"""A template can refuse to be rendered, but it cannot stop, end or fill the process: not when it is opened, nor later.

Each is opened by itself, beside a model that answers on; and as one that does its harm only at a certain word.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from app.protocol.commands import Cancel, LoadModel, SetBudget, Shutdown
from app.protocol.events import (
    CostEstimate,
    CostRefused,
    ModelFailed,
    ModelReady,
    RunFailed,
    RunFinished,
    TextDelta,
    TrieChanged,
)
from app.protocol.reports import StopReason
from app.rendering import process
from app.rendering.process import RenderProcess
from tests.engine.bench import Bench, opened, outcome, user
from tests.fakes.model_folder import write_model_folder
from tests.fakes.tiny_tokenizer import BARE

WORD = "{% if 'banana' in messages[-1].content %}SOURCE{% endif %}" + BARE
TIME = "The model's chat template takes too long"
MEMORY = "The model's chat template takes too much memory"
LENGTH = "The model's chat template writes too much"
DAMAGED = "The model's chat template is damaged"
REFUSES = "The model's template refuses this conversation"
USELESS = "The model's chat template does not work"
GROW = "{% set ns = namespace(s=START) %}{% for i in range(60) %}{% set ns.s = STEP %}{% endfor %}{{ ns.s }}"
BRIEF = 0.8  # seconds of computing
LOOP = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"


def growing(start: str, step: str) -> str:
    return GROW.replace("START", start).replace("STEP", step)


# The source; the title that it gets when it is opened, and when it is rendered, None for what is found when it is read.
HOSTILE: dict[str, tuple[str, str, str | None]] = {
    "a power of powers": ("{{ 9 ** (9 ** 9) }}", LENGTH, LENGTH),
    "a text times a number": ("{{ 'x' * 10 ** 15 }}", LENGTH, LENGTH),
    "a wide format": ("{{ '%999999999d' % 7 }}", LENGTH, LENGTH),
    "a text that doubles": (growing("'ab'", "ns.s + ns.s"), LENGTH, LENGTH),
    "a text that is joined to itself": (growing("'ab'", "ns.s ~ ns.s"), MEMORY, MEMORY),
    "a text that is replaced by itself": (growing("'aa'", "ns.s.replace('a', ns.s)"), MEMORY, MEMORY),
    "a list that doubles": (growing("[1]", "ns.s + ns.s"), LENGTH, LENGTH),
    "a wide text": ("{{ 'x'.center(10 ** 13) }}", MEMORY, MEMORY),
    "a wide filter": ("{{ 'x' | center(10 ** 13) }}", MEMORY, MEMORY),
    "a loop without end": (LOOP, TIME, TIME),
    "millions of words": ("{{ lipsum(10 ** 7) }}", TIME, TIME),
    "a text without end": ("{% for i in range(99999) %}{{ 'x' * 1000 }}{% endfor %}", LENGTH, LENGTH),
    "a macro that calls itself": ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", USELESS, REFUSES),
    "a way out of the sandbox": ("{{ messages.__class__.__mro__[1].__subclasses__() }}", USELESS, REFUSES),
    "another file": ("{% include '/etc/passwd' %}", USELESS, REFUSES),
    "a message that is not there": ("{{ messages[99].content }}", USELESS, REFUSES),
    "a number in the place of a text": ("{{ messages[0].content + 7 }}", USELESS, REFUSES),
    "an error on purpose": ("{{ raise_exception('never') }}", USELESS, REFUSES),
    "very many loops": ("{% for i in range(2) %}" * 25 + "{% endfor %}" * 25, DAMAGED, None),
    "very many brackets": ("{{ " + "(" * 100_000, DAMAGED, None),
    "half a tag": ("{% if %}", DAMAGED, None),
    "nothing at all": ("{{ '' }}", "The model's chat template writes nothing", None),
}


@pytest.fixture(autouse=True)
def seconds(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Set the seconds that a request may take."""
    monkeypatch.setattr(process, "SECONDS", 3.0)
    return lambda number: monkeypatch.setattr(process, "SECONDS", number)


@pytest.mark.timeout(400)
def test_each_is_refused_when_it_is_opened_and_the_model_in_use_answers_on(
    tiny: Bench, tmp_path: Path, seconds: Callable[[float], None]
) -> None:
    before = tiny.ask(user("hi")).finished.ids
    found = {}
    for number, (name, (source, title, _)) in enumerate(HOSTILE.items()):
        seconds(BRIEF if title == TIME else 60.0)
        told = tiny.open(write_model_folder(tmp_path / str(number), template=source))
        found[name] = told.problem.title if isinstance(told, ModelFailed) else "opens"
        assert tiny.ask(user("hi")).finished.ids == before
    assert found == {name: title for name, (_, title, _) in HOSTILE.items()}


@pytest.mark.timeout(400)
def test_each_that_does_its_harm_at_a_word_ends_that_request_alone(
    tiny: Bench, tmp_path: Path, seconds: Callable[[float], None]
) -> None:
    before = tiny.ask(user("hi")).finished.ids
    found = {}
    for number, (name, (source, _, title)) in enumerate(HOSTILE.items()):
        if title is None:
            continue
        seconds(BRIEF if title == TIME else 60.0)
        told = tiny.open(write_model_folder(tmp_path / str(number), template=WORD.replace("SOURCE", source)))
        assert isinstance(told, ModelReady), name
        assert tiny.ask(user("hi")).finished.ids == before
        found[name] = tiny.ask(user("a banana")).failed.problem.title
        [refused] = tiny.do(tiny.estimate_command(user("a banana")))
        assert isinstance(refused, CostRefused)
        assert refused.problem is not None
        assert refused.problem.title == title
        assert tiny.ask(user("hi")).finished.ids == before
        assert tiny.estimate(user("hi")) is not None
    assert found == {name: title for name, (_, _, title) in HOSTILE.items() if title is not None}


@pytest.fixture
def hanging(tmp_path: Path) -> Bench:
    """A model whose template hangs at the word "banana"."""
    return opened(write_model_folder(tmp_path / "hanging", template=WORD.replace("SOURCE", LOOP)))


def step_until(bench: Bench, is_done: Callable[[], bool]) -> None:
    for _ in range(5000):
        if is_done():
            return
        bench.loop.step()
    raise AssertionError("it never came")


def rest(bench: Bench, times: int) -> None:
    for _ in range(times):
        bench.loop.step()


def test_other_things_are_done_while_a_template_hangs_and_stop_ends_it(hanging: Bench) -> None:
    command = hanging.command(user("a banana"))
    hanging.loop.submit(command)
    rest(hanging, 10)
    begin = len(hanging.events)
    hanging.loop.submit(SetBudget(1 << 20))
    hanging.loop.step()
    assert [type(event) for event in hanging.events[begin:]] == [TrieChanged]
    hanging.loop.submit(Cancel(command.run_id))
    hanging.loop.step()
    ended = outcome(hanging.events, command.run_id)
    assert isinstance(ended, RunFinished)
    assert (ended.stats.stop, ended.text) == (StopReason.CANCELLED, "")
    assert hanging.ask(user("hi")).finished.ids


def test_shutting_down_ends_a_template_that_hangs(
    hanging: Bench, render_processes: list[subprocess.Popen[bytes]]
) -> None:
    command = hanging.command(user("a banana"))
    hanging.loop.submit(command)
    rest(hanging, 10)
    hanging.loop.submit(Shutdown())
    hanging.loop.step()
    assert isinstance(outcome(hanging.events, command.run_id), RunFinished)
    assert [one for one in render_processes if one.poll() is None] == []


def test_an_answer_goes_on_while_the_price_of_another_question_hangs(
    hanging: Bench, render_processes: list[subprocess.Popen[bytes]]
) -> None:
    command = hanging.command(user("hi"), max_tokens=10_000, temperature=1.5)
    hanging.loop.submit(command)
    step_until(hanging, lambda: isinstance(hanging.events[-1], TextDelta))
    started = len(render_processes)
    begin = len(hanging.events)
    banana = hanging.estimate_command(user("a banana"))
    hanging.loop.submit(banana)
    rest(hanging, 20)
    assert sum(isinstance(event, TextDelta) for event in hanging.events[begin:]) > 10
    assert len(render_processes) == started
    hanging.loop.submit(Cancel(command.run_id))
    step_until(hanging, lambda: isinstance(hanging.events[-1], RunFinished))


def test_a_price_that_had_to_be_ended_is_not_asked_again_before_an_answer(
    hanging: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hanging.estimate(user("hi")) is not None
    assert hanging.estimate(user("a banana")) is None
    with monkeypatch.context() as patch:
        patch.setattr(RenderProcess, "ask", None)  # nothing is rendered
        for _ in range(20):
            [refused] = hanging.do(hanging.estimate_command(user("a banana!")))
            assert isinstance(refused, CostRefused)
            assert refused.problem is None, "which is not known of this one"
            assert hanging.estimate(user("hi")) is None
    hanging.ask(user("hi"))
    assert hanging.estimate(user("hi")) is not None


def test_a_process_that_is_killed_is_made_anew(hanging: Bench, render_processes: list[subprocess.Popen[bytes]]) -> None:
    assert hanging.ask(user("hi")).finished.ids
    render_processes[-1].kill()
    assert hanging.ask(user("ho")).finished.ids
    assert len(render_processes) == 2


def test_one_process_is_left_by_one_open_model(
    tiny: Bench, tmp_path: Path, render_processes: list[subprocess.Popen[bytes]]
) -> None:
    """Neither an opening that fails nor one that is given up leaves one, nor a model that is closed."""
    sound = write_model_folder(tmp_path / "sound", template="{{ messages[0].content }}" + BARE)
    lacking = write_model_folder(tmp_path / "lacking", template="{{ messages[0].content }}<|end|>" + BARE)
    (lacking / "model.safetensors").write_bytes((lacking / "model.safetensors").read_bytes()[:-9])

    def running() -> int:
        return sum(one.poll() is None for one in render_processes)

    assert running() == 0
    assert isinstance(tiny.open(sound), ModelReady)
    assert running() == 1
    assert isinstance(tiny.open(lacking), ModelFailed)
    assert running() == 1
    tiny.loop.submit(LoadModel(str(write_model_folder(tmp_path / "hangs", template=LOOP))))
    step_until(tiny, lambda: running() == 2)
    tiny.loop.submit(LoadModel(str(sound)))
    tiny.idle()
    assert running() == 1
    tiny.do(Shutdown())
    assert running() == 0


def test_the_guide_needs_no_process(guide: Bench, render_processes: list[object]) -> None:
    assert guide.ask(user("hi")).finished.ids
    assert not render_processes


def test_a_process_that_cannot_be_started_is_a_sentence(hanging: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> subprocess.Popen[bytes]:
        raise OSError(24, "Too many open files")

    hanging.model.prompts.template.close()
    with monkeypatch.context() as patch:
        patch.setattr(process, "start_process", fail)
        asked = hanging.ask(user("hi")).failed
        assert isinstance(asked, RunFailed)
        assert "cannot be started: Too many open files" in asked.problem.sentence
        assert hanging.estimate(user("hi")) is None
    assert hanging.ask(user("hi")).finished.ids
    assert any(isinstance(event, CostEstimate) for event in hanging.do(hanging.estimate_command(user("hi"))))
