"""A weight file's header is believed only as far as the file bears it out."""

from __future__ import annotations

import json
import random
import struct
import tempfile
from pathlib import Path
from typing import Any

import pytest

from app.engine.weights import read_weight_file
from app.prompting.problems import ModelError


def write(path: Path, header: Any, nbytes: int) -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(nbytes))
    return path


def entry(start: Any, end: Any) -> dict[str, Any]:
    return {"dtype": "U8", "shape": [1], "data_offsets": [start, end]}


def test_a_sound_header_is_counted(tmp_path: Path) -> None:
    header = {"__metadata__": {"format": "mlx"}, "b": entry(8, 24), "a": entry(0, 8), "empty": entry(8, 8)}
    file = read_weight_file(write(tmp_path / "w", header, 24))
    assert (file.data_bytes, file.tensors) == (24, 3)
    assert read_weight_file(write(tmp_path / "none", {}, 0)).tensors == 0


ODD: dict[str, Any] = {
    "overlap": {"a": entry(0, 8), "b": entry(7, 16)},
    "shared": {"a": entry(0, 16), "b": entry(0, 16)},
    "fractions": {"a": entry(0.0, 8.0)},
    "truths": {"a": entry(False, True)},
    "words": {"a": entry("0", "8")},
    "nothing": {"a": entry(None, None)},
    "lists": {"a": entry([0], [8])},
    "backwards": {"a": entry(8, 0)},
    "negative": {"a": entry(-8, 8)},
    "infinite": {"a": entry(0, float("inf"))},
    "one offset": {"a": {"dtype": "U8", "shape": [1], "data_offsets": [8]}},
    "three offsets": {"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 4, 8]}},
    "no offsets": {"a": {"dtype": "U8", "shape": [1]}},
    "a tensor that is a number": {"a": 1},
    "a list": [entry(0, 8)],
    "a number": 7,
    "nested": b"[" * 100_000 + b"]" * 100_000,
}


@pytest.mark.parametrize("way", ODD)
def test_an_odd_header_is_refused(tmp_path: Path, way: str) -> None:
    with pytest.raises(ModelError, match="not a safetensors file, or it is damaged"):
        read_weight_file(write(tmp_path / "w", ODD[way], 64))


@pytest.mark.parametrize("end", [65, 1 << 40, 10**300])
def test_a_tensor_beyond_the_file_is_cut_short(tmp_path: Path, end: int) -> None:
    with pytest.raises(ModelError, match="cut short"):
        read_weight_file(write(tmp_path / "w", {"a": entry(0, end)}, 64))


@pytest.mark.parametrize("length", [0, 1, 33_000_000, 1 << 62, (1 << 64) - 1])
def test_a_header_of_any_length_is_not_read_on_trust(tmp_path: Path, length: int) -> None:
    (tmp_path / "w").write_bytes(struct.pack("<Q", length) + b"{}" * 40)
    with pytest.raises(ModelError, match="not a safetensors file"):
        read_weight_file(tmp_path / "w")


def test_no_tensors_that_share_bytes_are_believed() -> None:
    """At random: what is accepted adds up to no more than the file."""
    accepted = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(300):
            dice = random.Random(seed)
            ends = sorted(dice.sample(range(1, 64), 4))
            cuts = [0, *ends]
            tensors = {str(at): entry(cuts[at] + dice.choice([0, 0, 0, 0, -1, 1]), cuts[at + 1]) for at in range(4)}
            try:
                file = read_weight_file(write(Path(folder) / "w", tensors, 64))
            except ModelError:
                continue
            accepted += 1
            assert sum(one["data_offsets"][1] - one["data_offsets"][0] for one in tensors.values()) <= file.data_bytes
    assert 20 < accepted < 280
