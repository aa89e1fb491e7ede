"""A context that a person limits: it holds at once, and what is cached stays and is reused."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from app.models.context import limited_context
from app.protocol.commands import CONTEXT_LIMIT, EraseOwner, LimitContext, LoadModel
from app.protocol.events import ContextLimited, CostEstimate, ModelFailed, ModelReady, TextDelta
from app.protocol.reports import StopReason
from tests.engine.bench import Bench, opened, outcomes, steps_until, user

LEAST = int(CONTEXT_LIMIT.least)
WORDY = user("fox " * LEAST)
BAD = [0, -1, LEAST - 1, 10**12, "8192", 512.0, True]


def limited(bench: Bench, tokens: int | None) -> ContextLimited:
    [event] = [event for event in bench.do(LimitContext(tokens)) if isinstance(event, ContextLimited)]
    return event


def test_a_limit_is_the_least_of_what_is_wanted_and_what_the_model_can() -> None:
    assert [limited_context(4096, limit) for limit in (None, 512, 4096, 1 << 30)] == [4096, 512, 4096, 4096]


def test_a_model_is_opened_with_its_limit_and_says_what_it_could_do_without(tiny_folder: Path) -> None:
    own = opened(tiny_folder).model.own_context
    bench = Bench()
    ready = bench.open(tiny_folder, context_limit=LEAST)
    assert isinstance(ready, ModelReady)
    assert (ready.info.context_length, ready.info.own_context) == (LEAST, own)
    plain = Bench().open(tiny_folder, context_limit=own + 1)
    assert isinstance(plain, ModelReady)
    assert plain.info.context_length == own


def test_what_does_not_fit_does_when_the_limit_is_raised_and_nothing_is_computed_again(tiny: Bench) -> None:
    """At random: raised and lowered between questions, the same model goes on with the same cache."""
    assert limited(tiny, LEAST) == ContextLimited(tiny.model.path, LEAST)
    assert tiny.ask(WORDY).failed.problem.title == "The conversation is too long for this model"
    state = (tiny.model.fingerprint, tiny.model.state_fingerprint)
    assert limited(tiny, None).context_length == tiny.model.own_context
    said = tiny.ask(WORDY)
    rng = random.Random(4)
    for _ in range(12):
        length = limited(tiny, rng.choice((None, 2 * LEAST, 4 * LEAST, LEAST))).context_length
        asked = tiny.ask(WORDY)
        if length == LEAST:
            assert asked.failed.problem.title == "The conversation is too long for this model"
            continue
        assert asked.started.request.left == 1
        assert asked.started.request.excess == 0
        assert asked.finished.ids == said.finished.ids
    assert (tiny.model.fingerprint, tiny.model.state_fingerprint) == state


def test_an_estimate_knows_the_limit(tiny: Bench) -> None:
    limited(tiny, LEAST)
    far = tiny.estimate(user("fox " * 40 * LEAST))
    assert far is not None
    assert (far.is_far_too_long, far.request.total) == (True, LEAST)
    limited(tiny, None)
    near = tiny.estimate(WORDY)
    assert isinstance(near, CostEstimate)
    assert not near.is_far_too_long


@pytest.mark.parametrize("raised", [False, True])
def test_an_answer_under_way_ends_at_the_limit_that_holds(tiny: Bench, raised: bool) -> None:
    limited(tiny, LEAST)
    command = tiny.command(user("Hi"), max_tokens=300, temperature=1.2, seed=3)
    tiny.loop.submit(command)
    steps_until(tiny, TextDelta)
    if raised:
        tiny.loop.submit(LimitContext(None))
    tiny.idle()
    [finished] = outcomes(tiny.events, command.run_id)
    total = finished.stats.request.total + len(finished.ids)  # type: ignore[union-attr]
    assert (finished.stats.stop is StopReason.CONTEXT) is not raised  # type: ignore[union-attr]
    assert (total > LEAST) is raised


@pytest.mark.parametrize("bad", BAD)
def test_a_limit_that_means_nothing_is_refused_with_a_sentence(tiny: Bench, tiny_folder: Path, bad: object) -> None:
    before = tiny.model.context_length
    refused = limited(tiny, bad)  # type: ignore[arg-type]
    assert refused.problem is not None
    assert f"between {LEAST} and" in refused.problem.sentence
    assert refused.context_length == tiny.model.context_length == before
    failed = [one for one in Bench().do(LoadModel(str(tiny_folder), context_limit=bad)) if isinstance(one, ModelFailed)]  # type: ignore[arg-type]
    assert [one.problem for one in failed] == [refused.problem]


def test_without_a_model_nothing_is_limited() -> None:
    assert not [
        event for event in Bench().do(LimitContext(LEAST), EraseOwner("me")) if isinstance(event, ContextLimited)
    ]
