"""Somebody who presses real keys in a real window on a virtual display, and looks at what was saved."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from app.viewmodels.library.samples import SAMPLE_ID

TOOLS = ("Xvfb", "xdotool")
ROOT = Path(__file__).parents[2]
HOLD, SEEN = "hold", "seen.json"  # files of `seen_session`
PATIENCE = 150.0  # seconds for one step; these machines are shared

needs_display = pytest.mark.skipif(any(shutil.which(tool) is None for tool in TOOLS), reason="needs Xvfb and xdotool")


class Person:
    """Somebody at the keyboard of a display of their own, and the database as they left it.

    command: what starts the program. environment: what it is started with, beside the display.
    """

    def __init__(self, display: str, data: Path, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.display = {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
        self.environment = {**environment, **self.display}
        self.data = data
        self.command = command
        self.program: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [*self.command, "--data", str(self.data)]
        self.program = subprocess.Popen(command, cwd=ROOT, env=self.environment)
        self.come_to(".")

    def come_to(self, title: str) -> None:
        """Give the keyboard to the window whose title matches, once there is one."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                window = self.xdotool("search", "--sync", "--onlyvisible", "--name", title).split()[0]
                self.xdotool("windowfocus", "--sync", window)
            except subprocess.CalledProcessError:  # another window went while it looked at that
                assert time.monotonic() < end, f"waited {PATIENCE} s for a window called {title}"
                time.sleep(0.1)
            else:
                return

    def xdotool(self, *arguments: str) -> str:
        result = subprocess.run(
            ["xdotool", *arguments],
            env={**os.environ, **self.display},
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        )
        return result.stdout

    def type(self, text: str) -> None:
        self.xdotool("type", "--delay", "15", text)

    def press(self, *keys: str) -> None:
        self.xdotool("key", "--delay", "40", *keys)

    def click(self, place: Sequence[int]) -> None:
        """Press the left button of the mouse at a place of the screen."""
        self.xdotool("mousemove", *map(str, place), "click", "1")

    def messages(self) -> list[tuple[str, str, str | None, int]]:
        """(role, text, why it stopped, whether it is on the open path's side of its fork), oldest first; no sample."""
        file = next(self.data.glob("**/conversations.db"), None)
        if file is None:
            return []
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
            return database.execute(
                "SELECT role, text || ifnull((SELECT group_concat(text, '') FROM message_text t"
                " WHERE t.message = m.number), ''), stop, visited FROM message m WHERE conversation NOT IN"
                " (SELECT number FROM conversation WHERE id = ?) ORDER BY number",
                (SAMPLE_ID,),
            ).fetchall()

    def wait_until(self, holds: Callable[[list[tuple[str, str, str | None, int]]], bool], what: str) -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            assert self.program is not None
            assert self.program.poll() is None, f"the program ended with {self.program.returncode} before {what}"
            try:
                if holds(self.messages()):
                    return
            except sqlite3.OperationalError:  # the database is being made
                pass
            time.sleep(0.1)
        raise AssertionError(f"waited {PATIENCE} s for {what}; saved: {self.messages()}")

    def quit(self) -> int:
        self.press("ctrl+w")
        assert self.program is not None
        return self.program.wait(PATIENCE)


@contextmanager
def sitting_down(data: Path, command: Sequence[str], environment: Mapping[str, str]) -> Iterator[Person]:
    """A person at a virtual display, who gets up at the end whatever became of the program."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1440x900x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as number:
        someone = Person(f":{number.readline().strip()}", data, command, environment)
    try:
        yield someone
    finally:
        if someone.program is not None and someone.program.poll() is None:
            someone.program.kill()
            someone.program.wait()
        server.terminate()
        server.wait()


def answers(messages: list[tuple[str, str, str | None, int]]) -> int:
    return sum(role == "assistant" and stop is not None and text != "" for role, text, stop, _ in messages)


def ask_fork_return_continue_and_reopen(person: Person) -> None:
    """The first tour, and a second start that finds everything where it was."""
    person.start()
    person.type("What is a branch?")
    person.press("Return")
    person.wait_until(lambda saved: answers(saved) == 1, "the first answer")

    person.press("ctrl+d", "ctrl+a")
    person.type("Tell me a story about a fox")
    person.press("Return")
    person.wait_until(lambda saved: answers(saved) == 2, "the fork's answer")
    assert [text for role, text, _, _ in person.messages() if role == "user"] == [
        "What is a branch?",
        "Tell me a story about a fox",
    ]

    person.press("ctrl+alt+Left")
    person.wait_until(lambda saved: bool(saved[0][3]), "the return to the first branch")
    person.type("How do I fork a message?")
    person.press("shift+Return")
    person.type("Thank you.")
    person.press("Return")
    person.wait_until(lambda saved: answers(saved) == 3, "the continued branch's answer")
    assert "How do I fork a message?\nThank you." in [text for _, text, _, _ in person.messages()]

    person.press("ctrl+r")
    person.wait_until(lambda saved: answers(saved) == 4, "another answer")
    before = person.messages()
    assert person.quit() == 0

    person.start()
    person.type("thanks")
    person.press("Return")
    person.wait_until(lambda saved: answers(saved) == 5, "an answer after reopening")
    assert person.messages()[: len(before)] == before
    assert person.quit() == 0
