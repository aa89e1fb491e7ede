"""One run of the whole program with its real engine, within a test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from app.launch.paths import paths_in
from app.main import Program
from app.protocol.events import RunFinished, RunStarted, TrieChanged
from app.viewmodels.actions import enabled

LONGEST = 60_000
Told = TypeVar("Told")


class Sitting:
    """One run of the program, and what its engine told."""

    def __init__(self, qtbot: QtBot, data: Path, keeps_every_fork: bool = False) -> None:
        self._qtbot = qtbot
        self.program = Program(paths_in(data))
        self.program.settings.update(keeps_every_fork=keeps_every_fork)
        self.app = self.program.app
        self._events: list[object] = []
        self.program.host.happened.connect(self._note)

    def _note(self, event: object) -> None:
        self._events.append(event)

    def told(self, kind: type[Told]) -> list[Told]:
        """The events of one kind, in order."""
        return [event for event in self._events if isinstance(event, kind)]

    def begin(self, model: Path | None = None) -> Sitting:
        self.program.start(model)
        self._qtbot.waitExposed(self.program.window)
        self.until(lambda: self.app.state.now.activity.text.startswith("Ready") and bool(self.told(TrieChanged)))
        return self

    def until(self, holds: Callable[[], bool]) -> None:
        self._qtbot.waitUntil(holds, timeout=LONGEST)

    def ask(self, text: str) -> RunStarted:
        """Ask, let a few letters be written, and stop: in its middle where the model never ends by itself."""
        before, ended = len(self.told(RunStarted)), len(self.told(RunFinished))
        self.app.chat.requests.send(text)
        self.until(lambda: len(self.told(RunStarted)) > before)
        rows = self.app.chat.chat_model
        self.until(lambda: len(rows.rows[-1].text.strip()) > 3 or len(self.told(RunFinished)) > ended)
        self.app.chat.requests.stop()
        self.until(lambda: not self.app.chat.state.now.can_stop and "verify" in enabled(self.app.state.now))
        return self.told(RunStarted)[-1]

    def end(self) -> None:
        self.program.host._patience = LONGEST / 1000
        self.program.close()
        self.program.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


SitDown = Callable[..., Sitting]
