"""Four answers at once and forks at a token, by real keys and the mouse: nothing is lost, by a restart or a kill."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.conversation.message import Message
from app.conversation.store import Store
from app.launch.paths import paths_in
from app.protocol.choices import unpack
from app.viewmodels.library.samples import SAMPLE_ID
from tests.scenarios.kills import copied
from tests.scenarios.person import HOLD, PATIENCE, SEEN, Person, needs_display, sitting_down

pytestmark = [needs_display, pytest.mark.timeout(600)]
MOST_COLUMNS = 8
ROOM = 1000  # points, for three of them

Seen = dict[str, Any]


class Onlooker:
    """Somebody at the keyboard and the mouse, who sees what `seen_session` writes down."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.data = person.data
        self._file, self._hold = person.data.with_name(SEEN), person.data.with_name(HOLD)

    def start(self, is_held: bool = False) -> Seen:
        """Start the program, the model with it unless it is held. Returns what is seen when there is room for columns.

        The Inspector is put away for them where it is not yet.
        """
        self._file.unlink(missing_ok=True)
        if is_held:
            self._hold.touch()
        self.person.start()
        if self.until(lambda seen: is_held or is_ready(seen), "the window")["width"] < ROOM:
            self.person.press("ctrl+alt+i")
        return self.until(lambda seen: seen["width"] >= ROOM, "room for three columns")

    def let_go(self) -> None:
        """Have the engine begin that was held."""
        self._hold.unlink()
        self.until(is_ready, "the model")

    @property
    def seen(self) -> Seen:
        """What was seen last."""
        found: Seen = json.loads(self._file.read_text(encoding="utf-8"))
        return found

    def until(self, holds: Callable[[Seen], object], what: str, seconds: float = PATIENCE) -> Seen:
        """Wait until something is seen. Returns all that is seen then."""
        program, end = self.person.program, time.monotonic() + seconds
        assert program is not None
        while time.monotonic() < end:
            assert program.poll() is None, f"the program ended with {program.returncode} before {what}"
            if self._file.exists() and holds(seen := self.seen):
                return seen
            time.sleep(0.1)
        raise AssertionError(f"waited {seconds} s for {what}; seen: {self.seen}; saved: {self.person.messages()}")

    def ask_four(self, text: str) -> None:
        """Choose four answers by the mouse and the keys, and ask for them."""
        seen = self.until(lambda seen: is_ready(seen) and seen["answers_at"], "the number of answers")
        self.person.click(seen["answers_at"])
        self.until(lambda seen: seen["has_menu"], "the menu of the numbers")
        self.person.press("Down", "Down", "Down", "Down", "Return")
        seen = self.until(lambda seen: seen["answers"] == 4 and not seen["has_menu"], "four answers chosen")
        self.person.click(seen["field_at"])
        self.person.type(text)
        self.person.press("Return")

    def until_answered(self, count: int) -> None:
        """Wait until so many answers have ended, and are saved."""
        self.until(lambda _: ended(self.person) == count and is_ready(self.seen), f"{count} answers")

    def open_tokens(self) -> None:
        """Show the answer at the end of the chat by its tokens."""
        answer_id = self.seen["path"][-1][0]
        self.person.press("ctrl+alt+t")
        self.until(lambda seen: seen["token"]["message"] == answer_id and not seen["token"]["is_last"], "token mode")

    def step(self, key: str) -> Seen:
        """Go to another token that is not sure; returns what is seen of it."""
        before = self.seen["token"]["position"]
        self.person.press(key)
        seen = self.until(lambda seen: seen["token"]["position"] != before, f"another token after {key}")
        token: Seen = seen["token"]
        return token

    def walk_to_fork(self, ways: int) -> Seen:
        """Go to the first token in whose place so many could stand, else to the one with most of them."""
        tokens = [self.step("Right")]
        while len(tokens[-1]["rows"]) < ways and not self.seen["token"]["is_last"]:
            tokens.append(self.step("Right"))
        best = max(tokens, key=lambda token: min(len(token["rows"]), ways))
        while self.seen["token"]["position"] != best["position"]:
            self.step("Left")
        return best


@pytest.fixture
def onlooker(tmp_path: Path) -> Iterator[Onlooker]:
    command = (sys.executable, "-m", "tests.scenarios.seen_session")
    (tmp_path / "data").mkdir()
    with sitting_down(tmp_path / "data", command, os.environ) as someone:
        yield Onlooker(someone)


def is_ready(seen: Seen) -> bool:
    return str(seen["status"]).startswith("Ready")


def ended(person: Person) -> int:
    return sum(role == "assistant" and stop is not None for role, _, stop, _ in person.messages())


