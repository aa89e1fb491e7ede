"""The first process answers every later start, and nothing that speaks wrongly disturbs it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.launch.instance_server import InstanceServer
from app.launch.single_instance import LONGEST, REPLY, HandOver, InstanceLock, encode_paths, lock_or_hand_over, try_lock


@pytest.fixture
def serving(qtbot: QtBot, tmp_path: Path) -> Iterator[tuple[InstanceServer, list[tuple[str, ...]], str]]:
    lock = try_lock(tmp_path, "1.0")
    assert isinstance(lock, InstanceLock)
    server = lock.listen()
    received: list[tuple[str, ...]] = []
    instance_server = InstanceServer(server)
    instance_server.opened.connect(received.append)
    yield instance_server, received, server.getsockname()
    instance_server.close()
    instance_server.deleteLater()
    lock.release()


Serving = tuple[InstanceServer, list[tuple[str, ...]], str]


def connect(address: str) -> socket.socket:
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(5)
    client.connect(address)
    return client


def flood(qtbot: QtBot, client: socket.socket) -> None:
    """Send far more than anybody may."""
    sent = 0
    while sent <= 4 * LONGEST:
        try:
            sent += client.send(b"x" * 65_536)
        except TimeoutError:
            qtbot.wait(5)


def test_paths_are_handed_over_and_answered(qtbot: QtBot, tmp_path: Path, serving: Serving) -> None:
    answers: list[object] = []
    thread = threading.Thread(
        target=lambda: answers.append(lock_or_hand_over(tmp_path, "1.0", [Path("/a"), Path("/ü b")]))
    )
    thread.start()
    qtbot.waitUntil(lambda: bool(serving[1]))
    thread.join()
    assert answers == [HandOver.OPENED]
    assert serving[1] == [("/a", "/ü b")]


def test_a_message_in_pieces_and_two_callers_at_once(qtbot: QtBot, serving: Serving) -> None:
    slow, quick = connect(serving[2]), connect(serving[2])
    words = encode_paths([Path("/slow")])
    slow.sendall(words[:5])
    qtbot.wait(20)
    quick.sendall(encode_paths([Path("/quick")]))
    qtbot.waitUntil(lambda: serving[1] == [("/quick",)])
    slow.sendall(words[5:])
    qtbot.waitUntil(lambda: serving[1] == [("/quick",), ("/slow",)])
    assert slow.recv(10) == quick.recv(10) == REPLY
    slow.close()
    quick.close()


def test_callers_that_hang_up_or_talk_nonsense(qtbot: QtBot, serving: Serving) -> None:
    connect(serving[2]).close()
    nonsense = connect(serving[2])
    nonsense.sendall(b"GET / HTTP/1.1\n")
    qtbot.wait(50)
    assert nonsense.recv(10) == b""
    nonsense.close()
    endless = connect(serving[2])
    endless.settimeout(0.01)
    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        flood(qtbot, endless)
    endless.close()
    assert serving[1] == []
    again = connect(serving[2])
    again.sendall(encode_paths([]))
    qtbot.waitUntil(lambda: serving[1] == [()])
    again.close()


def test_closing_hangs_up_on_who_is_waiting(qtbot: QtBot, serving: Serving) -> None:
    client = connect(serving[2])
    qtbot.wait(20)
    serving[0].close()
    serving[0].close()
    assert client.recv(10) == b""
    client.close()
