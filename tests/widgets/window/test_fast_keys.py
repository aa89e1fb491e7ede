"""A key is judged by what is true when it comes, however long ago views were told last."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import cast

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.viewmodels.kit.live_state import LiveState
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script

KEY, NONE = Qt.Key, Qt.KeyboardModifier.NoModifier
CTRL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
SEEDS, STEPS = range(3), 12
NEVER = 3_600_000
LONGEST = 30_000
FAILS = "too much"


class FastPerson:
    """Somebody whose keys all come before any view is told of anything. Each step says what must come of it."""

    def __init__(self, qtbot: QtBot, window: MainWindow, app: App, script: Script) -> None:
        self._qtbot = qtbot
        self._window = window
        self._app = app
        self._script = script
        self._count = 0
        for state in app.findChildren(LiveState):
            state.findChild(QTimer).setInterval(NEVER)

    @property
    def steps(self) -> list[Callable[[], None]]:
        """What the person may do now."""
        steps = [self.ask, self.ask_in_new_conversation, self.stop_at_once, self.ask_what_fails]
        if self.texts:
            steps += [self.fork, self.change_mind, self.answer_again, self.rename_another, self.undo_at_once]
        return steps

    @property
    def texts(self) -> list[str]:
        return [row.text for row in self._app.chat.chat_model.rows]

    @property
    def is_busy(self) -> bool:
        """Whether the last question is still being stored or answered."""
        return self._app.chat.questions.is_busy_in(self._app.library.open_id)

    @property
    def composer(self) -> str:
        return self._window.chat.composer.text

    def until(self, holds: Callable[[], bool]) -> None:
        self._qtbot.waitUntil(holds, timeout=LONGEST)

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
        QTest.keyClick(self._window.windowHandle(), key, modifier)

    def type(self, text: str) -> None:
        for letter in text:
            QTest.keyClick(self._window.windowHandle(), cast(Qt.Key, letter))

    def new_words(self) -> str:
        self._count += 1
        return f"words {self._count}"

    def wait_for_answer(self, text: str) -> None:
        def is_answered() -> bool:
            last_two = self._app.chat.chat_model.rows[-2:]
            return [row.text for row in last_two] == [text, f"You said: {text}"] and last_two[1].footer is not None

        self.until(is_answered)
        self.until(lambda: not self._app.chat.state.now.is_writing)
        assert self.composer == ""

    # Steps

    def ask(self) -> None:
        text = self.new_words()
        self.type(text)
        self.press(KEY.Key_Return)
        self.wait_for_answer(text)

    def ask_in_new_conversation(self) -> None:
        self.press(KEY.Key_N, CTRL)
        self.ask()
        assert len(self.texts) == 2

    def stop_at_once(self) -> None:
        self._script.hold = 1
        self._script.go.clear()
        text = self.new_words()
        self.type(text)
        self.press(KEY.Key_Return)
        self.press(KEY.Key_Escape)
        self.until(lambda: not self._app.chat.state.now.is_writing and not self.is_busy)
        assert text in self.texts[-2:]
        assert f"You said: {text}" not in self.texts
        self._script.hold = None
        self._script.go.set()
        self.press(KEY.Key_R, CTRL)
        self.wait_for_answer(text)

    def ask_what_fails(self) -> None:
        self.type(FAILS)
        self.press(KEY.Key_Return)
        self.until(lambda: self._app.chat.state.now.card is not None)
        text = self.new_words()
        if self._count % 2:
            self.press(KEY.Key_Escape)
        else:
            self.press(KEY.Key_D, CTRL)
            assert self.composer == FAILS
            self.press(KEY.Key_A, CTRL)
        self.type(text)
        self.press(KEY.Key_Return)
        self.wait_for_answer(text)

    def fork(self) -> None:
        question = self.texts[-2]
        self.press(KEY.Key_D, CTRL)
        self.type("!")
        assert self.composer == f"{question}!"
        self.press(KEY.Key_Return)
        self.wait_for_answer(f"{question}!")
        forked = self._app.chat.chat_model.rows[-1].id
        self.press(KEY.Key_Left, CTRL | ALT)
        assert self._app.chat.chat_model.rows[-1].id != forked

    def change_mind(self) -> None:
        before = self.texts
        self.type("a draft")
        self.press(KEY.Key_D, CTRL)
        self.type("!")
        self.press(KEY.Key_Escape)
        assert self.composer == "a draft"
        self.press(KEY.Key_A, CTRL)
        self.press(KEY.Key_Backspace)
        assert (self.composer, self.texts) == ("", before)

    def answer_again(self) -> None:
        question, versions = self.texts[-2], self._app.chat.chat_model.rows[-1].versions
        self.press(KEY.Key_R, CTRL)
        self.wait_for_answer(question)
        assert self._app.chat.chat_model.rows[-1].versions == versions + 1

    def undo_at_once(self) -> None:
        """Undo takes back what was typed, never what was sent."""
        before, text = self.texts, self.new_words()
        self.type(text)
        self.press(KEY.Key_Return)
        self.press(KEY.Key_Z, CTRL)
        self.wait_for_answer(text)
        assert self.texts[: len(before)] == before

    def rename_another(self) -> None:
        rows = [row.id for row in self._app.library.conversation_model.rows]
        at = rows.index(self._open_id)
        self._window.sidebar.list.setFocus(Qt.FocusReason.TabFocusReason)
        self.press(KEY.Key_Down if at < len(rows) - 1 else KEY.Key_Up)
        opened, title = self._open_id, self.new_words()
        assert len(rows) == 1 or opened != rows[at]
        if self.texts:
            self.press(KEY.Key_Return)
            self.press(KEY.Key_A, CTRL)
            self.type(title)
            self.press(KEY.Key_Return)
            self.until(lambda: self._app.chat.state.now.title == title)
            assert self._open_id == opened
        self.press(KEY.Key_L, CTRL)

    @property
    def _open_id(self) -> str:
        return self._app.library.state.now.open_id


def test_keys_need_no_view_to_have_been_told(qtbot: QtBot, window: MainWindow, app: App, script: Script) -> None:
    script.fail = FAILS
    person = FastPerson(qtbot, window, app, script)
    for seed in SEEDS:
        chance = random.Random(seed)
        done: list[str] = []
        for _ in range(STEPS):
            step = chance.choice(person.steps)
            done.append(step.__name__)
            try:
                step()
            except Exception as problem:
                raise AssertionError(f"seed {seed}, after {done}: {problem}") from problem
