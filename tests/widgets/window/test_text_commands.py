"""Undo and redo, deleting: with real keys, in the text and among conversations."""

from __future__ import annotations

import random

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QApplication, QLineEdit, QMessageBox
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.widgets.chat.messages.message_body import TextPoint
from app.widgets.kit.theme import DARK
from app.widgets.window.copy_commands import NOTHING_TO_COPY
from app.widgets.window.main_window import MainWindow
from app.widgets.window.text_commands import Field
from tests.seeds import chosen
from tests.widgets.pictures import count, picture
from tests.widgets.window.test_main_window import ask, texts

_END = QTextCursor.MoveOperation.End
_CTRL, _SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def talk(qtbot: QtBot, window: MainWindow, app: App) -> MainWindow:
    """Two questions and their answers, the composer empty and under the keyboard."""
    ask(qtbot, window, app, "One")
    ask(qtbot, window, app, "Two")
    return window


def titles(window: MainWindow) -> tuple[str, str]:
    return window.menus.actions["undo"].text(), window.menus.actions["redo"].text()


def test_a_text_field_ends_at_its_own_undo(qtbot: QtBot, talk: MainWindow, app: App) -> None:
    edit = talk.chat.composer.edit
    qtbot.waitUntil(lambda: app.library.state.now.undo == "Message")
    assert titles(talk) == ("Undo", "Redo")
    qtbot.keyClicks(edit, "a thought")
    assert talk.menus.actions["undo"].isEnabled()
    qtbot.keyClick(edit, Qt.Key.Key_Z, _CTRL)
    assert talk.chat.composer.text == ""
    assert not talk.menus.actions["undo"].isEnabled()
    for _ in range(3):
        qtbot.keyClick(edit, Qt.Key.Key_Z, _CTRL)
    talk._text.undo()
    settle(app)
    assert texts(app) == ["One", "You said: One", "Two", "You said: Two"]


def test_in_a_composer_without_changes_undo_does_what_the_banner_offers(
    qtbot: QtBot, talk: MainWindow, app: App
) -> None:
    edit = talk.chat.composer.edit
    qtbot.waitUntil(lambda: app.library.state.now.undo == "Message")
    app.chat.open_branch.delete_message(app.library.tree.path[2].id)
    qtbot.waitUntil(lambda: texts(app) == ["One", "You said: One"] and app.notices.offers_undo)
    talk.chat.composer.focus_text()
    qtbot.waitUntil(lambda: titles(talk)[0].startswith("Undo Delet"))
    qtbot.keyClicks(edit, "a")
    assert titles(talk)[0] == "Undo"
    qtbot.keyClick(edit, Qt.Key.Key_Z, _CTRL)
    assert talk.chat.composer.text == ""
    qtbot.keyClick(edit, Qt.Key.Key_Z, _CTRL)
    qtbot.waitUntil(lambda: texts(app) == ["One", "You said: One", "Two", "You said: Two"])
    qtbot.waitUntil(lambda: not app.notices.offers_undo)
    qtbot.keyClick(edit, Qt.Key.Key_Z, _CTRL)
    settle(app)
    assert texts(app) == ["One", "You said: One", "Two", "You said: Two"]


def test_without_a_text_field_undo_is_about_the_conversations(qtbot: QtBot, talk: MainWindow, app: App) -> None:
    talk.chat.view.setFocus()
    qtbot.waitUntil(lambda: titles(talk) == ("Undo Message", "Redo"))
    qtbot.keyClick(talk.chat.view, Qt.Key.Key_Z, _CTRL)
    qtbot.waitUntil(lambda: texts(app) == ["One", "You said: One"])
    assert titles(talk) == ("Undo New Conversation", "Redo Message")
    talk.menus.actions["redo"].trigger()
    qtbot.waitUntil(lambda: texts(app)[2:] == ["Two", "You said: Two"])
    assert not talk.menus.actions["redo"].isEnabled()
    talk.chat.composer.focus_text()
    assert titles(talk) == ("Undo", "Redo")


