"""What else a model would have said: the eight likeliest tokens, whatever the size of the vocabulary."""

from __future__ import annotations

import math
import random

import mlx.core as mx
import numpy as np
import pytest

from app.engine.alternatives import MOST, alternatives
from app.engine.sampler import Sampler
from app.prompting.answer_choices import Alternatives
from app.protocol.chat import Sampling
from tests import seeds


def found_in(logits: mx.array, chosen: int, least: float) -> Alternatives | None:
    """Both ways of summing up find the same."""
    by_device, by_processor = (alternatives(logits, one, chosen, least) for one in (mx.logsumexp(logits), None))
    if by_device is None or by_processor is None:
        assert by_device is by_processor
    else:
        near = 1e-3  # MLX adds 250,000 numbers of 32 bits one after another on a processor
        assert by_device.own == pytest.approx(by_processor.own, rel=near)
        assert [one for one, _ in by_device.likeliest] == [one for one, _ in by_processor.likeliest]
    return by_processor


@pytest.mark.parametrize("size", [1, 3, 7, 8, 9, 127, 128, 129, 1_000, 1_025, 32_000, 151_936, 250_001])
def test_they_are_those_of_a_full_sort(size: int) -> None:
    for seed in seeds.chosen(range(3)):
        values = np.random.default_rng(seed).normal(scale=4, size=size).astype(np.float32)
        chosen = int(np.random.default_rng(seed).integers(size))
        found = found_in(mx.array(values)[None], chosen, 0.0)
        exact = np.exp(values.astype(np.float64) - values.max())
        exact /= exact.sum()
        order = np.argsort(-exact, kind="stable")[:MOST]
        assert found is not None
        assert [number for number, _ in found.likeliest] == order.tolist()
        near = 1e-5
        assert [share for _, share in found.likeliest] == pytest.approx(exact[order].tolist(), rel=near)
        assert found.own == pytest.approx(exact[chosen], rel=near)
        assert found.is_below is (chosen not in order)


def test_equal_tokens_stand_in_the_order_of_their_numbers() -> None:
    found = found_in(mx.zeros((1, 5)), 3, 0.0)
    assert found is not None
    assert [number for number, _ in found.likeliest] == [0, 1, 2, 3, 4]


def test_tokens_that_cannot_come_are_left_out() -> None:
    values = [-math.inf] * 3000
    values[7], values[2990] = 1.0, 2.0
    found = found_in(mx.array([values]), 0, 0.001)
    assert found is not None
    assert [number for number, _ in found.likeliest] == [2990, 7]
    assert (found.own, found.is_below) == (0, True)


def test_none_are_looked_for_where_the_chosen_one_leaves_them_no_share() -> None:
    logits = mx.array([[0.0, 9.0, 0.0]])
    assert found_in(logits, 1, 0.01) == (pytest.approx(0.99975, abs=1e-5), (), False)
    found = found_in(logits, 1, 0.0001)
    assert found is not None
    assert [number for number, _ in found.likeliest] == [1, 0, 2]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("size", [3, 200, 2_000])
def test_there_are_none_where_no_token_has_a_probability(value: float, size: int) -> None:
    assert found_in(mx.full((1, size), value), 0, 0.0) is None


@pytest.mark.parametrize("size", [3, 200, 2_000])
def test_one_number_that_is_none_leaves_none(size: int) -> None:
    values = [0.0] * size
    values[-1] = math.nan
    assert found_in(mx.array([values]), 0, 0.0) is None


def test_a_sampler_gives_those_of_the_model_and_draws_as_without_them() -> None:
    """Penalties, bias, temperature and filters are the person's, and what the model would have said is not."""
    for seed in seeds.chosen(range(5)):
        rng = random.Random(seed)
        sampling = Sampling(temperature=rng.choice([0.0, 1.5]), top_k=rng.choice([0, 3]), repetition_penalty=2.0)
        with_them = Sampler(sampling, seed, (1,), {2: 9.0}, keeps_logits=True)
        without = Sampler(sampling, seed, (1,), {2: 9.0})
        for _ in range(20):
            logits = mx.array([[rng.gauss(0, 2) for _ in range(400)]])
            drawn, plain = with_them.draw(logits), without.draw(logits)
            assert plain.logits is None
            assert drawn.logits is not None
            assert drawn.logits.tolist() == logits.tolist()
            assert with_them.read(drawn) == without.read(plain)


@pytest.mark.parametrize("size", [1, 200, 250_001])
def test_to_look_for_them_changes_nothing(size: int) -> None:
    """The logits lie where the model's own arithmetic may still read them."""
    values = np.random.default_rng(1).normal(size=size).astype(np.float32)
    logits = mx.array(values)[None]
    found_in(logits, 0, 0.0)
    assert logits.tolist() == [values.tolist()]
