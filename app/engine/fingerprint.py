"""A name for what a model folder holds, that changes when anything that shapes token ids or cached state does."""

from __future__ import annotations

import hashlib
from pathlib import Path

from app.engine.folder import ModelFolder
from app.engine.weights import WeightFile

_SAMPLES = 16
_SAMPLE_BYTES = 16 * 1024
# Everything small that shapes prompts: configuration, tokenizer, chat templates.
_SMALL_FILES = ("*.json", "*.jinja", "*.model", "*.tiktoken", "*.txt", "additional_chat_templates/*.jinja")


def fingerprint(folder: ModelFolder) -> str:
    """32 hexadecimal digits. Of the weights, names, sizes, headers and evenly spaced samples are read, not all bytes.

    Raises OSError when a file cannot be read.
    """
    digest = hashlib.sha256()
    for file in folder.weight_files:
        _add_weight_file(digest, file)
    for path in _small_files(folder.path):
        _add(digest, path.relative_to(folder.path).as_posix().encode(), path.read_bytes())
    return digest.hexdigest()[:32]


def _small_files(path: Path) -> list[Path]:
    return sorted({file for pattern in _SMALL_FILES for file in path.glob(pattern) if file.is_file()})


def _add_weight_file(digest: hashlib._Hash, file: WeightFile) -> None:
    _add(digest, file.path.name.encode(), str(file.total_bytes).encode(), file.header)
    start = file.total_bytes - file.data_bytes
    stride = max(file.data_bytes - _SAMPLE_BYTES, 0) / (_SAMPLES - 1)
    with file.path.open("rb") as data:
        for sample in range(_SAMPLES):
            data.seek(start + int(sample * stride))
            _add(digest, data.read(_SAMPLE_BYTES))


def _add(digest: hashlib._Hash, *parts: bytes) -> None:
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
