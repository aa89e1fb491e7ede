"""The program is killed in mid-answer: what was shown a second before is there when it is opened again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.viewmodels.app import App

ROOT = Path(__file__).parents[2]
WRITING = """
import tests.sealed
import sys, threading, time
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.conversation.store_thread import StoreThread
from app.viewmodels.app import App
from app.viewmodels.windows import Windows
from app.viewmodels.workspace import Workspace
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.settings import Settings
from app.worker.engine_host import EngineHost
from tests.fakes.engine import FakeEngine, Script
loop = QCoreApplication([])
script = Script(answers={"Long?": " ".join(f"word{n}" for n in range(60))}, hold=30)
host = EngineHost(lambda sink: FakeEngine(sink, script))
data = Path(sys.argv[1])
settings = Settings(data / "settings.json")
workspace = Workspace(host, StoreThread(data / "conversations.db"), settings, Folders("/models/guide"))
app = Windows(workspace).open()
workspace.start("/models/guide")
app.chat.requests.send("Long?")
host.start()
shown_at = None
while shown_at is None or time.monotonic() < shown_at + 1.5:
    loop.processEvents()
    time.sleep(0.005)
    if shown_at is None and app.chat.chat_model.rows and app.chat.chat_model.rows[-1].text.endswith("word29"):
        shown_at = time.monotonic()
print("written", flush=True)
time.sleep(60)
"""


def test_what_was_shown_survives_a_kill(qtbot: QtBot, data_folder: Path, make_app: Callable[[], App]) -> None:
    data_folder.mkdir()
    command = [sys.executable, "-c", WRITING, str(data_folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=dict(os.environ)) as writing:
        assert writing.stdout is not None
        assert writing.stdout.readline() == "written\n"
        writing.send_signal(signal.SIGKILL)
    app = make_app()
    qtbot.waitUntil(lambda: len(app.chat.chat_model.rows) == 2)
    question, answer = app.chat.chat_model.rows
    assert question.text == "Long?"
    assert answer.text == " ".join(f"word{number}" for number in range(30))
    assert answer.note == "Not finished: the program ended here"
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))
    app.chat.requests.send("And then?")
    qtbot.waitUntil(lambda: [row.text for row in app.chat.chat_model.rows][2:] == ["And then?", "You said: And then?"])
