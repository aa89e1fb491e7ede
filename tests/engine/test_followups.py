"""Whatever a template does with past thoughts, a question after a long answer reads no more than it must."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from app.protocol.chat import PromptOptions, Turn
from app.protocol.events import ModelReady, RunStarted
from app.protocol.reports import Reason, ThinkingSwitch
from tests.engine.bench import Bench, user
from tests.engine.followups import QUESTION, SHAPES, Conversation, follow_up, rows, words, write_shape
from tests.fakes.tiny_tokenizer import BARE

MOST = 40  # tokens: the answer's text, the question, and what stands around them
LAYERS = [pytest.param(True, id="rows"), pytest.param(False, id="states")]
KEEPING = [name for name, shape in SHAPES.items() if shape.keeps]


@pytest.mark.parametrize("has_rows_only", LAYERS)
@pytest.mark.parametrize("name", SHAPES)
def test_a_question_after_a_long_thought_reads_little(tmp_path: Path, name: str, has_rows_only: bool) -> None:
    found = follow_up(tmp_path, name, has_rows_only)
    assert found.read == found.least <= MOST
    assert found.report.excess == 0
    assert found.report.reason is (Reason.NONE if SHAPES[name].keeps else Reason.THINKING)


@pytest.mark.parametrize("has_rows_only", LAYERS)
@pytest.mark.parametrize("name", SHAPES)
def test_nothing_is_read_twice_in_a_whole_conversation(tmp_path: Path, name: str, has_rows_only: bool) -> None:
    talk = Conversation(tmp_path, name, has_rows_only)
    dice = random.Random(name)
    for number in range(5):
        wanted = talk.follow_up(f"{number}? {QUESTION}")
        thought = words(talk.tokenizer, dice.choice((3, 40))) + dice.choice(("", " 😀", "\n\n- so"))
        text = dice.choice(("Yes.", "It is a fox. ", "Two\n\nparts\n", "ßé 😀")) * dice.choice((1, 3))
        finished = talk.ask(f"{number}? {QUESTION}", thought, text)
        assert finished.stats.request == wanted.report
        assert wanted.report.excess == 0, number
        assert wanted.read == max(wanted.least, 1), number
        assert (finished.thinking, finished.text.strip()) == (thought.strip(), text.strip())


@pytest.mark.parametrize("has_rows_only", LAYERS)
@pytest.mark.parametrize("name", SHAPES)
def test_an_answer_that_ended_in_its_thought_is_asked_on(tmp_path: Path, name: str, has_rows_only: bool) -> None:
    talk = Conversation(tmp_path, name, has_rows_only)
    talk.ask("What is it?", words(talk.tokenizer, 60), "", max_tokens=40)
    found = talk.follow_up()
    assert found.report.excess == 0
    assert found.read == found.least <= MOST


@pytest.mark.parametrize("has_rows_only", LAYERS)
@pytest.mark.parametrize("name", KEEPING)
def test_other_white_space_around_a_thought_that_is_kept_costs_the_answer_alone(
    tmp_path: Path, name: str, has_rows_only: bool
) -> None:
    """A model does not always write what its template prints."""
    dice = random.Random(name)
    around = [("\n", ""), ("", "\n"), (" ", "\n\n\n")]
    around += [
        ("".join(dice.choices("\n \t", k=number)), "".join(dice.choices("\n ", k=3 - number))) for number in range(3)
    ]
    talk = Conversation(tmp_path, name, has_rows_only)
    for number, (before, after) in enumerate(around):
        talk.turns.clear()
        talk.ask(f"{number}: What is it?", words(talk.tokenizer, 100) + before, f"{after}It is a fox.")
        found = talk.follow_up()
        assert found.report.excess == 0, (before, after)
        assert found.read == found.least <= MOST, (before, after)


def test_the_reason_is_told_with_the_run_and_with_its_price(tmp_path: Path) -> None:
    talk = Conversation(tmp_path, "qwen_3", has_rows_only=True)
    talk.ask("What is it?", "Hm, a fox", "A fox.")
    estimate = talk.bench.estimate(*talk.turns, user(QUESTION))
    assert estimate is not None
    assert estimate.request.reason is Reason.THINKING
    finished = talk.ask(QUESTION, "Another", "No.")
    assert finished.stats.request.reason is Reason.THINKING
    [*_, started] = [event for event in talk.bench.events if isinstance(event, RunStarted)]
    assert started.request == finished.stats.request
    other = talk.bench.estimate(user("What is it?"), Turn("assistant", "A bird."), user(QUESTION))
    assert other is not None
    assert other.request.reason is Reason.DIVERGED


@pytest.mark.parametrize("name", SHAPES)
def test_a_thought_is_printed_where_the_template_keeps_it(tmp_path: Path, name: str) -> None:
    """Also one that was imported, and has no ids of this model; and typed marks in it are words."""
    talk = Conversation(tmp_path, name, has_rows_only=True)
    codec = talk.open_model.model.codec
    eos = talk.shape.eos

    def prompt(thought: str) -> tuple[int, ...]:
        answer = Turn("assistant", "A fox.", thinking=thought)
        talk.turns = [user("What is it?"), answer]
        return talk.prompt(user(QUESTION)).ids

    typed = prompt(f"Hm 1 2 3 {eos}<think> so")
    assert ("Hm 1 2 3" in codec.decode(typed)) == talk.shape.keeps

    def controls(ids: tuple[int, ...]) -> list[int]:
        return [token for token in ids if token in codec.special_ids]

    assert controls(typed) == controls(prompt("Hm"))


def test_a_template_that_prints_contents_as_they_come_is_given_no_thought(tmp_path: Path) -> None:
    bench = Bench()
    shape = write_shape(tmp_path, "bielik_3")
    assert isinstance(bench.open(shape), ModelReady)
    assert not bench.model.prompts.thoughts.are_kept


def test_long_thoughts_that_are_dropped_make_no_conversation_too_long(tmp_path: Path) -> None:
    for name in ("qwen_3", "seed_oss"):
        talk = Conversation(tmp_path / name, name, has_rows_only=True)
        model = talk.open_model.model
        thought = words(talk.tokenizer, model.context_length // 4)
        ids = tuple(model.codec.plain(thought))
        turns = [user("What is it?"), Turn("assistant", "A fox.", ids, thinking=thought)] * 20
        estimate = talk.bench.estimate(*turns, user(QUESTION))
        assert estimate is not None
        assert estimate.is_far_too_long == SHAPES[name].keeps


SWITCHES = {
    "qwen_3": ThinkingSwitch.SWITCHABLE,
    "qwen_3_5": ThinkingSwitch.SWITCHABLE,
    "qwq": ThinkingSwitch.ALWAYS,
    "deepseek_r1": ThinkingSwitch.ALWAYS,
    "glm_4_6": ThinkingSwitch.SWITCHABLE,
    "gemma_4": ThinkingSwitch.SWITCHABLE,
    "nemotron_3_nano": ThinkingSwitch.SWITCHABLE,
    "bielik_3": ThinkingSwitch.SWITCHABLE,
    "kimi_k2_thinking": ThinkingSwitch.ALWAYS,
    "gpt_oss": ThinkingSwitch.ALWAYS,
    "seed_oss": ThinkingSwitch.SWITCHABLE,
    "seed_oss_spelled": ThinkingSwitch.SWITCHABLE,
    "kept_in_content": ThinkingSwitch.ALWAYS,
    "kept_on_lines": ThinkingSwitch.SWITCHABLE,
    "cohere_north": ThinkingSwitch.SWITCHABLE,
    "command_a": ThinkingSwitch.SWITCHABLE,
    "deepseek_v3_2": ThinkingSwitch.SWITCHABLE,
}


@pytest.mark.parametrize("name", SHAPES)
def test_thinking_is_switched_where_the_template_can(tmp_path: Path, name: str) -> None:
    bench = Bench()
    ready = bench.open(write_shape(tmp_path, name))
    assert isinstance(ready, ModelReady)
    assert ready.info.thinking is SWITCHES[name]
    build = bench.model.prompts.build
    ids = {thinking: build([user("Hi")], PromptOptions(thinking=thinking)).ids for thinking in (None, True, False)}
    assert (ids[True] != ids[False]) == (SWITCHES[name] is ThinkingSwitch.SWITCHABLE)
    assert ids[None] == ids[ready.info.thinks]


def test_a_model_that_does_not_think_has_no_switch(tiny: Bench, guide: Bench, tmp_path: Path) -> None:
    for bench in (tiny, guide):
        ready = [event for event in bench.events if isinstance(event, ModelReady)][-1]
        assert ready.info.thinking is ThinkingSwitch.NONE


EFFORTS = {
    "{% if reasoning_effort is defined and reasoning_effort == 'none' %}<think></think>{% endif %}": True,
    "{{ raise_exception('what?') if reasoning_effort is defined and reasoning_effort not in ['none', 'high'] }}"
    "{{ reasoning_effort }}": True,
    "{{ reasoning_effort }}": False,
}


@pytest.mark.parametrize("source", EFFORTS)
def test_an_effort_that_is_printed_as_it_comes_is_no_switch(tmp_path: Path, source: str) -> None:
    folder = write_shape(tmp_path, "qwq")
    (folder / "chat_template.jinja").write_text(source + BARE)
    bench = Bench()
    assert isinstance(bench.open(folder), ModelReady)
    assert bench.model.prompts.switch.can_switch == EFFORTS[source]


def test_the_rows_of_the_benchmark(tmp_path: Path) -> None:
    assert rows(tmp_path, ["qwq"]) == [{"template": "qwq", "read": 31, "least": 31}]
