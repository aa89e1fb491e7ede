"""A prompt that is found is the one that would be built, and nothing of its branch is read again."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.prompting.problems import RequestError
from app.prompting.prompt import Prompt, PromptBuilder
from app.prompting.recent_prompts import RecentPrompts
from app.prompting.steps import Steps, finish
from app.prompting.template import ChatTemplate
from app.protocol.chat import PromptOptions, Turn
from app.protocol.commands import EraseOwner
from tests.engine.bench import opened, user
from tests.fakes.model_folder import write_model_folder
from tests.seeds import each_seed

WORDS = ("the", "fox", "and", "a", "dog", "<|end|>", "hills")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model_folder(tmp_path_factory.mktemp("models") / "tiny")


def counting(builder: PromptBuilder) -> tuple[PromptBuilder, list[int]]:
    """A builder that notes how many messages were rendered."""
    rendered: list[int] = []

    class Noted(ChatTemplate):
        def render(self, conversations):  # type: ignore[no-untyped-def]
            rendered.append(len(conversations[0]))
            return (yield from super().render(conversations))

    fields = {name: getattr(builder.template, name) for name in builder.template.__dataclass_fields__}
    return replace(builder, template=Noted(**fields)), rendered


def test_what_was_built_is_not_built_again(folder: Path) -> None:
    bench = opened(folder)
    builder, rendered = counting(bench.model.prompts)
    prompts = RecentPrompts()
    branch = (user("the fox"), Turn("assistant", "a dog"), user("ran"))
    first = finish(prompts.building(builder, branch, PromptOptions()))
    assert rendered
    rendered.clear()
    assert finish(prompts.building(builder, tuple(replace(turn) for turn in branch), PromptOptions())) is first
    assert not rendered
    finish(prompts.building(builder, branch, PromptOptions("Be brief.")))
    assert rendered


def test_the_longest_unused_go_first(folder: Path) -> None:
    bench = opened(folder)
    builder, rendered = counting(bench.model.prompts)
    branches = [(user(f"the fox {number}"),) for number in range(3)]
    each = len(finish(builder.building(branches[0], PromptOptions())).ids)
    prompts = RecentPrompts(most=2 * each)
    for number in (0, 1, 0, 2):
        finish(prompts.building(builder, branches[number], PromptOptions()))
    rendered.clear()
    finish(prompts.building(builder, branches[0], PromptOptions()))
    finish(prompts.building(builder, branches[2], PromptOptions()))
    assert not rendered
    finish(prompts.building(builder, branches[1], PromptOptions()))
    assert rendered


def test_nothing_is_kept_of_what_is_deleted_for_ever(folder: Path) -> None:
    bench = opened(folder)
    open_model = bench.loop.open_model
    assert open_model is not None
    prompts, builder = open_model.recent_prompts, bench.model.prompts
    branch = (user("the fox"),)
    first = finish(prompts.building(builder, branch, PromptOptions()))
    bench.do(EraseOwner("a"))
    assert finish(prompts.building(builder, branch, PromptOptions())) is not first


def test_nothing_is_kept_of_what_was_deleted_while_it_was_read(folder: Path) -> None:
    class InTwoSteps(PromptBuilder):
        def building(self, turns: Sequence[Turn], options: PromptOptions) -> Steps[Prompt]:
            yield
            return (yield from super().building(turns, options))

    built = opened(folder).model.prompts
    builder = InTwoSteps(**{name: getattr(built, name) for name in built.__dataclass_fields__})
    prompts, branch = RecentPrompts(), (user("the fox"),)
    reading = prompts.building(builder, branch, PromptOptions())
    next(reading)
    prompts.forget()
    first = finish(reading)
    assert finish(prompts.building(builder, branch, PromptOptions())) is not first


@each_seed(range(4))
def test_a_prompt_that_is_found_is_the_one_that_would_be_built(folder: Path, seed: int) -> None:
    """Also with answers whose own tokens may stand there only once this program has computed them."""
    rng, bench, elsewhere = random.Random(seed), opened(folder), opened(folder)
    assert bench.loop.open_model is not None
    prompts, builder = bench.loop.open_model.recent_prompts, bench.model.prompts
    branches: list[tuple[Turn, ...]] = [()]
    for _ in range(20):
        words = " ".join(rng.choices(WORDS, k=rng.randrange(1, 6)))
        question = (*rng.choice(branches), replace(user(words), at=rng.choice([0.0, 1.0, 2.0])))
        forced = tuple(rng.choices(range(bench.model.codec.rows), k=4))
        branches.append((*question, elsewhere.ask(*question, forced=forced, max_tokens=6).turn))
        options = PromptOptions(rng.choice([None, None, "", "Be brief."]))
        for asks in (False, True):
            if asks and rng.random() < 0.7:
                bench.ask(*question, forced=forced, max_tokens=6)
            for branch in ((*branches[-1], user("next")), (*rng.choice(branches), user("next"))):
                found = outcome(prompts.building(builder, branch, options))
                assert found == outcome(builder.building(branch, options))


def outcome(steps: Steps[Prompt]) -> object:
    try:
        return finish(steps)
    except RequestError as error:
        return error.problem
