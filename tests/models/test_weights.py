"""Parameters are counted, or reckoned from the size of the files; a file that is cut short is found."""

from __future__ import annotations

import json
import os
import random
import struct
from pathlib import Path

import pytest

from app.models.weights import INDEX, DamagedError, Weights, packing, read_weights
from app.protocol.plain_files import UnfitFileError
from tests.models.folders import quantized, write_model, write_weights
from tests.seeds import chosen


def measured(folder: Path, bits: int = 0, group: int = 0) -> Weights:
    files = {path.name: path.stat().st_size for path in folder.iterdir()}
    names = sorted(name for name in files if name.endswith(".safetensors"))
    return read_weights(folder, files, names, bits, group)


def test_packed_weights_count_as_what_they_were_before(tmp_path: Path) -> None:
    for bits in (2, 3, 4, 6, 8):
        write_weights(tmp_path / "model.safetensors", quantized(1, 256, bits))
        matrices, norms = 7 * 256 * 256, 2 * 256
        nbytes = matrices * bits // 8 + matrices // 64 * 2 * 2 + norms * 2
        assert measured(tmp_path, bits, 64) == Weights(matrices + norms, "", nbytes)


def test_plain_weights_are_counted_with_their_type(tmp_path: Path) -> None:
    write_weights(
        tmp_path / "model.safetensors", {"a.weight": ("BF16", [10, 20]), "a.bias": ("F32", [10]), "s": ("F32", [])}
    )
    assert measured(tmp_path) == Weights(211, "bf16", 200 * 2 + 11 * 4)


@pytest.mark.parametrize("bits", [0, 3, 4, 8])
def test_what_is_reckoned_is_near_what_is_counted(tmp_path: Path, bits: int) -> None:
    """Of a large model only the size of its files is asked for: it must say much the same."""
    plain = {f"layers.{layer}.weight": ("BF16", [4096, 4096]) for layer in range(252)}
    write_weights(tmp_path / "model.safetensors", quantized(36, 4096, bits) if bits else plain)
    assert abs(measured(tmp_path, bits, 64 if bits else 0).parameters / (252 * 4096 * 4096) - 1) < 0.01


def test_an_index_that_says_how_many_there_are_is_believed(tmp_path: Path) -> None:
    write_model(tmp_path, total=123_456)
    assert measured(tmp_path, 4, 64).parameters == 123_456
    (tmp_path / INDEX).write_bytes(b"\xff" * 5000)
    assert measured(tmp_path, 4, 64).parameters > 200_000


def test_many_files_are_reckoned_together(tmp_path: Path) -> None:
    for number in range(80):
        write_weights(tmp_path / f"model-{number:05}-of-00080.safetensors", {"w": ("BF16", [1000, 1000])})
    assert measured(tmp_path).parameters == pytest.approx(80e6, rel=0.01)


def test_a_file_that_is_cut_short_is_damaged(tmp_path: Path) -> None:
    for tensors in (quantized(1, 128), quantized(36, 512)):
        write_weights(tmp_path / "model.safetensors", tensors, cut=1)
        with pytest.raises(DamagedError, match=r"model\.safetensors"):
            measured(tmp_path, 4, 64)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x08",
        struct.pack("<Q", 1 << 60) + b"{}",
        struct.pack("<Q", 2) + b"[]",
        struct.pack("<Q", 200) + b"{}",
        struct.pack("<Q", 3) + b"{]}",
        struct.pack("<Q", 20_000) + b"{" + b'"a":[' * 3000 + b" " * 5000,
    ],
)
def test_what_is_no_header_is_damaged(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "model.safetensors").write_bytes(data)
    with pytest.raises(DamagedError):
        measured(tmp_path)


def test_odd_entries_of_a_header_count_for_nothing(tmp_path: Path) -> None:
    """At random: whatever JSON stands where a tensor should, a number comes out."""
    odd = [None, [], {}, 7, "x", [1, "a"], {"shape": [-1]}, {"shape": [1e9]}, {"shape": [2**60] * 50}, {"shape": "x"}]
    for seed in chosen(range(200)):
        dice = random.Random(seed)
        header = {name: dice.choice(odd) for name in ("a.weight", "a.scales", "__metadata__", "b")}
        if dice.random() < 0.5:
            header["c.weight"] = {"dtype": dice.choice([None, 4, "U32"]), "shape": [3, 4]}
            header["c.scales"] = {"dtype": "F16", "shape": dice.choice([[], [3, 1], ["x"]])}
        text = json.dumps(header).encode()
        (tmp_path / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text)
        assert 0 <= measured(tmp_path, 4, 64).parameters <= 10**15, seed


def test_how_tensors_are_packed_is_read_from_their_metadata(tmp_path: Path) -> None:
    write_weights(tmp_path / "a", {"w": ("U32", [2, 2])}, {"quant_type": "int4", "group_size": "64"})
    write_weights(tmp_path / "b", {"w": ("BF16", [2, 2])})
    (tmp_path / "c").write_bytes(b"nothing")
    os.mkfifo(tmp_path / "pipe")
    assert [packing(tmp_path / name) for name in ("a", "b", "c", "gone", "pipe")] == ["int4", "", "", "", ""]


def test_a_pipe_in_the_place_of_weights_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "model.safetensors")
    with pytest.raises(UnfitFileError):
        read_weights(tmp_path, {"model.safetensors": 1000}, ["model.safetensors"], 0, 0)
