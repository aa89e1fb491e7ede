"""The real window and the real guide model, driven by key presses."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.conversation.message import Message
from app.conversation.store import Store
from app.main import Program
from app.protocol.events import TrieChanged
from app.protocol.trie_view import TrieNodeView, TrieView
from app.viewmodels.chat.rows import MessageRow
from app.viewmodels.kit.lists import RowRole
from app.viewmodels.library.samples import SAMPLE_ID
from app.widgets.window.main_window import MainWindow

KEY, MODIFIER = Qt.Key, Qt.KeyboardModifier
STORY = "Tell me a story about a fox"
LONGEST = 60_000


class Person:
    """Somebody at the keyboard, who sees what the window shows."""

    def __init__(self, qtbot: QtBot, program: Program) -> None:
        self._qtbot = qtbot
        self.program = program
        self.window = program.window
        self.views: list[TrieView] = []
        program.host.happened.connect(self._note)

    def _note(self, event: object) -> None:
        if isinstance(event, TrieChanged):
            self.views.append(event.view)

    @property
    def rows(self) -> list[MessageRow]:
        return list(self.program.app.chat.chat_model.rows)

    @property
    def texts(self) -> list[str]:
        return [row.text for row in self.rows]

    @property
    def composer(self) -> str:
        return self.window.chat.composer.edit.toPlainText()

    def until(self, holds: object) -> None:
        self._qtbot.waitUntil(holds, timeout=LONGEST)

    def wait_until_ready(self) -> None:
        self.until(lambda: self.program.app.state.now.activity.text.startswith("Ready"))

    def type(self, text: str) -> None:
        for letter in text:
            QTest.keyClick(self.window.windowHandle(), cast(Qt.Key, letter))

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = MODIFIER.NoModifier) -> None:
        QTest.keyClick(self.window.windowHandle(), key, modifier)

    def ask(self, text: str) -> None:
        """Type a question and press Return; wait until its answer has ended."""
        self.type(text)
        self.press(KEY.Key_Return)
        self.until(lambda: self.has_answer_to(text))

    def has_answer_to(self, text: str) -> bool:
        last_two = self.rows[-2:]
        return [row.role for row in last_two] == ["user", "assistant"] and (
            last_two[0].text == text and not last_two[1].is_streaming
        )

    def check_trie(self) -> None:
        """The pane shows edges of the engine's picture, to the end of the longest one, when somebody looks at it."""
        look_at_cache(self.window)
        self._qtbot.wait(120)
        shown = [row for row in nested_rows(self.window.cache.tree.model()) if isinstance(row, TrieNodeView)]
        told = {node.id: node for node in self.views[-1].nodes}
        assert shown
        assert {row.id for row in shown} <= told.keys()
        assert max(row.end for row in shown) == max(node.end for node in told.values())


def look_at_cache(window: MainWindow) -> None:
    """Bring the Cache pane into sight, for which the window has to be wide enough."""
    window.resize(1440, 900)
    window.inspector.show_pane("cache")


def nested_rows(model: QAbstractItemModel, parent: QModelIndex | None = None) -> list[object]:
    """All rows, depth first."""
    at = parent or QModelIndex()
    found: list[object] = []
    for number in range(model.rowCount(at)):
        index = model.index(number, 0, at)
        found.append(index.data(RowRole.ROW))
        found.extend(nested_rows(model, index))
    return found


def stored(data_folder: Path) -> list[Message]:
    store = Store(data_folder / "conversations.db")
    own = (one.id for one in store.conversations.all() if one.id != SAMPLE_ID)
    found = [message for one in own for message in store.messages.of(one)]
    store.close()
    return found


@pytest.fixture
def person(qtbot: QtBot, program: Program) -> Person:
    return Person(qtbot, program)


def test_type_and_send_and_watch_the_answer_grow(person: Person, data_folder: Path) -> None:
    person.wait_until_ready()
    tail: list[str] = []
    person.program.app.chat.chat_model.tailAppended.connect(tail.append)
    person.ask(STORY)
    assert person.composer == ""
    assert len(tail) > 3
    assert "".join(tail) == person.texts[1]
    footer = person.rows[1].footer
    assert footer is not None
    assert footer.reused == 0
    assert footer.stop == "finished"
    person.until(lambda: [message.text for message in stored(data_folder)] == person.texts)
    person.check_trie()


def test_shift_return_breaks_the_line(person: Person) -> None:
    person.type("one")
    person.press(KEY.Key_Return, MODIFIER.ShiftModifier)
    person.type("two")
    assert person.composer == "one\ntwo"
    assert person.texts == []


def test_stop_keeps_what_was_written(person: Person, data_folder: Path) -> None:
    person.wait_until_ready()
    person.type(STORY)
    person.press(KEY.Key_Return)
    person.until(lambda: len(person.texts) == 2 and len(person.texts[1]) > 10)
    person.press(KEY.Key_Escape)
    person.wait_until_ready()
    assert person.rows[1].note == "Stopped"
    person.until(lambda: stored(data_folder)[-1].stop == "stopped")
    assert stored(data_folder)[-1].text == person.texts[1]
    person.check_trie()


