"""A model is sampled as its authors recommend, as far as what they say makes sense."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from app.engine.default_sampling import default_sampling
from app.protocol.chat import Sampling
from app.protocol.events import ModelReady
from tests.engine.bench import Bench, user
from tests.seeds import chosen


def test_what_is_recommended_is_read() -> None:
    recommended = {
        "do_sample": True, "temperature": 1, "top_p": 0.8, "top_k": 20.0, "min_p": 0.1, "repetition_penalty": 1.05
    }  # fmt: skip
    expected = Sampling(temperature=1.0, top_p=0.8, top_k=20, min_p=0.1, repetition_penalty=1.05)
    assert default_sampling(recommended) == expected
    assert default_sampling({}) == Sampling()
    assert default_sampling({"temperature": 0.6}) == Sampling(temperature=0.6)


def test_no_sampling_is_greedy() -> None:
    assert default_sampling({"do_sample": False, "temperature": 0.6, "top_k": 3}) == Sampling(temperature=0.0, top_k=3)
    assert default_sampling({"do_sample": None, "temperature": 0.6}) == Sampling(temperature=0.6)


def test_whatever_stands_there_the_settings_are_allowed_and_of_their_types() -> None:
    odd = [None, True, False, "0.5", [], {}, -1, 0, 0.5, 2, 1e30, float("inf"), float("nan"), float("-inf"), 10**400]
    for seed in chosen(range(300)):
        dice = random.Random(seed)
        names = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty", "do_sample")
        sampling = default_sampling({name: dice.choice(odd) for name in names})
        assert sampling.first_wrong() is None, seed
        assert type(sampling.top_k) is int
        assert {type(sampling.temperature), type(sampling.top_p), type(sampling.repetition_penalty)} == {float}


@pytest.mark.parametrize("written", ['{"temperature": 0.25, "top_k": 7}', "{", '{"top_p": "all"}'])
def test_an_open_model_tells_it(tiny_folder: Path, tmp_path: Path, written: str) -> None:
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "m"))
    (folder / "generation_config.json").write_text(written)
    bench = Bench()
    ready = bench.open(folder)
    assert isinstance(ready, ModelReady)
    is_sound = written.startswith('{"t') and "all" not in written
    assert ready.info.sampling == (default_sampling(json.loads(written)) if is_sound else Sampling())
    assert bench.ask(user("hi"), temperature=ready.info.sampling.temperature).finished.ids
