"""The bench itself: a test that warns, leaves a thread, raises unheard or reaches for the network must fail."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BAD = """
import socket, threading, time
import pytest
from PySide6.QtCore import QObject, qWarning
from app.worker.engine_thread import EngineThread
from tests.fakes.engine import FakeEngine, Script

def test_qt_warning():
    qWarning("something is odd")

def test_thread():
    threading.Thread(target=time.sleep, args=(30,), daemon=True).start()

def test_engine_thread():
    EngineThread.kept = thread = EngineThread(lambda sink: FakeEngine(sink, Script()))
    thread.start()

def test_end_that_engine_thread():
    EngineThread.kept.close(5)

def test_unraisable():
    class Bad:
        def __del__(self):
            raise ValueError("nobody hears this")
    Bad()

def test_slot_that_raises(qtbot):
    sender = QObject()
    sender.destroyed.connect(lambda: 1 / 0)
    sender.deleteLater()
    qtbot.wait(20)

@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("example.org", 80)])
def test_network(address):
    socket.create_connection(address, timeout=1)

def test_this_machine_may_be_reached():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()
"""
FAIL = {
    "test_qt_warning",
    "test_thread",
    "test_engine_thread",
    "test_unraisable",
    "test_slot_that_raises",
    "test_network[address0]",
    "test_network[address1]",
}


def test_the_bench_finds_what_it_should(tmp_path: Path) -> None:
    bad = tmp_path / "test_bad.py"
    bad.write_text(BAD)
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-c", "pyproject.toml", "-rfE", str(bad)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    lines = [line.split(" - ")[0] for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    assert {line.split("::")[-1] for line in lines} == FAIL, done.stdout
