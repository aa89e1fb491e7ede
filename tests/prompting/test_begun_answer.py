"""Answers that ended at a limit go on: as if they had not ended, and without anything computed again."""

from __future__ import annotations

import random
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tokenizers import normalizers

from app.prompting.begun_answer import spelled_or_own
from app.prompting.codec import Codec
from app.prompting.output import OutputText
from app.protocol.chat import Resumption, Sampling, Turn
from app.protocol.commands import Cancel, EstimateCost, Generate
from app.protocol.events import CostEstimate, TextDelta
from app.protocol.reports import StopReason
from tests.engine.bench import LONG, Asked, Bench, opened, user
from tests.fakes.model_folder import write_model_folder
from tests.fakes.tiny_tokenizer import TEMPLATES, byte_level
from tests.prompting.codecs import builder_of
from tests.prompting.test_thinking import HARMONY, codec_with

KINDS = ["llama", "gemma3", "gpt_oss", "lfm2", "falcon_h1", "mamba2", "qwen3_5"]


def go_on(bench: Bench, begun: Turn, *turns: Turn, **sampling: object) -> Asked:
    command = bench.command(*turns, **sampling)
    return Asked(bench.do(Generate(command.run_id, turns, command.sampling, command.owner, begun=begun)))


@pytest.mark.parametrize("elsewhere", [False, True], ids=["at once", "after another"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_goes_on_from_its_last_token(tmp_path: Path, kind: str, elsewhere: bool) -> None:
    folder = write_model_folder(tmp_path / "m", kind=kind)
    whole = opened(folder).ask(LONG, temperature=0.0, max_tokens=30).finished
    bench = opened(folder)
    answer = bench.ask(LONG, temperature=0.0, max_tokens=10)
    for most in (4, 3, 13):
        if answer.finished.stats.stop is StopReason.FINISHED:
            break
        if elsewhere:
            bench.ask(user("Something else"), max_tokens=3)
        before = answer.finished
        answer = go_on(bench, answer.turn, LONG, temperature=0.0, max_tokens=most)
        report = answer.started.request
        assert report.excess == 0
        assert report.left == 1
        assert answer.finished.ids[: len(before.ids)] == before.ids
        assert answer.finished.stats.tokens == len(answer.finished.ids) - len(before.ids)
    assert answer.finished.ids == whole.ids
    assert answer.finished.text == whole.text
    assert answer.streamed == whole.text


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_that_was_stopped_goes_on_from_its_last_token_too(tmp_path: Path, kind: str) -> None:
    """It was fed already, unlike that of an answer that came to its limit."""
    folder = write_model_folder(tmp_path / "m", kind=kind)
    bench = opened(folder)
    command = bench.command(LONG, temperature=0.0, max_tokens=None)
    bench.loop.submit(command)
    while not any(isinstance(event, TextDelta) for event in bench.events):
        bench.loop.step()
    for _ in range(3):
        bench.loop.step()
    stopped = Asked([*bench.events, *bench.do(Cancel(command.run_id))])
    assert stopped.finished.stats.stop in (StopReason.CANCELLED, StopReason.FINISHED)
    bench.ask(user("Something else"), max_tokens=3)
    report = go_on(bench, stopped.turn, LONG, temperature=0.0, max_tokens=3).started.request
    assert report.excess == 0 or stopped.finished.stats.stop is StopReason.FINISHED


@pytest.mark.parametrize("kind", ["llama", "lfm2", "gemma3"])
def test_an_answer_that_went_on_is_written_once_more_token_for_token(tmp_path: Path, kind: str) -> None:
    """At random: other seeds, settings and limits each time, one of them stopped by hand; warm, and cold again."""
    folder = write_model_folder(tmp_path / "m", kind=kind)
    for number in range(4):
        rng, bench = random.Random(number), opened(folder)
        first = settings(rng)
        answer = bench.ask(LONG, **first)
        resumptions: list[Resumption] = []
        for _ in range(3):
            if answer.finished.stats.stop is StopReason.FINISHED:
                break
            chosen = settings(rng)
            resumptions.append(Resumption(len(answer.finished.ids), Sampling(**chosen)))
            answer = go_on(bench, answer.turn, LONG, **chosen)
            if rng.random() < 0.5:
                bench.ask(user("Something else"), max_tokens=3)
        for other in (bench, opened(folder)):
            command = replace(other.command(LONG, **first), resumptions=tuple(resumptions))
            again = Asked(other.do(command))
            assert again.finished.ids == answer.finished.ids, number
            assert (again.finished.text, again.streamed) == (answer.finished.text, answer.finished.text)
            assert again.finished.stats.stop is answer.finished.stats.stop
            assert again.started.request.excess == 0


def settings(rng: random.Random) -> dict[str, Any]:
    return {
        "seed": rng.randrange(1000),
        "temperature": rng.choice([0.0, 0.8, 1.5]),
        "max_tokens": rng.randint(1, 9),
        "repetition_penalty": rng.choice([1.0, 1.3]),
        "penalty_range": rng.choice([None, 4]),
    }


def test_an_answer_that_was_stopped_by_hand_and_went_on_is_written_once_more(tmp_path: Path) -> None:
    folder = write_model_folder(tmp_path / "m")
    bench = opened(folder)
    command = bench.command(LONG, temperature=1.2, seed=5, max_tokens=None)
    bench.loop.submit(command)
    for _ in range(30):
        bench.loop.step()
    stopped = Asked([*bench.events, *bench.do(Cancel(command.run_id))])
    assert stopped.finished.stats.stop is StopReason.CANCELLED
    whole = go_on(bench, stopped.turn, LONG, temperature=1.2, seed=6, max_tokens=7).finished
    at = len(stopped.finished.ids)
    then = Resumption(at, Sampling(temperature=1.2, seed=6, max_tokens=7))
    again = Asked(bench.do(replace(bench.command(LONG, temperature=1.2, seed=5, max_tokens=None), resumptions=(then,))))
    assert again.finished.ids == whole.ids
    assert len(whole.ids) > at


def test_after_a_restart_everything_is_read_again_and_the_answer_goes_on(tmp_path: Path) -> None:
    folder = write_model_folder(tmp_path / "m")
    whole = opened(folder).ask(LONG, temperature=0.0, max_tokens=20).finished
    begun = opened(folder).ask(LONG, temperature=0.0, max_tokens=8).turn
    assert go_on(opened(folder), begun, LONG, temperature=0.0, max_tokens=12).finished.text == whole.text


def test_an_answer_without_its_ids_goes_on_from_what_it_says(tiny: Bench) -> None:
    asked = go_on(tiny, Turn("assistant", "The answer is"), user("hi"), max_tokens=3)
    assert asked.finished.text.startswith("The answer is")
    assert asked.finished.stats.tokens == 3


@pytest.mark.parametrize("text", ["", "It is"])
@pytest.mark.parametrize("shape", TEMPLATES)
def test_a_thought_that_was_cut_off_goes_on_being_one(tmp_path: Path, shape: str, text: str) -> None:
    bench = opened(write_model_folder(tmp_path / "m", template=TEMPLATES[shape]))
    begun = Turn("assistant", text, thinking="They ask for pears")
    asked = go_on(bench, begun, user("hi"), max_tokens=1, temperature=0.0)
    assert asked.finished.thinking.startswith("They ask for pears")
    assert asked.finished.text.startswith(text)


def test_an_answer_that_goes_on_says_first_what_it_said_letter_by_letter(tmp_path: Path) -> None:
    """A tokenizer that composes letters reads fewer than were typed; what the model says then is not cut for that."""
    tokenizer = byte_level()
    tokenizer.normalizer = normalizers.NFC()
    bench = opened(write_model_folder(tmp_path / "m", tokenizer=tokenizer))
    for number in range(12):
        rng = random.Random(number)
        typed = "a" + "".join(rng.choice(["e\u0301", "o\u0308", "a", " ", "\ufffd", "\n"]) for _ in range(9))
        composed = unicodedata.normalize("NFC", typed)
        asked, other = (
            go_on(bench, Turn("assistant", text), user("hi"), max_tokens=6, temperature=0.0)
            for text in (typed, composed)
        )
        assert asked.streamed == asked.finished.text
        assert asked.finished.text.startswith(typed), number
        assert asked.finished.ids == other.finished.ids
        assert asked.finished.text.removeprefix(typed) == other.finished.text.removeprefix(composed), number
        tokens = [token for event in asked.events if isinstance(event, TextDelta) for token in event.tokens]
        assert [token.end for token in tokens] == sorted(token.end for token in tokens)
        assert all(token.start <= token.end <= len(asked.finished.text) for token in tokens)


def test_an_answer_that_goes_on_and_says_no_more_has_said_no_less(tmp_path: Path) -> None:
    """Also what waits for more, since a half character reads as U+FFFD does, and white space may end a thought."""
    codec = builder_of(tmp_path, TEMPLATES["bare"]).codec
    for number in range(60):
        rng = random.Random(number)
        text, thinking = ("".join(rng.choice(["\ufffd", "b", " ", "<", "\n"]) for _ in range(5)) for _ in range(2))
        answer = Turn("assistant", text, thinking=rng.choice(["", thinking]))
        output = OutputText(codec, rng.choice([(), ("<b",)]) if "<b" not in text else ())
        shown = output.begin(spelled_or_own(codec, (), answer, 0), answer)
        shown += output.end()
        for kind, said, wanted in (("text", output.text, text), ("thinking", output.thinking, answer.thinking)):
            assert said == wanted == "".join(piece.text for piece in shown if piece.kind == kind), number


def test_half_a_character_at_the_end_is_completed(tmp_path: Path) -> None:
    codec = builder_of(tmp_path, TEMPLATES["bare"]).codec
    ids = tuple(codec.plain("ok 😀"))
    for end in range(1, len(ids)):
        assert spelled_or_own(codec, (), Turn("assistant", "ok ", ids[:end]), 0) == ids[:end]


def test_ids_that_a_file_made_up_are_not_gone_on_from(tiny: Bench) -> None:
    codec = tiny.model.codec
    control = next(iter(codec.special_ids))
    made_up = Turn("assistant", "Yes", (*codec.plain("Yes"), control))
    asked = go_on(tiny, made_up, user("hi"), max_tokens=2)
    assert control not in asked.finished.ids[: len(codec.plain("Yes")) + 1]
    assert asked.finished.text.startswith("Yes")


def test_where_the_context_is_full_nothing_goes_on(tmp_path: Path) -> None:
    bench = opened(write_model_folder(tmp_path / "short", max_position_embeddings=60))
    full = bench.ask(user("hi"), temperature=0.0, max_tokens=None)
    assert full.finished.stats.stop in (StopReason.CONTEXT, StopReason.FINISHED)
    if full.finished.stats.stop is StopReason.CONTEXT:
        asked = go_on(bench, full.turn, user("hi"))
        assert "too long" in asked.failed.problem.title or asked.failed


def test_tokens_of_an_edited_answer_are_kept_as_they_were_sampled(tmp_path: Path) -> None:
    """A sampler may spell words otherwise than the tokenizer: what stands before the edit is not spelled anew."""
    codec = builder_of(tmp_path, TEMPLATES["bare"]).codec
    for number in range(40):
        rng = random.Random(number)
        text = "a" + "".join(rng.choice("ab é😀\n") for _ in range(12))
        ids = tuple(token for letter in text for token in codec.plain(letter))
        cut, more = rng.randint(1, len(text)), rng.choice(["", "zz"])
        edit = Turn("assistant", text[:cut] + more)
        found = spelled_or_own(codec, (), edit, 0, ids)
        assert codec.decode(found) == edit.text, number
        kept = tuple(token for letter in text[:cut] for token in codec.plain(letter))
        assert found[: len(kept)] == kept, number
        other = spelled_or_own(codec, (), replace(edit, thinking="Hm"), 0, ids)
        assert "Hm" in codec.decode(other), number


THOUGHTS = {
    "marks": ((), "<think>", "\n", "</think>", "\n\n"),
    "opened": ((), "", "", "</think>", "\n\n"),
    "no gap": ((), "<think>", "\n", "</think>", ""),
    "channels": (
        HARMONY,
        "<|channel|>analysis<|message|>",
        "",
        "<|end|><|start|>assistant<|channel|>final<|message|>",
        "",
    ),
}


@pytest.mark.parametrize("shape", THOUGHTS)
def test_tokens_of_a_thought_and_of_the_first_words_after_it_are_kept(tmp_path: Path, shape: str) -> None:
    """At random: cut in the thought, with other words there, or in the text; spelled as no tokenizer spells it."""
    specials, opening, lead, closing, gap = THOUGHTS[shape]
    codec = codec_with(tmp_path, *specials, template="".join(specials) or "<think>")
    prompt = tuple(codec.markup("<think>\n")) if shape == "opened" else ()
    for number in range(60):
        rng = random.Random(number)
        thought, text = ("a" + "".join(rng.choice("ab é😀\n") for _ in range(12)) + "b" for _ in range(2))
        head = (*codec.markup(opening), *codec.plain(lead))
        after = (*codec.markup(closing), *codec.plain(gap))
        ids = (*head, *letters(codec, thought), *after, *letters(codec, text))
        more = "zz" if rng.random() < 0.5 else " zz"
        cut = rng.choice([0, 1, len(thought), rng.randrange(len(thought))])
        if rng.random() < 0.5 and cut:
            edit = Turn("assistant", rng.choice(["", "Other"]), thinking=thought[:cut] + more)
            kept = (*head, *letters(codec, thought[:cut]))
        else:
            cut = rng.choice([0, 1, rng.randrange(len(text))])
            edit = Turn("assistant", text[:cut] + (more if cut else "zz"), thinking=thought)
            kept = (*head, *letters(codec, thought), *after, *letters(codec, text[:cut]))
        found = spelled_or_own(codec, prompt, edit, len(ids), ids)
        assert found[: len(kept)] == kept, number
        output = OutputText(codec, (), prompt)
        for token in found:
            output.add(token)
        output.end()
        assert (output.thinking, output.text) == (edit.thinking, edit.text), number
        assert edit.text or output.is_thinking, number


def letters(codec: Codec, text: str) -> tuple[int, ...]:
    """Each letter spelled by itself."""
    return tuple(token for letter in text for token in codec.plain(letter))


WHOLE_STATES = {"lfm2", "falcon_h1", "mamba2", "qwen3_5"}
EDITED = " Well then"


@pytest.mark.parametrize("elsewhere", [False, True], ids=["at once", "after another"])
@pytest.mark.parametrize("kind", KINDS)
def test_of_an_answer_that_is_edited_nothing_before_the_edit_is_read_again(
    tmp_path: Path, kind: str, elsewhere: bool
) -> None:
    """At random: cut anywhere in its text, with other words or none in the place of the rest; the price is exact.

    Where whole states are kept, which exist where they were captured alone, it is read from the answer's own beginning.
    """
    folder = write_model_folder(tmp_path / "m", kind=kind)
    for number in range(3):
        rng, bench = random.Random(number), opened(folder)
        answer = bench.ask(LONG, temperature=0.9, seed=number, max_tokens=24)
        whole = answer.finished
        cut = rng.randint(1, max(1, len(whole.text)))
        text = whole.text[:cut] + rng.choice(["", EDITED])
        if elsewhere:
            bench.ask(user("Something else"), max_tokens=3)
        begun = Turn("assistant", text, thinking=whole.thinking)
        command = bench.command(LONG, temperature=0.0, max_tokens=4)
        query = EstimateCost(1, (LONG,), begun=begun, edited=whole.ids)
        priced = [event for event in bench.do(query) if isinstance(event, CostEstimate)][-1]
        edited = Asked(bench.do(replace(command, begun=begun, edited=whole.ids)))
        report = edited.started.request
        assert report == priced.request
        assert edited.finished.text.startswith(text)
        assert report.matched >= answer.started.request.total or cut < 2, number
        assert report.cached >= answer.started.request.total - 1, number
        assert report.excess == 0 or kind in WHOLE_STATES, number
