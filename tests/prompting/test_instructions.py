"""What a conversation is told before it begins: in the place that the template has for it, or before the question."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from app.protocol.chat import PromptOptions, Turn
from app.protocol.commands import EstimateCost, Generate, Pin, Verify
from app.protocol.events import CostEstimate, Pinned, RunStarted, Verified
from tests.engine.bench import Bench, user
from tests.fakes.tiny_tokenizer import BARE, TEMPLATES
from tests.prompting.codecs import builder_of

REFUSING = (
    "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    "<|{{ m.role }}|>{{ m.content }}{% endfor %}<|assistant|>"
)
SILENT = (
    "{% for m in messages %}{% if m.role != 'system' %}<|{{ m.role }}|>{{ m.content }}{% endif %}{% endfor %}"
    "<|assistant|>"
)
TALK = (user("How do I fork?"), Turn("assistant", "Press Fork."), user("And the trie?"))
RULE = "Answer in one word."
SYSTEM = Turn("system", RULE)
WITH = PromptOptions(instructions=RULE)


@pytest.mark.parametrize("template", [*TEMPLATES.values(), None])
def test_instructions_are_a_first_turn(tmp_path: Path, template: str | None) -> None:
    builder = builder_of(tmp_path, template)
    if not builder.takes_instructions:
        pytest.skip("this template refuses the role")
    expected = builder.build((SYSTEM, *TALK)).ids
    assert builder.build(TALK, WITH).ids == expected
    assert builder.build((Turn("system", "Be kind."), *TALK), WITH).ids == expected
    assert builder.build((SYSTEM, *TALK), PromptOptions()).ids == expected


@pytest.mark.parametrize("template", [REFUSING, SILENT])
def test_where_the_template_has_no_place_they_stand_before_the_first_question(tmp_path: Path, template: str) -> None:
    builder = builder_of(tmp_path, template)
    assert not builder.takes_instructions
    folded = (user(f"{RULE}\n\n{TALK[0].text}"), *TALK[1:])
    for turns, options in ((TALK, WITH), ((SYSTEM, *TALK), PromptOptions()), ((Turn("system", "x"), *TALK), WITH)):
        assert builder.build(turns, options).ids == builder.build(folded).ids


def test_nothing_changes_without_instructions(tmp_path: Path) -> None:
    """Nothing is said where nothing was; and a system turn can be left out."""
    for name, template in {"bare": BARE, "refusing": REFUSING}.items():
        builder = builder_of(tmp_path / name, template)
        plain = builder.build(TALK)
        for nothing in (PromptOptions(), PromptOptions(instructions=""), PromptOptions(instructions=" \n")):
            assert builder.build(TALK, nothing) == plain
        assert builder.build((SYSTEM, *TALK), PromptOptions(instructions="")).ids == plain.ids


def test_each_turn_of_the_branch_has_its_place_whatever_was_added(tmp_path: Path) -> None:
    outcomes = set()
    for seed, template in enumerate([*TEMPLATES.values(), None, REFUSING, SILENT]):
        dice = random.Random(seed)
        builder = builder_of(tmp_path / str(seed), template)
        for _ in range(12):
            own = dice.choice(((), (SYSTEM,), (Turn("system", "Be kind."),)))
            options = PromptOptions(dice.choice((None, "", RULE, "Be brief.\nBe kind.")))
            turns = (*own, *TALK[: dice.choice((1, 3))])
            prompt = builder.build(turns, options)
            assert len(prompt.turn_starts) == len(prompt.turn_ends) == len(turns)
            assert list(prompt.turn_ends) == sorted(prompt.turn_ends)
            last = builder.codec.decode(prompt.ids[prompt.turn_starts[-1] : prompt.turn_ends[-1]])
            assert last.endswith(turns[-1].text)
            outcomes.add((bool(own), options.instructions, builder.takes_instructions))
    assert {takes for *_, takes in outcomes} == {True, False}


def test_price_answer_pin_and_check_mean_the_same_prompt(tiny: Bench) -> None:
    total = len(tiny.model.prompts.build(TALK[:1], WITH).ids)
    assert total > len(tiny.model.prompts.build(TALK[:1]).ids)

    [estimate] = [event for event in tiny.do(EstimateCost(1, TALK[:1], WITH)) if isinstance(event, CostEstimate)]
    assert estimate.request.total == estimate.request.left == total
    assert len(estimate.turns) == 1

    command = tiny.command(*TALK[:1])
    events = tiny.do(Generate(command.run_id, TALK[:1], command.sampling, "me", options=WITH))
    [started] = [event for event in events if isinstance(event, RunStarted)]
    assert started.request.total == total
    assert len(started.turn_ends) == 1

    [warm] = [event for event in tiny.do(EstimateCost(2, TALK[:1], WITH)) if isinstance(event, CostEstimate)]
    assert warm.request.left == 1
    [pinned] = [event for event in tiny.do(Pin(3, TALK[:1], True, WITH)) if isinstance(event, Pinned)]
    assert pinned.problem is None
    assert pinned.tokens >= total - 1
    [checked] = [event for event in tiny.do(Verify(4, TALK[:1], WITH)) if isinstance(event, Verified)]
    assert checked.is_exact
    assert checked.tokens >= total - 1


def test_long_instructions_are_too_long_before_they_are_read(tiny: Bench) -> None:
    endless = PromptOptions(instructions="fox " * 400_000)
    [estimate] = [event for event in tiny.do(EstimateCost(1, TALK[:1], endless)) if isinstance(event, CostEstimate)]
    assert estimate.is_far_too_long


def test_other_instructions_leave_what_stands_before_them(tiny: Bench, mixed: Bench) -> None:
    """Also on a model with whole states: the words before the instructions are not read again."""
    for bench in (tiny, mixed):
        for number, told in enumerate(("Be brief.", "Answer in one word.", "Kindly fork.")):
            options = PromptOptions(instructions=told)
            command = bench.command(*TALK[:1])
            events = bench.do(Generate(command.run_id, TALK[:1], command.sampling, "me", options=options))
            [started] = [event for event in events if isinstance(event, RunStarted)]
            assert started.request.excess == 0
            assert (started.request.cached > 0) == (number > 0)


def test_a_follow_up_reads_only_what_is_new(tiny: Bench, mixed: Bench) -> None:
    """The point that the next turn starts from is kept with the instructions in the prompt."""
    for bench in (tiny, mixed):
        first = bench.command(*TALK[:1])
        bench.do(Generate(first.run_id, TALK[:1], first.sampling, "me", options=WITH))
        answer = [event for event in bench.events if type(event).__name__ == "RunFinished"][-1]
        turns = (TALK[0], Turn("assistant", answer.text, answer.ids), user("And then?"))
        [estimate] = [event for event in bench.do(EstimateCost(1, turns, WITH)) if isinstance(event, CostEstimate)]
        assert estimate.request.excess == 0
