"""A configuration whose numbers no model has is refused before anything is built of it."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from typing import Any

import pytest

from app.engine.configuration import check_configuration
from app.prompting.problems import ModelError
from tests.engine.conftest import GUIDE
from tests.fakes.tiny_models import CONFIGURATIONS, configuration
from tests.seeds import chosen

GOOD: dict[str, Any] = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 99}

SENSELESS: dict[str, dict[str, Any]] = {
    "a billion layers": {"num_hidden_layers": 10**9},
    "layers that are not stored": {"num_hidden_layers": 31},
    "layers in the part": {"text_config": {"n_layers": 10**9}},
    "layers of another part": {"vision": {"tower": {"depth": 10**9}}},
    "layers as a fraction": {"num_hidden_layers": 2.0},
    "layers as a truth": {"num_hidden_layers": True},
    "no layers": {"num_hidden_layers": 0},
    "layers below zero": {"num_dense_layers": -1},
    "kinds of a million layers": {"layer_types": ["full"] * 1_000_000},
    "a pattern of a million layers": {"hybrid_override_pattern": "M" * 1_000_000},
    "a million experts": {"n_routed_experts": 10**6},
    "experts below zero": {"num_local_experts": -8},
    "no heads": {"num_attention_heads": 0},
    "heads below zero": {"num_key_value_heads": -4},
    "a billion heads": {"n_head": 10**9},
    "heads in words": {"num_attention_heads": "four"},
    "a size of very many digits": {"hidden_size": 10**400},
    "an infinite size": {"intermediate_size": float("inf")},
    "a size that is no number": {"head_dim": float("nan")},
    "no vocabulary": {"vocab_size": 0},
    "an infinite rope factor": {"rope_scaling": {"rope_type": "yarn", "factor": float("inf")}},
    "an infinite rope factor as transformers writes it": {"rope_scaling": {"factor": {"__float__": "Infinity"}}},
    "a rope base that is no number": {"rope_theta": float("nan")},
    "ten million end tokens": {"eos_token_id": list(range(10_000_000))},
    "quantization that is a list": {"quantization": [4, 64]},
    "quantization that is a word": {"quantization": "q4"},
    "quantization in words": {"quantization": {"bits": "four", "group_size": 64}},
    "quantization to nothing": {"quantization": {"bits": 10**12, "group_size": 64}},
    "groups of fractions": {"quantization": {"bits": 4, "group_size": 0.5}},
    "quantization that is a number": {"quantization_config": 4},
}


@pytest.mark.parametrize("way", SENSELESS)
def test_what_no_model_has_is_named(way: str) -> None:
    with pytest.raises(ModelError) as caught:
        check_configuration({**GOOD, **SENSELESS[way]}, tensors=30)
    problem = caught.value.problem
    assert problem.title == "The model's configuration makes no sense"
    assert len(problem.sentence) < 250


def test_models_are_let_through() -> None:
    for kind in CONFIGURATIONS:
        check_configuration(configuration(kind, 300), tensors=30)
    check_configuration(json.loads((GUIDE / "config.json").read_text()), tensors=100)


@pytest.mark.parametrize(
    "usual",
    [
        {"time_step_limit": [0.0, float("inf")], "swiglu_limit": float("inf")},
        {"num_key_value_heads": [4, 2, 2], "num_attention_heads": [8, 4, 4]},
        {"num_key_value_heads": None, "num_experts": 0, "n_group": None, "sliding_window": -1},
        {"num_hidden_layers": 126, "n_routed_experts": 896, "vocab_size": 262_208, "intermediate_size": 53_248},
        {"layer_types": ["full_attention"] * 126, "rope_scaling": {"short_factor": [1.0] * 64}},
        {"quantization": {"bits": 4, "group_size": 64, "model.layers.0": {"bits": 8, "group_size": 64}}},
        {"quantization": None, "quantization_config": {"quant_method": "mxfp4"}},
        {"max_window_layers": 80, "tie_word_embeddings": True, "partial_rotary_factor": 0.25},
    ],
)
def test_what_models_have_is_let_through(usual: dict[str, Any]) -> None:
    check_configuration({**GOOD, **usual}, tensors=4000)
    check_configuration({"text_config": {**GOOD, **usual}}, tensors=4000)


def test_odd_values_of_any_name_raise_nothing_else() -> None:
    """At random: whatever stands anywhere, the answer is yes or a sentence."""
    odd = [
        None,
        True,
        -1,
        0,
        1,
        2.5,
        10**30,
        10**5000,
        1e300,
        float("inf"),
        float("nan"),
        "x",
        "x" * 5000,
        [],
        [[]],
        {},
    ]
    names = [*GOOD, "quantization", "text_config", "factor", "rope_scaling", "bits", "architectures", "n_layer"]
    for seed in chosen(range(500)):
        dice = random.Random(seed)
        config = {name: dice.choice(odd) for name in dice.choices(names, k=5)}
        for _ in range(3):
            config[dice.choice(names)] = dict(config)
        with suppress(ModelError):
            check_configuration(config, tensors=dice.randrange(40))
