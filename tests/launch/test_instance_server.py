"""The first process answers whoever rings, and nothing that rings wrongly disturbs it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.launch.instance_server import Doorbell
from app.launch.single_instance import ANSWER, LONGEST, Answer, Claim, claim, enter, message


@pytest.fixture
def bell(qtbot: QtBot, tmp_path: Path) -> Iterator[tuple[Doorbell, list[tuple[str, ...]], str]]:
    mine = claim(tmp_path, "1.0")
    assert isinstance(mine, Claim)
    server = mine.listen()
    heard: list[tuple[str, ...]] = []
    bell = Doorbell(server)
    bell.rang.connect(heard.append)
    yield bell, heard, server.getsockname()
    bell.close()
    bell.deleteLater()
    mine.release()


Bell = tuple[Doorbell, list[tuple[str, ...]], str]


def ring(address: str) -> socket.socket:
    caller = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    caller.settimeout(5)
    caller.connect(address)
    return caller


def flood(qtbot: QtBot, caller: socket.socket) -> None:
    """Send far more than anybody may."""
    sent = 0
    while sent <= 4 * LONGEST:
        try:
            sent += caller.send(b"x" * 65_536)
        except TimeoutError:
            qtbot.wait(5)


def test_paths_are_handed_over_and_answered(qtbot: QtBot, tmp_path: Path, bell: Bell) -> None:
    answers: list[object] = []
    thread = threading.Thread(target=lambda: answers.append(enter(tmp_path, "1.0", [Path("/a"), Path("/ü b")])))
    thread.start()
    qtbot.waitUntil(lambda: bool(bell[1]))
    thread.join()
    assert answers == [Answer.OPENED]
    assert bell[1] == [("/a", "/ü b")]


def test_a_message_in_pieces_and_two_callers_at_once(qtbot: QtBot, bell: Bell) -> None:
    slow, quick = ring(bell[2]), ring(bell[2])
    words = message([Path("/slow")])
    slow.sendall(words[:5])
    qtbot.wait(20)
    quick.sendall(message([Path("/quick")]))
    qtbot.waitUntil(lambda: bell[1] == [("/quick",)])
    slow.sendall(words[5:])
    qtbot.waitUntil(lambda: bell[1] == [("/quick",), ("/slow",)])
    assert slow.recv(10) == quick.recv(10) == ANSWER
    slow.close()
    quick.close()


def test_callers_that_hang_up_or_talk_nonsense(qtbot: QtBot, bell: Bell) -> None:
    ring(bell[2]).close()
    nonsense = ring(bell[2])
    nonsense.sendall(b"GET / HTTP/1.1\n")
    qtbot.wait(50)
    assert nonsense.recv(10) == b""
    nonsense.close()
    endless = ring(bell[2])
    endless.settimeout(0.01)
    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        flood(qtbot, endless)
    endless.close()
    assert bell[1] == []
    again = ring(bell[2])
    again.sendall(message([]))
    qtbot.waitUntil(lambda: bell[1] == [()])
    again.close()


def test_closing_hangs_up_on_who_is_waiting(qtbot: QtBot, bell: Bell) -> None:
    caller = ring(bell[2])
    qtbot.wait(20)
    bell[0].close()
    bell[0].close()
    assert caller.recv(10) == b""
    caller.close()
