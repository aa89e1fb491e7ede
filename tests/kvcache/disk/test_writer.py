"""The thread that writes: in order, within its bounds, and never held up for good by a disk."""

from __future__ import annotations

import errno
import gc
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from app.kvcache.disk import files
from app.kvcache.disk.files import Tensor
from app.kvcache.disk.writer import Done, Failed, Writer
from tests.kvcache.disk.samples import is_refused, tensors_of

KIB = 1 << 10


class Gate:
    """A disk that answers no write before `open`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached = threading.Event()
        self._is_open = threading.Event()
        self._write = os.write
        monkeypatch.setattr(os, "write", self._wait)

    def open(self) -> None:
        self._is_open.set()

    def _wait(self, file: int, data: Any) -> int:
        self.reached.set()
        self._is_open.wait(60)
        return self._write(file, data)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate = Gate(monkeypatch)
    yield gate
    gate.open()


@pytest.fixture
def make_writer() -> Iterator[Callable[..., Writer]]:
    made: list[Writer] = []

    def make(*arguments: int) -> Writer:
        made.append(Writer(*arguments))
        return made[-1]

    yield make
    for writer in made:
        writer.close(10)


@pytest.fixture
def writer(make_writer: Callable[..., Writer]) -> Writer:
    return make_writer()


def block(number: int, nbytes: int = KIB) -> list[Tensor]:
    return [Tensor("x", "U8", (nbytes,), number.to_bytes(8, "little") + bytes(nbytes - 8))]


def finished(writer: Writer) -> list[Done | Failed]:
    """All of it, once there is nothing left to do."""
    assert writer.wait(60)
    return writer.finished()


def test_files_are_written_in_order_and_told_of_once(writer: Writer, tmp_path: Path) -> None:
    assert all(writer.put(key, tmp_path, tensors_of(Random(key)), {"key": str(key)}) for key in range(30))
    done = finished(writer)
    assert [one.key for one in done] == [*range(30)]
    assert files.sweep(tmp_path) == {one.name: one.nbytes for one in done if isinstance(one, Done)}
    assert not any(is_refused(tmp_path / name) for name in files.sweep(tmp_path))
    assert writer.finished() == []
    assert writer.pending_bytes == 0
    assert writer.close(10) == 0


def test_what_waits_is_bounded(gate: Gate, make_writer: Callable[..., Writer], tmp_path: Path) -> None:
    writer = make_writer(10 * KIB)
    assert [writer.put(key, tmp_path, block(key), {}) for key in range(12)] == [True] * 10 + [False] * 2
    assert writer.pending_bytes == 10 * KIB
    gate.open()
    assert [one.key for one in finished(writer)] == [*range(10)]
    assert writer.put(12, tmp_path, block(12, 11 * KIB), {}), "nothing waits, so one that is too large goes alone"
    assert not writer.put(13, tmp_path, block(13), {}) or writer.finished()
    assert isinstance(finished(writer)[0], Done)


def test_bytes_are_let_go_of_once_they_are_written(writer: Writer, tmp_path: Path) -> None:
    tensors = block(1, 64 * KIB)
    data = tensors[0].data
    before = sys.getrefcount(data)
    assert writer.put(1, tmp_path, tensors, {})
    finished(writer)
    writer.put(2, tmp_path, block(2), {})  # the thread is past the first job for certain
    finished(writer)
    gc.collect()
    assert sys.getrefcount(data) == before


def test_wrong_bytes_are_the_callers_fault_and_stop_nothing(writer: Writer, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="7 bytes"):
        writer.put(1, tmp_path, [Tensor("x", "F32", (2,), bytes(7))], {})
    assert writer.pending_bytes == 0
    assert writer.put(2, tmp_path, block(2), {})
    assert [one.key for one in finished(writer)] == [2]


def test_deleting_and_wiping_wait_their_turn(writer: Writer, tmp_path: Path) -> None:
    folder = tmp_path / "a"
    writer.put(1, folder, block(1), {})
    (done,) = finished(writer)
    assert isinstance(done, Done)
    writer.delete(folder, done.name)
    writer.delete(folder, done.name)
    writer.put(2, folder, block(1), {})
    assert [one.key for one in finished(writer)] == [2]
    assert [*files.sweep(folder)] == [done.name]
    writer.wipe(folder)
    assert finished(writer) == []
    assert not folder.exists()
    writer.put(3, folder, block(3), {})
    assert isinstance(finished(writer)[0], Done)


def test_an_index_that_waits_is_replaced_by_a_newer_one(
    gate: Gate, writer: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, written = files.write_index, []

    def note(folder: Path, data: bytes) -> None:
        written.append(data)
        index(folder, data)

    monkeypatch.setattr(files, "write_index", note)
    writer.put(1, tmp_path, block(1), {})
    assert gate.reached.wait(60)
    for number in range(5):
        writer.write_index(tmp_path, str(number).encode())
    gate.open()
    finished(writer)
    assert (written, files.read_index(tmp_path)) == ([b"4"], b"4")
    writer.write_index(tmp_path, b"5")
    finished(writer)
    assert files.read_index(tmp_path) == b"5"


# Faults


def test_a_full_disk_fails_one_job_and_not_the_next(
    writer: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_FULL_SYNC", None)
    sync, calls = os.fsync, iter(range(99))

    def full_at_first(file: int) -> None:
        if next(calls) == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(file)

    monkeypatch.setattr(os, "fsync", full_at_first)
    for key in (1, 2):
        writer.put(key, tmp_path, block(key), {})
    first, second = finished(writer)
    assert first == Failed(1, errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert isinstance(second, Done)
    assert [path.name for path in tmp_path.iterdir()] == [second.name]


def test_a_folder_that_is_removed_meanwhile_is_made_again(writer: Writer, tmp_path: Path) -> None:
    """Whoever tidies up deletes caches; one that is in the way of a file fails, and no longer than it is."""
    root = tmp_path / "snapshots"
    folder = root / "fingerprint"
    for key in (1, 2):
        writer.put(key, folder, block(key), {})
        writer.write_index(folder, b"index")
        (done,) = finished(writer)
        assert isinstance(done, Done)
        assert sorted(path.name for path in folder.iterdir()) == sorted([done.name, files.INDEX])
        assert [path.stat().st_mode & 0o777 for path in (root, folder)] == [0o700, 0o700]
        shutil.rmtree(root)
    root.write_bytes(b"in the way")
    writer.put(3, folder, block(3), {})
    writer.delete(folder, "a" * 64 + ".safetensors")
    writer.write_index(folder, b"index")
    assert finished(writer) == [Failed(3, errno.ENOTDIR, os.strerror(errno.ENOTDIR))]
    root.unlink()
    writer.put(4, folder, block(4), {})
    assert isinstance(finished(writer)[0], Done)


def test_a_place_that_is_no_folder_or_refuses_fails(
    writer: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    writer.put(1, tmp_path / "file", block(1), {})
    assert finished(writer) == [Failed(1, errno.ENOTDIR, "“file” is a link or a file in the place of a folder")]

    def refuse(*_arguments: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        writer.put(2, tmp_path, block(2), {})
        assert finished(writer) == [Failed(2, errno.EACCES, os.strerror(errno.EACCES))]
    writer.put(3, tmp_path, block(3), {})
    assert isinstance(finished(writer)[0], Done)


# Closing


def test_closing_finishes_what_it_can(writer: Writer, tmp_path: Path) -> None:
    for key in range(20):
        writer.put(key, tmp_path, block(key), {})
    writer.write_index(tmp_path, b"index")
    assert writer.close(60) == 0
    assert [one.key for one in writer.finished()] == [*range(20)]
    assert files.read_index(tmp_path) == b"index"


def test_at_the_deadline_the_rest_is_dropped(gate: Gate, writer: Writer, tmp_path: Path) -> None:
    """The disk does not answer at all, and yet `close` returns: the gate is opened after it."""
    for key in range(5):
        writer.put(key, tmp_path, block(key), {})
    writer.write_index(tmp_path, b"index")
    assert gate.reached.wait(60)
    assert writer.close(0) == 5
    assert not writer.put(9, tmp_path, block(9), {})
    writer.delete(tmp_path, "a" * 64 + ".safetensors")
    assert writer.close(0) == 0
    gate.open()
    writer._thread.join(60)
    assert not writer._thread.is_alive()
    assert not list(tmp_path.glob("*.part"))
    assert len(files.sweep(tmp_path)) <= 1
    assert writer.pending_bytes == 0


def test_a_large_file_is_given_up_at_the_deadline(gate: Gate, writer: Writer, tmp_path: Path) -> None:
    writer.put(1, tmp_path, block(1, 4 << 20), {})
    assert gate.reached.wait(60)
    closing = threading.Timer(0.05, gate.open)
    closing.start()
    assert writer.close(0) == 1
    closing.join()
    writer._thread.join(60)
    assert [*tmp_path.iterdir()] == []


# Killed

SCRIBBLER = """
import os, sys, time
from pathlib import Path
from app.kvcache.disk import files
from app.kvcache.disk.files import Tensor
from app.kvcache.disk.writer import Writer