def settle(app: App) -> None:
    """Wait until the database has done what was asked of it."""
    for _ in range(3):
        QApplication.processEvents()
        app._store.drain()


_KEYS = [
    (Qt.Key.Key_Z, _CTRL),
    (Qt.Key.Key_Z, _CTRL | _SHIFT),
    (Qt.Key.Key_Y, _CTRL),
    (Qt.Key.Key_X, _CTRL),
    (Qt.Key.Key_V, _CTRL),
    (Qt.Key.Key_Backspace, Qt.KeyboardModifier.NoModifier),
    *((key, _CTRL) for key in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete)),
    *((key, Qt.KeyboardModifier.AltModifier) for key in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete)),
    *((key, _CTRL | _SHIFT) for key in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete)),
    (Qt.Key.Key_A, Qt.KeyboardModifier.NoModifier),
]


@pytest.mark.parametrize("place", ["composer", "search", "title"])
def test_no_key_that_edits_text_reaches_the_conversations(qtbot: QtBot, talk: MainWindow, app: App, place: str) -> None:
    settle(app)
    said, steps = texts(app), app.library.changes.step
    for seed in chosen(range(6)):
        draw = random.Random(seed)
        if place == "title":
            talk.do("rename")
        else:
            (talk.chat.composer.edit if place == "composer" else talk.sidebar.field).setFocus()
        pressed = draw.choices(_KEYS, k=20)
        for key, modifiers in pressed:
            field = QApplication.focusWidget()
            assert isinstance(field, Field)
            qtbot.keyClick(field, key, modifiers)
        settle(app)
        assert (texts(app), app.library.changes.step) == (said, steps), (seed, pressed)
        if place == "title":
            qtbot.keyClick(field, Qt.Key.Key_Escape)


def test_without_a_text_field_no_text_is_cut_or_selected(qtbot: QtBot, talk: MainWindow, app: App) -> None:
    """Nor in a field that is hidden: Undo would then be about something that nobody sees."""
    edit, clipboard = talk.chat.composer.edit, QGuiApplication.clipboard()
    talk.do("fork")
    ask(qtbot, talk, app, "Other")
    edit.setFocus()
    qtbot.keyClicks(edit, "a draft")
    clipboard.setText("pasted")
    talk.do("compare")
    assert talk.chat.comparison is not None
    qtbot.waitUntil(lambda: not edit.isVisible())
    said = talk.chat.comparison.list
    for widget in (said, talk.sidebar.list, talk.branches.tree):
        widget.setFocus()
        for command in ("cut", "select_all", "paste"):
            app.notices.dismiss()
            is_selected = command == "select_all" and widget is talk.sidebar.list
            talk.do(command)
            assert app.notices.now.text.startswith("Nothing was") is not is_selected, (widget, command)
            assert (edit.toPlainText(), edit.textCursor().hasSelection()) == ("a draft", False)
            assert (clipboard.text(), edit.hasFocus()) == ("pasted", False)


def test_pasting_goes_to_the_composer_with_the_keyboard(qtbot: QtBot, talk: MainWindow, app: App) -> None:
    QGuiApplication.clipboard().setText("pasted")
    talk.chat.view.setFocus()
    talk.do("paste")
    assert (talk.chat.composer.text, talk.chat.composer.edit.hasFocus()) == ("pasted", True)
    talk.sidebar.field.setFocus()
    talk.do("paste")
    assert (talk.chat.composer.text, talk.sidebar.field.text()) == ("pasted", "pasted")
    talk.do("select_all")
    talk.do("cut")
    assert (talk.chat.composer.text, talk.sidebar.field.text()) == ("pasted", "")


