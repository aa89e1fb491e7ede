"""Whatever keeps the program from beginning is said in a window, and written down."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from app.launch import startup_errors
from app.launch.paths import NowhereError
from app.launch.startup_errors import problem_of, show_alert, show_problem
from app.protocol.reports import Problem

ROOT = Path(__file__).parents[2]
PROBLEM = Problem("Espalier could not start", "The <b>cause</b>, 100 %s & what is safe.")


class Machine:
    """A computer with a display that nobody listens on and an alert that writes down what it is told."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.told_in = folder / "told"
        self.libraries = folder / "libraries"
        (folder / "bin").mkdir()
        alert = folder / "bin" / "zenity"
        alert.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{self.told_in}"\n')
        alert.chmod(0o755)
        path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path, "DISPLAY": "127.0.0.1:4711", "PYTHONPATH": str(self.libraries)}
        self.environment.pop("QT_QPA_PLATFORM", None)

    def replace(self, module: str, code: str) -> None:
        """Put another library in front of the real one."""
        path = self.libraries / Path(*module.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code)

    def start(self, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "app", "--data", str(self.data)],
            cwd=ROOT,
            env=self.environment | environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    @property
    def told(self) -> str:
        return self.told_in.read_text() if self.told_in.exists() else ""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def box_closed(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What message boxes say; each is closed once it is seen."""
    said: list[str] = []

    def close() -> None:
        box = QApplication.activeModalWidget()
        if isinstance(box, QMessageBox):
            said.append(f"{box.text()}|{box.informativeText()}")
            box.accept()

    monkeypatch.setattr(startup_errors, "has_display", lambda: True)
    timer = QTimer(interval=10)
    timer.timeout.connect(close)
    timer.start()
    yield said
    timer.stop()


def test_a_plain_window_says_it(box_closed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    show_problem(PROBLEM)
    assert box_closed == [f"{PROBLEM.title}|{PROBLEM.sentence}"]
    assert PROBLEM.sentence in capsys.readouterr().err


def test_without_a_display_standard_error_says_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    show_problem(PROBLEM)
    assert PROBLEM.sentence in capsys.readouterr().err


def test_on_a_mac_the_words_are_arguments_and_never_a_script(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(subprocess, "run", lambda command, **_options: ran.append(command))
    show_alert(Problem('a " b', "c\\ d"))
    (command,) = ran
    assert command[0] == "/usr/bin/osascript"
    assert command[-2:] == ['a " b', "c\\ d"]
    assert command[1:-2:2] == ["-e"] * 3


def test_a_system_without_alerts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    monkeypatch.setattr(subprocess, "run", pytest.fail)
    show_alert(PROBLEM)


def test_the_sentence_names_cause_and_log(tmp_path: Path) -> None:
    assert problem_of(NowhereError("Nowhere."), tmp_path) == Problem("Espalier cannot start", "Nowhere.")
    told = problem_of(KeyError("x"), tmp_path).sentence
    assert "KeyError: 'x'" in told
    assert "written down" not in told
    (tmp_path / "espalier.log").write_text("")
    assert str(tmp_path / "espalier.log") in problem_of(KeyError("x"), tmp_path).sentence
    assert "Install Espalier again" in problem_of(ImportError("libQt6"), tmp_path).sentence


def test_qt_is_missing(machine: Machine) -> None:
    machine.replace("PySide6.__init__", "raise ImportError('libQt6Core: image not found')")
    done = machine.start()
    assert done.returncode == 1
    assert "libQt6Core: image not found" in machine.told
    assert str(machine.data / "logs" / "espalier.log") in machine.told
    assert "ImportError" in (machine.data / "logs" / "espalier.log").read_text()
    assert (machine.data / "espalier.lock").read_bytes() == b""


@pytest.mark.skipif(sys.platform != "linux", reason="a Mac has no display to be named wrongly")
def test_no_such_display(machine: Machine) -> None:
    done = machine.start()
    assert done.returncode == 1
    assert "could not connect to display" in machine.told
    assert "not touched" in machine.told
    assert (machine.data / "espalier.lock").read_bytes() == b""
    assert not list((machine.data / "logs").glob("Crash *"))


def test_no_such_plugin(machine: Machine) -> None:
    done = machine.start(QT_QPA_PLATFORM="nosuch")
    assert done.returncode == 1
    assert 'Could not find the Qt platform plugin "nosuch"' in machine.told


def test_after_a_start_that_failed_the_next_one_speaks_of_no_crash(machine: Machine) -> None:
    machine.start(QT_QPA_PLATFORM="nosuch")
    assert "not closed" not in machine.start(QT_QPA_PLATFORM="nosuch").stderr
    assert not list((machine.data / "logs").glob("Crash *"))
