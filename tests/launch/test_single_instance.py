"""The lock on a data folder, what it tells of the process before, and how a later process hands over."""

from __future__ import annotations

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

from app.launch import single_instance
from app.launch.crash import last_run
from app.launch.single_instance import ANSWER, LOCK, Answer, Claim, claim, enter, holder, message, paths_of
from tests.launch.test_plain_files import KINDS, spoil

HOLDING = """
import sys, time
from pathlib import Path
from app.launch.single_instance import claim
mine = claim(Path(sys.argv[1]), "0.9")
server = mine.listen()
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def first(tmp_path: Path) -> Iterator[Claim]:
    mine = claim(tmp_path, "1.0")
    assert mine is not None
    yield mine
    mine.release()


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the folder, listens, and never answers."""
    with subprocess.Popen([sys.executable, "-c", HOLDING, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def answer_once(server: socket.socket, heard: list[bytes], words: bytes = ANSWER) -> threading.Thread:
    def serve() -> None:
        caller, _ = server.accept()
        with caller:
            heard.append(caller.recv(65_536))
            caller.sendall(words)

    thread = threading.Thread(target=serve)
    thread.start()
    return thread


def test_one_folder_has_one_holder_and_another_folder_another(tmp_path: Path, first: Claim) -> None:
    assert first.previous is None
    assert claim(tmp_path, "1.0") is None
    (tmp_path / "other").mkdir()
    elsewhere = claim(tmp_path / "other", "1.0")
    assert elsewhere is not None
    elsewhere.release()


def test_after_a_clean_end_nothing_is_told(tmp_path: Path) -> None:
    for _ in range(3):
        mine = claim(tmp_path, "1.0")
        assert mine is not None
        assert mine.previous is None
        server = mine.listen()
        address = server.getsockname()
        server.close()
        mine.release()
        mine.release()
        assert not Path(address).parent.exists()
    assert (tmp_path / LOCK).read_bytes() == b""


def test_a_killed_process_keeps_nobody_out_and_is_told_of(tmp_path: Path, other: subprocess.Popen[str]) -> None:
    assert claim(tmp_path, "1.0") is None
    before = holder(tmp_path)
    assert before is not None
    other.send_signal(signal.SIGKILL)
    other.wait()
    assert Path(before.socket).exists()
    mine = claim(tmp_path, "1.0")
    assert mine is not None
    assert mine.previous == before
    assert (before.pid, before.version) == (other.pid, "0.9")
    assert abs(before.started - time.time()) < 60
    assert not Path(before.socket).parent.exists()
    mine.release()


def test_the_lock_and_the_socket_are_their_owner_s_only(tmp_path: Path, first: Claim) -> None:
    server = first.listen()
    assert stat.S_IMODE((tmp_path / LOCK).stat().st_mode) == 0o600
    assert stat.S_IMODE(Path(server.getsockname()).parent.stat().st_mode) == 0o700
    server.close()


def test_the_socket_s_address_is_short_however_deep_the_folder_lies(tmp_path: Path) -> None:
    deep = tmp_path / "a folder with ä name" / ("x" * 120)
    deep.mkdir(parents=True)
    mine = claim(deep, "1.0")
    assert mine is not None
    mine.listen().close()
    mine.release()


def test_handing_over(tmp_path: Path, first: Claim) -> None:
    heard: list[bytes] = []
    with first.listen() as server:
        thread = answer_once(server, heard)
        assert enter(tmp_path, "1.0", [Path("/ä b/x.espalier"), Path("/model")]) is Answer.OPENED
        thread.join()
    assert paths_of(heard[0].removesuffix(b"\n")) == ("/ä b/x.espalier", "/model")


def test_a_path_of_any_bytes_is_handed_over_as_it_is() -> None:
    odd = Path(os.fsdecode(b"/odd/\xff\xfe.md"))
    assert paths_of(message([odd])) == (str(odd),)
    assert message([odd]).count(b"\n") == 1


@pytest.mark.parametrize(
    "line", [b"", b"{}", b"[]", b"null", b'{"paths": "x"}', b'{"paths": [1]}', b"\xff", b'{"paths": ["\\u0000"]}']
)
def test_what_is_no_message_is_refused(line: bytes) -> None:
    assert paths_of(line) is None


def test_a_holder_that_does_not_answer(tmp_path: Path, other: subprocess.Popen[str]) -> None:
    assert enter(tmp_path, "1.0", [], answering=0.05) is Answer.SILENCE


def test_a_holder_that_hangs_up_has_not_taken_it(tmp_path: Path, first: Claim) -> None:
    with first.listen() as server:
        thread = answer_once(server, [], b"")
        assert enter(tmp_path, "1.0", []) is Answer.SILENCE
        thread.join()


def test_a_holder_that_never_listens(tmp_path: Path, first: Claim) -> None:
    assert enter(tmp_path, "1.0", [], starting=0.05) is Answer.SILENCE


def test_waiting_for_a_holder_that_is_still_starting(
    tmp_path: Path, first: Claim, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    threads: list[threading.Thread] = []
    servers: list[socket.socket] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            servers.append(first.listen())
            threads.append(answer_once(servers[0], []))

    monkeypatch.setattr(single_instance.time, "sleep", wait)
    assert enter(tmp_path, "1.0", []) is Answer.OPENED
    assert len(waited) == 3
    threads[0].join()
    servers[0].close()


def test_waiting_for_a_holder_that_is_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It answers nobody any more, and then it is gone: the later process takes its place."""
    ending = claim(tmp_path, "1.0")
    assert ending is not None
    ending.listen().close()
    monkeypatch.setattr(single_instance.time, "sleep", lambda _seconds: ending.release())
    mine = enter(tmp_path, "1.0", [])
    assert isinstance(mine, Claim)
    assert mine.previous is None
    mine.release()


@pytest.mark.parametrize(
    "words", [b"\0" * 100, b"{", b"{}", b'{"pid": "x", "started": 0, "version": "", "socket": ""}', b"[1]"]
)
def test_words_that_say_nothing_keep_nobody_out(tmp_path: Path, words: bytes) -> None:
    (tmp_path / LOCK).write_bytes(words)
    mine = claim(tmp_path, "1.0")
    assert mine is not None
    assert mine.previous is None
    assert holder(tmp_path) is not None
    mine.release()


def test_a_lock_s_words_cannot_have_anything_else_removed(tmp_path: Path) -> None:
    innocent = tmp_path / "precious" / "first"
    innocent.parent.mkdir()
    innocent.write_text("kept")
    words = {"pid": 1, "started": 0.0, "version": "1", "socket": str(innocent)}
    (tmp_path / LOCK).write_text(json.dumps(words))
    mine = claim(tmp_path, "1.0")
    assert mine is not None
    mine.release()
    assert innocent.read_text() == "kept"


def test_without_locks_the_program_runs_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_file: int, _how: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(single_instance.fcntl, "flock", refuse)
    mine = claim(tmp_path, "1.0")
    assert mine is not None
    mine.release()
    gone = claim(tmp_path / "gone", "1.0")
    assert gone is not None
    gone.release()


def test_a_full_disk_costs_only_the_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_file: int, _words: bytes, _at: int) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(single_instance.os, "pwrite", refuse)
    mine = claim(tmp_path, "1.0")
    assert mine is not None
    assert claim(tmp_path, "1.0") is None
    mine.release()


@pytest.mark.timeout(20)
@pytest.mark.parametrize("kind", KINDS)
def test_what_lies_in_the_locks_place_keeps_nobody_out(tmp_path: Path, kind: str) -> None:
    spoil(tmp_path / LOCK, kind)
    mine = enter(tmp_path, "1.0", ())
    assert isinstance(mine, Claim)
    assert mine.previous is None
    assert claim(tmp_path, "1.0") is None
    assert (kept := list(tmp_path.glob("*.broken-*"))) == [] or kind != "huge", kept
    mine.release()


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


def test_any_words_in_the_lock_are_a_holder_or_nothing(tmp_path: Path) -> None:
    """And a report can be written of whoever they name."""
    sound = {"pid": 7, "started": 1.0, "version": "1", "socket": ""}
    texts = [*SPOILT]
    for seed in range(200):
        dice = random.Random(seed)
        texts.append(json.dumps({name: dice.choice([value, *ODD_WORDS]) for name, value in sound.items()}).encode())
    for text in texts:
        (tmp_path / LOCK).write_bytes(text)
        mine = claim(tmp_path, "1.0")
        assert mine is not None, text
        last_run(tmp_path / "logs", mine.previous)
        mine.release()
    assert paths_of(b"[" * 100_000) is None
