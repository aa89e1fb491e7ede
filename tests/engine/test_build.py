"""The building of a model: the one that mlx-lm would build, from a folder and from Ollama's store alike."""

from __future__ import annotations

import json
import os
import resource
import struct
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten
from mlx_lm.utils import load_model

from app.engine.build import build_model
from app.engine.fingerprint import fingerprint
from app.engine.folder import check_folder
from app.engine.loader import Opening
from app.engine.model import LoadedModel
from app.engine.source import checked_source
from app.engine.tensors import Quantization, from_ollama
from app.engine.weights import read_weight_file
from app.models.ollama_store import find_model
from app.prompting.problems import ModelError
from app.protocol.commands import LoadModel
from app.protocol.events import ModelFailed, ModelReady
from tests.engine.bench import Bench, opened, opened_folder, user
from tests.fakes.tiny_models import CONFIGURATIONS
from tests.models.ollama import FILE, TENSOR, write_blob, write_manifest
from tests.models.tiny_folders import QUANTIZATIONS, to_ollama, write_tiny_folder

KINDS = ["llama", "qwen3", "gemma3", "gpt_oss", "lfm2", "mamba2", "falcon_h1", "granite_h"]


def tensor_file(tensors: dict[str, mx.array]) -> bytes:
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
        mx.save_safetensors(file.name, tensors)
        return Path(file.name).read_bytes()


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ollama's store of this machine, empty."""
    monkeypatch.setenv("OLLAMA_MODELS", str(tmp_path / "ollama"))
    return tmp_path / "ollama"


def parameters(model: object) -> dict[str, mx.array]:
    return dict(tree_flatten(model.parameters()))  # type: ignore[attr-defined]


def answer(path: str | Path) -> tuple[int, ...]:
    return opened(Path(path)).ask(user("Hello there"), max_tokens=12).finished.ids


@pytest.mark.parametrize("quantization", ["", *QUANTIZATIONS])
@pytest.mark.parametrize("kind", sorted(set(CONFIGURATIONS) - {"llama_quantized"}))
def test_a_folder_comes_to_the_model_that_mlx_lm_builds_of_it(kind: str, quantization: str, tmp_path: Path) -> None:
    folder = write_tiny_folder(tmp_path / "m", kind, quantization, shards=3)
    theirs, their_config = load_model(folder, lazy=True)
    ours, our_config = build_model(check_folder(folder))
    expected, found = parameters(theirs), parameters(ours)
    assert found.keys() == expected.keys()
    assert all(mx.array_equal(found[name], expected[name], equal_nan=True) for name in expected)
    assert our_config == their_config


