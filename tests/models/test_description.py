"""What the list says of a model folder, and why one cannot be opened."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.engine.folder import check_folder
from app.engine.weights import read_weight_file
from app.models.contents import list_folder
from app.models.description import describe_folder, describe_ollama, is_model
from app.models.entry import ModelEntry, Source
from app.models.ollama_store import list_models
from app.prompting.problems import ModelError
from tests.engine.hostile_folders import HOSTILE, OPENS
from tests.fakes.model_folder import write_model_folder
from tests.models.folders import CONFIG, TEMPLATE, quantized, write_model, write_snapshot, write_weights
from tests.models.ollama import write_store


def described(folder: Path) -> ModelEntry:
    return describe_folder(folder, Source.ADDED, folder.parent.parent)


def test_a_model_is_described_from_its_files(tmp_path: Path) -> None:
    entry = described(write_model(tmp_path / "someone" / "Qwen3-4bit", tensors=quantized(2, 128)))
    (weights,) = [read_weight_file(path) for path in (tmp_path / "someone" / "Qwen3-4bit").glob("*.safetensors")]
    assert entry == ModelEntry(
        path=str(tmp_path / "someone" / "Qwen3-4bit"),
        name="Qwen3-4bit",
        source=Source.ADDED,
        root=str(tmp_path),
        owner="someone",
        model_type="qwen3",
        parameters=2 * (7 * 128 * 128 + 2 * 128),
        precision="4-bit",
        weight_bytes=weights.data_bytes,
        context=40_960,
        calls_tools=True,
    )


def test_a_snapshot_of_the_hub_is_called_after_its_repository(tmp_path: Path) -> None:
    entry = describe_folder(write_snapshot(tmp_path, "mlx-community/Phi-4"), Source.HUB, tmp_path)
    assert (entry.owner, entry.name, entry.reason) == ("mlx-community", "Phi-4", "")


@pytest.mark.parametrize(
    ("changes", "precision"),
    [
        ({"quantization": {"bits": 8, "group_size": 32}}, "8-bit"),
        ({"quantization": {"mode": "mxfp4", "bits": 4, "group_size": 32}}, "4-bit"),
        ({"quantization": None, "quantization_config": {"quant_method": "mxfp4"}}, "mxfp4"),
        ({"quantization": None, "torch_dtype": "bfloat16"}, "bf16"),
        ({"quantization": None, "text_config": {"dtype": "float16"}}, "fp16"),
        ({"quantization": None}, "bf16"),
        ({"quantization": {"bits": 10**9}}, "bf16"),
        ({"quantization": [4]}, "bf16"),
        ({"quantization": {"bits": "4"}, "torch_dtype": ["x"]}, "bf16"),
    ],
)
def test_precision_is_said_by_the_configuration_or_the_weights(
    tmp_path: Path, changes: dict[str, Any], precision: str
) -> None:
    folder = write_model(tmp_path / "m", config=CONFIG | changes, tensors={"w.weight": ("BF16", [64, 64])})
    assert described(folder).precision == precision


def test_a_model_that_sees_or_calls_tools_says_so(tmp_path: Path) -> None:
    plain = described(write_model(tmp_path / "plain", template=TEMPLATE))
    assert (plain.sees, plain.calls_tools) == (False, False)
    seeing = write_model(tmp_path / "seeing", config=CONFIG | {"vision_config": {}, "image_token_id": 5}, template="")
    (seeing / "chat_template.jinja").write_text("{%- if tools %}{% endif %}")
    found = described(seeing)
    assert (found.sees, found.calls_tools, found.reason) == (True, True, "")
    assert not described(write_model(tmp_path / "none", config=CONFIG | {"vision_config": None})).sees


def test_the_context_is_the_tokenizers_where_the_configuration_does_not_say(tmp_path: Path) -> None:
    config = {name: value for name, value in CONFIG.items() if name != "max_position_embeddings"}
    folder = write_model(tmp_path / "m", config=config)
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 8192}')
    assert described(folder).context == 8192


# What stands against opening it

Change = Callable[[Path], object]


def _without(*names: str) -> Change:
    return lambda folder: [(folder / name).unlink() for name in names]


def _renamed(name: str) -> Change:
    return lambda folder: (folder / "model.safetensors").rename(folder / name)


def _config(**changes: Any) -> Change:
    return lambda folder: (folder / "config.json").write_text(json.dumps(CONFIG | changes))


def _gguf(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "model-Q4.gguf").touch()


def _lost(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").symlink_to("../../blobs/0123")


def _cut(folder: Path) -> None:
    os.truncate(folder / "model.safetensors", (folder / "model.safetensors").stat().st_size - 1)


def _shards(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    for number in (1, 3):
        write_weights(folder / f"model-{number:05}-of-00004.safetensors", {"w": ("BF16", [4, 4])})


def _index(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    for name in ("model_a", "model_b"):
        write_weights(folder / f"{name}.safetensors", {"w": ("BF16", [4, 4])})
    named = {"a": "model_a.safetensors", "b": "model_b.safetensors", "c": "model_c.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": named}))


UNSUPPORTED: dict[str, tuple[Change, str]] = {
    "GGUF alone": (_gguf, "Its weights are GGUF: a version in the MLX or safetensors format can be opened."),
    "GGUF beside a configuration": (_renamed("model.gguf"), "Its weights are GGUF"),
    "pickles": (_renamed("pytorch_model.bin"), "Its weights are Python pickles, which can run code"),
    "code to run": (_config(model_file="model.py"), "It wants to run code of its own, which Espalier never does."),
    "no tokenizer": (_without("tokenizer.json"), "It has no tokenizer that Espalier can read."),
    "no weights": (_without("model.safetensors"), "It has no weights"),
    "no configuration": (_without("config.json"), "It has no config.json"),
    "a configuration that is none": (lambda folder: (folder / "config.json").write_text("{"), "Its config.json is dam"),
    "a list for a configuration": (lambda folder: (folder / "config.json").write_text("[]"), "Its config.json is dam"),
    "no type": (_config(model_type=None), "Its config.json does not say which type of model this is."),
    "a link that leads nowhere": (_lost, "Its download is not complete."),
    "weights cut short": (_cut, "model.safetensors is damaged or cut short: copy or download it again."),
    "shards missing": (_shards, "2\u00a0weight files are missing: copy or download them again."),
    "shards missing by the index": (_index, "1\u00a0weight file is missing: copy or download them again."),
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_cannot_be_opened_says_why_in_a_sentence(tmp_path: Path, name: str) -> None:
    change, reason = UNSUPPORTED[name]
    folder = write_model(tmp_path / "m")
    change(folder)
    assert is_model(list_folder(folder))
    found = described(folder)
    assert found.reason.startswith(reason)
    assert found.reason.endswith(".")
    with pytest.raises(ModelError):
        check_folder(folder)


def test_a_download_that_was_broken_off_is_not_called_damaged(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path, "someone/Model")
    (snapshot / "model.safetensors").unlink()
    blobs = snapshot.parent.parent / "blobs"
    blobs.mkdir()
    (blobs / "0123.incomplete").touch()
    assert describe_folder(snapshot, Source.HUB, tmp_path).reason == "Its download is not complete."


def test_no_hostile_folder_stops_the_list_and_none_that_opens_is_refused(tmp_path: Path) -> None:
    """What the list greys out is refused by the engine, too."""
    sound = write_model_folder(tmp_path / "sound")
    assert described(sound).reason == ""
    greyed = 0
    for name, (build, title) in HOSTILE.items():
        folder = Path(shutil.copytree(sound, tmp_path / "hostile"))
        build(folder)
        found = described(folder)
        assert not (found.reason and title == OPENS), f"{name}: {found.reason}"
        greyed += bool(found.reason)
        shutil.rmtree(folder)
    assert greyed >= 12


def test_a_folder_that_is_gone_is_a_sentence_too(tmp_path: Path) -> None:
    assert described(tmp_path / "gone").reason == "It cannot be read: No such file or directory."


def test_an_adapter_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").touch()
    (tmp_path / "adapters.safetensors").touch()
    assert not is_model(list_folder(tmp_path))


# Ollama's store


def _tensor(folder: Path, metadata: dict[str, str] | None) -> bytes:
    write_weights(folder / "t", {"w": ("U32", [64, 64])}, metadata)
    return (folder / "t").read_bytes()


def test_a_model_of_ollamas_store_is_described_from_its_blobs(tmp_path: Path) -> None:
    config = json.dumps({name: value for name, value in CONFIG.items() if name != "quantization"}).encode()
    files = {"config.json": config, "tokenizer.json": b"{}", "chat_template.jinja": b"{% if tools %}"}
    tensors = [("a", _tensor(tmp_path, {"quant_type": "int8", "group_size": "64"}))]
    write_store(tmp_path / "store", files, tensors, name="qwen3")
    write_store(tmp_path / "store", {"config.json": config}, tensors, name="bare")
    write_store(tmp_path / "store", {"tokenizer.json": b"{}"}, tensors, name="empty")
    write_store(tmp_path / "store", {**files, "config.json": b"["}, tensors, name="broken")
    entries = {model.name: describe_ollama(model, tmp_path) for model in list_models(tmp_path / "store")}
    found = entries["qwen3:latest"]
    assert (found.path, found.source) == ("ollama:qwen3:latest", Source.OLLAMA)
    assert (found.model_type, found.precision, found.context) == ("qwen3", "8-bit", 40_960)
    assert (found.calls_tools, found.reason) == (True, "")
    assert found.weight_bytes == len(tensors[0][1])
    assert found.parameters == pytest.approx(found.weight_bytes * 8 / 8.5, abs=1)
    assert {name: entry.reason for name, entry in entries.items() if entry.reason} == {
        "bare:latest": "It has no tokenizer that Espalier can read.",
        "broken:latest": "Its config.json is damaged.",
        "empty:latest": "empty:latest has no config.json.",
    }
