"""The trash: what lies there is told, comes back, or goes for ever once that was confirmed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from app.protocol.commands import EraseOwner
from app.viewmodels.app import App
from app.viewmodels.library import trash_list
from app.widgets.sidebar.trash_box import TrashBox
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.widgets.window.test_main_window import ask, texts


@pytest.fixture
def deleted(qtbot: QtBot, window: MainWindow, app: App) -> MainWindow:
    """One whole conversation in the trash, and the end of another one."""
    ask(qtbot, window, app, "quinces")
    app.act("delete_conversation")
    qtbot.waitUntil(lambda: texts(app) == [])
    ask(qtbot, window, app, "pears")
    ask(qtbot, window, app, "apples")
    app.act("delete_message")
    qtbot.waitUntil(lambda: len(texts(app)) == 2)
    return window


@pytest.fixture
def box(qtbot: QtBot, deleted: MainWindow) -> Iterator[TrashBox]:
    deleted.menus.actions["trash"].trigger()
    (box,) = deleted.findChildren(TrashBox)
    qtbot.waitUntil(lambda: bool(box.list.model().rowCount()))
    yield box
    box.close()


def lines(box: TrashBox) -> list[tuple[str, str]]:
    return [(row.title, row.line.replace("\u00a0", " ")) for row in box._trash.rows.rows]


def test_it_says_what_was_deleted_and_how_long_it_stays(box: TrashBox) -> None:
    assert lines(box) == [
        ("apples", "2 messages of “pears”  ·  30 days left"),
        ("quinces", "Conversation, 2 messages  ·  30 days left"),
    ]
    assert "While Espalier is not opened, a week of them passes at most." in trash_list.EMPTY_HINT
    assert box.list.hasFocus()
    assert box.restore_button.isEnabled()


def test_messages_come_back_where_they_were(qtbot: QtBot, box: TrashBox, app: App) -> None:
    qtbot.mouseClick(box.restore_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(texts(app)) == 4)
    qtbot.waitUntil(lambda: len(lines(box)) == 1)
    assert app.library.state.now.undo == "Restore"


def test_a_conversation_comes_back_and_is_opened(qtbot: QtBot, box: TrashBox, app: App) -> None:
    qtbot.keyClick(box.list, Qt.Key.Key_Down)
    qtbot.keyClick(box.restore_button, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: texts(app) == ["quinces", "You said: quinces"])


def test_return_in_the_list_brings_back_what_is_chosen(qtbot: QtBot, box: TrashBox, app: App) -> None:
    qtbot.mouseClick(box.list.viewport(), Qt.MouseButton.LeftButton, pos=box.list.rect().topLeft() + QPoint(40, 12))
    app._store.drain()
    assert len(lines(box)) == 2, "a click chooses only"
    qtbot.keyClick(box.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(texts(app)) == 4)


def test_emptying_asks_first(qtbot: QtBot, box: TrashBox, app: App, script: Script) -> None:
    qtbot.mouseClick(box.empty_button, Qt.MouseButton.LeftButton)
    (asked,) = box.findChildren(QMessageBox)
    assert "Deleted means gone" in asked.informativeText()
    assert asked.defaultButton().text() == "Cancel"
    qtbot.keyClick(asked, Qt.Key.Key_Escape)
    app._store.drain()
    assert len(lines(box)) == 2
    assert not any(isinstance(command, EraseOwner) for command in script.commands)


def test_what_is_emptied_is_gone_for_ever(
    qtbot: QtBot, box: TrashBox, app: App, script: Script, data_folder: Path
) -> None:
    gone = {row.conversation_id for row in box._trash.rows.rows}
    box.ask_to_empty()
    (asked,) = box.findChildren(QMessageBox)
    (button,) = [one for one in asked.buttons() if one.text() == "Empty Trash"]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: lines(box) == [])
    assert not box.restore_button.isEnabled()
    assert not box.empty_button.isEnabled()
    assert app.notices.now.text.replace("\u00a0", " ") == "The trash is empty: 4 messages deleted for ever."
    assert app.library.state.now.undo == ""
    qtbot.waitUntil(lambda: {one.owner for one in script.commands if isinstance(one, EraseOwner)} == gone)
    app.act("undo")
    app._store.drain()
    assert texts(app) == ["pears", "You said: pears"]
    for file in data_folder.iterdir():
        assert b"quinces" not in file.read_bytes(), file


def test_copies_that_go_with_it_are_told_before(qtbot: QtBot, deleted: MainWindow, app: App, data_folder: Path) -> None:
    (data_folder / "conversations.damaged-20260101-120000.db").write_text("pears")
    deleted.menus.actions["trash"].trigger()
    (box,) = deleted.findChildren(TrashBox)
    app._store.drain()
    qtbot.mouseClick(box.empty_button, Qt.MouseButton.LeftButton)
    (asked,) = box.findChildren(QMessageBox)
    assert "when they were damaged" in asked.informativeText()
    asked.close()
    box.close()


def test_an_empty_trash_says_so(qtbot: QtBot, window: MainWindow, app: App) -> None:
    window.do("trash")
    (box,) = window.findChildren(TrashBox)
    app._store.drain()
    QApplication.processEvents()
    assert box.list.accessibleDescription() == "The trash is empty."
    assert not box.restore_button.isEnabled()
    qtbot.keyClick(box, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not window.findChildren(TrashBox))


def test_messages_are_told_from_the_conversation_that_went_later(qtbot: QtBot, box: TrashBox, app: App) -> None:
    app.act("delete_conversation")
    qtbot.waitUntil(lambda: texts(app) == [])
    box._trash.read()
    qtbot.waitUntil(lambda: len(lines(box)) == 3)
    assert [line.split("  ·  ")[0] for _title, line in lines(box)] == [
        "Conversation, 4 messages",
        "2 messages of “pears”",
        "Conversation, 2 messages",
    ]
