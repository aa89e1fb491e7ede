"""The models in Ollama's store, as its manifests name them. No tensor is read here.

A manifest, `manifests/HOST/NAMESPACE/NAME/TAG`, is JSON with a list of layers, each with a digest, and
`blobs/sha256-HEX` holds the bytes of a digest. A model that is kept as safetensors has a layer for every tensor, or for
a group of them, and one for every small file by its name (github.com/ollama/ollama, x/imagegen/manifest). A manifest
may come from anywhere: nothing that it names leads out of the store, and a bad one costs none of the other models.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path, PurePosixPath
from typing import Any

from app.protocol.dataclass import dataclass
from app.protocol.plain_files import read_plain
from app.protocol.reports import Problem

PREFIX = "ollama:"
_HOST, _NAMESPACE, _TAG = "registry.ollama.ai", "library", "latest"
_TENSOR = "application/vnd.ollama.image.tensor"
_FILE = "application/vnd.ollama.image.json"
_GGUF = "application/vnd.ollama.image.model"
_DIGEST = re.compile(r"sha256[:-]([0-9a-f]{64})")
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:\-]*")
# A model of many experts has some thousand layers of 200 bytes.
_LONGEST_MANIFEST = 4 << 20
_MOST_LAYERS = 20_000
_MOST_MANIFESTS = 5_000
_MOST_BYTES = 1 << 50
_PIECE = 8 << 20


class OllamaError(Exception):
    """A model of the store cannot be opened. problem: why, in words a person can act on."""

    def __init__(self, title: str, sentence: str) -> None:
        super().__init__(f"{title}: {sentence}")
        self.problem = Problem(title, sentence)


@dataclass(frozen=True, slots=True)
class Blob:
    """A file of the store. digest: SHA-256 of its bytes, 64 hexadecimal digits. nbytes: as the manifest says."""

    digest: str
    path: Path
    nbytes: int


@dataclass(frozen=True, slots=True)
class OllamaModel:
    """A model of the store.

    reference: by which it is opened, "ollama:NAME:TAG". name: as Ollama shows it, "NAME:TAG". files: its small files by
    name, as config.json. tensors: the files with its weights, each digest once. problem: why it
    cannot be opened, None where nothing stands against it so far.
    """

    reference: str
    name: str
    manifest: Path
    files: Mapping[str, Blob] = field(default_factory=dict)
    tensors: tuple[Blob, ...] = ()
    problem: Problem | None = None

    @property
    def blobs(self) -> tuple[Blob, ...]:
        """Return all files of the model, each digest once."""
        return tuple({blob.digest: blob for blob in (*self.files.values(), *self.tensors)}.values())


@dataclass(frozen=True, slots=True)
class Verification:
    """The progress of a verification, in bytes. damaged: the files whose bytes are not what they are named by."""

    done: int
    total: int
    damaged: tuple[Blob, ...] = ()


def store_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return where Ollama keeps its models: OLLAMA_MODELS, else `.ollama/models` in the home folder."""
    named = environment.get("OLLAMA_MODELS", "").strip()
    return Path(named).expanduser() if named else Path.home() / ".ollama" / "models"


def is_reference(path: str) -> bool:
    """Return whether this names a model of the store rather than a folder."""
    return path.startswith(PREFIX)


def list_models(store: Path) -> list[OllamaModel]:
    """List the models of a store by name, with those that cannot be opened. Empty where there is no store.

    No blob is opened: whether one is there is looked up in a single listing.
    """
    present = _names(store / "blobs", _MOST_LAYERS * 10)
    found = []
    for count, (path, place) in enumerate(_manifests(store / "manifests")):
        if count >= _MOST_MANIFESTS:
            break
        found.append(_listed(store, path, place, present))
    return sorted(found, key=lambda model: model.name)


