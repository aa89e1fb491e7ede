"""Sampling: the settings do what they say, the seed decides, and the whole context is penalized."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import mlx.core as mx
import pytest
from mlx_lm.sample_utils import apply_top_p, make_logits_processors

from app.engine.penalties import Penalties
from app.engine.sampler import _SORTED, Sampler, _filters, _top_p, draw_seed
from app.prompting.problems import RequestError
from app.protocol.chat import PARAMETERS, Sampling
from tests import seeds

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


def test_the_colder_the_more_greedy_down_to_the_least_number_there_is() -> None:
    """The inverse of a temperature may be beyond the numbers of 32 bits."""
    for temperature in (1e-3, 1e-20, *(10.0**-power for power in range(36, 47)), 1e-300, 5e-324):
        for more in ({}, {"top_p": 1.0}, {"min_p": 0.1}, {"top_k": 3}, {"presence_penalty": 0.5}):
            sampling = Sampling(temperature=temperature, **more)
            assert not sampling.problem()
            assert set(draw(sampling, number=3)) == {1}, sampling


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


def drawn_logprobs(dice: random.Random) -> mx.array:
    """Log-probabilities of a vocabulary: short or long, flat or peaked, with and without ties and tokens ruled out."""
    size = dice.choice((2, 7, _SORTED, _SORTED + 1, dice.randint(3, 9 * _SORTED)))
    logits = mx.random.normal((1, size), key=mx.random.key(dice.randrange(10**6))) * dice.choice((0.0, 0.3, 2.0, 6.0))
    if dice.random() < 0.5:  # half the logits of a model in bfloat16 are equal to others
        logits = mx.round(logits * 4) / 4
    if dice.random() < 0.3:
        logits[:, : size // 2] = -mx.inf
    return logits - mx.logsumexp(logits, axis=-1, keepdims=True)


def test_top_p_keeps_the_likeliest_tokens_and_no_more_than_it_takes() -> None:
    """Whatever the vocabulary; of mlx-lm's choice, whose sums are in 32 bits, it differs at the very edge alone."""
    for seed in seeds.chosen(range(120)):
        dice = random.Random(seed)
        logprobs = drawn_logprobs(dice)
        top_p = dice.choice((1e-6, 0.1, 0.5, 0.95, 0.9999, dice.random()))
        values, ours, theirs = (
            x.tolist()[0] for x in (logprobs, _top_p(logprobs, top_p), apply_top_p(logprobs, top_p))
        )

        def share_above(edge: float, values: list[float] = values) -> float:
            masses = [(math.exp(value), value > edge) for value in values]
            return math.fsum(mass for mass, is_above in masses if is_above) / math.fsum(mass for mass, _ in masses)

        assert all(value == kept for value, kept in zip(values, ours, strict=True) if kept > -math.inf), seed
        least = min(kept for kept in ours if kept > -math.inf)
        dropped = [value for value, kept in zip(values, ours, strict=True) if kept == -math.inf]
        assert share_above(least) < top_p + 1e-6, seed
        assert not dropped or max(dropped) < least, seed
        assert not dropped or share_above(max(dropped)) >= top_p - 1e-6, seed
        for edge in {value for value, one, other in zip(values, ours, theirs, strict=True) if one != other}:
            assert share_above(edge) == pytest.approx(top_p, abs=1e-4), seed


@pytest.mark.parametrize("size", [_SORTED + 1, _SORTED + 2])
def test_top_p_loses_no_token_between_two_halves(size: int) -> None:
    """Of tokens that are all but equally likely, half of the mass is the likelier half and the one in the middle."""
    kept = _top_p(mx.arange(size, dtype=mx.float32)[None] * 2e-7, 0.5)
    assert (kept > -math.inf).sum().item() == (size + 1) // 2


def test_on_a_gpu_where_a_partition_is_a_sort_top_p_is_that_of_mlx_lm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mx, "default_device", lambda: mx.Device(mx.gpu))
    monkeypatch.setattr("app.engine.sampler.apply_top_p", lambda logprobs, top_p: (logprobs, top_p))
    assert _top_p(LOGITS, 0.7) == (LOGITS, 0.7)


def test_the_penalty_sees_the_whole_context_once() -> None:
    penalized = Sampling(temperature=0, repetition_penalty=2.0)
    assert draw(penalized, number=1) == [1]
    assert draw(penalized, number=1, context=(1,) + (4,) * 500) == [2]
    assert draw(penalized, number=1, context=(1, 2, 1, 2)) == [1]


def test_the_penalty_sees_what_was_drawn() -> None:
    assert draw(Sampling(temperature=0, repetition_penalty=2.0), number=4) == [1, 2, 1, 1]


def test_what_is_added_to_every_logit_changes_nothing() -> None:
    for sampling in (Sampling(temperature=0), Sampling(temperature=1.5, top_p=0.8)):
        plain, raised = Sampler(sampling, 3, ()), Sampler(sampling, 3, ())
        assert [plain.next(LOGITS) for _ in range(50)] == [raised.next(LOGITS + 512) for _ in range(50)]


