"""The lock on a data folder, what it tells of the process before, and how a later process hands over."""

from __future__ import annotations

import fcntl
import json
import os
import random
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.launch.crash import last_run
from app.launch.single_instance import (
    LOCK,
    REPLY,
    HandOver,
    InstanceLock,
    decode_paths,
    encode_paths,
    lock_or_hand_over,
    lock_owner,
    try_lock,
)
from tests.protocol.test_plain_files import KINDS, spoil
from tests.seeds import chosen

HOLDING = """
import sys, time
from pathlib import Path
from app.launch.single_instance import try_lock
lock = try_lock(Path(sys.argv[1]), "0.9")
server = lock.listen()
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def first(tmp_path: Path) -> Iterator[InstanceLock]:
    lock = try_lock(tmp_path, "1.0")
    assert lock is not None
    yield lock
    lock.release()


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the folder, listens, and never answers."""
    with subprocess.Popen([sys.executable, "-c", HOLDING, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def answer_once(server: socket.socket, received: list[bytes], words: bytes = REPLY) -> threading.Thread:
    def serve() -> None:
        client, _ = server.accept()
        with client:
            received.append(client.recv(65_536))
            client.sendall(words)

    thread = threading.Thread(target=serve)
    thread.start()
    return thread


def test_one_folder_has_one_owner_and_another_folder_another(tmp_path: Path, first: InstanceLock) -> None:
    assert first.previous is None
    assert try_lock(tmp_path, "1.0") is None
    (tmp_path / "other").mkdir()
    elsewhere = try_lock(tmp_path / "other", "1.0")
    assert elsewhere is not None
    elsewhere.release()


def test_after_a_clean_end_nothing_is_told(tmp_path: Path) -> None:
    for _ in range(3):
        lock = try_lock(tmp_path, "1.0")
        assert lock is not None
        assert lock.previous is None
        server = lock.listen()
        address = server.getsockname()
        server.close()
        lock.release()
        lock.release()
        assert not Path(address).parent.exists()
    assert (tmp_path / LOCK).read_bytes() == b""


def test_a_killed_process_keeps_nobody_out_and_is_told_of(tmp_path: Path, other: subprocess.Popen[str]) -> None:
    assert try_lock(tmp_path, "1.0") is None
    before = lock_owner(tmp_path)
    assert before is not None
    other.send_signal(signal.SIGKILL)
    other.wait()
    assert Path(before.socket).exists()
    lock = try_lock(tmp_path, "1.0")
    assert lock is not None
    assert lock.previous == before
    assert (before.pid, before.version) == (other.pid, "0.9")
    assert abs(before.started - time.time()) < 60
    assert not Path(before.socket).parent.exists()
    lock.release()


def test_the_lock_and_the_socket_are_their_owner_s_only(tmp_path: Path, first: InstanceLock) -> None:
    server = first.listen()
    assert stat.S_IMODE((tmp_path / LOCK).stat().st_mode) == 0o600
    assert stat.S_IMODE(Path(server.getsockname()).parent.stat().st_mode) == 0o700
    server.close()


def test_the_socket_s_address_is_short_however_deep_the_folder_lies(tmp_path: Path) -> None:
    deep = tmp_path / "a folder with ä name" / ("x" * 120)
    deep.mkdir(parents=True)
    lock = try_lock(deep, "1.0")
    assert lock is not None
    lock.listen().close()
    lock.release()


def test_handing_over(tmp_path: Path, first: InstanceLock) -> None:
    received: list[bytes] = []
    with first.listen() as server:
        thread = answer_once(server, received)
        assert lock_or_hand_over(tmp_path, "1.0", [Path("/ä b/x.espalier"), Path("/model")]) is HandOver.OPENED
        thread.join()
    assert decode_paths(received[0].removesuffix(b"\n")) == ("/ä b/x.espalier", "/model")


def test_a_path_of_any_bytes_is_handed_over_as_it_is() -> None:
    odd = Path(os.fsdecode(b"/odd/\xff\xfe.md"))
    assert decode_paths(encode_paths([odd])) == (str(odd),)
    assert encode_paths([odd]).count(b"\n") == 1


@pytest.mark.parametrize(
    "line", [b"", b"{}", b"[]", b"null", b'{"paths": "x"}', b'{"paths": [1]}', b"\xff", b'{"paths": ["\\u0000"]}']
)
def test_what_is_no_message_is_refused(line: bytes) -> None:
    assert decode_paths(line) is None


def test_an_owner_that_does_not_answer(tmp_path: Path, other: subprocess.Popen[str]) -> None:
    assert lock_or_hand_over(tmp_path, "1.0", [], answering=0.05) is HandOver.NO_REPLY


def test_an_owner_that_hangs_up_has_not_taken_it(tmp_path: Path, first: InstanceLock) -> None:
    with first.listen() as server:
        thread = answer_once(server, [], b"")
        assert lock_or_hand_over(tmp_path, "1.0", []) is HandOver.NO_REPLY
        thread.join()


def test_an_owner_that_never_listens(tmp_path: Path, first: InstanceLock) -> None:
    assert lock_or_hand_over(tmp_path, "1.0", [], starting=0.05) is HandOver.NO_REPLY


def test_waiting_for_an_owner_that_is_still_starting(
    tmp_path: Path, first: InstanceLock, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    threads: list[threading.Thread] = []
    servers: list[socket.socket] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            servers.append(first.listen())
            threads.append(answer_once(servers[0], []))

    monkeypatch.setattr(time, "sleep", wait)
    assert lock_or_hand_over(tmp_path, "1.0", []) is HandOver.OPENED
    assert len(waited) == 3
    threads[0].join()
    servers[0].close()


def test_waiting_for_an_owner_that_is_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It answers nobody any more, and then it is gone: the later process takes its place."""
    ending = try_lock(tmp_path, "1.0")
    assert ending is not None
    ending.listen().close()
    monkeypatch.setattr(time, "sleep", lambda _seconds: ending.release())
    lock = lock_or_hand_over(tmp_path, "1.0", [])
    assert isinstance(lock, InstanceLock)
    assert lock.previous is None
    lock.release()


@pytest.mark.parametrize(
    "words", [b"\0" * 100, b"{", b"{}", b'{"pid": "x", "started": 0, "version": "", "socket": ""}', b"[1]"]
)
def test_words_that_say_nothing_keep_nobody_out(tmp_path: Path, words: bytes) -> None:
    (tmp_path / LOCK).write_bytes(words)
    lock = try_lock(tmp_path, "1.0")
    assert lock is not None
    assert lock.previous is None
    assert lock_owner(tmp_path) is not None
    lock.release()


def test_a_lock_s_words_cannot_have_anything_else_removed(tmp_path: Path) -> None:
    innocent = tmp_path / "precious" / "first"
    innocent.parent.mkdir()
    innocent.write_text("kept")
    words = {"pid": 1, "started": 0.0, "version": "1", "socket": str(innocent)}
    (tmp_path / LOCK).write_text(json.dumps(words))
    lock = try_lock(tmp_path, "1.0")
    assert lock is not None
    lock.release()
    assert innocent.read_text() == "kept"


def test_without_locks_the_program_runs_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_file: int, _how: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    lock = try_lock(tmp_path, "1.0")
    assert lock is not None
    lock.release()
    gone = try_lock(tmp_path / "gone", "1.0")
    assert gone is not None
    gone.release()


def test_a_full_disk_costs_only_the_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_file: int, _words: bytes, _at: int) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", refuse)
    lock = try_lock(tmp_path, "1.0")
    assert lock is not None
    assert try_lock(tmp_path, "1.0") is None
    lock.release()


@pytest.mark.timeout(20)
@pytest.mark.parametrize("kind", KINDS)
def test_what_lies_in_the_locks_place_keeps_nobody_out(tmp_path: Path, kind: str) -> None:
    spoil(tmp_path / LOCK, kind)
    lock = lock_or_hand_over(tmp_path, "1.0", ())
    assert isinstance(lock, InstanceLock)
    assert lock.previous is None
    assert try_lock(tmp_path, "1.0") is None
    assert (kept := list(tmp_path.glob("*.broken-*"))) == [] or kind != "huge", kept
    lock.release()


SPOILT = [b"", b"\xff\xfe", b"{", b"[" * 100_000, b"{}", b"null", b"NaN", b'{"pid": 1e999}', b'"x"', b"\0" * 5000]
ODD_WORDS = [
    None,
    -1,
    0,
    1,
    1e308,
    float("inf"),
    float("nan"),
    10**400,
    "x",
    "x" * 5000,
    "a\0b",
    "\ud800",
    [],
    {},
    True,
]


def test_any_words_in_the_lock_are_an_owner_or_nothing(tmp_path: Path) -> None:
    """And a report can be written of whoever they name."""
    sound = {"pid": 7, "started": 1.0, "version": "1", "socket": ""}
    texts = [*SPOILT]
    for seed in chosen(range(200)):
        dice = random.Random(seed)
        texts.append(json.dumps({name: dice.choice([value, *ODD_WORDS]) for name, value in sound.items()}).encode())
    for text in texts:
        (tmp_path / LOCK).write_bytes(text)
        lock = try_lock(tmp_path, "1.0")
        assert lock is not None, text
        last_run(tmp_path / "logs", lock.previous)
        lock.release()
    assert decode_paths(b"[" * 100_000) is None
