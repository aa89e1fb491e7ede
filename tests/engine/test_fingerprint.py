"""A model's names change with what they stand for, and with nothing else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx_lm
import pytest
from mlx.utils import tree_flatten
from mlx_lm.models.cache import ArraysCache, CacheList, ChunkedKVCache, KVCache, QuantizedKVCache, RotatingKVCache

import app.engine.fingerprint as module
from app.engine.fingerprint import fingerprint, state_fingerprint
from app.engine.folder import check_folder
from app.engine.model import LoadedModel
from tests.engine.bench import opened_folder
from tests.fakes.tiny_models import tiny_model

CACHES = (KVCache(), RotatingKVCache(max_size=16, keep=4), ArraysCache(2))


@pytest.fixture
def folder(tiny_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_folder, tmp_path / "model"))


def ids_name(path: Path) -> str:
    return fingerprint(check_folder(path))


def parameters(dtype: mx.Dtype = mx.float32, seed: int = 0) -> list[tuple[str, mx.array]]:
    return list(tree_flatten(tiny_model("llama", seed=seed, dtype=dtype).parameters()))


def state_name(path: Path, arrays: Any = None, caches: Sequence[Any] = CACHES) -> str:
    return state_fingerprint(check_folder(path), ids_name(path), arrays or parameters(), caches)


def tensors(path: Path) -> dict[str, tuple[int, int]]:
    """Where each tensor's bytes lie in the model's file."""
    data = (path / "model.safetensors").read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    entries = json.loads(data[8:start])
    entries.pop("__metadata__", None)
    return {
        name: (start + entry["data_offsets"][0], start + entry["data_offsets"][1]) for name, entry in entries.items()
    }


def change(path: Path, at: int, end: int) -> None:
    """Other weights, as after a little tuning: every number of a tensor moves."""
    data = bytearray(path.read_bytes())
    data[at:end] = bytes(byte ^ 1 for byte in data[at:end])
    path.write_bytes(data)


def test_names_are_words_for_a_folder(folder: Path) -> None:
    names = ids_name(folder), state_name(folder)
    assert len(set(names)) == 2
    assert all(len(name) == 32 and set(name) <= set("0123456789abcdef") for name in names)


def test_a_copy_has_the_same_names(folder: Path, tiny_folder: Path) -> None:
    (folder / "model.safetensors").touch()
    assert (ids_name(folder), state_name(folder)) == (ids_name(tiny_folder), state_name(tiny_folder))
    assert state_name(folder, parameters(seed=1)) == state_name(folder), "values are read from the files"


@pytest.mark.parametrize(
    "name",
    [
        "config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "generation_config.json",
        "chat_template.jinja",
        "additional_chat_templates/tool.jinja",
        "tokenizer.model",
        "merges.txt",
    ],
)
def test_small_files_count(folder: Path, name: str) -> None:
    before = ids_name(folder), state_name(folder)
    (folder / name).parent.mkdir(exist_ok=True)
    with (folder / name).open("a") as file:
        file.write("\n" if (folder / name).stat().st_size else "{}")
    assert ids_name(folder) != before[0]
    assert state_name(folder) != before[1]


@pytest.mark.parametrize("name", ["adapters.safetensors", "adapter_model.safetensors", "adapter_config.json"])
def test_an_adapter_which_is_not_applied_counts_for_nothing(folder: Path, name: str) -> None:
    before = ids_name(folder), state_name(folder)
    (folder / name).write_bytes(b"{}")
    assert (ids_name(folder), state_name(folder)) == before


def test_the_weights_size_and_header_count(folder: Path) -> None:
    path = folder / "model.safetensors"
    names = {state_name(folder)}
    data = path.read_bytes()
    path.write_bytes(data.replace(b"model.norm.weight", b"model.morn.weight"))
    names.add(state_name(folder))
    path.rename(folder / "model-1.safetensors")
    names.add(state_name(folder))
    assert len(names) == 3


def test_a_change_in_any_one_tensor_counts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the real sizes evenly spaced samples would miss most of them: here they are made to miss them all."""
    monkeypatch.setattr(module, "_SAMPLE_BYTES", 0)
    path = folder / "model.safetensors"
    before, data, places = state_name(folder), path.read_bytes(), tensors(folder)
    assert len(places) > 10
    for name, (start, end) in places.items():
        change(path, start, end)
        assert state_name(folder) != before, name
        path.write_bytes(data)
    assert state_name(folder) == before