folder, stop_at = Path(sys.argv[1]), sys.argv[2]
if stop_at == "sync":
    files._FULL_SYNC = None
    syncs, sync = iter(range(10**6)), os.fsync
    def stuck(file):
        if next(syncs) == 8:
            print("now", flush=True)
            time.sleep(600)
        sync(file)
    os.fsync = stuck
writer = Writer(8 << 20)
key = int.from_bytes(os.urandom(6), "big")
for number in range(10**9):
    key += 1
    data = key.to_bytes(8, "big") + os.urandom(1 << 20)
    while not writer.put(key, folder, [Tensor("x", "U8", (len(data),), data)], {}):
        time.sleep(0.001)
    if number == 12 and stop_at != "sync":
        print("now", flush=True)
"""


def killed(folder: Path, stop_at: str, seconds: float) -> None:
    """Have another process write into the folder, and kill it while it does."""
    command = [sys.executable, "-c", SCRIBBLER, str(folder), stop_at]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(files.__file__).parents[3]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"now\n"
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize(("stop_at", "seconds"), [("any", 0), ("any", 0.01), ("any", 0.05), ("sync", 0)])
def test_a_process_that_is_killed_leaves_whole_files_and_parts(tmp_path: Path, stop_at: str, seconds: float) -> None:
    killed(tmp_path, stop_at, seconds)
    parts = list(tmp_path.glob("*.part"))
    assert len(parts) == 1 if stop_at == "sync" else len(parts) <= 1
    names = files.sweep(tmp_path)
    assert names
    assert not any(is_refused(tmp_path / name) for name in names)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