def find_model(store: Path, reference: str) -> OllamaModel:
    """Find the model of a reference, with every file of it in its place. Raises OllamaError."""
    place = _place(reference)
    model = _listed(store, store.joinpath("manifests", *place), place, None)
    if model.problem is not None:
        raise OllamaError(model.problem.title, model.problem.sentence)
    return model


def verify(model: OllamaModel) -> Iterator[Verification]:
    """Read all files of a model and compare them with their digests; yields after every piece of eight megabytes.

    Whoever stops asking has cancelled it. A file that cannot be read counts as damaged.
    """
    total, done = sum(blob.nbytes for blob in model.blobs), 0
    damaged: list[Blob] = []
    yield Verification(0, total)
    for blob in model.blobs:
        digest = hashlib.sha256()
        for piece in _pieces(blob):
            digest.update(piece)
            done += len(piece)
            yield Verification(min(done, total), total, tuple(damaged))
        if digest.hexdigest() != blob.digest:
            damaged.append(blob)
    yield Verification(total, total, tuple(damaged))


def _pieces(blob: Blob) -> Iterator[bytes]:
    """Yield the bytes of a blob, at most one more than it should have; none of what cannot be read."""
    left = blob.nbytes + 1
    try:
        with _opened(blob.path) as file:
            while left and (piece := os.read(file.fileno(), min(_PIECE, left))):
                left -= len(piece)
                yield piece
    except OSError:
        return