def test_of_many_tensors_some_are_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SAMPLE_BYTES", 0)
    monkeypatch.setattr(module, "_MOST_TENSORS", 5)
    path = folder / "model.safetensors"
    before, data, places = state_name(folder), path.read_bytes(), tensors(folder)
    seen = 0
    for start, end in places.values():
        change(path, start, end)
        seen += state_name(folder) != before
        path.write_bytes(data)
    assert 1 <= seen <= 5


LAYOUTS: dict[str, Callable[[], list[Any]]] = {
    "fewer layers": lambda: [KVCache()],
    "quantized": lambda: [QuantizedKVCache(group_size=32, bits=8)],
    "in fewer bits": lambda: [QuantizedKVCache(group_size=32, bits=4)],
    "in larger groups": lambda: [QuantizedKVCache(group_size=64, bits=8)],
    "a window": lambda: [RotatingKVCache(max_size=16, keep=4)],
    "another window": lambda: [RotatingKVCache(max_size=32, keep=4)],
    "a window that keeps more": lambda: [RotatingKVCache(max_size=16, keep=8)],
    "chunks": lambda: [ChunkedKVCache(16)],
    "larger chunks": lambda: [ChunkedKVCache(32)],
    "a state": lambda: [ArraysCache(2)],
    "a larger state": lambda: [ArraysCache(3)],
    "two in one": lambda: [CacheList(ArraysCache(2), KVCache())],
    "another order": lambda: [CacheList(KVCache(), ArraysCache(2))],
}


def test_the_layout_of_the_cache_counts(folder: Path) -> None:
    names = {state_name(folder, caches=make()) for make in LAYOUTS.values()}
    assert len(names) == len(LAYOUTS)
    assert names == {state_name(folder, caches=make()) for make in LAYOUTS.values()}


def test_the_types_and_shapes_of_the_weights_count(folder: Path) -> None:
    arrays = parameters()
    quantized = [(name, x.astype(mx.uint32)[..., : x.shape[-1] // 2]) for name, x in arrays]
    renamed = [(f"language_model.{name}", x) for name, x in arrays]
    kinds = [arrays, parameters(mx.bfloat16), quantized, renamed, arrays[1:]]
    assert len({state_name(folder, kind) for kind in kinds}) == len(kinds)
    assert state_name(folder, arrays[::-1]) == state_name(folder, arrays)


@pytest.mark.parametrize("place", [(module, "FORMAT"), (mx, "__version__"), (mlx_lm, "__version__")])
def test_versions_count_for_state_and_not_for_ids(
    folder: Path, monkeypatch: pytest.MonkeyPatch, place: tuple[Any, str]
) -> None:
    before = ids_name(folder), state_name(folder)
    monkeypatch.setattr(*place, "0.0.1")
    assert ids_name(folder) == before[0]
    assert state_name(folder) != before[1]


def test_the_device_counts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = state_name(folder)
    monkeypatch.setattr(mx, "default_device", lambda: "Device(tpu, 0)")
    assert state_name(folder) != before


def test_an_open_model_has_both_names(folder: Path) -> None:
    model = opened_folder(folder)
    assert isinstance(model, LoadedModel)
    assert model.fingerprint == ids_name(folder)
    assert model.state_fingerprint != model.fingerprint
    start, end = tensors(folder)["model.norm.weight"]
    change(folder / "model.safetensors", start, end)
    again = opened_folder(folder)
    assert isinstance(again, LoadedModel)
    assert again.state_fingerprint != model.state_fingerprint
