"""A disk that hangs when the program begins is told of, and when it ends it keeps no process alive."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.launch import hang_watch, start
from app.launch.hang_watch import telling_when_slow
from app.launch.options import Options
from app.protocol.reports import Problem

ROOT = Path(__file__).parents[2]
LONG = 60.0
HANGING_END = """
import sys, threading
from pathlib import Path
from app.launch.hang_watch import ending_in_time
with ending_in_time(Path(sys.argv[1]), 0.2):
    threading.Event().wait()
"""
HANGING_LOGS = """
import os, sys
from app.launch import hang_watch
hang_watch.LAST_WORDS = 0.2
hang_watch._write_stacks = lambda logs: threading.Event().wait()
"""


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Problem]:
    told: list[Problem] = []
    monkeypatch.setattr(hang_watch, "show_alert", told.append)
    return told


def test_a_start_that_waits_for_a_disk_says_so_and_goes_on(
    told: list[Problem], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = threading.Event()
    monkeypatch.setattr(hang_watch, "show_alert", lambda problem: (told.append(problem), disk.set()))
    monkeypatch.setattr(start, "telling_when_slow", lambda folder: telling_when_slow(folder, 0.1))
    monkeypatch.setattr(start, "usable", lambda _paths: disk.wait(LONG) and (_ for _ in ()).throw(SystemExit(7)))
    with pytest.raises(SystemExit) as left:
        start.start(Options(data=tmp_path / "data"), lambda *_: 0)
    assert left.value.code == 7
    assert [problem.title for problem in told] == ["Espalier is still starting"]
    assert str(tmp_path / "data") in told[0].sentence


def test_nothing_is_said_of_a_disk_that_answers(told: list[Problem], tmp_path: Path) -> None:
    before = threading.enumerate()
    with telling_when_slow(tmp_path):
        (timer,) = (thread for thread in threading.enumerate() if thread not in before)
    timer.join(LONG)
    assert told == []


@pytest.mark.parametrize("hanging_logs", ["", HANGING_LOGS])
def test_a_process_that_hangs_at_its_end_is_ended_and_says_where(tmp_path: Path, hanging_logs: str) -> None:
    """Also where the disk of the logs hangs; then without a word."""
    command = [sys.executable, "-c", hanging_logs + HANGING_END, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=LONG, check=False)
    assert done.returncode == 1
    if not hanging_logs:
        assert "threading.py" in (tmp_path / "crash.log").read_text()
