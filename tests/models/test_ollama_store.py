"""Ollama's store: what is in it is listed, and nothing that a manifest names leads out of it or costs the others."""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from app.models.ollama_store import (
    OllamaError,
    Verification,
    find_model,
    is_reference,
    list_models,
    store_folder,
    verify,
)
from tests.models.ollama import FILE, GGUF, TENSOR, write_blob, write_manifest, write_store

pytestmark = pytest.mark.timeout(20)
FILES = {"config.json": b"{}", "tokenizer.json": b'{"model": {}}'}
TENSORS = [("model.embed", b"e" * 1000), ("model.layers.0", b"l" * 2000)]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with one sound model, called sound."""
    folder = tmp_path / "models"
    write_store(folder, FILES, TENSORS, "sound")
    return folder


def names(store: Path) -> list[str]:
    return [model.name for model in list_models(store) if model.problem is None]


def test_the_store_is_where_the_environment_says(tmp_path: Path) -> None:
    assert store_folder({"OLLAMA_MODELS": str(tmp_path)}) == tmp_path
    assert store_folder({"OLLAMA_MODELS": " "}) == store_folder({}) == Path.home() / ".ollama/models"


def test_a_model_is_listed_with_its_files_and_its_tensors(store: Path) -> None:
    (model,) = list_models(store)
    assert (model.reference, model.name, model.problem) == ("ollama:sound:latest", "sound:latest", None)
    assert {name: blob.path.read_bytes() for name, blob in model.files.items()} == FILES
    assert [blob.path.read_bytes() for blob in model.tensors] == [data for _, data in TENSORS]
    assert sum(blob.nbytes for blob in model.blobs) == 3000 + 2 + 13
    assert find_model(store, model.reference) == model


@pytest.mark.parametrize(
    ("place", "name", "tag", "reference"),
    [
        (("registry.ollama.ai", "library"), "qwen3", "8b", "ollama:qwen3:8b"),
        (("registry.ollama.ai", "somebody"), "own", "latest", "ollama:somebody/own:latest"),
        (("hf.co", "mlx-community"), "Qwen3-8B-4bit", "q4", "ollama:hf.co/mlx-community/Qwen3-8B-4bit:q4"),
        (("localhost:5000", "library"), "near", "v1.2", "ollama:localhost:5000/library/near:v1.2"),
    ],
)
def test_a_reference_leads_back_to_its_manifest(
    store: Path, place: tuple[str, str], name: str, tag: str, reference: str
) -> None:
    manifest = write_store(store, FILES, TENSORS, name, tag=tag, place=place)
    assert reference in {model.reference for model in list_models(store)}
    assert is_reference(reference)
    assert not is_reference("/models/own")
    assert find_model(store, reference).manifest == manifest


def test_a_name_without_a_tag_is_the_latest(store: Path) -> None:
    assert find_model(store, "ollama:sound").reference == "ollama:sound:latest"


def test_a_digest_that_appears_twice_is_held_once(store: Path) -> None:
    write_store(store, FILES, [*TENSORS, ("lm_head", TENSORS[0][1])], "tied")
    model = find_model(store, "ollama:tied:latest")
    assert len(model.tensors) == 2
    assert sum(blob.nbytes for blob in model.blobs) == 3015


def test_a_model_that_is_kept_as_gguf_is_listed_with_its_reason(store: Path) -> None:
    write_manifest(store, [write_blob(store, b"GGUF", GGUF)], "other")
    other = next(model for model in list_models(store) if model.name == "other:latest")
    assert other.problem is not None
    assert "GGUF" in other.problem.sentence
    with pytest.raises(OllamaError, match="GGUF"):
        find_model(store, other.reference)


def test_no_store_has_no_models(tmp_path: Path) -> None:
    assert list_models(tmp_path / "nowhere") == []
    (tmp_path / "manifests").write_text("a file")
    assert list_models(tmp_path) == []


LAYER = {"mediaType": TENSOR, "digest": f"sha256:{sha256(TENSORS[0][1]).hexdigest()}", "size": 1000}
DAMAGED: dict[str, object] = {
    "no list": {"a": 1},
    "layers that are no layers": [1, 2],
    "a step up": [{**LAYER, "mediaType": FILE, "name": "../../config.json"}],
    "an inner step up": [{**LAYER, "name": "a/../../b"}],
    "an absolute name": [{**LAYER, "mediaType": FILE, "name": "/etc/passwd"}],
    "a name of another system": [{**LAYER, "mediaType": FILE, "name": "..\\config.json"}],
    "no name": [{**LAYER, "mediaType": FILE}],
    "a name that is none": [{**LAYER, "name": 7}],
    "a name with a line break": [{**LAYER, "mediaType": FILE, "name": "config\n.json"}],
    "a name without end": [{**LAYER, "mediaType": FILE, "name": "a" * 10_000}],
    "a digest that is none": [{**LAYER, "digest": "sha256:../../x"}],
    "a digest of another kind": [{**LAYER, "digest": ["sha256"]}],
    "a digest that is a path": [{**LAYER, "digest": "sha256-" + "0" * 60 + "/../"}],
    "a size that is none": [{**LAYER, "size": "5"}],
    "a size below nothing": [{**LAYER, "size": -5}],
    "a size beyond all disks": [{**LAYER, "size": 10**30}],
    "brackets": [[[[[[[[[[[[]]]]]]]]]]]],
}


@pytest.mark.parametrize("layers", DAMAGED.values(), ids=DAMAGED)
def test_a_manifest_that_makes_no_sense_costs_its_own_model_only(store: Path, layers: object) -> None:
    write_manifest(store, [LAYER, *layers] if isinstance(layers, list) else layers, "bad")
    assert names(store) == ["sound:latest"]
    (bad,) = (model for model in list_models(store) if model.name == "bad:latest")
    assert bad.problem is not None
    assert bad.problem.title == "The model's manifest is damaged"
    assert len(bad.problem.sentence) < 200
    assert not bad.files
    with pytest.raises(OllamaError):
        find_model(store, "ollama:bad:latest")


def in_place(kind: str) -> Callable[[Path], Any]:
    ways: dict[str, Callable[[Path], Any]] = {
        "pipe": os.mkfifo,
        "folder": Path.mkdir,
        "link to itself": lambda path: path.symlink_to(path),
        "device": lambda path: path.symlink_to("/dev/zero"),
        "huge": lambda path: path.write_bytes(b" " * (5 << 20)),
        "brackets": lambda path: path.write_bytes(b"[" * 1_000_000),
        "empty": lambda path: path.write_bytes(b""),
        "no text": lambda path: path.write_bytes(bytes(range(256))),
    }
    return ways[kind]


PLACED = ["pipe", "folder", "link to itself", "device", "huge", "brackets", "empty", "no text"]


@pytest.mark.parametrize("kind", PLACED)
def test_what_lies_in_the_place_of_a_manifest_is_not_waited_for(store: Path, kind: str) -> None:
    path = write_manifest(store, [], "bad")
    path.unlink()
    in_place(kind)(path)
    assert names(store) == ["sound:latest"]
    with pytest.raises(OllamaError):
        find_model(store, "ollama:bad:latest")


@pytest.mark.parametrize("kind", [*PLACED, "absent"])
def test_what_lies_in_the_place_of_a_blob_makes_the_model_incomplete(store: Path, kind: str) -> None:
    model = find_model(store, "ollama:sound:latest")
    blob = model.tensors[1]
    blob.path.unlink()
    if kind != "absent":
        in_place(kind)(blob.path)
    assert (names(store) == []) == (kind == "absent")  # one listing does not open a thousand files
    with pytest.raises(OllamaError, match="missing"):
        find_model(store, model.reference)
    *_, last = verify(model)
    assert last == Verification(3015, 3015, (blob,))


@pytest.mark.parametrize("reference", ["ollama:", "ollama:a/b/c/d:e", "ollama:../x:y", "ollama:a:..", "ollama:/a:b"])
def test_a_reference_that_is_none_is_refused(store: Path, reference: str) -> None:
    with pytest.raises(OllamaError, match="not the name"):
        find_model(store, reference)


def test_a_store_without_end_is_listed_in_part(store: Path) -> None:
    place = store / "manifests/registry.ollama.ai/library"
    for number in range(6000):
        (place / f"n{number}").mkdir()
    (place / "not a name!").mkdir()
    assert len(list_models(store)) <= 5000


def test_whole_files_are_verified_in_pieces_and_a_changed_byte_is_found(store: Path) -> None:
    write_store(store, FILES, [("big", b"b" * (20 << 20))], "big")
    model = find_model(store, "ollama:big:latest")
    steps = list(verify(model))
    total = sum(blob.nbytes for blob in model.blobs)
    assert len(steps) > 3
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert steps[-1] == Verification(total, total)
    with model.tensors[0].path.open("r+b") as file:
        file.seek(19 << 20)
        file.write(b"x")
    *_, last = verify(model)
    assert last.damaged == model.tensors
