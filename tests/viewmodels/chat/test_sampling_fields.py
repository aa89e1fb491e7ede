"""Settings as text: what is written is read back, and what is no value says why."""

from __future__ import annotations

import json
import random
from dataclasses import asdict, fields, replace
from typing import Any

import pytest

from app.protocol.chat import PARAMETERS, Sampling
from app.viewmodels.chat.sampling_fields import BY_NAME, FIELDS, known_values, parse, text_of
from tests.seeds import chosen

TEXTS = ["\n\n", " fox", "fox", "a:b", ": 3", "\\n", "\t", "ü🌳", "```", " ", "x" * 40]


def test_every_setting_has_a_field() -> None:
    assert {field.name for field in FIELDS} == {one.name for one in fields(Sampling)} == set(BY_NAME)


def random_value(rng: random.Random, name: str) -> Any:
    if name == "stop":
        return tuple(rng.choice(TEXTS[:9]) for _ in range(rng.randint(1, 4)))
    if name == "logit_bias":
        return tuple((rng.choice(TEXTS), rng.choice([-100, 2.5, 0.125, -3])) for _ in range(rng.randint(1, 4)))
    declared = PARAMETERS[name]
    if declared.is_whole:
        return rng.randint(int(declared.least), int(min(declared.most, 2**53)))
    return rng.uniform(declared.least, declared.most)


def test_a_value_is_read_back_from_its_field_and_from_json() -> None:
    for seed in chosen(range(200)):
        rng = random.Random(seed)
        values = {name: random_value(rng, name) for name in BY_NAME}
        assert Sampling(**values).problem() == ""
        for name, value in values.items():
            assert parse(name, text_of(name, value)) == (value, ""), (seed, name)
        assert known_values(json.loads(json.dumps(asdict(Sampling(**values))))) == values, seed


def test_an_empty_field_is_the_models_own() -> None:
    for name in BY_NAME:
        for empty in ("", " ", "\n" if BY_NAME[name].is_long else ""):
            assert parse(name, empty) == (None, "")


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("temperature", "hot", "between 0 and 1000"),
        ("temperature", "-1", "between 0 and 1000"),
        ("temperature", "nan", "between 0 and 1000"),
        ("temperature", "1e999", "between 0 and 1000"),
        ("top_k", "1.5", "a whole number"),
        ("seed", "9" * 5000, "a whole number"),
        ("max_tokens", "0", "between 1 and"),
        ("stop", "\n".join("abcdefghijklmnopq"), "At most 16"),
        ("logit_bias", "fox", "a colon and a number"),
        ("logit_bias", ": 3", "the text of a token"),
        ("logit_bias", "fox: 101", "between -100 and 100"),
        ("logit_bias", "fox: nan", "between -100 and 100"),
        ("logit_bias", "fox: inf", "between -100 and 100"),
    ],
)
def test_what_is_no_value_says_why(name: str, text: str, says: str) -> None:
    parsed = parse(name, text)
    assert says in parsed.problem
    assert parsed.value is None or name in ("stop", "logit_bias")


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_refused_number_is_told_what_it_must_be_once(name: str) -> None:
    problem = parse(name, "many").problem
    assert problem.count("number") == 1, problem
    assert problem.endswith(f"{PARAMETERS[name].range}.")


def test_numbers_are_read_as_people_write_them() -> None:
    assert parse("temperature", " 0,7 ").value == 0.7
    assert parse("max_tokens", "1\u202f024").value == 1024
    assert parse("presence_penalty", "−0.5").value == -0.5


def test_of_stored_settings_only_what_can_be_used_is_taken() -> None:
    """Whatever a file or another version holds, what comes out is sampling that means something."""
    wrong: list[Any] = [None, True, "1", [], {}, -5, 1e308, float("nan"), [["a", "b"]], [[1, 2]], ["a", 1], 10**400]
    for seed in chosen(range(300)):
        rng = random.Random(seed)
        stored = {name: rng.choice([random_value(rng, name), rng.choice(wrong)]) for name in BY_NAME} | {"mood": 1}
        assert replace(Sampling(), **known_values(stored)).problem() == "", stored
    for no_object in (None, 7, "x", [1]):
        assert known_values(no_object) == {}
