"""Somebody who does anything at random by real keys and the mouse: the program goes on, and no word changes or goes.

What was written to the end is never another one later, what is being written only grows, and nothing leaves the
database, since what is deleted lies in the trash. The program is killed and ended in between, and started again.
"""

from __future__ import annotations

import os
import random
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from tests.scenarios.person import PATIENCE, Person, sitting_down

WIDTH, HEIGHT = 1440, 900  # of the screen
LOOK, LEAVE = 20, 60  # deeds between two looks at what was saved, and between two starts
_MENU_BAR = 60  # points at the top, where the mouse would open what leads out of the window
_WORDS = ("fox", "river", "branch", "cache", "*bold*", "`code`", "$x^2$", "12", "naive", "lantern")
_KEYS = ("Tab", "shift+Tab", "Down", "Up", "Right", "Left", "Return", "space", "Home", "End", "Escape", "Next", "Prior")
# What leads to another window is left out: without a window manager no key reaches that.
_COMMANDS = (
    *("ctrl+alt+Left", "ctrl+alt+Right", "ctrl+alt+Up", "ctrl+alt+Down", "ctrl+r", "ctrl+e", "ctrl+shift+Return"),
    *("ctrl+n", "ctrl+z", "ctrl+shift+z", "ctrl+shift+d", "ctrl+shift+p", "ctrl+alt+w", "ctrl+alt+a", "ctrl+alt+c"),
    *("ctrl+alt+i", "ctrl+alt+1", "ctrl+alt+2", "ctrl+alt+3", "ctrl+alt+p", "ctrl+alt+s", "ctrl+alt+t", "ctrl+shift+n"),
    *("ctrl+plus", "ctrl+minus", "ctrl+BackSpace", "ctrl+shift+BackSpace", "ctrl+shift+c", "ctrl+g", "Escape"),
)


class Saved(NamedTuple):
    """A message in the database. stop: why it ended, None while it is written."""

    role: str
    text: str
    stop: str | None


class Walk:
    """A walk of many deeds. Attribute: deeds, what was done, for whoever looks for the cause."""

    def __init__(self, person: Person, seed: int) -> None:
        self.deeds: list[str] = []
        self._person, self._dice = person, random.Random(seed)
        self._saved: dict[str, Saved] = {}
        self._ways: Sequence[tuple[Callable[[], None], int]] = (
            *((self._ask, 14), (self._fork, 8), (self._command, 40), (self._wander, 10), (self._write, 4)),
            *((self._look_for, 8), (self._name, 4), (self._click, 8), (self._open_menu, 4), (self._scroll, 5)),
            (self._drag, 6),
        )

    def go(self, deeds: int) -> None:
        """Do so many deeds. AssertionError where the program ends by itself, or a word is lost."""
        ways, weights = zip(*self._ways, strict=True)
        self._person.start()
        for number in range(1, deeds + 1):
            self._dice.choices(ways, weights)[0]()
            time.sleep(self._dice.choice((0, 0.05, 0.2, 0.6)))
            program = self._person.program
            assert program is not None
            assert program.poll() is None, f"the program ended with {program.returncode}"
            if number % LEAVE == 0:
                (program.kill if self._dice.random() < 0.5 else program.terminate)()
                assert program.wait(PATIENCE) <= 0, f"the program ended with {program.returncode}"
                self.look()
                self._person.start()
            elif number % LOOK == 0:
                self.look()

    def look(self) -> None:
        """See that all words are there that were there before."""
        found = _messages(self._person.data)
        for one, before in self._saved.items():
            now = found.get(one)
            assert now is not None, f"a message is gone: {before}"
            if before.stop is not None or before.role == "user":
                assert (now.role, now.text) == (before.role, before.text), "a message is another one"
            else:
                assert now.text.startswith(before.text), "an answer lost words"
        self._saved = found

    def _press(self, *keys: str) -> None:
        self.deeds.append(" ".join(keys))
        self._person.press(*keys)

    def _type(self, words: int) -> None:
        text = " ".join(self._dice.choices(_WORDS, k=words))
        self.deeds.append(repr(text))
        self._person.type(text)

    def _ask(self) -> None:
        self._press("ctrl+l")
        self._type(4)
        self._press("Return")

    def _fork(self) -> None:
        self._press("ctrl+d", "ctrl+a")
        self._type(4)
        self._press("Return")

    def _write(self) -> None:
        self._press("ctrl+l")
        self._type(3)

    def _command(self) -> None:
        self._press(self._dice.choice(_COMMANDS))

    def _wander(self) -> None:
        self._press(*self._dice.choices(_KEYS, k=self._dice.randint(1, 6)))

    def _look_for(self) -> None:
        self._press(self._dice.choice(("ctrl+k", "ctrl+f", "ctrl+shift+f")))
        self._type(1)
        self._press(*["Down"] * self._dice.randint(0, 2), self._dice.choice(("Escape", "Tab")))

    def _name(self) -> None:
        self._press(self._dice.choice(("F2", "ctrl+alt+r")))
        self._type(2)
        self._press(self._dice.choice(("Return", "Escape", "Tab")))

    @property
    def _place(self) -> tuple[int, int]:
        return self._dice.randrange(WIDTH), self._dice.randrange(_MENU_BAR, HEIGHT)

    def _mouse(self, button: int, times: int) -> None:
        x, y = self._place
        self.deeds.append(f"button {button} at {x}, {y}")
        self._person.xdotool("mousemove", str(x), str(y), "click", "--repeat", str(times), str(button))

    def _click(self) -> None:
        self._mouse(1, self._dice.choice((1, 1, 2)))

    def _drag(self) -> None:
        """Go from one place to another with the button held, as a hand does: in steps."""
        (x, y), (to_x, to_y), steps = self._place, self._place, 5
        self.deeds.append(f"from {x}, {y} to {to_x}, {to_y}")
        way = [(x + (to_x - x) * step // steps, y + (to_y - y) * step // steps) for step in range(1, steps + 1)]
        moves = [word for place in way for word in ("mousemove", *map(str, place), "sleep", "0.03")]
        self._person.xdotool("mousemove", str(x), str(y), "mousedown", "1", *moves, "mouseup", "1")

    def _open_menu(self) -> None:
        self._mouse(3, 1)
        self._press(*["Down"] * self._dice.randint(0, 3), "Escape")

    def _scroll(self) -> None:
        self._mouse(self._dice.choice((4, 5)), self._dice.randint(1, 8))


def walk(folder: Path, seed: int, deeds: int) -> None:
    """Walk once, on a data folder in this one. AssertionError with what was done before it."""
    data = folder / "data"
    with sitting_down(data, (sys.executable, "-m", "app"), os.environ) as person:
        one = Walk(person, seed)
        try:
            one.go(deeds)
        except AssertionError as error:
            raise AssertionError(f"{error}, after {'; '.join(one.deeds[-30:])}") from None


def _messages(data: Path) -> dict[str, Saved]:
    """All messages in the database, those in the trash too, by their id."""
    file = next(data.glob("**/conversations.db"), None)
    if file is None:
        return {}
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=PATIENCE)) as database:
        rows = database.execute(
            "SELECT id, role, text || ifnull((SELECT group_concat(text, '') FROM message_text t"
            " WHERE t.message = m.number), ''), stop FROM message m"
        )
        return {one: Saved(role, text, stop) for one, role, text, stop in rows}
