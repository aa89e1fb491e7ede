"""Adapters: what mlx-lm computes with one is computed here, it is part of both names, and what does not fit is told."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten
from mlx_lm.tuner.utils import linear_to_lora_layers, load_adapters
from mlx_lm.utils import load_model

from app.engine.adapter import apply_adapter, check_adapter
from app.engine.build import build_model
from app.engine.folder import check_folder
from app.protocol.events import ModelFailed, ModelReady
from tests.engine.bench import Bench, opened, user
from tests.models.tiny_folders import write_tiny_folder

PARAMETERS = {"rank": 4, "scale": 20.0, "dropout": 0.5}


def write_adapter(path: Path, folder: Path, seed: int = 0, **parameters: Any) -> Path:
    """Write a random adapter for all layers of a model as mlx-lm's training does."""
    chosen = {**PARAMETERS, **parameters}
    model, _ = load_model(folder, lazy=True)
    model.freeze()
    linear_to_lora_layers(model, 2, chosen)
    mx.random.seed(seed)
    weights = {
        name: mx.random.normal(value.shape) * 0.1
        for name, value in cast(list[tuple[str, mx.array]], tree_flatten(model.parameters()))
        if name.rsplit(".", 1)[-1] in ("lora_a", "lora_b")
    }
    path.mkdir()
    mx.save_safetensors(str(path / "adapters.safetensors"), weights)
    config = {"fine_tune_type": "lora", "num_layers": 2, "lora_parameters": chosen, "model": "elsewhere"}
    (path / "adapter_config.json").write_text(json.dumps(config))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_tiny_folder(tmp_path / "model", "llama")


@pytest.fixture
def adapter(folder: Path, tmp_path: Path) -> Path:
    return write_adapter(tmp_path / "Pirate", folder)


@pytest.mark.parametrize("quantization", ["", "int4", "int8", "mxfp4"])
@pytest.mark.parametrize("kind", ["llama", "qwen3", "gemma3", "lfm2", "mamba2", "granite_h", "qwen3_next"])
def test_a_model_with_an_adapter_computes_what_mlx_lm_computes_with_it(
    kind: str, quantization: str, tmp_path: Path
) -> None:
    folder = write_tiny_folder(tmp_path / "model", kind, quantization)
    adapter = write_adapter(tmp_path / "adapter", folder)
    tokens = mx.array([[3, 1, 4, 1, 5, 9, 2, 6]])
    plain, _ = load_model(folder)
    theirs = load_adapters(load_model(folder)[0], str(adapter))
    theirs.eval()  # type: ignore[no-untyped-call]
    ours, _ = build_model(check_folder(folder))
    apply_adapter(ours, check_adapter(adapter))
    found, expected = ours(tokens), theirs(tokens)  # type: ignore[operator]
    assert mx.array_equal(found, expected)
    assert not mx.allclose(found, plain(tokens))  # type: ignore[operator]


def test_a_model_is_opened_with_an_adapter_and_without(folder: Path, adapter: Path, tmp_path: Path) -> None:
    other = write_adapter(tmp_path / "other", folder, seed=1)
    bench, prints, answers = Bench(), set(), {}
    for path in ("", str(adapter), str(other), "", str(adapter)):
        ready = bench.open(folder, adapter=path)
        assert isinstance(ready, ModelReady)
        assert ready.info.adapter == path
        assert ("with Pirate" in ready.info.detail) == (path == str(adapter))
        prints.add((ready.info.fingerprint, bench.model.state_fingerprint))
        asked = bench.ask(user("Hello there"), max_tokens=30, temperature=0.0)
        assert answers.setdefault(path, asked.finished.ids) == asked.finished.ids
    assert len(prints) == len({name for name, _ in prints}) == len({name for _, name in prints}) == 3
    assert len(set(answers.values())) > 1


def test_how_much_an_adapter_counts_is_part_of_its_name(folder: Path, tmp_path: Path) -> None:
    prints = set()
    for scale in (1.0, 2.0):
        bench = opened(folder)
        bench.open(folder, adapter=str(write_adapter(tmp_path / f"by {scale}", folder, scale=scale)))
        prints.add(bench.model.state_fingerprint)
    assert len(prints) == 2