# How other programs say that they have quantized a model: in which way, in which file, and in what words.
STATED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "mxfp4": ("mxfp4", "config.json", {"quantization_config": {"quant_method": "mxfp4"}}),
    "mxfp8": ("mxfp8", "config.json", {"quantization_config": {"quant_method": "mxfp8"}}),
    "blocks": (
        "mxfp8",
        "config.json",
        {"quantization_config": {"quant_method": "fp8", "scale_fmt": "ue8m0", "weight_block_size": [32, 32]}},
    ),
    "compressed": (
        "nvfp4",
        "config.json",
        {"quantization_config": {"quant_method": "compressed-tensors", "format": "nvfp4-pack-quantized"}},
    ),
    "a file of its own": (
        "nvfp4",
        "hf_quant_config.json",
        {"quant_method": "modelopt", "quantization": {"quant_algo": "NVFP4", "group_size": 16}},
    ),
    "the text's part": ("mxfp4", "config.json", {"text_config": {"quantization_config": {"quant_method": "mxfp4"}}}),
    "unknown": ("", "config.json", {"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}),
    "by layer": (
        "int8",
        "config.json",
        {"quantization": {**QUANTIZATIONS["int4"], "model.layers.0.self_attn.q_proj": False}},
    ),
}


@pytest.mark.parametrize("way", STATED)
def test_what_other_programs_say_of_quantization_is_read_as_mlx_lm_reads_it(way: str, tmp_path: Path) -> None:
    quantization, file, stated = STATED[way]
    folder = write_tiny_folder(tmp_path / "m", "llama", quantization)
    config = json.loads((folder / "config.json").read_text())
    config.pop("quantization", None)
    (folder / "config.json").write_text(json.dumps(config))
    known = config if file == "config.json" else {}
    (folder / file).write_text(json.dumps({**known, **stated}))
    if way == "by layer":
        drop_scales(folder, "model.layers.0.self_attn.q_proj")
    theirs, their_config = load_model(folder, lazy=True)
    ours, our_config = build_model(check_folder(folder))
    assert our_config == their_config
    expected, found = parameters(theirs), parameters(ours)
    assert {name: array.dtype for name, array in found.items()} == {name: it.dtype for name, it in expected.items()}
    assert all(mx.array_equal(found[name], expected[name], equal_nan=True) for name in expected)


def drop_scales(folder: Path, layer: str) -> None:
    weights: dict[str, Any] = mx.load(str(folder / "model.safetensors"))  # type: ignore[assignment]
    packed = [weights.pop(f"{layer}.{part}") for part in ("weight", "scales", "biases")]
    weight = mx.dequantize(*packed, group_size=64, bits=8)
    mx.save_safetensors(str(folder / "model.safetensors"), {**weights, f"{layer}.weight": weight})


def test_quantized_activations_are_computed_as_mlx_lm_computes_them(tmp_path: Path) -> None:
    for quantization, opens in (("mxfp8", True), ("nvfp4", True), ("int4", False)):
        folder = write_tiny_folder(tmp_path / quantization, "llama", quantization, quantize_activations=True)
        if opens:
            theirs, _ = load_model(folder, lazy=True)
            ours, _ = build_model(check_folder(folder))
            assert [type(it) for _, it in ours.named_modules()] == [type(it) for _, it in theirs.named_modules()]
        else:
            assert isinstance(opened_folder(folder), ModelFailed)


def test_a_folder_may_be_called_as_a_pattern(tmp_path: Path) -> None:
    folder = write_tiny_folder(tmp_path / "Tiny [4-bit] *?", shards=2)
    assert answer(folder) == answer(write_tiny_folder(tmp_path / "tiny"))


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("quantization", ["", *QUANTIZATIONS])
@pytest.mark.parametrize("kind", KINDS)
def test_a_model_of_ollamas_store_answers_as_its_folder_does(
    kind: str, quantization: str, is_packed: bool, store: Path, tmp_path: Path
) -> None:
    folder = write_tiny_folder(tmp_path / "m", kind, quantization, shards=2)
    reference = to_ollama(folder, store, "tiny", quantization, is_packed)
    with checked_source(reference) as source:
        found, config = build_model(source)
    expected = parameters(build_model(check_folder(folder))[0])
    assert parameters(found).keys() == expected.keys()
    assert all(mx.array_equal(tensor, expected[name], equal_nan=True) for name, tensor in parameters(found).items())
    assert config.get("quantization") == (QUANTIZATIONS[quantization] if quantization else None)
    if quantization in ("", "int4"):
        assert answer(reference) == answer(folder)


def test_a_model_of_ollamas_store_is_described_by_its_name(store: Path, tmp_path: Path) -> None:
    folder = write_tiny_folder(tmp_path / "m", quantization="int8")
    ready = Bench().open(Path(to_ollama(folder, store, "tiny", "int8")))
    assert isinstance(ready, ModelReady)
    assert (ready.info.path, ready.info.name) == ("ollama:tiny:latest", "tiny:latest")
    assert "8-bit" in ready.info.detail


def test_nothing_is_left_of_the_links_to_a_model(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    reference = to_ollama(write_tiny_folder(tmp_path / "m"), store, "tiny")
    assert isinstance(opened_folder(Path(reference)), LoadedModel)
    opening = Opening(LoadModel(reference))
    for _ in range(2):
        opening.advance()
    assert list((tmp_path / "temporary").iterdir())
    opening.close()
    assert not list((tmp_path / "temporary").iterdir())


def test_a_fingerprint_is_of_the_digests(store: Path, tmp_path: Path) -> None:
    names = set()
    for seed in (1, 2):
        with checked_source(to_ollama(write_tiny_folder(tmp_path / "m", seed=seed), store, "tiny")) as source:
            names.add(fingerprint(source))
            assert fingerprint(source) == fingerprint(source)
            names.add(fingerprint(replace(source, digests=(*source.digests[1:], "0" * 64))))
    assert len(names) == 4


def test_a_bias_of_a_layer_and_one_of_its_quantization_are_told_apart_whatever_the_order(tmp_path: Path) -> None:
    weight, scales, biases = mx.quantize(mx.ones((64, 64)), 64, 4)
    parts = {"a.weight": weight, "a.weight.scale": scales, "a.weight.bias": biases, "a.bias": mx.zeros(64)}
    parts |= {"norm.weight": mx.ones(64), "norm.bias": mx.ones(64), "router.scale": mx.ones(1), "c.scale": mx.ones(1)}
    for names in (sorted(parts), sorted(parts, reverse=True)):
        tensors, kind = from_ollama({name: parts[name] for name in names}, [])
        assert kind == Quantization(4, 64, "affine")
        assert tensors.keys() == {
            *("a.weight", "a.scales", "a.biases", "a.bias", "norm.weight", "norm.bias", "router.scale", "c.scale")
        }
        assert tensors["a.biases"] is parts["a.weight.bias"]


def test_each_tensor_may_be_quantized_in_its_own_way(tmp_path: Path) -> None:
    file, parts = tmp_path / "blob.safetensors", {}
    metadata = {"quant_type": "int8", "group_size": "64"}
    for name, chosen in QUANTIZATIONS.items():
        weight, scales, *biases = mx.quantize(mx.ones((64, 64)), **chosen)
        parts |= {f"{name}.weight": weight, f"{name}.weight.scale": scales}
        parts |= {f"{name}.weight.bias": biases[0]} if biases else {}
        if name != "int8":
            metadata |= {f"{name}.weight.quant_type": name, f"{name}.weight.group_size": str(chosen["group_size"])}
    mx.save_safetensors(str(file), parts, metadata)
    tensors, _ = from_ollama(parts, [read_weight_file(file)])
    assert {f"{name}.scales" for name in QUANTIZATIONS} <= tensors.keys()
    assert {f"{name}.biases" for name in QUANTIZATIONS} & tensors.keys() == {"int4.biases", "int8.biases"}


@pytest.mark.parametrize(
    "metadata",
    [
        {"quant_type": "int3"},
        {"quant_type": "int4", "group_size": "x"},
        {"quant_type": "int4", "group_size": "-64"},
        {"quant_type": "int4", "group_size": "9" * 5000},
        {"quant_type": "int8"},
        {"quant_type": "int4", "group_size": "32"},
        {"quant_type": "mxfp4"},
        {"a.weight.quant_type": "nvfp4", "quant_type": "int4"},
    ],
    ids=str,
)
def test_metadata_that_the_tensors_deny_is_refused(metadata: dict[str, str], tmp_path: Path) -> None:
    weight, scales, biases = mx.quantize(mx.ones((64, 64)), 64, 4)
    parts = {"a.weight": weight, "a.weight.scale": scales, "a.weight.bias": biases}
    mx.save_safetensors(str(tmp_path / "blob.safetensors"), parts, metadata)
    with pytest.raises(ModelError, match=r"quantized"):
        from_ollama(parts, [read_weight_file(tmp_path / "blob.safetensors")])


def test_scales_of_another_type_than_the_metadata_says_are_refused(tmp_path: Path) -> None:
    for mode, stated in (("affine", "mxfp4"), ("mxfp4", "int4")):
        parts = dict(
            zip(
                ("weight", "weight.scale", "weight.bias"),
                mx.quantize(mx.ones((64, 64)), 32, 4, mode=mode),
                strict=False,
            )
        )
        file = tmp_path / "blob.safetensors"
        mx.save_safetensors(str(file), parts, {"quant_type": stated, "group_size": "32"})
        with pytest.raises(ModelError, match="quantized"):
            from_ollama(parts, [read_weight_file(file)])


def test_more_files_than_a_program_opens_by_itself_are_opened(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (16, limits[1]))
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: asked.append(wanted))
    reference = Path(to_ollama(write_tiny_folder(tmp_path / "m"), store, "tiny"))
    assert isinstance(opened_folder(reference), LoadedModel)
    assert asked[0][0] > 16 + 30

    def refuse(_: int, wanted: tuple[int, int]) -> None:
        raise ValueError

    monkeypatch.setattr(resource, "setrlimit", refuse)
    failed = opened_folder(reference)
    assert isinstance(failed, ModelFailed)
    assert "so many at once" in failed.problem.sentence


# A store that is made to harm whoever opens it.


def replaced(file: str, data: bytes) -> Callable[[Path], None]:
    """Another content for one of the small files, with its own digest."""

    def change(store: Path) -> None:
        path = store / "manifests/registry.ollama.ai/library/tiny/latest"
        layers = [layer for layer in json.loads(path.read_text())["layers"] if layer.get("name") != file]
        write_manifest(store, [*layers, write_blob(store, data, FILE, file)])

    return change


def added(*layers: tuple[bytes, str, str]) -> Callable[[Path], None]:
    def change(store: Path) -> None:
        path = store / "manifests/registry.ollama.ai/library/tiny/latest"
        known = json.loads(path.read_text())["layers"]
        write_manifest(store, [*known, *(write_blob(store, *layer) for layer in layers)])

    return change


def blob(act: Callable[[Path], object]) -> Callable[[Path], None]:
    def change(store: Path) -> None:
        path = find_model(store, "ollama:tiny:latest").tensors[0].path
        length = path.stat().st_size
        path.unlink()
        act(path)
        if path.is_file() and not path.stat().st_size:
            os.truncate(path, length)

    return change


HOSTILE: dict[str, Callable[[Path], None]] = {
    "a pipe as weights": blob(os.mkfifo),
    "a folder as weights": blob(Path.mkdir),
    "a device as weights": blob(lambda path: path.symlink_to("/dev/zero")),
    "weights of zeros": blob(Path.touch),
    "no weights": blob(lambda _: None),
    "weights that are text": added((b"not a tensor", TENSOR, "extra")),
    "weights of brackets": added((struct.pack("<Q", 1 << 20) + b"[" * (1 << 20), TENSOR, "extra")),
    "a header without end": added((struct.pack("<Q", 1 << 60), TENSOR, "extra")),
    "a configuration of brackets": replaced("config.json", b"[" * 200_000),
    "a configuration that runs code": replaced("config.json", b'{"model_type": "llama", "model_file": "x.py"}'),
    "a configuration of another kind": replaced("config.json", b'{"model_type": "../../x"}'),
    "a billion layers": replaced("config.json", b'{"model_type": "llama", "num_hidden_layers": 1000000000}'),
    "no tokenizer": replaced("tokenizer.json", b""),
    "a tokenizer of spaces": replaced("tokenizer.json", b" " * (129 << 20)),
    "a tensor that no model has": added((tensor_file({"what": mx.ones(3)}), TENSOR, "extra")),
    "a scale of nothing": added((tensor_file({"model.norm.weight.scale": mx.ones(3)}), TENSOR, "extra")),
    "a scale without columns": added((tensor_file({"model.norm.weight.scale": mx.array(1.0)}), TENSOR, "extra")),
    "a file in the place of a folder": added(
        (b"x", FILE, "additional_chat_templates"), (b"x", FILE, "additional_chat_templates/a.jinja")
    ),
}


@pytest.mark.parametrize("way", HOSTILE)
def test_a_hostile_store_costs_a_sentence(way: str, store: Path, tmp_path: Path) -> None:
    reference = Path(to_ollama(write_tiny_folder(tmp_path / "m"), store, "tiny"))
    bench = opened(tmp_path / "m")
    HOSTILE[way](store)
    failed = bench.open(reference)
    assert isinstance(failed, ModelFailed)
    assert 20 < len(failed.problem.sentence) < 500
    assert bench.ask(user("Hello")).finished.ids


def test_files_that_nothing_reads_are_not_looked_at(store: Path, tmp_path: Path) -> None:
    reference = to_ollama(write_tiny_folder(tmp_path / "m"), store, "tiny")
    added((b"import os", FILE, "model.py"), (b"x", FILE, "a/b/c.json"), (b"no weights", FILE, "model.safetensors"))(
        store
    )
    assert isinstance(opened_folder(Path(reference)), LoadedModel)
