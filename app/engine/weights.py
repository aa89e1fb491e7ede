"""The headers of safetensors files, read without their data.

Format: 8 bytes little-endian length, that many bytes of JSON, then the data that the JSON's `data_offsets` point into
(https://huggingface.co/docs/safetensors, "Format").
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path

from app.engine.problems import ModelError
from app.protocol.figures import number, size

# The safetensors library refuses longer headers.
_LONGEST_HEADER = 100_000_000


@dataclass(frozen=True, slots=True)
class WeightFile:
    """One weight file. data_bytes: of its tensors. header: its JSON as stored, which names all tensors and shapes."""

    path: Path
    header: bytes
    data_bytes: int

    @property
    def total_bytes(self) -> int:
        """Return how long the whole file has to be."""
        return 8 + len(self.header) + self.data_bytes


def read_weight_file(path: Path) -> WeightFile:
    """Read a weight file's header. Raises ModelError when the file is cut short or is not safetensors."""
    length = path.stat().st_size
    with path.open("rb") as file:
        prefix = file.read(8)
        header_bytes = struct.unpack("<Q", prefix)[0] if len(prefix) == 8 else 0
        if length == 0 or (len(prefix) == 8 and length < 8 + header_bytes <= _LONGEST_HEADER):
            raise _cut_short(path, length, 8 + header_bytes)
        if not 2 <= header_bytes <= _LONGEST_HEADER:
            raise _unreadable(path)
        header = file.read(header_bytes)
    weight_file = WeightFile(path, header, _data_bytes(path, header))
    if length < weight_file.total_bytes:
        raise _cut_short(path, length, weight_file.total_bytes)
    return weight_file


def _data_bytes(path: Path, header: bytes) -> int:
    """Return the end of the last tensor, from the header."""
    try:
        entries = json.loads(header)
        return max((entry["data_offsets"][1] for name, entry in entries.items() if name != "__metadata__"), default=0)
    except (ValueError, AttributeError, KeyError, TypeError, IndexError) as error:
        raise _unreadable(path) from error


def _cut_short(path: Path, length: int, whole: int) -> ModelError:
    have, wants = size(length), size(whole)
    if have == wants:  # as many megabytes, but not as many bytes
        have, wants = number(length), f"{number(whole)} bytes"
    there = f"{have} of {wants}" if whole > 8 else size(length)
    return ModelError(
        "The model is incomplete",
        f"{path.name} is cut short: {there} are there. Copy or download the file again.",
    )


def _unreadable(path: Path) -> ModelError:
    return ModelError(
        "The model's weights cannot be read",
        f"{path.name} is not a safetensors file, or it is damaged. Copy or download it again.",
    )
