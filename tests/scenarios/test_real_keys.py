"""The whole first tour in a real window on a virtual display, with real key presses and a look at what was saved."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scenarios.person import Person, ask_fork_return_continue_and_reopen, needs_display, sitting_down

pytestmark = [needs_display, pytest.mark.timeout(240)]


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    with sitting_down(tmp_path, (sys.executable, "-m", "app"), os.environ) as someone:
        yield someone


def test_ask_fork_return_continue_and_reopen(person: Person) -> None:
    ask_fork_return_continue_and_reopen(person)


def test_stop_keeps_what_was_written(person: Person) -> None:
    person.start()
    person.type("Tell me a story about a lighthouse")
    person.press("Return")
    person.wait_until(lambda saved: len(saved) >= 1 and saved[0][0] == "user", "the question on the disk")
    person.wait_until(lambda saved: len(saved) == 2 and len(saved[1][1]) > 0, "the first words on the disk")
    person.press("Escape")
    person.wait_until(lambda saved: saved[1][2] is not None, "the end of the answer")
    assert person.messages()[1][1]
    assert person.quit() == 0