def test_what_is_copied_is_what_the_field_with_the_keyboard_has_selected(
    qtbot: QtBot, talk: MainWindow, app: App
) -> None:
    """And not what was selected in the chat before. Without a selection in it, that of the chat."""
    edit, clipboard = talk.chat.composer.edit, QGuiApplication.clipboard()
    talk.chat.view.pointer.selection.take(1, (TextPoint(0, 0), TextPoint(0, 8)))
    qtbot.keyClicks(edit, "a draft")
    for select, wanted in ((edit.selectAll, "a draft"), (lambda: edit.moveCursor(_END), "You said")):
        select()
        talk.do("copy")
        assert clipboard.text() == wanted
    talk.chat.view.pointer.selection.clear()
    talk.do("copy")
    assert (clipboard.text(), app.notices.now.text) == ("You said", NOTHING_TO_COPY)


def test_a_new_window_has_nothing_to_undo(window: MainWindow) -> None:
    assert not window.menus.actions["undo"].isEnabled()
    window._style.set_theme(DARK)
    assert not window.menus.actions["undo"].isEnabled()


def test_a_message_is_deleted_by_key_and_brought_back_by_the_banner(qtbot: QtBot, talk: MainWindow, app: App) -> None:
    talk.chat.view.setFocus()
    qtbot.keyClick(talk.chat.view, Qt.Key.Key_Up)
    qtbot.keyClick(talk.chat.view, Qt.Key.Key_Backspace, _CTRL)
    qtbot.waitUntil(lambda: texts(app) == ["One", "You said: One"])
    banner = talk.chat.banner
    assert banner.isVisible()
    assert banner.action.accessibleName() == "Undo"
    qtbot.mouseClick(banner.action, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: texts(app)[2:] == ["Two", "You said: Two"])
    assert not banner.isVisible()


def test_the_key_means_the_text_while_there_is_some(qtbot: QtBot, talk: MainWindow, app: App) -> None:
    edit = talk.chat.composer.edit
    qtbot.keyClicks(edit, "two words")
    qtbot.keyClick(edit, Qt.Key.Key_Backspace, _CTRL)
    QApplication.processEvents()
    assert talk.chat.composer.text == "two "
    assert len(texts(app)) == 4


def test_the_message_that_the_keyboard_is_on_is_the_one(qtbot: QtBot, talk: MainWindow, app: App) -> None:
    talk.chat.view.setFocus()
    qtbot.keyClick(talk.chat.view, Qt.Key.Key_Home)
    qtbot.keyClick(talk.chat.view, Qt.Key.Key_Backspace, _CTRL)
    (box,) = talk.findChildren(QMessageBox)
    assert box.informativeText().startswith("4\u00a0messages. ")
    (delete,) = (one for one in box.buttons() if one.text() == "Delete")
    assert len(texts(app)) == 4
    delete.click()
    qtbot.waitUntil(lambda: texts(app) == [])
    assert talk.chat.is_welcome_shown
    talk.setFocus()
    talk.menus.actions["undo"].trigger()
    qtbot.waitUntil(lambda: len(texts(app)) == 4)


def test_words_of_the_banner_stay_clear_of_its_button(qtbot: QtBot, talk: MainWindow, app: App) -> None:
    talk.resize(880, 560)
    talk.do("delete_message")
    qtbot.waitUntil(talk.chat.banner.isVisible)
    QApplication.processEvents()
    banner = talk.chat.banner
    image = picture(banner)
    gap = image.copy(banner.action.x() - 8, 0, 8, banner.height() - 1)
    assert count(gap, talk._style.theme.soft) == gap.width() * gap.height()


def test_a_field_that_goes_while_one_writes_in_it_is_let_go_without_a_word(
    qtbot: QtBot, window: MainWindow, recwarn: pytest.WarningsRecorder
) -> None:
    """A name that was written in place: the field is deleted with the keyboard in it."""
    for way in ("deleted", "deleted later", "closed"):
        field = QLineEdit(window)
        field.show()
        field.setFocus()
        qtbot.waitUntil(field.hasFocus)
        if way == "deleted":
            shiboken6.delete(field)
        elif way == "closed":
            field.setParent(None)
            field.deleteLater()
        else:
            field.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        window.chat.composer.edit.setFocus()
        qtbot.waitUntil(window.chat.composer.edit.hasFocus)
    assert [str(one.message) for one in recwarn] == []
