"""The door through which the files of a model folder are read.

A folder can come from anywhere, and its files go to parsers that take whatever they are given: a pipe in the place of a
file is waited for without end, and a short file of brackets becomes gigabytes of objects. So every entry is looked at
before this program or a library opens one, and JSON is measured before it is parsed. Links are followed, as a hub's
cache is made of them, to where a regular file must be.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from app.prompting.problems import ModelError
from app.protocol.figures import number, size
from app.protocol.modest_json import is_modest

MIB = 1 << 20
# The longest known tokenizers are of 35 MB, the longest index of a model in many files of 15 MB.
_LARGEST = (
    ("tokenizer*.json", 128 * MIB),
    ("vocab.json", 128 * MIB),
    ("tekken.json", 128 * MIB),
    ("model.safetensors.index.json", 64 * MIB),
    ("config.json", 16 * MIB),
    ("*_config.json", 16 * MIB),
    ("chat_template.*", 16 * MIB),
    ("*.jinja", 16 * MIB),
    # Whatever else a tokenizer's class may ask for by a name of its own.
    ("*.json", 128 * MIB),
    ("*.txt", 128 * MIB),
    ("*.model", 128 * MIB),
    ("*.tiktoken", 128 * MIB),
)
_LARGEST_TOGETHER = 512 * MIB
_WEIGHTS = ".safetensors"
_MOST_ENTRIES = 10_000
TEMPLATES = "additional_chat_templates"


def check_files(folder: Path) -> None:
    """Check that every entry of a model folder may be opened: raise ModelError about the first that may not.

    Raises OSError where the folder itself cannot be read.
    """
    together = 0
    for path in _entries(folder):
        found, largest = _status(path), _largest(path.name)
        if found is None or (stat.S_ISDIR(found.st_mode) and largest is None and path.suffix != _WEIGHTS):
            continue
        if not stat.S_ISREG(found.st_mode):
            raise _not_a_file(path.name)
        if largest is not None:
            together += found.st_size
            if found.st_size > largest or together > _LARGEST_TOGETHER:
                raise _too_large(path.name, found.st_size)
        if path.suffix == ".json" and not is_modest(read_bytes(path)):
            raise _too_much(path.name)


def _largest(name: str) -> int | None:
    """Return how many bytes a file of this name may have; None where nothing reads it as a whole."""
    return next((most for pattern, most in _LARGEST if fnmatch(name, pattern)), None)


def _entries(folder: Path) -> Iterator[Path]:
    """Yield what the folder holds, and the folder of further templates. Raises ModelError where that has no end."""
    count = 0
    for place in (folder, folder / TEMPLATES):
        if place is not folder and not place.is_dir():
            continue
        with os.scandir(place) as entries:
            for entry in entries:
                count += 1
                if count > _MOST_ENTRIES:
                    raise ModelError(
                        "Not a model folder",
                        f"{folder.name} holds more than {number(_MOST_ENTRIES)} files. Choose the folder of one model.",
                    )
                yield Path(entry.path)


def _status(path: Path) -> os.stat_result | None:
    """Return what the entry is, links followed; None for a link that leads nowhere, as after a broken download."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def read_bytes(path: Path) -> bytes:
    """Read a small file of a model folder. Raises ModelError where it is no regular file or too large, and OSError."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise _not_a_file(path.name)
    if found.st_size > (_largest(path.name) or 0):
        raise _too_large(path.name, found.st_size)
    with path.open("rb") as file:
        return file.read(found.st_size)


def read_json(path: Path) -> Any:
    """Read a JSON file of a model folder.

    Raises ModelError where it may not be read or is too much to parse, ValueError where it is not JSON, and OSError.
    """
    data = read_bytes(path)
    if not is_modest(data):
        raise _too_much(path.name)
    return json.loads(data.decode("utf-8"))


def _not_a_file(name: str) -> ModelError:
    return ModelError(
        "Not a model folder",
        f"{name} is not a regular file, but a folder, a pipe or a device. Choose another model, or copy it again.",
    )


def _too_large(name: str, nbytes: int) -> ModelError:
    return ModelError(
        "The model cannot be opened",
        f"{name} is of {size(nbytes)}, more than any model has of its kind. "
        "Copy or download it again, or move it out of the folder.",
    )


def _too_much(name: str) -> ModelError:
    return ModelError(
        "The model cannot be opened",
        f"{name} is nested too deeply, or holds too many values, to be a model's. "
        "Copy or download it again, or choose another model.",
    )
