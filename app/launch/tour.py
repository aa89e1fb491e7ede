"""The tour of the program where there is no display: the same window, drawn into memory.

It asks, forks the first question, and goes back, all through the real app and the real model; then it prints
both trees and leaves pictures of the window. It fails where a person would have been let down.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer
from PySide6.QtWidgets import QWidget

from app.viewmodels.app import App
from app.viewmodels.chat.rows import MessageRow
from app.viewmodels.outline import conversation_text, trie_text

SHOTS = Path("build") / "shots"
PATIENCE = 120.0
LONGEST_TURN_MS = 50
QUESTION = "What is a branch?"
FORK = "Tell me a story about a fox"
FOLLOW_UP = "How do I fork a message?"


class TourError(Exception):
    """A step of the tour did not go as it should have."""


class Tour:
    """A tour of one window and what is behind it. `patience`: seconds that any one step may take."""

    def __init__(self, app: App, window: QWidget, shots: Path = SHOTS, patience: float = PATIENCE) -> None:
        self._app = app
        self._window = window
        self._shots = shots
        self._patience = patience
        self._notice = ""
        self._beat = QTimer(interval=LONGEST_TURN_MS)  # wakes a turn that nothing else would end
        self._beat.start()

    def take(self) -> None:
        """Take the whole tour. Raises TourError when something did not work."""
        self._shots.mkdir(parents=True, exist_ok=True)
        self._wait("the model is loaded", self._is_at_rest)
        self._app.library.new_conversation()
        self._picture("tour-1-start")
        self._ask(QUESTION, rows=2)
        self._picture("tour-2-asked")
        self._app.chat.open_draft.begin_edit(self._rows[0].id)
        self._ask(FORK, rows=2)
        self._check("the fork stands beside the first question", self._rows[0].versions == 2)
        self._picture("tour-3-forked")
        self._app.chat.open_branch.select_version(self._rows[0].id, -1)
        self._check("the first branch is back", self._rows[0].text == QUESTION)
        self._ask(FOLLOW_UP, rows=4)
        footer = self._rows[3].footer
        self._check("the return reuses what was read", footer is not None and bool(footer.reused))
        self._picture("tour-4-returned")

    def _hear(self) -> None:
        """Pass on what the window has to say besides the conversation."""
        notice = self._app.notices.now.text
        if notice != self._notice:
            self._notice = notice
            _say(f"- the window says: {notice}")

    def _ask(self, text: str, rows: int) -> None:
        """Send a question and wait for the end of its answer, which is then the last of so many messages."""
        self._app.chat.requests.send(text)
        self._wait(f"“{text}” is answered", lambda: self._is_at_rest() and len(self._rows) == rows and self._ends(text))

    def _ends(self, question: str) -> bool:
        *_, asked, answer = self._rows
        return asked.text == question and bool(answer.text)

    def _is_at_rest(self) -> bool:
        problem = self._app.chat.state.now.card
        if problem is not None:
            raise TourError(f"{problem.title}. {problem.sentence}")
        return self._app.state.now.activity.text.startswith("Ready")

    @property
    def _rows(self) -> list[MessageRow]:
        return list(self._app.chat.chat_model.rows)

    def _wait(self, what: str, holds: Callable[[], bool]) -> None:
        until = time.monotonic() + self._patience
        self._hear()
        while not holds():
            self._hear()
            if time.monotonic() > until:
                raise TourError(f"waited {self._patience:.0f} s until {what}")
            _turn()
        _say(f"- {what}")

    def _check(self, what: str, holds: bool) -> None:
        if not holds:
            raise TourError(f"not so: {what}")
        _say(f"- {what}")

    def _picture(self, name: str) -> None:
        """Let the figures arrive that follow an answer, then save the window."""
        settled = time.monotonic() + 0.4
        while time.monotonic() < settled:
            _turn()
        path = self._shots / f"{name}.png"
        if not self._window.grab().save(str(path)):
            raise TourError(f"the picture {path} could not be written")


def _turn() -> None:
    """Sleep until there is something to do, and do it. Given a limit of time, Qt would not sleep."""
    QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)


def take_tour(app: App, window: QWidget) -> int:
    """Take the tour of a program that was just started, and print what came of it. Returns the exit status."""
    _say("There is no display here, so the window is drawn into memory for a short tour.")
    try:
        Tour(app, window).take()
        _say(f"\nThe conversation:\n{conversation_text(app.library.tree)}")
        _say(f"\nThe cache:\n{trie_text(app.cache.view)}")
        _say(f"\nPictures of the window: {SHOTS.absolute()}")
    except (TourError, OSError) as error:
        print(f"The tour failed: {error}", file=sys.stderr)
        return 1
    return 0


def _say(text: str) -> None:
    print(text, flush=True)
