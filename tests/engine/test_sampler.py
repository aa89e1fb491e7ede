"""Sampling: the settings do what they say, the seed decides, and the whole context is penalized."""

from __future__ import annotations

from dataclasses import replace

import mlx.core as mx
import pytest

from app.engine.problems import RequestError
from app.engine.sampler import Sampler, draw_seed
from app.protocol.chat import PARAMETERS, Sampling

LOGITS = mx.array([[0.0, 3.0, 2.0, 1.0, -4.0]])


def draw(sampling: Sampling, seed: int = 1, number: int = 200, context: tuple[int, ...] = ()) -> list[int]:
    sampler = Sampler(sampling, seed, context)
    return [sampler.next(LOGITS) for _ in range(number)]


def test_temperature_zero_takes_the_likeliest() -> None:
    assert set(draw(Sampling(temperature=0))) == {1}


def test_the_same_seed_draws_the_same() -> None:
    sampling = Sampling(temperature=1.5, top_p=1.0)
    assert draw(sampling, seed=7) == draw(sampling, seed=7)
    assert draw(sampling, seed=7) != draw(sampling, seed=8)


def test_other_randomness_in_between_changes_nothing() -> None:
    sampling = Sampling(temperature=1.5, top_p=1.0)
    expected = draw(sampling, number=20)
    sampler = Sampler(sampling, 1, ())
    drawn = []
    for _ in range(20):
        mx.random.seed(3)
        mx.eval(mx.random.uniform(shape=(5,)))
        drawn.append(sampler.next(LOGITS))
    assert drawn == expected


def test_a_hot_sampler_draws_everything() -> None:
    assert set(draw(Sampling(temperature=3.0, top_p=1.0))) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize(
    ("sampling", "possible"),
    [
        (Sampling(temperature=3.0, top_p=1.0, top_k=2), {1, 2}),
        (Sampling(temperature=3.0, top_p=0.8), {1, 2}),
        (Sampling(temperature=3.0, top_p=1.0, min_p=0.3), {1, 2}),
        (Sampling(temperature=3.0, top_p=1.0, top_k=99), {0, 1, 2, 3, 4}),
        (Sampling(temperature=3.0, top_p=0.0), {0, 1, 2, 3, 4}),
    ],
)
def test_filters_leave_what_they_should(sampling: Sampling, possible: set[int]) -> None:
    assert set(draw(sampling)) == possible


def test_the_penalty_sees_the_whole_context_once() -> None:
    penalized = Sampling(temperature=0, repetition_penalty=2.0)
    assert draw(penalized, number=1) == [1]
    assert draw(penalized, number=1, context=(1,) + (4,) * 500) == [2]
    assert draw(penalized, number=1, context=(1, 2, 1, 2)) == [1]


def test_the_penalty_sees_what_was_drawn() -> None:
    assert draw(Sampling(temperature=0, repetition_penalty=2.0), number=4) == [1, 2, 1, 1]


def test_the_logits_are_left_as_they_are() -> None:
    before = LOGITS.tolist()
    draw(Sampling(temperature=0.9, repetition_penalty=1.7, top_p=0.5), number=3, context=(0, 1, 2))
    assert LOGITS.tolist() == before


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_logits_that_are_no_numbers_end_the_answer(bad: float) -> None:
    with pytest.raises(RequestError, match="not a number"):
        Sampler(Sampling(), 1, ()).next(mx.array([[0.0, bad, 1.0]]))


@pytest.mark.parametrize("name", PARAMETERS)
def test_settings_that_mean_nothing_are_refused_by_name(name: str) -> None:
    with pytest.raises(RequestError, match=f"sampling settings.*{PARAMETERS[name].title} must be"):
        Sampler(replace(Sampling(), **{name: float("nan")}), 1, ())


def test_drawn_seeds_differ() -> None:
    assert len({draw_seed() for _ in range(8)}) == 8
