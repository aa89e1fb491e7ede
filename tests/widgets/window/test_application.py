"""What the system asks of the application. Only one can be in a process, so each test has one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
ASKED = """
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QFileOpenEvent

from app.widgets.window.application import Application

application = Application(["espalier"])
for path in ("/models/x", "/y.espalier"):
    QCoreApplication.sendEvent(application, QFileOpenEvent(path))
print("a window")
application.files.hand_to(print)
QCoreApplication.sendEvent(application, QFileOpenEvent("/late"))

answers = iter([False, True])
application.may_quit = lambda: next(answers)
for _ in range(2):
    asked = QEvent(QEvent.Type.Quit)
    QCoreApplication.sendEvent(application, asked)
    print("quits" if asked.isAccepted() else "stays")
"""


def test_it_opens_files_and_stays_where_it_may_not_quit() -> None:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    ended = subprocess.run(
        [sys.executable, "-c", ASKED], cwd=ROOT, env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout.splitlines() == ["a window", "/models/x", "/y.espalier", "/late", "stays", "quits"]
