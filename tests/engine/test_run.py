"""One answer: what it says, what it counts, and what is refused."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from app.protocol.commands import EstimateCost, Generate
from app.protocol.events import (
    CostEstimate,
    ModelReady,
    PrefillProgress,
    RunFinished,
    TextDelta,
)
from app.protocol.reports import Reason, StopReason
from tests.engine.bench import LONG, Asked, Bench, opened, user
from tests.fakes.model_folder import write_model_folder
from tests.fakes.scripted_model import ScriptedModel
from tests.seeds import chosen


def test_the_guide_answers_and_forks_for_free(guide: Bench) -> None:
    first = guide.ask(user("How do I fork a conversation?"), max_tokens=200, seed=3)
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
    for seed in chosen(range(6)):
        asked = tiny.ask(user("こ?"), seed=seed, temperature=1.5, top_p=1.0, max_tokens=60)
        finished = asked.finished
        assert asked.streamed == finished.text
        decoded = tiny.model.codec.decode(finished.ids)
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


@pytest.mark.parametrize("temperature", [0.0, 1.2])
@pytest.mark.parametrize("kind", ["llama", "lfm2", "gemma3"])
def test_a_penalty_gives_the_same_warm_and_cold(tmp_path: Path, kind: str, temperature: float) -> None:
    """The restored part of the context is penalized as the computed part is, and so is what the answer says."""
    settings = {"temperature": temperature, "repetition_penalty": 1.8, "max_tokens": 20}
    folder = write_model_folder(tmp_path / "m", kind=kind)
    bench = opened(folder)
    bench.ask(LONG, max_tokens=3)
    bench.ask(user("elsewhere"))
    warm = bench.ask(LONG, **settings)
    assert warm.started.request.cached > 100
    assert warm.finished.ids == opened(folder).ask(LONG, **settings).finished.ids


def test_a_strong_penalty_leaves_only_what_was_not_said(tiny: Bench) -> None:
    bench = tiny
    prompt = bench.model.prompts.build([LONG]).ids
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
    forced = tuple(tiny.model.codec.plain("The answer is"))
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
    total = bench.price(LONG).total
    assert str(total) in sentence
    assert bench.ask(user("hi")).finished.ids


def test_an_answer_ends_where_the_context_does(tmp_path: Path) -> None:
    bench = opened(write_model_folder(tmp_path / "short", max_position_embeddings=40))
    asked = bench.ask(user("hi"), max_tokens=500, temperature=1.5, seed=2)
    assert asked.finished.stats.stop is StopReason.CONTEXT
    assert asked.started.request.total + len(asked.finished.ids) == 40


def test_an_answer_that_nothing_limits_goes_on_to_the_contexts_end(tmp_path: Path) -> None:
    bench = opened(write_model_folder(tmp_path / "long", max_position_embeddings=1500))
    model = ScriptedModel(402, has_rows_only=True)
    model.install(bench.loop, bench.events.append)
    model.says(0, [20])
    [finished] = [event for event in bench.do(Generate(1, (user("hi"),))) if isinstance(event, RunFinished)]
    assert finished.stats.stop is StopReason.CONTEXT
    assert finished.stats.request.total + len(finished.ids) == 1500


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_prompt_is_refused(tiny: Bench, text: str) -> None:
    assert "empty" in tiny.ask(user(text)).failed.problem.sentence
    assert tiny.estimate(user(text)) is None


def test_settings_that_mean_nothing_are_refused(tiny: Bench) -> None:
    assert "sampling" in tiny.ask(user("hi"), temperature=-1.0).failed.problem.title.lower()
    assert tiny.ask(user("hi")).finished.ids


def test_without_a_model_nothing_can_be_asked() -> None:
    bench = Bench()
    events = bench.do(Generate(1, (user("hi"),)), EstimateCost(2, (user("hi"),)))
    assert "Open" in Asked(events).failed.problem.sentence
    assert not [event for event in events if isinstance(event, CostEstimate)]
