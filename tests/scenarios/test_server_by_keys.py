"""A tour over llama.cpp's own server with real key presses: added, asked, forked, stopped, killed, and gone on with.

The guide writes two thousand tokens a second there, in whose middle nobody presses a key. So a relay stands before it,
and holds an answer back that is to be met in its middle.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.launch.paths import guide_model
from app.protocol.references import server_model
from app.viewmodels.actions import TABLE
from app.viewmodels.kit.action import Menu
from app.viewmodels.library.samples import SAMPLE_ID
from tests.remote.relay import Relay
from tests.remote.started import Started
from tests.scenarios.person import PATIENCE, Person, needs_display, sitting_down

pytestmark = [
    needs_display,
    pytest.mark.timeout(300),
    pytest.mark.skipif(sys.platform != "linux", reason="llama.cpp's server is in the lock for Linux alone"),
]
NAME = "Studio"
Saved = list[tuple[str, str, str | None, int]]


class Guide(Started):
    """The server with the guide, behind a relay."""

    def __init__(self, folder: Path) -> None:
        from tests.remote.gguf_files import write_gguf

        weights = folder / "guide.gguf"
        write_gguf(guide_model(), weights)
        module = "tests.remote.llama_server"
        super().__init__(lambda port: (sys.executable, "-m", module, str(weights), str(port), "2"), folder)
        self.relay = Relay(self.port)

    @property
    def was_asked(self) -> bool:
        """Return whether it was ever asked for an answer."""
        return "processing task" in (self._folder / "log").read_text()

    def kill(self) -> None:
        """End it at once, and what hangs on it."""
        super().kill()
        self.relay.cut()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Guide]:
    """The server, which no window knows yet."""
    started = Guide(tmp_path)
    yield started
    started.kill()
    started.relay.close()


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    with sitting_down(tmp_path / "data", (sys.executable, "-m", "app"), os.environ) as someone:
        yield someone


def settings(person: Person) -> dict[str, Any]:
    file = next(person.data.glob("**/settings.json"), None)
    found: dict[str, Any] = {} if file is None else json.loads(file.read_text())
    return found


def wait_for(is_so: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, f"waited {PATIENCE} s for {what}"
        time.sleep(0.05)


def choose_in_menu(person: Person, menu: Menu, action_id: str) -> None:
    """Open a menu by the keyboard, and go down to a command."""
    above = [row.id for row in TABLE if row.menu is menu].index(action_id)
    along = list(Menu).index(menu)
    person.press("Alt_L", *["Right"] * along, "Down", *["Down"] * above, "Return")


def add_server(person: Person, server: Guide) -> None:
    """Add a server by its address, and open its model."""
    main = person.xdotool("getwindowfocus").strip()
    choose_in_menu(person, Menu.FILE, "add_server")
    person.come_to("^Add Server$")
    person.type(f"127.0.0.1:{server.relay.port}")
    person.press("Tab")
    person.type(NAME)
    person.press("Return")
    wait_for(lambda: settings(person).get("servers"), "the server's answer")
    person.come_to("^Models$")
    person.press("Return")
    wait_for(lambda: server_model(settings(person).get("model", "")), "its model")
    person.press("Escape")
    person.xdotool("windowfocus", "--sync", main)


def say(person: Person, text: str) -> None:
    """Type a question and send it."""
    person.type(text)
    person.press("Return")


def is_writing(saved: Saved) -> bool:
    """Whether words lie on the disk of an answer that has not ended."""
    role, text, stop, _ = saved[-1]
    return (role, stop) == ("assistant", None) and text != ""


def has_ended(number: int, how: str) -> Callable[[Saved], bool]:
    """Whether there are so many messages, of which the last one is an answer that ended so, with words."""
    return lambda saved: len(saved) == number and saved[-1][2] == how and saved[-1][1] != ""


def said(saved: Saved) -> list[tuple[str, str, str | None]]:
    """What was said, whichever branch is open."""
    return [(role, text, stop) for role, text, stop, _ in saved]


def parents(person: Person) -> list[int | None]:
    """Which message each one follows, by its place in `Person.messages`."""
    file = next(person.data.glob("**/conversations.db"))
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        rows = database.execute(
            "SELECT number, parent FROM message WHERE conversation NOT IN"
            " (SELECT number FROM conversation WHERE id = ?) ORDER BY number",
            (SAMPLE_ID,),
        ).fetchall()
    numbers = [number for number, _ in rows]
    return [None if parent is None else numbers.index(parent) for _, parent in rows]


def test_a_server_is_added_asked_forked_stopped_killed_and_gone_on_with(person: Person, server: Guide) -> None:
    person.start()
    add_server(person, server)

    say(person, "What is a branch?")
    person.wait_until(lambda saved: len(saved) == 1, "the question on the disk")
    time.sleep(1)
    assert len(person.messages()) == 1
    assert not server.was_asked, "nothing goes there before the person says so"
    person.press("Tab", "Return")  # on the card that asks
    person.wait_until(has_ended(2, "finished"), "the first answer")

    person.press("ctrl+d", "ctrl+a")
    say(person, "What is a fork?")
    person.wait_until(has_ended(4, "finished"), "the fork's answer")

    server.relay.pieces = 30
    say(person, "Tell me a story about a fox")
    person.wait_until(is_writing, "the first words of a story")
    person.press("Escape")
    person.wait_until(has_ended(6, "stopped"), "its end")

    say(person, "Tell me a story about a lighthouse")
    person.wait_until(lambda saved: len(saved) == 8 and is_writing(saved), "the first words of another one")
    server.kill()
    person.wait_until(has_ended(8, "failed"), "that it broke off")
    broken = said(person.messages())

    server.relay.pieces = None
    server.start()
    person.press("Tab", "Return")  # on the card that says so
    person.wait_until(has_ended(8, "finished"), "the rest of the story")
    say(person, "How do I fork a message?")
    person.wait_until(has_ended(10, "finished"), "an answer after it")
    assert person.quit() == 0

    saved = said(person.messages())
    assert saved[:7] == broken[:7], "what was there stays as it was"
    assert saved[7][1].startswith(broken[7][1]), "half an answer is kept, and goes on"
    assert [text for role, text, _ in saved if role == "user"] == [
        "What is a branch?",
        "What is a fork?",
        "Tell me a story about a fox",
        "Tell me a story about a lighthouse",
        "How do I fork a message?",
    ]
    assert [role for role, _, _ in saved] == ["user", "assistant"] * 5
    assert parents(person) == [None, 0, None, *range(2, 9)], "one answer to each question"
