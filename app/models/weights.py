"""How many parameters a model has, and whether its weight files are whole, from headers alone.

Format: 8 bytes little-endian length, that many bytes of JSON, then the data that the JSON's `data_offsets` point into
(https://huggingface.co/docs/safetensors, "Format").
"""

from __future__ import annotations

import json
import os
import re
import struct
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

from app.protocol.dataclass import dataclass
from app.protocol.modest_json import is_modest
from app.protocol.plain_files import require_plain

INDEX = "model.safetensors.index.json"
_LONGEST_HEADER = 32_000_000
# Headers of one model that are parsed, in bytes together: that takes a millisecond for 30,000. Where they are longer,
# 120,000 for 8 billion parameters, these are reckoned from the size of the files.
_PARSED = 30_000
_MOST_READ = 2 << 20
_MOST_FILES = 64
_HEAD = 2048
_TOTAL = re.compile(rb'"total_parameters"\s*:\s*(\d{1,15})\b')
_ENDS = re.compile(rb'"data_offsets"\s*:\s*\[\s*\d{1,18}\s*,\s*(\d{1,18})\s*\]')
_LARGEST = 10**15
_DTYPES = {"BF16": "bf16", "F16": "fp16", "F32": "fp32", "F8_E4M3": "fp8", "F8_E5M2": "fp8"}


class DamagedError(Exception):
    """A weight file is cut short, or is none. name: of the file."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass(frozen=True, slots=True)
class Weights:
    """Facts about weight files.

    parameters: about, 0 where unknown. dtype: of most of them, as "bf16", "" where unknown or packed. nbytes: of the
    tensors, without the headers of their files.
    """

    parameters: int = 0
    dtype: str = ""
    nbytes: int = 0


def read_weights(folder: Path, files: Mapping[str, int], names: Sequence[str], bits: float, group: int) -> Weights:
    """Describe the weight files of these names. files: the sizes of all that lies in the folder.

    bits: for each weight of a quantized model, group: that share a scale; 0 where it is not quantized. Raises
    DamagedError, and OSError.
    """
    lengths = {name: _header_length(folder / name, files[name]) for name in names[:_MOST_FILES]}
    together, counts = sum(lengths.values()), dict[str, int]()
    if together <= _MOST_READ:
        headers = {name: _header(folder / name, length, files[name]) for name, length in lengths.items()}
        if together <= _PARSED and len(lengths) == len(names):
            for name, header in headers.items():
                _count(_parsed(name, header), group, counts)
    main = max(counts, key=lambda dtype: counts[dtype], default="")
    stated = _stated(folder / INDEX) if INDEX in files else 0
    nbytes = sum(files[name] for name in names) - sum(8 + length for length in lengths.values())
    reckoned = sum(counts.values()) or _reckoned(nbytes, bits, group)
    return Weights(min(_LARGEST, stated or reckoned), _DTYPES.get(main, ""), nbytes)


def packing(path: Path) -> str:
    """Return how the tensors of a file are packed, as its header says: "int4", "" where it does not."""
    try:
        size = path.stat().st_size
        length = _header_length(path, size)
        entries = _parsed(path.name, _header(path, length, size)) if length <= _MOST_READ else {}
    except (OSError, DamagedError):
        return ""
    metadata = entries.get("__metadata__")
    found = metadata.get("quant_type") if isinstance(metadata, dict) else None
    return found if isinstance(found, str) and len(found) < 20 else ""


def _stated(index: Path) -> int:
    """Return the number of parameters that an index begins with; 0 where it does not."""
    match = _TOTAL.search(_read(index, _HEAD))
    return int(match[1]) if match else 0


def _reckoned(nbytes: int, bits: float, group: int) -> int:
    """Return about how many parameters a number of bytes holds. A group has a scale and a bias, of 16 bits each."""
    each = bits + (32 / group if group else 0) if bits else 16
    return int(nbytes * 8 / each)


def _header_length(path: Path, size: int) -> int:
    """Return the length of a file's header. Raises DamagedError where it cannot be that."""
    start = _read(path, 9)
    length = struct.unpack("<Q", start[:8])[0] if len(start) == 9 else 0
    if not 2 <= length <= min(_LONGEST_HEADER, size - 8) or start[8:] != b"{":
        raise DamagedError(path.name)
    return int(length)


def _header(path: Path, length: int, size: int) -> bytes:
    """Read a header. Raises DamagedError where its file ends before its data."""
    data = _read(path, 8 + length)[8:]
    end = max(map(int, _ENDS.findall(data)), default=0)
    if len(data) < length or 8 + length + end > size:
        raise DamagedError(path.name)
    return data


def _parsed(name: str, header: bytes) -> dict[str, Any]:
    """Parse the entries of a header. Raises DamagedError where it is none."""
    try:
        entries = json.loads(header) if is_modest(header) else None
    except ValueError:
        entries = None
    if not isinstance(entries, dict):
        raise DamagedError(name)
    return entries


def _count(entries: dict[str, Any], group: int, counts: dict[str, int]) -> None:
    """Add the parameters of a header's tensors to those of their types. Scales and biases of packed ones are none."""
    for name, entry in entries.items():
        stem, _, kind = name.rpartition(".")
        is_packed = f"{stem}.scales" in entries and f"{stem}.weight" in entries
        if name == "__metadata__" or not isinstance(entry, dict) or (is_packed and kind in ("scales", "biases")):
            continue
        sides, dtype = _sides(entry), str(entry.get("dtype"))
        if is_packed and kind == "weight":
            sides, dtype = [*sides[:-1], *(side * group for side in _sides(entries[f"{stem}.scales"])[-1:])], "packed"
        counts[dtype] = counts.get(dtype, 0) + prod(sides)


def _sides(entry: Any) -> list[int]:
    """Return the shape of a tensor, without elements for what is none."""
    shape = entry.get("shape") if isinstance(entry, dict) else None
    if not isinstance(shape, list) or not all(type(side) is int and 0 <= side < 2**40 for side in shape):
        return [0]
    return shape[:8]


def _read(path: Path, most: int) -> bytes:
    """Read the beginning of a regular file, and wait for no pipe."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        require_plain(file, path)
        data = bytearray()
        while len(data) < most and (piece := os.read(file, most - len(data))):
            data += piece
        return bytes(data)
    finally:
        os.close(file)