def settings(**changes: Any) -> Callable[[Path], object]:
    def change(path: Path) -> None:
        file = path / "adapter_config.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))

    return change


def weights(change: Callable[[dict[str, mx.array]], object]) -> Callable[[Path], object]:
    def act(path: Path) -> None:
        file = path / "adapters.safetensors"
        tensors: Any = dict(mx.load(str(file)))  # type: ignore[arg-type]
        mx.eval(list(tensors.values()))
        change(tensors)
        mx.save_safetensors(str(file), tensors)

    return act


def replace_by(name: str, make: Callable[[Path], object]) -> Callable[[Path], object]:
    return lambda path: ((path / name).unlink(), make(path / name))


LAYER = "model.layers.2.self_attn.q_proj"
SPOILT: dict[str, tuple[Callable[[Path], object], str]] = {
    "no folder": (lambda path: path.rename(path.with_name("gone")), "no folder at"),
    "no configuration": (lambda path: (path / "adapter_config.json").unlink(), "has no adapter_config.json"),
    "no weights": (lambda path: (path / "adapters.safetensors").unlink(), "has no adapters.safetensors"),
    "another program's": (
        lambda path: (path / "adapters.safetensors").rename(path / "adapter_model.safetensors"),
        "PEFT",
    ),
    "no JSON": (lambda path: (path / "adapter_config.json").write_text("{"), "not valid JSON"),
    "a list": (lambda path: (path / "adapter_config.json").write_text("[]"), "no lora_parameters"),
    "brackets": (lambda path: (path / "adapter_config.json").write_text("[" * 100_000), "nested too deeply"),
    "a pipe": (replace_by("adapter_config.json", os.mkfifo), "not a regular file"),
    "a device": (replace_by("adapters.safetensors", lambda path: path.symlink_to("/dev/zero")), "not a regular file"),
    "DoRA": (settings(fine_tune_type="dora"), "of the kind dora"),
    "whole weights": (settings(fine_tune_type="full"), "of the kind full"),
    "parameters that are none": (settings(lora_parameters=[1]), "no lora_parameters"),
    "no scale": (settings(lora_parameters={"rank": 4}), "no scale"),
    "an infinite scale": (settings(lora_parameters={"scale": float("inf")}), "no scale"),
    "a scale that is no number": (settings(lora_parameters={"scale": float("nan")}), "no scale"),
    "weights that are text": (lambda path: (path / "adapters.safetensors").write_text("x" * 100), "safetensors"),
    "weights cut short": (lambda path: os.truncate(path / "adapters.safetensors", 2000), "cut short"),
    "nothing": (weights(dict.clear), "holds more, or less"),
    "half a pair": (weights(lambda all: all.pop(f"{LAYER}.lora_b")), "other than LoRA"),
    "something else": (weights(lambda all: all.update({"what": mx.ones(3)})), "other than LoRA"),
    "something beside": (weights(lambda all: all.update({f"{LAYER}.m": mx.ones(3)})), "more, or less"),
    "another model's": (
        weights(lambda all: all.update({f"{LAYER}.x.lora_{end}": mx.ones((4, 4)) for end in "ab"})),
        "no layer",
    ),
    "other sizes": (weights(lambda all: all.update({f"{LAYER}.lora_a": mx.ones((7, 4))})), "other sizes"),
    "no columns": (weights(lambda all: all.update({f"{LAYER}.lora_a": mx.array(1.0)})), "other sizes"),
    "another rank": (weights(lambda all: all.update({f"{LAYER}.lora_a": mx.ones((64, 5))})), "other sizes"),
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("way", SPOILT)
def test_an_adapter_that_does_not_fit_gets_a_sentence_and_the_former_model_stays(
    way: str, folder: Path, adapter: Path
) -> None:
    spoil, words = SPOILT[way]
    bench = opened(folder)
    spoil(adapter)
    failed = bench.open(folder, adapter=str(adapter))
    assert isinstance(failed, ModelFailed)
    assert words in failed.problem.sentence
    assert bench.ask(user("hi")).finished.ids