def test_edit_forks_and_the_keyboard_switches_back_and_forth(person: Person) -> None:
    person.wait_until_ready()
    person.ask("What is a branch?")
    first = person.texts
    person.check_trie()
    person.press(KEY.Key_D, MODIFIER.ControlModifier)
    assert person.composer == "What is a branch?"
    person.press(KEY.Key_A, MODIFIER.ControlModifier)
    person.ask("What is a fork?")
    forked = person.texts
    assert (person.rows[0].version, person.rows[0].versions) == (2, 2)
    person.check_trie()
    person.press(KEY.Key_Left, MODIFIER.ControlModifier | MODIFIER.AltModifier)
    assert person.texts == first
    person.press(KEY.Key_Right, MODIFIER.ControlModifier | MODIFIER.AltModifier)
    assert person.texts == forked
    person.press(KEY.Key_Left, MODIFIER.ControlModifier | MODIFIER.AltModifier)
    person.ask("How do I fork a message?")
    footer = person.rows[-1].footer
    assert footer is not None
    assert (footer.reused or 0) > 10
    person.check_trie()


def test_answer_again_makes_a_sibling(person: Person) -> None:
    person.wait_until_ready()
    person.ask(STORY)
    person.press(KEY.Key_R, MODIFIER.ControlModifier)
    person.until(lambda: person.rows[-1].versions == 2 and not person.rows[-1].is_streaming)
    footer = person.rows[-1].footer
    assert footer is not None
    assert footer.computed == 1
    person.check_trie()


def test_typing_while_the_model_loads(person: Person) -> None:
    assert not person.program.app.state.now.activity.text.startswith("Ready")
    person.type("What is a branch?")
    person.press(KEY.Key_Return)
    assert person.texts[0] == "What is a branch?"
    person.until(lambda: person.has_answer_to("What is a branch?"))


def test_a_missing_model_folder_is_told_and_the_guide_goes_on(person: Person, tmp_path: Path) -> None:
    person.wait_until_ready()
    person.program.app.model.open(str(tmp_path / "gone"))
    person.until(lambda: "Espalier Guide stays in use" in person.program.app.notices.now.text)
    assert not person.window.chat.composer_area.problem.isVisible()
    assert person.window.chat.composer.isVisible()
    person.type("What is a branch?")
    person.press(KEY.Key_Return)
    person.until(lambda: person.has_answer_to("What is a branch?"))
    shutil.copytree(person.program.folders.guide, tmp_path / "found")
    person.program.app.model.open(str(tmp_path / "found"))
    person.wait_until_ready()
    assert person.program.settings.values.recent_models == (str(tmp_path / "found"),)


def test_closing_while_an_answer_is_written_loses_no_word(person: Person, data_folder: Path) -> None:
    person.wait_until_ready()
    person.type(STORY)
    person.press(KEY.Key_Return)
    person.until(lambda: len(person.texts) == 2 and len(person.texts[1]) > 10)
    shown = person.texts[1]
    person.program.close()
    answer = stored(data_folder)[-1]
    assert answer.text.startswith(shown)
    assert answer.stop == "stopped"


def test_a_prompt_longer_than_the_context_is_told_and_can_be_edited(person: Person) -> None:
    person.wait_until_ready()
    times = person.program.app.model.state.now.context_length // 4  # more than four tokens each
    person.window.chat.composer.edit.setPlainText("How do I fork a message?\n" * times)
    person.press(KEY.Key_Return)
    person.until(lambda: person.program.app.chat.state.now.card is not None)
    card = person.window.chat.composer_area.problem
    assert card.isVisible()
    QTest.mouseClick(card.action, Qt.MouseButton.LeftButton)
    assert person.composer.startswith("How do I fork")
    person.window.chat.composer.edit.selectAll()
    person.ask("How do I fork a message?")
    assert person.rows[0].versions == 2


def test_an_empty_prompt_is_answered_with_a_sentence_and_nothing_else(person: Person) -> None:
    person.wait_until_ready()
    person.type("   ")
    person.press(KEY.Key_Return)
    assert person.texts == []
    assert "Nothing to send" in person.program.app.chat.state.now.send_price


def test_writing_on_while_an_answer_is_written(person: Person) -> None:
    person.wait_until_ready()
    person.type(STORY)
    person.press(KEY.Key_Return)
    person.until(lambda: len(person.texts) == 2 and len(person.texts[1]) > 10)
    person.type("What is a branch?")
    person.press(KEY.Key_Return)
    assert person.composer == "What is a branch?"
    person.until(lambda: person.has_answer_to("What is a branch?"))
    assert person.composer == ""
    assert person.texts[0] == STORY
    assert len(person.texts) == 4


def test_an_answer_lands_in_its_own_conversation(person: Person, data_folder: Path) -> None:
    person.wait_until_ready()
    person.type(STORY)
    person.press(KEY.Key_Return)
    person.until(lambda: len(person.texts) == 2 and len(person.texts[1]) > 10)
    person.press(KEY.Key_N, MODIFIER.ControlModifier)
    assert person.texts == []
    person.until(lambda: stored(data_folder)[-1].stop == "finished")
    assert person.texts == []
    listed = person.window.sidebar.list
    index = listed.model().index(1, 0)
    QTest.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=listed.visualRect(index).center())
    person.until(lambda: len(person.texts) == 2)
    assert person.texts == [message.text for message in stored(data_folder)]