def test_the_logits_are_left_as_they_are() -> None:
    before = LOGITS.tolist()
    draw(Sampling(temperature=0.9, repetition_penalty=1.7, top_p=0.5), number=3, context=(0, 1, 2))
    assert LOGITS.tolist() == before


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_logits_that_are_no_numbers_end_the_answer(bad: float) -> None:
    with pytest.raises(RequestError, match="not a number"):
        Sampler(Sampling(), 1, ()).next(mx.array([[0.0, bad, 1.0]]))
    for seed in seeds.chosen(range(8)):
        dice = random.Random(seed)
        logits = mx.random.normal((1, 4 * _SORTED), key=mx.random.key(seed))
        logits[:, dice.sample(range(logits.shape[1]), dice.choice((1, 50, logits.shape[1])))] = bad
        with pytest.raises(RequestError, match="not a number"):
            Sampler(Sampling(temperature=dice.choice((0.0, 1.0))), 1, ()).next(logits)


@pytest.mark.parametrize("name", PARAMETERS)
def test_settings_that_mean_nothing_are_refused_by_name(name: str) -> None:
    with pytest.raises(RequestError, match=rf"sampling settings.*{PARAMETERS[name].title} must be"):
        Sampler(replace(Sampling(), **{name: float("nan")}), 1, ())


def test_drawn_seeds_differ() -> None:
    assert len({draw_seed() for _ in range(8)}) == 8


ALL = {"repetition_penalty": 1.7, "presence_penalty": 0.4, "frequency_penalty": -0.3}


def as_mlx_lm(sampling: Sampling, bias: dict[int, float], logits: mx.array, tokens: list[int]) -> list[float]:
    """Logits as mlx-lm processes them."""
    within = sampling.penalty_range or max(1, len(tokens))
    processors = make_logits_processors(
        logit_bias=bias or None,
        repetition_penalty=sampling.repetition_penalty,
        repetition_context_size=within,
        presence_penalty=sampling.presence_penalty,
        presence_context_size=within,
        frequency_penalty=sampling.frequency_penalty,
        frequency_context_size=within,
    )
    found = mx.array(logits)
    for process in processors:
        found = process(mx.array(tokens, mx.int32), found)
    values: list[float] = found[0].tolist()
    return values


def test_penalties_are_those_of_mlx_lm_over_the_whole_context() -> None:
    """Whatever is set, and at every token of an answer, the likeliest token is the one that mlx-lm's logits say."""
    for seed in seeds.chosen(range(150)):
        dice = random.Random(seed)
        size = dice.randint(3, 12)
        chosen = {name: value for name, value in ALL.items() if dice.random() < 0.6}
        reach = dice.choice((None, None, 1, 2, 5, 40))
        bias = {dice.randrange(size): dice.uniform(-3, 3) for _ in range(dice.choice((0, 0, 1, 3)))}
        sampling = Sampling(temperature=0, penalty_range=reach, **chosen)  # type: ignore[arg-type]
        tokens = [dice.randrange(size) for _ in range(dice.choice((0, 1, 3, 30)))]
        sampler = Sampler(sampling, 1, tuple(tokens), bias)
        for _ in range(12):
            logits = mx.array([[dice.uniform(-2, 2) for _ in range(size)]])
            expected = as_mlx_lm(sampling, bias, logits, tokens)
            token = sampler.next(logits)
            assert expected[token] == pytest.approx(max(expected), abs=1e-4), seed
            tokens.append(token)


def test_with_everything_off_the_logits_are_not_touched() -> None:
    logits = mx.random.normal((1, 50))
    assert Penalties(Sampling(), (1, 2, 3)).apply(logits) is logits


def test_xtc_takes_the_likely_tokens_away_but_the_least_likely_of_them() -> None:
    logits = mx.log(mx.array([[0.4, 0.3, 0.2, 0.07, 0.03]]))
    always = Sampling(temperature=1.0, top_p=1.0, xtc_probability=1.0, xtc_threshold=0.15)

    def drawn(sampling: Sampling, ends: tuple[int, ...] = ()) -> set[int]:
        sampler = Sampler(sampling, 1, (), ends=ends)
        return {sampler.next(logits) for _ in range(300)}

    assert drawn(always) == {2, 3, 4}
    assert drawn(replace(always, xtc_probability=0.5)) == {0, 1, 2, 3, 4}
    assert drawn(replace(always, xtc_probability=0.0)) == {0, 1, 2, 3, 4}
    assert drawn(replace(always, xtc_threshold=0.5)) == {0, 1, 2, 3, 4}
    assert drawn(always, ends=(0,)) == {0, 2, 3, 4}


def test_xtc_never_takes_an_end_away_and_leaves_something() -> None:
    for seed in seeds.chosen(range(80)):
        dice = random.Random(seed)
        size = dice.randint(2, 30)
        ends = tuple(dice.sample(range(size), dice.randint(0, 2)))
        logprobs = mx.random.normal((1, size), key=mx.random.key(seed))
        sampling = Sampling(xtc_probability=dice.choice((0.3, 1.0)), xtc_threshold=dice.choice((0.0, 0.02, 0.3, 0.5)))
        [keep] = _filters(replace(sampling, top_p=1.0), ends)
        left = keep(logprobs, mx.random.key(seed))[0].tolist()
        assert any(value > -math.inf for value in left), seed
        assert all(left[end] > -math.inf for end in ends), seed


def test_the_seed_decides_xtc_too() -> None:
    sampling = Sampling(temperature=1.5, top_p=1.0, xtc_probability=0.5, xtc_threshold=0.05)
    assert draw(sampling, seed=7) == draw(sampling, seed=7)
    assert draw(sampling, seed=7) != draw(sampling, seed=8)
