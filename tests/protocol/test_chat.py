"""What may be set of sampling is declared once, and checked by that."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import pytest

from app.protocol.chat import PARAMETERS, Sampling


def test_every_number_but_the_seed_is_declared_and_its_default_allowed() -> None:
    assert {*PARAMETERS, "seed", "stop"} == {one.name for one in fields(Sampling)}
    assert Sampling().first_wrong() is None


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_number_at_the_ends_of_its_range_is_allowed_and_one_beyond_is_named(name: str) -> None:
    declared = PARAMETERS[name]
    for value in (declared.least, min(declared.most, 1e9)):
        assert replace(Sampling(), **{name: value}).first_wrong() is None
    beyond = [declared.least - 0.0005, math.nan, *([] if math.isinf(declared.most) else [declared.most + 0.1])]
    for value in beyond:
        assert replace(Sampling(), **{name: value}).first_wrong() is declared


def test_a_range_is_told_in_words() -> None:
    assert PARAMETERS["top_p"].range == "between 0 and 1"
    assert PARAMETERS["top_k"].range == "at least 0"
