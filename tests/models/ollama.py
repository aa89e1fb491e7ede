"""Ollama's store, as the tests fill it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

TENSOR = "application/vnd.ollama.image.tensor"
FILE = "application/vnd.ollama.image.json"
GGUF = "application/vnd.ollama.image.model"
PLACE = ("registry.ollama.ai", "library")


def write_blob(store: Path, data: bytes, kind: str, name: str = "") -> dict[str, Any]:
    """Keep bytes in a store. Returns their layer."""
    digest = hashlib.sha256(data).hexdigest()
    blob = store / "blobs" / f"sha256-{digest}"
    blob.parent.mkdir(parents=True, exist_ok=True)
    blob.write_bytes(data)
    layer = {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(data)}
    return {**layer, "name": name} if name else layer


def write_manifest(
    store: Path, layers: object, name: str = "tiny", tag: str = "latest", place: tuple[str, str] = PLACE
) -> Path:
    """Write a model's manifest with these layers."""
    path = store.joinpath("manifests", *place, name, tag)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"schemaVersion": 2, "config": {}, "layers": layers}))
    return path


def write_store(
    store: Path, files: Mapping[str, bytes], tensors: Iterable[tuple[str, bytes]], name: str = "tiny", **place: Any
) -> Path:
    """Write a store with one model of these small files, and of these files with tensors. Returns its manifest."""
    layers = [write_blob(store, data, FILE, file) for file, data in files.items()]
    layers += [write_blob(store, data, TENSOR, tensor) for tensor, data in tensors]
    return write_manifest(store, layers, name, **place)