def _opened(path: Path) -> Any:
    """Open a regular file for reading, and wait for no pipe."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError("not a regular file")
    return os.fdopen(descriptor, "rb", buffering=0)


# Names


def _place(reference: str) -> tuple[str, str, str, str]:
    """Return host, namespace, name and tag of a reference."""
    name, colon, tag = reference.removeprefix(PREFIX).rpartition(":")
    if not colon or "/" in tag:
        name, tag = reference.removeprefix(PREFIX), _TAG
    parts = name.split("/")
    place = (*(_HOST, _NAMESPACE, "")[: 3 - len(parts)], *parts, tag)
    if len(place) != 4 or not all(_WORD.fullmatch(part) for part in place):
        raise OllamaError("The model was not found", f"“{reference[:100]}” is not the name of a model of Ollama.")
    return place[0], place[1], place[2], place[3]


def _reference(place: tuple[str, str, str, str]) -> str:
    host, namespace, name, tag = place
    if host != _HOST:
        name = f"{host}/{namespace}/{name}"
    elif namespace != _NAMESPACE:
        name = f"{namespace}/{name}"
    return f"{PREFIX}{name}:{tag}"


def _manifests(folder: Path) -> Iterator[tuple[Path, tuple[str, str, str, str]]]:
    """Yield every place of a manifest with its four names."""
    places: list[tuple[Path, tuple[str, ...]]] = [(folder, ())]
    while places:
        path, names = places.pop()
        if len(names) == 4:
            yield path, (names[0], names[1], names[2], names[3])
            continue
        below = (name for name in _names(path, _MOST_MANIFESTS) if _WORD.fullmatch(name))
        places.extend((path / name, (*names, name)) for name in sorted(below, reverse=True))


def _names(folder: Path, most: int) -> set[str]:
    """Return the names in a folder, `most` of them at most; none of what is no folder or cannot be read."""
    found: set[str] = set()
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if len(found) >= most:
                    break
                found.add(entry.name)
    except OSError:
        return set()
    return found


# Manifests


def _listed(store: Path, path: Path, place: tuple[str, str, str, str], present: set[str] | None) -> OllamaModel:
    """Return a model with what its manifest says, or with why it says nothing that can be opened.

    present: the names of the blobs. Without them every blob is looked at.
    """
    reference = _reference(place)
    name = reference.removeprefix(PREFIX)
    try:
        layers = _layers(path, name)
        files, tensors = _contents(store, layers, name)
        held = {blob.digest: blob for blob in (*files.values(), *tensors)}
        if not tensors:
            raise _nothing_to_open(layers, name)
        if not all(_is_there(blob, present) for blob in held.values()):
            raise _incomplete(name)
    except OllamaError as error:
        return OllamaModel(reference, name, path, problem=error.problem)
    return OllamaModel(reference, name, path, files, tensors)


def _layers(path: Path, name: str) -> list[dict[str, Any]]:
    try:
        data = read_plain(path, _LONGEST_MANIFEST)
    except FileNotFoundError:
        raise OllamaError(
            "The model was not found", f"Ollama has no model {name}. Fetch it again there, or choose another."
        ) from None
    except OSError as error:
        raise _damaged(name, "cannot be read") from error
    # Its only list is that of the layers: what is nested deeper or wider is not parsed.
    if data.count(b"[") > 64 or data.count(b"{") > _MOST_LAYERS + 64:
        raise _damaged(name, "holds too much")
    try:
        manifest = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _damaged(name, "is not valid JSON") from error
    layers = manifest.get("layers") if isinstance(manifest, dict) else None
    if not isinstance(layers, list) or not all(isinstance(layer, dict) for layer in layers):
        raise _damaged(name, "lists no layers")
    return layers


def _contents(store: Path, layers: list[dict[str, Any]], name: str) -> tuple[dict[str, Blob], tuple[Blob, ...]]:
    """Return the small files by name, and the files with weights, each digest once."""
    files: dict[str, Blob] = {}
    tensors: dict[str, Blob] = {}
    for layer in layers:
        kind = layer.get("mediaType")
        if kind not in (_TENSOR, _FILE):
            continue
        blob = _blob(store, layer, name)
        if kind == _TENSOR:
            tensors.setdefault(blob.digest, blob)
        file = layer.get("name")
        if not _is_plain_name(file if kind == _FILE else file or "tensor"):
            raise _damaged(name, f"names a file outside of the model, {str(file)[:60]}")
        if kind == _FILE:
            files[str(file)] = blob
    return files, tuple(tensors.values())


def _blob(store: Path, layer: dict[str, Any], name: str) -> Blob:
    digest, nbytes = layer.get("digest"), layer.get("size")
    match = _DIGEST.fullmatch(digest) if isinstance(digest, str) else None
    if match is None:
        raise _damaged(name, f"names a digest that is none, {str(digest)[:60]}")
    if type(nbytes) is not int or not 0 <= nbytes <= _MOST_BYTES:
        raise _damaged(name, "gives a layer a size that no file has")
    return Blob(match[1], store / "blobs" / f"sha256-{match[1]}", nbytes)


def _is_plain_name(name: object) -> bool:
    """Return whether a name stays where it is put: relative, without a step up, in visible letters."""
    if not isinstance(name, str) or not 0 < len(name) <= 255 or not name.isprintable() or "\\" in name:
        return False
    parts = PurePosixPath(name).parts
    return ".." not in parts and name == "/".join(parts)


def _is_there(blob: Blob, present: set[str] | None) -> bool:
    """Return whether a blob is in the store: by its name among those present, else as a file of its length."""
    if present is not None:
        return blob.path.name in present
    try:
        found = blob.path.stat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size == blob.nbytes


def _nothing_to_open(layers: list[dict[str, Any]], name: str) -> OllamaError:
    if any(layer.get("mediaType") == _GGUF for layer in layers):
        return OllamaError(
            "The weights are in another format",
            f"Ollama keeps {name} as GGUF. Choose a version of it in the MLX or safetensors format.",
        )
    return OllamaError("The model has no weights", f"Ollama's manifest of {name} names none. Fetch it again there.")


def _incomplete(name: str) -> OllamaError:
    return OllamaError(
        "The model is incomplete",
        f"Files of {name} are missing in Ollama's store, or are not as long as they should be. Fetch it again there.",
    )


def _damaged(name: str, why: str) -> OllamaError:
    return OllamaError("The model's manifest is damaged", f"Ollama's manifest of {name} {why}. Fetch the model again.")
