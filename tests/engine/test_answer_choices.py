"""What each token of an answer was chosen from: as many choices as tokens, however the answer ends."""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.prompting.codec import Codec
from app.prompting.output import OutputText
from app.protocol.chat import Sampling
from app.protocol.choices import LEAST, SURE, WHOLE, Choice, unpack
from app.protocol.commands import Cancel, Generate, Lane
from app.protocol.events import RunFinished
from app.protocol.reports import StopReason
from tests import seeds
from tests.engine.bench import LONG, Bench, opened, user
from tests.fakes.model_folder import write_model_folder
from tests.fakes.tiny_tokenizer import TEMPLATES

ROUNDING = 9  # ten-thousandths, half of one for each of the tokens that are told


def asked(bench: Bench, command: Generate, cancel_after: int | None = None) -> list[RunFinished]:
    """The answers to a command; after so many steps all are stopped."""
    begin = len(bench.events)
    bench.loop.submit(command)
    if cancel_after is not None:
        for _ in range(cancel_after):
            bench.loop.step()
        bench.loop.submit(Cancel(command.run_id))
    bench.idle()
    return [event for event in bench.events[begin:] if isinstance(event, RunFinished)]


def check_choices(codec: Codec, prompt: Sequence[int], answer: RunFinished, forced: Sequence[int]) -> None:
    """Hold what is told of an answer's tokens against its tokens and its text."""
    choices = unpack(answer.choices) if answer.choices else ()
    assert len(choices) == len(answer.ids)
    ends = {False: 0, True: 0}
    alone = OutputText(codec, (), prompt)
    for at, (token, choice) in enumerate(zip(answer.ids, choices, strict=True)):
        assert (choice.share is None) == (at < len(forced))
        check_shares(choice, token)
        for candidate in choice.candidates:
            assert candidate.is_end == (candidate.id in codec.stop_ids)
            assert candidate.is_end or candidate.text.removesuffix("…") in alone.preview(candidate.id)
        begin, said = ends[choice.is_thinking], answer.thinking if choice.is_thinking else answer.text
        ends[choice.is_thinking] = end = begin + choice.length
        assert end <= len(said)
        new = alone.add(token)
        if len(new) == 1 and not answer.thinking:
            assert said[begin:end] == new[0].text
    assert ends[False] == len(answer.text) or answer.stats.stop is not StopReason.FINISHED


def check_shares(choice: Choice, token: int) -> None:
    shares = [one.share for one in choice.candidates]
    assert shares == sorted(shares, reverse=True)
    assert all(LEAST <= share <= WHOLE for share in shares)
    assert token not in {one.id for one in choice.candidates}
    assert len({one.id for one in choice.candidates}) == len(choice.candidates)
    if choice.share is not None:
        assert sum(shares) + choice.share <= WHOLE + ROUNDING
        assert choice.share < SURE or not choice.candidates
        assert not choice.is_below or not shares or choice.share <= shares[-1] or len(shares) < 8


def some_sampling(rng: random.Random) -> Sampling:
    return Sampling(
        seed=rng.randrange(1000),
        temperature=rng.choice([0.0, 0.3, 1.0, 2.0]),
        max_tokens=rng.choice([1, 5, 20, 40]),
        repetition_penalty=rng.choice([1.0, 1.5]),
        top_k=rng.choice([0, 5]),
        stop=rng.choice([(), (), ("e",), ("ab", " th", "\n")]),
    )


@pytest.mark.parametrize("template", ["bare", "thinking dropped", "thinking opened"])
@pytest.mark.parametrize("kind", ["llama", "lfm2", "mamba2"])
def test_each_token_has_its_choice(tmp_path: Path, kind: str, template: str) -> None:
    bench = opened(write_model_folder(tmp_path / "m", kind=kind, template=TEMPLATES[template]))
    codec = bench.model.codec
    close = codec.markup("</think>")
    for seed in seeds.chosen(range(12)):
        rng = random.Random(seed)
        lanes = []
        for _ in range(rng.choice([1, 1, 3])):
            forced = [*codec.plain(rng.choice(["", "the fox", "é 語 🦊"])), *rng.choice([[], close])]
            lanes.append(Lane(some_sampling(rng), tuple(forced[: rng.randrange(len(forced) + 1)])))
        turn = rng.choice([LONG, user("the end")])
        command = replace(bench.command(turn), sampling=lanes[0].sampling, forced=lanes[0].forced)
        command = replace(command, beside=tuple(lanes[1:]), alternatives=True)
        cancel_after = rng.choice([None, None, rng.randrange(30)])
        prompt = prompt_of(bench, command)
        for answer in asked(bench, command, cancel_after):
            try:
                check_choices(codec, prompt, answer, lanes[answer.lane].forced)
            except AssertionError as error:
                error.add_note(f"seed {seed}, lane {answer.lane}")
                raise


def prompt_of(bench: Bench, command: Generate) -> tuple[int, ...]:
    """The ids that follow the question."""
    building = bench.model.prompts.building(command.turns, command.options)
    while True:
        try:
            next(building)
        except StopIteration as end:
            return tuple(end.value.after_question)


def test_what_goes_on_was_given_up_to_there(tiny: Bench) -> None:
    first = tiny.ask(LONG, temperature=0.0, max_tokens=5)
    command = replace(tiny.command(LONG, temperature=0.0), begun=first.turn, alternatives=True)
    (answer,) = asked(tiny, command)
    check_choices(tiny.model.codec, (), answer, first.finished.ids)


def test_they_are_told_only_where_they_were_asked_for(tiny: Bench) -> None:
    assert tiny.ask(LONG).finished.choices == b""


def test_an_answer_is_the_same_with_them(tiny: Bench, mixed: Bench) -> None:
    for bench in (tiny, mixed):
        for sampling in ({"temperature": 0.0}, {"temperature": 1.2, "seed": 3}):
            plain = bench.command(LONG, max_tokens=30, **sampling)
            (without,) = asked(bench, plain)
            (with_them,) = asked(bench, replace(plain, run_id=plain.run_id + 100, alternatives=True))
            assert (without.ids, without.text) == (with_them.ids, with_them.text)


def test_an_alternative_reads_in_its_place_as_it_was_told(tiny: Bench) -> None:
    """Each is forced in turn: the answer then says what stood before it, and its text."""
    command = replace(tiny.command(LONG, temperature=1.0, max_tokens=12), alternatives=True)
    (answer,) = asked(tiny, command)
    at = tried = 0
    for number, choice in enumerate(unpack(answer.choices)):
        for candidate in choice.candidates:
            if candidate.is_end or "\ufffd" in candidate.text or candidate.id in tiny.model.codec.special_ids:
                continue
            forced = (*answer.ids[:number], candidate.id)
            other = tiny.ask(LONG, forced=forced, max_tokens=1).finished
            assert other.ids[: len(forced)] == forced
            assert other.text.startswith(answer.text[:at] + candidate.text)
            tried += 1
        at += choice.length
    assert tried > 3


def test_the_guide_takes_few_bytes_a_token(guide: Bench) -> None:
    questions = ("How do I fork a conversation?", "What is the cache pane?", "Who are you?", "What is 7 times 8?")
    packed = tokens = 0
    for question in questions:
        command = replace(guide.command(user(question), temperature=0.8, max_tokens=80), alternatives=True)
        (answer,) = asked(guide, command)
        packed, tokens = packed + len(zlib.compress(answer.choices)), tokens + len(answer.ids)
    assert packed <= 10 * tokens
