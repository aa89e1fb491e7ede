"""Answers that begin with tokens of another one: exactly those, at the price that was told, and nothing made up."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from app.prompting.codec import Codec
from app.protocol.choices import unpack
from app.protocol.commands import EstimateCost, Generate
from app.protocol.events import CostEstimate, CostRefused, RunFailed
from app.protocol.reports import RequestReport
from tests import seeds
from tests.engine.bench import LONG, Asked, Bench, opened, user
from tests.fakes.model_folder import write_model_folder
from tests.fakes.tiny_tokenizer import TEMPLATES

KINDS = ["llama", "gemma3", "lfm2", "mamba2", "qwen3_5"]


def price(bench: Bench, command: Generate) -> RequestReport:
    query = EstimateCost(1, command.turns, command.options, forced=command.forced)
    return [event for event in bench.do(query) if isinstance(event, CostEstimate)][-1].request


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_parts_from_another_at_any_token(tmp_path: Path, kind: str) -> None:
    """It has the very ids up to there, and costs what was told before."""
    folder = write_model_folder(tmp_path / "m", kind=kind)
    for seed in seeds.chosen(range(6)):
        rng, bench = random.Random(seed), opened(folder)
        first = bench.ask(LONG, temperature=1.0, seed=seed, max_tokens=24).finished
        for _ in range(4):
            at = rng.choice([0, len(first.ids) - 1, rng.randrange(len(first.ids))])
            other = rng.choice(bench.model.codec.plain("another one é 語"))
            command = bench.command(LONG, forced=(*first.ids[:at], other), temperature=0.0, max_tokens=3)
            told = price(bench, command)
            asked = Asked(bench.do(command))
            assert asked.finished.ids[: at + 1] == command.forced
            assert asked.started.request == told


def test_control_tokens_that_a_file_made_up_are_not_begun_with(tiny: Bench) -> None:
    codec = tiny.model.codec
    (user_mark,) = codec.markup("<|user|>")
    command = tiny.command(user("hi"), forced=(*codec.plain("Yes"), user_mark, *codec.plain(" no")), max_tokens=2)
    told = price(tiny, command)
    asked = Asked(tiny.do(command))
    assert asked.started.request == told
    assert user_mark not in asked.finished.ids
    assert asked.finished.text.startswith("Yes<|user|> no")


@pytest.mark.parametrize("shape", ["bare", "thinking opened"])
def test_tokens_before_one_that_may_not_be_said_are_begun_with_as_they_were(tmp_path: Path, shape: str) -> None:
    """At random, in a thought and in the text: nothing before it is spelled anew, nor read again."""
    bench = opened(write_model_folder(tmp_path / "m", template=TEMPLATES[shape]))
    codec = bench.model.codec
    (mark,) = codec.markup("<|user|>")
    for seed in seeds.chosen(range(5)):
        rng = random.Random(seed)
        thought, text = ("".join(rng.choice("the fox é") for _ in range(9)) + "." for _ in range(2))
        close = codec.markup("</think>") if shape == "thinking opened" else []
        ids = [token for letter in "a" + thought for token in codec.plain(letter)]
        if rng.random() < 0.5:
            ids += [*close, *(token for letter in "b" + text for token in codec.plain(letter))]
        bench.ask(user("hi"), forced=tuple(ids), max_tokens=1)
        command = bench.command(user("hi"), forced=(*ids, mark), max_tokens=1)
        told, fork = price(bench, command), Asked(bench.do(command))
        assert fork.finished.ids[: len(ids)] == tuple(ids)
        assert fork.started.request == told
        assert (told.excess, mark in fork.finished.ids) == (0, False)
        assert "<|user|>" in fork.finished.thinking + fork.finished.text


def test_control_tokens_that_were_written_here_are_begun_with(tiny: Bench) -> None:
    """The model itself said them."""
    codec = tiny.model.codec
    (mark,) = codec.markup("<|user|>")
    forced = (*codec.plain("Yes"), mark)
    with tiny.cache.begin((*prompt_ids(tiny), *forced, 7), (), "me") as session:
        while session.left > 1:
            session.prefill(8)
        session.decode(7)
    asked = tiny.ask(user("hi"), forced=forced, max_tokens=1)
    assert asked.finished.ids[: len(forced)] == forced


@pytest.mark.parametrize("kind", ["llama", "lfm2"])
def test_an_answer_parts_from_another_inside_of_a_character(tmp_path: Path, kind: str) -> None:
    """It has the very ids up to there; what comes after makes another character of it, or leaves half a one."""
    bench = opened(write_model_folder(tmp_path / "m", kind=kind))
    codec = bench.model.codec
    whole, other = (tuple(codec.plain(f"ok {face}")) for face in "😀😃")
    assert len(whole) - len(codec.plain("ok ")) == 4
    first = bench.ask(LONG, forced=(*whole, *codec.plain(" so")), max_tokens=1).finished
    assert first.text.startswith("ok 😀 so")
    (word,) = codec.plain("a")
    for at in range(len(whole) - 3, len(whole)):
        for token, said in ((other[at], "ok 😃" if at == len(whole) - 1 else "ok "), (word, "ok \ufffda")):
            command = replace(
                bench.command(LONG, forced=(*whole[:at], token), temperature=1.0, max_tokens=6), alternatives=True
            )
            told = price(bench, command)
            fork = Asked(bench.do(command))
            answer = fork.finished
            assert fork.started.request == told
            assert answer.ids[: at + 1] == command.forced
            assert re.sub("\ufffd+", "\ufffd", answer.text).startswith(said)
            assert fork.streamed == answer.text == answer.text.encode().decode()
            choices = unpack(answer.choices)
            assert len(choices) == len(answer.ids)
            assert sum(one.length for one in choices) <= len(answer.text)


@pytest.mark.parametrize("token", [-1, 1 << 40])
def test_ids_that_the_model_does_not_know_are_refused(tiny: Bench, token: int) -> None:
    command = tiny.command(user("hi"), forced=(token,))
    assert isinstance(tiny.do(command)[-1], RunFailed)
    query = EstimateCost(1, command.turns, forced=(token,))
    assert any(isinstance(event, CostRefused | CostEstimate) for event in tiny.do(query))


def prompt_ids(bench: Bench) -> tuple[int, ...]:
    building = bench.model.prompts.building((user("hi"),), replace(bench.command(user("hi"))).options)
    while True:
        try:
            next(building)
        except StopIteration as end:
            return tuple(end.value.ids)


def test_text_that_is_spelled_otherwise_is_begun_with_as_it_was(tiny: Bench) -> None:
    codec: Codec = tiny.model.codec
    letters = tuple(token for letter in "the fox" for token in codec.plain(letter))
    assert letters != tuple(codec.plain("the fox"))
    assert tiny.ask(user("hi"), forced=letters, max_tokens=1).finished.ids[: len(letters)] == letters
