"""The headers of safetensors files, read without their data.

Format: 8 bytes little-endian length, that many bytes of JSON, then the data that the JSON's `data_offsets` point into
(https://huggingface.co/docs/safetensors, "Format").
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path

from app.prompting.problems import ModelError
from app.protocol.figures import number, size
from app.protocol.modest_json import is_modest

# A tensor takes about a hundred bytes of it: enough for 300,000. The safetensors library refuses longer than 100 MB.
_LONGEST_HEADER = 32_000_000


@dataclass(frozen=True, slots=True)
class WeightFile:
    """One weight file.

    header: its JSON as stored, which names all tensors and shapes. data_bytes: of all tensors. tensors: their number.
    """

    path: Path
    header: bytes
    data_bytes: int
    tensors: int

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
    extents = _extents(path, header)
    weight_file = WeightFile(path, header, max((end for _, end in extents), default=0), len(extents))
    if length < weight_file.total_bytes:
        raise _cut_short(path, length, weight_file.total_bytes)
    return weight_file


def _extents(path: Path, header: bytes) -> list[tuple[int, int]]:
    """Return where each tensor begins and ends, in order, from the header.

    No two share a byte: a small file would name any number of large tensors, and each takes its own memory.
    """
    if not is_modest(header):
        raise _unreadable(path)
    try:
        entries = json.loads(header)
        found = [entry["data_offsets"] for name, entry in entries.items() if name != "__metadata__"]
        extents = sorted((start, end) for start, end in found)
    except (ValueError, AttributeError, KeyError, TypeError) as error:
        raise _unreadable(path) from error
    reached = 0
    for start, end in extents:
        if type(start) is not int or type(end) is not int or not reached <= start <= end:
            raise _unreadable(path)
        reached = end
    return extents


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
