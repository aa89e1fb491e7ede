"""The fingerprints of a model: of all that shapes its token ids, and of all that shapes its cached state.

The first stands in conversations, beside ids, and is the same on every machine and with every version of MLX. The
second names a folder of snapshots: state that other code computed, or in another layout, is not wanted at any price.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx_lm

from app.engine.adapter import Adapter
from app.engine.folder import ModelFolder
from app.engine.weights import WeightFile
from app.kvcache.disk import FORMAT
from app.kvcache.layers import flatten

_SAMPLES = 16
_SAMPLE_BYTES = 16 * 1024
# Of all weight files together. With everything else this takes 80 ms for 2 GB that must be fetched from the disk.
_MOST_TENSORS = 2000
_TENSOR_BYTES = 512
# Everything small that shapes prompts: configuration, tokenizer, chat templates. An adapter that happens to lie in the
# folder is not applied, and so says nothing of the model.
_SMALL_FILES = ("*.json", "*.jinja", "*.model", "*.tiktoken", "*.txt", "additional_chat_templates/*.jinja")


def fingerprint(folder: ModelFolder, adapter: Adapter | None = None) -> str:
    """Return 32 hexadecimal digits for all that shapes a model's token ids.

    Of the weights, names, sizes, headers and evenly spaced samples are read, not all bytes; where they have digests,
    those. Raises OSError when a file cannot be read.
    """
    digest = hashlib.sha256()
    if folder.digests:
        _add(digest, *(known.encode() for known in folder.digests))
    else:
        for file in folder.weight_files:
            _add_weight_file(digest, file)
    if adapter is not None:
        _add(digest, b"adapter", adapter.config)
        _add_weight_file(digest, adapter.weights)
    for path in _small_files(folder.path):
        _add(digest, path.relative_to(folder.path).as_posix().encode(), path.read_bytes())
    return digest.hexdigest()[:32]


def state_fingerprint(
    folder: ModelFolder,
    name: str,
    parameters: Iterable[tuple[str, mx.array]],
    caches: Sequence[Any],
    adapter: Adapter | None = None,
) -> str:
    """Return 32 hexadecimal digits for all that shapes the cached state of a model.

    name: the folder's `fingerprint`. parameters: the model's, as loaded, with their names: their types and shapes tell
    how it is quantized. caches: a fresh list of its cache objects, whose classes and sizes are the layout. The middle
    of every tensor is read as well, because a model that was tuned a little differs from itself in few of them; and
    the libraries' versions and the device count, as each computes other low bits. Raises OSError.
    """
    digest = hashlib.sha256()
    mlx_version: str = mx.__version__  # type: ignore[attr-defined]  # mlx declares none
    versions = (str(FORMAT), mlx_version, mlx_lm.__version__, str(mx.default_device()))
    _add(digest, name.encode(), *(word.encode() for word in versions))
    for leaf, array in sorted(parameters, key=lambda item: item[0]):
        _add(digest, f"{leaf} {array.dtype} {array.shape}".encode())
    for cache in flatten(caches):
        _add(digest, type(cache).__name__.encode(), repr(_layout(cache)).encode())
    files = folder.weight_files if adapter is None else (*folder.weight_files, adapter.weights)
    for file in files:
        _add_tensors(digest, file, _MOST_TENSORS // len(files))
    return digest.hexdigest()[:32]


def _layout(cache: Any) -> list[tuple[str, object]]:
    """Return what a fresh cache object knows of itself: its numbers, and how many arrays it keeps."""
    known = ((key, len(value) if isinstance(value, list) else value) for key, value in vars(cache).items())
    return sorted((key, value) for key, value in known if isinstance(value, int | float | str))


def _small_files(path: Path) -> list[Path]:
    found = {file for pattern in _SMALL_FILES for file in path.glob(pattern) if file.is_file()}
    return sorted(file for file in found if file.name != "adapter_config.json")


def _add_weight_file(digest: hashlib._Hash, file: WeightFile) -> None:
    _add(digest, file.path.name.encode(), str(file.total_bytes).encode(), file.header)
    _add_samples(digest, file.path, file.total_bytes - file.data_bytes, file.data_bytes)


def _add_samples(digest: hashlib._Hash, path: Path, start: int, nbytes: int) -> None:
    stride = max(nbytes - _SAMPLE_BYTES, 0) / (_SAMPLES - 1)
    with path.open("rb") as data:
        for sample in range(_SAMPLES):
            data.seek(start + int(sample * stride))
            _add(digest, data.read(_SAMPLE_BYTES))


def _add_tensors(digest: hashlib._Hash, file: WeightFile, most: int) -> None:
    """Add the middle of each tensor, or of `most` of them, evenly chosen."""
    entries = json.loads(file.header)
    offsets = sorted(entry["data_offsets"] for name, entry in entries.items() if name != "__metadata__")
    data_start = file.total_bytes - file.data_bytes
    with file.path.open("rb", buffering=0) as data:
        for start, end in offsets[:: -(-len(offsets) // max(most, 1)) or 1]:
            data.seek(data_start + max(start, (start + end - _TENSOR_BYTES) // 2))
            _add(digest, data.read(min(_TENSOR_BYTES, end - start)))


def _add(digest: hashlib._Hash, *parts: bytes) -> None:
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
