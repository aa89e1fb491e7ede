from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.kit.dialogs import ask_to_delete, close_on_command, folder_dialog
from tests.widgets.pictures import show


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    show(window, 400, 300)
    return window


def asked(qtbot: QtBot, window: QWidget, done: list[str]) -> QMessageBox:
    box = ask_to_delete("Delete <b>it</b>?", "It is <i>gone</i> then.", "Delete", lambda: done.append("it"), window)
    qtbot.waitUntil(box.isVisible)
    return box


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Escape])
def test_the_usual_keys_delete_nothing(qtbot: QtBot, window: QWidget, key: Qt.Key) -> None:
    done: list[str] = []
    box = asked(qtbot, window, done)
    with qtbot.waitSignal(box.destroyed):
        qtbot.keyClick(box, key)
    assert done == []
    assert window.findChildren(QMessageBox) == []


def test_its_button_deletes_once(qtbot: QtBot, window: QWidget) -> None:
    done: list[str] = []
    box = asked(qtbot, window, done)
    (button,) = [one for one in box.findChildren(QPushButton) if one.text() == "Delete"]
    with qtbot.waitSignal(box.destroyed):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert done == ["it"]


def test_names_are_shown_as_they_are_written(qtbot: QtBot, window: QWidget) -> None:
    box = asked(qtbot, window, [])
    assert box.textFormat() is Qt.TextFormat.PlainText
    assert (box.text(), box.informativeText()) == ("Delete <b>it</b>?", "It is <i>gone</i> then.")
    with qtbot.waitSignal(box.destroyed):
        box.reject()


def test_of_the_folders_that_qt_names_the_one_that_was_typed_counts(qtbot: QtBot, window: QWidget) -> None:
    chosen: list[str] = []
    dialog = folder_dialog("Open", chosen.append, window)
    dialog.filesSelected.emit(["/mine", "/mine/models"])
    dialog.filesSelected.emit(["/mine"])
    assert chosen == ["/mine/models", "/mine"]


def test_each_key_that_closes_windows_closes_a_dialog(qtbot: QtBot, window: QWidget) -> None:
    """Among them the one that the menus show, which is not the system's first everywhere."""
    found = QKeySequence.keyBindings(QKeySequence.StandardKey.Close)
    bindings = [keys for keys in found if keys[0].key() != Qt.Key.Key_Close]  # a key that few keyboards have
    assert QKeySequence("Ctrl+W") in bindings
    for keys in bindings:
        dialog = QDialog(window)
        close_on_command(dialog)
        show(dialog)
        qtbot.waitUntil(dialog.isActiveWindow)
        with qtbot.waitSignal(dialog.rejected):
            qtbot.keyClick(dialog, keys[0].key(), keys[0].keyboardModifiers())
