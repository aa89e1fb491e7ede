"""A snapshot file is what was written, byte for byte, or it is refused."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import struct
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import mlx.core as mx
import pytest
from safetensors import deserialize

from app.kvcache.disk import files
from app.kvcache.disk.files import AbandonedError, DamagedFileError, SnapshotFile, Tensor
from tests.kvcache.disk.samples import DAMAGES, corrupt, is_refused, tensors_of

CORRUPTIONS = 200
ABOUT = {"kind": "rows", "start": "17", "words": "gefälscht\n\x00“"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "snapshots" / "0123abcd"
    files.prepare(folder)
    return folder


def content(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_reads_back_as_it_was_written(folder: Path) -> None:
    tensors = [*tensors_of(Random(1)), Tensor("none", "F16", (2, 0), b""), Tensor("one", "I64", (), bytes(8))]
    name, nbytes = files.write(folder, tensors, ABOUT)
    file = SnapshotFile(folder / name)
    file.verify()
    assert file.about == ABOUT
    assert {one: file.tensor(one) for one in file.names} == {tensor.name: tensor for tensor in tensors}
    assert (folder / name).stat().st_size == nbytes == file.nbytes
    assert name == hashlib.sha256((folder / name).read_bytes()).hexdigest() + ".safetensors"
    assert content(folder) == [name]


def test_two_writes_of_one_content_are_one_file(folder: Path) -> None:
    first = files.write(folder, tensors_of(Random(2)), ABOUT)
    assert files.write(folder, tensors_of(Random(2)), ABOUT) == first
    assert files.write(folder, tensors_of(Random(2)), {}) != first
    assert len(content(folder)) == 2


def test_mlx_and_safetensors_read_the_same_bits(folder: Path) -> None:
    """Bfloat16 has no type in Python: its bits pass as bytes, the odd ones (infinities, NaNs, minus zero) too."""
    bits = mx.array([0x3F80, 0x7F80, 0xFF80, 0x7FC1, 0x8000, 0x0001, 0xC2F7, 0x4049], dtype=mx.uint16).reshape(2, 4)
    keys, states = bits.view(mx.bfloat16), mx.random.normal((3, 5))
    tensors = [
        Tensor("keys", "BF16", (2, 4), bytes(memoryview(bits))),  # type: ignore[arg-type]
        Tensor("states", "F32", (3, 5), bytes(memoryview(states))),  # type: ignore[arg-type]
    ]
    path = folder / files.write(folder, tensors, ABOUT).name
    loaded: Any = mx.load(str(path))
    assert loaded["keys"].dtype == keys.dtype
    assert mx.array_equal(loaded["keys"].view(mx.uint16), bits)
    assert mx.array_equal(loaded["states"], states)
    theirs = dict(deserialize(path.read_bytes()))
    assert {name: bytes(tensor["data"]) for name, tensor in theirs.items()} == {one.name: one.data for one in tensors}


def test_only_the_owner_may_read(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "here"
    before = os.umask(0)
    try:
        files.prepare(folder)
        name = files.write(folder, tensors_of(Random(3)), ABOUT).name
        files.write_index(folder, b"index")
    finally:
        os.umask(before)
    modes = [path.stat().st_mode & 0o777 for path in (folder.parent, folder, folder / name, folder / files.INDEX)]
    assert modes == [0o700, 0o700, 0o600, 0o600]
    folder.chmod(0o755)
    files.prepare(folder)
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "tensor",
    [
        Tensor("x", "F32", (2,), bytes(7)),
        Tensor("x", "F31", (2,), bytes(8)),
        Tensor("__metadata__", "F32", (2,), bytes(8)),
        Tensor("y", "F32", (2,), bytes(8)),
    ],
)
def test_bytes_that_are_not_of_their_shape_are_refused(folder: Path, tensor: Tensor) -> None:
    with pytest.raises(ValueError, match=f"{len(tensor.data)} bytes for “{tensor.name}”"):
        files.write(folder, [Tensor("y", "F32", (2,), bytes(8)), tensor], ABOUT)
    assert content(folder) == []


def test_every_corruption_is_detected_or_harmless(folder: Path) -> None:
    detected = corrupt(folder, CORRUPTIONS, seed=20261120)
    assert detected > CORRUPTIONS * 0.8  # the others changed nothing: a swap with itself, zeros where zeros were


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_every_kind_of_damage_is_one(folder: Path, damage: Callable[[bytes, Random, bytes], bytes]) -> None:
    whole, other = (folder / files.write(folder, tensors_of(Random(at)), ABOUT).name for at in (4, 5))
    whole.write_bytes(damage(whole.read_bytes(), Random(6), other.read_bytes()))
    assert is_refused(whole)
    assert not is_refused(other)


def named_by_content(folder: Path, data: bytes) -> Path:
    """A file whose checksum is right, whatever it holds."""
    path = folder / (hashlib.sha256(data).hexdigest() + ".safetensors")
    path.write_bytes(data)
    return path


def with_header(entries: object, data: bytes = b"") -> bytes:
    text = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    return struct.pack("<Q", len(text)) + text + data


WHOLE = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
HEADERS: dict[str, bytes] = {
    "empty": b"",
    "short": b"\x02\x00\x00",
    "no header": struct.pack("<Q", 0),
    "longer than the file": struct.pack("<Q", 99) + b"{}",
    "enormous": struct.pack("<Q", 2**64 - 1) + b"{}",
    "not JSON": with_header(b"{nothing"),
    "not text": with_header(b"\xff\xfe\xfd\xfc"),
    "deep": with_header(b"[" * 200_000),
    "long number": with_header(b'{"x":' + b"9" * 5000 + b"}"),
    "a list": with_header([1, 2]),
    "a tensor that is none": with_header({"x": 1}),
    "no offsets": with_header({"x": {"dtype": "F32", "shape": [2]}}, bytes(8)),
    "one offset": with_header({"x": {**WHOLE, "data_offsets": [0]}}, bytes(8)),
    "beyond the file": with_header({"x": WHOLE}, bytes(7)),
    "bytes left over": with_header({"x": WHOLE}, bytes(9)),
    "a gap": with_header({"x": WHOLE, "y": {**WHOLE, "data_offsets": [12, 20]}}, bytes(20)),
    "an overlap": with_header({"x": WHOLE, "y": {**WHOLE, "data_offsets": [4, 12]}}, bytes(12)),
    "negative": with_header({"x": {**WHOLE, "shape": [-2], "data_offsets": [0, -8]}}, b""),
    "negative twice": with_header({"x": {**WHOLE, "shape": [-2, -1]}}, bytes(8)),
    "not whole": with_header({"x": {**WHOLE, "shape": [2.0]}}, bytes(8)),
    "true": with_header({"x": {**WHOLE, "shape": [True, 2]}}, bytes(8)),
    "words": with_header({"x": {**WHOLE, "data_offsets": ["0", "8"]}}, bytes(8)),
    "unknown type": with_header({"x": {**WHOLE, "dtype": "F31"}}, bytes(8)),
    "type that is none": with_header({"x": {**WHOLE, "dtype": ["F32"]}}, bytes(8)),
    "another shape": with_header({"x": {**WHOLE, "shape": [3]}}, bytes(8)),
    "about is none": with_header({"__metadata__": [], "x": WHOLE}, bytes(8)),
    "about of numbers": with_header({"__metadata__": {"start": 1}, "x": WHOLE}, bytes(8)),
}


@pytest.mark.parametrize("data", HEADERS.values(), ids=HEADERS.keys())
def test_a_header_that_makes_no_sense_is_refused(folder: Path, data: bytes) -> None:
    with pytest.raises(DamagedFileError):
        SnapshotFile(named_by_content(folder, data))


def test_a_header_of_sense_is_read(folder: Path) -> None:
    file = SnapshotFile(named_by_content(folder, with_header({"x": WHOLE}, bytes(range(8)))))
    assert file.tensor("x").data == bytes(range(8))
    assert file.about == {}
    with pytest.raises(DamagedFileError, match="no tensor “y”"):
        file.tensor("y")


def test_changed_headers_under_a_right_name_are_refused_or_read(folder: Path) -> None:
    """Nobody damages a file and names it anew; but if, then what is read lies within the file."""
    random = Random(7)
    whole = (folder / files.write(folder, tensors_of(random), ABOUT).name).read_bytes()
    refused = 0
    for number in range(CORRUPTIONS):
        path = named_by_content(folder, DAMAGES[number % 2](whole[:300], random, whole) + whole[300:])
        try:
            file = SnapshotFile(path)
            for name in file.names:
                file.tensor(name)
        except DamagedFileError:
            refused += 1
        path.unlink()
    assert 0 < refused < CORRUPTIONS


def test_a_file_that_is_cut_while_it_is_read_is_refused(folder: Path) -> None:
    path = folder / files.write(folder, tensors_of(Random(8)), ABOUT).name
    file = SnapshotFile(path)
    os.truncate(path, file.nbytes - 1)
    with pytest.raises(DamagedFileError, match="shorter"):
        [file.tensor(name) for name in file.names]


def test_a_sweep_lists_whole_files_and_removes_the_rest(folder: Path) -> None:
    kept = [files.write(folder, tensors_of(Random(at)), ABOUT) for at in range(3)]
    (folder / "0123456789abcdef.part").write_bytes(b"begun")
    files.write_index(folder, b"index")
    (folder / "notes.txt").write_text("the person's own")
    (folder / ("a" * 64 + ".safetensors")).mkdir()
    (folder / ("b" * 64 + ".safetensors")).symlink_to(folder / kept[0].name)
    assert files.sweep(folder) == dict(kept)
    assert not list(folder.glob("*.part"))
    assert (folder / "notes.txt").exists()
    assert files.sweep(folder / "gone") == {}


def test_wiping_leaves_what_is_not_ours(folder: Path) -> None:
    for at in range(3):
        files.write(folder, tensors_of(Random(at)), ABOUT)
    files.write_index(folder, b"index")
    (folder / "notes.txt").write_text("the person's own")
    files.wipe(folder)
    assert content(folder) == ["notes.txt"]
    (folder / "notes.txt").unlink()
    files.wipe(folder)
    assert not folder.exists()
    files.wipe(folder)


def test_an_index_is_replaced_whole(folder: Path) -> None:
    assert files.read_index(folder) is None
    files.write_index(folder, b"first")
    files.write_index(folder, b"second")
    assert files.read_index(folder) == b"second"
    assert content(folder) == [files.INDEX]


def test_an_open_file_is_read_to_its_end_after_it_was_deleted(folder: Path) -> None:
    name = files.write(folder, tensors_of(Random(9)), ABOUT).name
    with (folder / name).open("rb") as file:
        files.delete(folder, name)
        files.delete(folder, name)
        assert hashlib.file_digest(file, "sha256").hexdigest() + ".safetensors" == name


# What a disk may do while something is written.


def failing_at(call: int, error: int, function: Callable[..., int]) -> Callable[..., int]:
    """The function, but that one call of it fails."""
    calls = iter(range(call + 1))

    def fail(*arguments: Any) -> int:
        if next(calls, None) == call:
            raise OSError(error, os.strerror(error))
        return function(*arguments)

    return fail


@pytest.mark.parametrize(
    ("name", "call", "error"),
    [
        ("open", 0, errno.EACCES),
        ("open", 0, errno.EROFS),
        ("write", 0, errno.ENOSPC),
        ("write", 2, errno.ENOSPC),
        ("write", 1, errno.EIO),
        ("fsync", 0, errno.ENOSPC),
        ("fsync", 0, errno.EDQUOT),
        ("replace", 0, errno.ENOENT),
    ],
)
def test_after_an_error_nothing_is_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, call: int, error: int
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(files, "_FULL_SYNC", None)
        patch.setattr(os, name, failing_at(call, error, getattr(os, name)))
        with pytest.raises(OSError, match=os.strerror(error)) as raised:
            files.write(folder, tensors_of(Random(10)), ABOUT)
    assert raised.value.errno == error
    assert content(folder) == []
    assert not is_refused(folder / files.write(folder, tensors_of(Random(10)), ABOUT).name)


def test_a_disk_that_takes_few_bytes_at_a_time_gets_them_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda file, data: write(file, data[:7]))
        name = files.write(folder, tensors_of(Random(11)), ABOUT).name
    assert not is_refused(folder / name)


def test_a_folder_that_cannot_be_synced_keeps_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_FULL_SYNC", None)
    monkeypatch.setattr(os, "fsync", failing_at(1, errno.EINVAL, os.fsync))
    name = files.write(folder, tensors_of(Random(12)), ABOUT).name
    assert content(folder) == [name]


@pytest.mark.parametrize("is_there", [True, False])
def test_on_a_mac_a_file_is_synced_past_the_drives_cache_where_that_exists(
    folder: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    asked, synced = [], []

    def full_sync(file: int, what: int) -> None:
        asked.append((os.fstat(file).st_size, what))
        if not is_there:
            raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))

    monkeypatch.setattr(files, "_FULL_SYNC", 51)
    monkeypatch.setattr(fcntl, "fcntl", full_sync)
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(os.fstat(file).st_size))
    written = files.write(folder, tensors_of(Random(16)), ABOUT)
    assert asked == [(written.nbytes, 51)]
    assert synced[:-1] == ([] if is_there else [written.nbytes])  # the last one is the folder


def test_a_write_that_is_given_up_leaves_nothing(folder: Path) -> None:
    answers = iter([True, True, False])
    with pytest.raises(AbandonedError):
        files.write(folder, tensors_of(Random(13)), ABOUT, lambda: next(answers))
    assert next(answers, None) is None
    assert content(folder) == []


def test_a_folder_that_is_gone_is_not_made_again(folder: Path) -> None:
    folder.rmdir()
    with pytest.raises(FileNotFoundError):
        files.write(folder, tensors_of(Random(14)), ABOUT)
    assert not folder.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_may_not_be_written_to(folder: Path) -> None:
    folder.chmod(0o500)
    with pytest.raises(PermissionError):
        files.write(folder, tensors_of(Random(15)), ABOUT)
    folder.chmod(0o700)


def test_a_disk_that_is_really_full(tiny_disk: Path) -> None:
    large = [Tensor("x", "U8", (400_000,), bytes(400_000))]
    kept = [files.write(tiny_disk, large, {"number": str(number)}).name for number in range(2)]
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        files.write(tiny_disk, large, {"number": "2"})
    assert content(tiny_disk) == sorted(kept)
    assert not any(is_refused(tiny_disk / name) for name in kept)
    files.delete(tiny_disk, kept[0])
    files.write(tiny_disk, large, {"number": "2"})