def answers_in(data: Path) -> tuple[list[Message], dict[str, bytes]]:
    """The answers to the one question that is not of the sample, oldest first, and what they were chosen from."""
    store = Store(paths_in(data).database)
    (known,) = [one for one in store.conversations.all() if one.id != SAMPLE_ID]
    messages = store.messages.of(known.id)
    answers = [one for one in messages if one.role == "assistant"]
    choices = {one.id: store.messages.choices(one.id) for one in answers}
    store.close()
    assert [one.role for one in messages if one not in answers] == ["user"]
    assert {one.parent_id for one in answers} == {messages[0].id}
    return answers, choices


def test_four_answers_and_forks_at_tokens_are_there_again_after_a_restart(onlooker: Onlooker) -> None:
    person = onlooker.person
    onlooker.start()
    onlooker.ask_four("Tell me a story about a fox")
    columns = onlooker.until(lambda seen: len(seen["columns"]) == 3, "the columns")["columns"]
    onlooker.until_answered(4)
    kept_id, _, keep = columns[1]
    person.click(keep)
    onlooker.until(lambda seen: not seen["columns"] and seen["path"][-1][0] == kept_id, "the answer that is kept")

    onlooker.open_tokens()
    first = onlooker.walk_to_fork(3)
    person.press("Down")
    chosen = onlooker.until(lambda seen: seen["token"]["chosen"] != first["chosen"], "another word")["token"]
    word = chosen["rows"][chosen["chosen"]]
    person.press("Return")
    onlooker.until_answered(5)
    seen = onlooker.until(lambda seen: seen["path"][-1][0] != kept_id and not seen["token"]["message"], "the fork")
    if not word["is_end"]:
        seen = onlooker.until(lambda seen: seen["computed"] is not None, "the figures of the fork")
        assert seen["computed"] == 1
        assert seen["reused"] > first["position"]
    fork_id = seen["path"][-1][0]

    onlooker.open_tokens()
    second = onlooker.walk_to_fork(4)
    person.press("4")
    ways = second["rows"][:4]
    assert len(ways) > 1
    onlooker.until_answered(5 + len(ways))
    seen = onlooker.until(lambda seen: seen["path"][-1][0] != fork_id, "one of the ways")
    assert person.quit() == 0

    answers, choices = answers_in(onlooker.data)
    assert len(answers) == 5 + len(ways)
    assert (answers[1].id, answers[4].id) == (kept_id, fork_id)
    kept, fork = answers[1], answers[4]
    assert kept.ids is not None
    assert fork.ids is not None
    at = first["position"]
    assert fork.ids[: at + 1] == (*kept.ids[:at], word["id"])
    at = second["position"]
    begun = {one.ids[: at + 1] for one in answers[5:] if one.ids is not None}
    assert begun >= {(*fork.ids[:at], way["id"]) for way in ways if not way["is_end"]}
    for one in answers:
        told = unpack(choices[one.id])
        assert one.stop is not None
        assert len(told) == len(one.ids or ())
        assert sum(choice.length for choice in told if not choice.is_thinking) == len(one.text)

    onlooker.start(is_held=True)
    again = onlooker.until(lambda seen: seen["path"], "the conversation again")
    assert again["path"] == seen["path"]
    onlooker.open_tokens()
    assert onlooker.step("Right")["rows"]
    person.press("Escape")
    onlooker.until(lambda seen: not seen["token"]["message"], "the answer as text")
    person.press("ctrl+alt+a")
    seen = onlooker.until(lambda seen: len(seen["columns"]) == 3, "the columns again")
    assert not is_ready(seen)
    shown = {one.id: one.text for one in answers[-MOST_COLUMNS:]}
    assert all(shown[answer_id] == text for answer_id, text, _ in seen["columns"])
    onlooker.let_go()
    assert person.quit() == 0


def test_a_kill_leaves_all_four_answers_or_none_each_with_its_words_so_far(onlooker: Onlooker) -> None:
    person = onlooker.person
    onlooker.start()
    onlooker.ask_four("Tell me a story about a lighthouse")
    onlooker.until(lambda seen: len(seen["columns"]) == 3, "the columns")
    onlooker.until(lambda _: any(role == "assistant" for role, *_ in person.messages()), "the first words on the disk")
    assert person.program is not None
    person.program.kill()
    person.program.wait()
    seen = onlooker.seen
    with copied(onlooker.data) as copy:
        answers, _ = answers_in(copy)
    assert len(answers) == 4
    assert any(one.text for one in answers)
    stored = {one.id: one.text for one in answers}
    for answer_id, text, _ in seen["columns"]:
        assert text.startswith(stored[answer_id]) or stored[answer_id].startswith(text)

    onlooker.start()
    onlooker.until(lambda seen: seen["path"], "the conversation again")
    person.press("ctrl+alt+a")
    seen = onlooker.until(lambda seen: len(seen["columns"]) == 3, "the columns again")
    assert all(stored[answer_id] == text for answer_id, text, _ in seen["columns"])
    assert person.quit() == 0
