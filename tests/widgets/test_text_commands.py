"""Undo and redo, deleting: with real keys, in the text and among conversations."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.viewmodels.controller import Controller
from app.widgets.main_window import MainWindow
from app.widgets.theme import DARK
from tests.widgets.pictures import count, picture
from tests.widgets.test_main_window import ask, texts

_CTRL, _SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def talk(qtbot: QtBot, window: MainWindow, controller: Controller) -> MainWindow:
    """Two questions and their answers, the composer empty and under the keyboard."""
    ask(qtbot, window, controller, "One")
    ask(qtbot, window, controller, "Two")
    return window


def titles(window: MainWindow) -> tuple[str, str]:
    return window.menus.actions["undo"].text(), window.menus.actions["redo"].text()


def test_undo_is_for_the_text_while_there_is_something_in_it(
    qtbot: QtBot, talk: MainWindow, controller: Controller
) -> None:
    edit = talk.chat.composer.edit
    qtbot.waitUntil(lambda: titles(talk) == ("Undo Message", "Redo"))
    qtbot.keyClicks(edit, "a thought")
    assert titles(talk) == ("Undo", "Redo")
    qtbot.keyClick(edit, Qt.Key.Key_Z, _CTRL)
    assert talk.chat.composer.text == ""
    assert titles(talk) == ("Undo Message", "Redo")
    qtbot.keyClick(edit, Qt.Key.Key_Z, _CTRL)
    qtbot.waitUntil(lambda: texts(controller) == ["One", "You said: One"])
    assert talk.menus.actions["undo"].text() == "Undo New Conversation"
    talk.chat.view.setFocus()
    assert titles(talk) == ("Undo New Conversation", "Redo Message")
    talk.menus.actions["redo"].trigger()
    qtbot.waitUntil(lambda: texts(controller)[2:] == ["Two", "You said: Two"])
    assert not talk.menus.actions["redo"].isEnabled()


def test_a_new_window_has_nothing_to_undo(window: MainWindow) -> None:
    assert not window.menus.actions["undo"].isEnabled()
    window._look.set_theme(DARK)
    assert not window.menus.actions["undo"].isEnabled()


def test_a_message_is_deleted_by_key_and_brought_back_by_the_banner(
    qtbot: QtBot, talk: MainWindow, controller: Controller
) -> None:
    qtbot.keyClick(talk.chat.composer.edit, Qt.Key.Key_Backspace, _CTRL)
    qtbot.waitUntil(lambda: texts(controller) == ["One", "You said: One"])
    banner = talk.chat.banner
    assert banner.isVisible()
    assert banner.action.accessibleName() == "Undo"
    qtbot.mouseClick(banner.action, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: texts(controller)[2:] == ["Two", "You said: Two"])
    assert not banner.isVisible()


def test_the_key_means_the_text_while_there_is_some(qtbot: QtBot, talk: MainWindow, controller: Controller) -> None:
    edit = talk.chat.composer.edit
    qtbot.keyClicks(edit, "two words")
    qtbot.keyClick(edit, Qt.Key.Key_Backspace, _CTRL)
    QApplication.processEvents()
    assert talk.chat.composer.text == "two "
    assert len(texts(controller)) == 4


def test_the_message_that_the_keyboard_is_on_is_the_one(qtbot: QtBot, talk: MainWindow, controller: Controller) -> None:
    talk.chat.view.setFocus()
    qtbot.keyClick(talk.chat.view, Qt.Key.Key_Home)
    qtbot.keyClick(talk.chat.view, Qt.Key.Key_Backspace, _CTRL)
    qtbot.waitUntil(lambda: texts(controller) == [])
    assert talk.chat.is_first_run
    qtbot.keyClick(talk.chat.composer.edit, Qt.Key.Key_Z, _CTRL)
    qtbot.waitUntil(lambda: len(texts(controller)) == 4)


def test_words_of_the_banner_stay_clear_of_its_button(qtbot: QtBot, talk: MainWindow, controller: Controller) -> None:
    talk.resize(880, 560)
    talk.do("delete_message")
    qtbot.waitUntil(talk.chat.banner.isVisible)
    QApplication.processEvents()
    banner = talk.chat.banner
    image = picture(banner)
    gap = image.copy(banner.action.x() - 8, 0, 8, banner.height() - 1)
    assert count(gap, talk._look.theme.soft) == gap.width() * gap.height()
