"""What may be set of sampling is declared once, and checked by that."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import pytest

from app.protocol.chat import PARAMETERS, Sampling


def test_every_number_is_declared_and_its_default_allowed() -> None:
    assert {*PARAMETERS, "stop", "logit_bias"} == {one.name for one in fields(Sampling)}
    assert Sampling().first_wrong() is None


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_number_at_the_ends_of_its_range_is_allowed_and_one_beyond_is_named(name: str) -> None:
    declared = PARAMETERS[name]
    for value in (declared.least, int(1e9) if declared.is_whole else min(declared.most, 1e9)):
        assert replace(Sampling(), **{name: value}).first_wrong() is None
    beyond = [declared.least - 0.0005, math.nan, *([] if math.isinf(declared.most) else [declared.most + 0.1])]
    for value in beyond:
        assert replace(Sampling(), **{name: value}).first_wrong() is declared


def test_a_range_is_told_in_words() -> None:
    assert PARAMETERS["top_p"].range == "between 0 and 1"
    assert PARAMETERS["top_k"].range == "a whole number between 0 and 1\u202f000\u202f000\u202f000"
    assert PARAMETERS["seed"].range == "a whole number between 0 and 9\u202f007\u202f199\u202f254\u202f740\u202f992"


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_value_of_another_type_is_refused_by_name(name: str) -> None:
    """What is stored or imported may be anything."""
    wrong: list[object] = ["0.5", True, (), {}, 1j, *([] if PARAMETERS[name].may_lack else [None])]
    wrong += [1.5] if PARAMETERS[name].is_whole else []
    for value in wrong:
        sampling = replace(Sampling(), **{name: value})  # type: ignore[arg-type]
        assert sampling.problem() == f"The {PARAMETERS[name].title} must be {PARAMETERS[name].range}."


def test_texts_that_end_an_answer_are_few_and_short() -> None:
    assert Sampling(stop=("a",) * 16).problem() == ""
    for wrong in (("a",) * 17, ("a" * 201,), (1,), ["a"], "ab", None):
        assert Sampling(stop=wrong).problem() != ""  # type: ignore[arg-type]


def test_numbers_of_tokens_are_checked() -> None:
    assert Sampling(logit_bias=((" fox", -100), ("a", 0.5))).problem() == ""
    assert Sampling(logit_bias=(("fox", 101),)).problem() == "The number of “fox” must be between -100 and 100."
    for wrong in ((("", 1),), (("a", "1"),), (("a", math.nan),), ("ab",), ((1, 2),), [("a", 1)], {"a": 1}, None):
        assert Sampling(logit_bias=wrong).problem() != ""  # type: ignore[arg-type]
    assert Sampling(logit_bias=tuple((str(at), 1.0) for at in range(301))).problem() != ""
