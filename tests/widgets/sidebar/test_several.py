"""Several conversations selected in the sidebar, by mouse and by keys, and what is done with them at once."""

from __future__ import annotations

from typing import cast

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.viewmodels.text.formatting import HARD
from app.widgets.sidebar.conversation_list import ConversationList
from app.widgets.window.main_window import MainWindow
from tests.widgets.sidebar.test_filing import done, drag, titles
from tests.widgets.window.test_main_window import ask, texts

_CTRL, _SHIFT, _NONE = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier(0)


@pytest.fixture
def listed(qtbot: QtBot, window: MainWindow, app: App) -> ConversationList:
    """Four conversations, the last one open."""
    for text in ("quinces", "pears", "apples", "figs"):
        app.library.new_conversation()
        ask(qtbot, window, app, text)
        done(qtbot, app)
    assert titles(app) == ["figs", "apples", "pears", "quinces"]
    return window.sidebar.list


def click(qtbot: QtBot, view: ConversationList, title: str, held: Qt.KeyboardModifier = _NONE) -> None:
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, held, place(view, title))


def place(view: ConversationList, title: str) -> QPoint:
    number = next(number for number, row in enumerate(view._conversations.rows) if row.title == title)
    return view.row_rect(view._conversations.index(number)).center()


def picked(view: ConversationList) -> list[str]:
    by_id = {row.id: row.title for row in view._conversations.rows}
    return [by_id[one] for one in view.several]


def test_the_mouse_selects_several_and_opens_none(
    qtbot: QtBot, listed: ConversationList, window: MainWindow, app: App
) -> None:
    click(qtbot, listed, "pears", _CTRL)
    click(qtbot, listed, "quinces", _CTRL)
    assert picked(listed) == ["figs", "pears", "quinces"]
    assert texts(app)[0] == "figs"
    delete, export = window.menus.actions["delete_conversation"], window.menus.actions["export"]
    assert (delete.text(), export.text()) == (f"Delete 3{HARD}Conversations", f"Export 3{HARD}Conversations…")
    click(qtbot, listed, "pears", _CTRL)
    assert picked(listed) == ["figs", "quinces"]
    click(qtbot, listed, "apples")
    assert picked(listed) == []
    qtbot.waitUntil(lambda: texts(app)[0] == "apples" and listed.row is not None and listed.row.title == "apples")
    assert (delete.text(), export.text()) == ("Delete Conversation", "Export Conversation…")
    click(qtbot, listed, "quinces", _SHIFT)
    assert picked(listed) == ["apples", "pears", "quinces"]
    click(qtbot, listed, "pears")
    qtbot.waitUntil(lambda: texts(app)[0] == "pears")
    assert picked(listed) == []


def test_what_is_selected_begins_with_the_conversation_that_was_chosen_and_is_still_opening(
    qtbot: QtBot, listed: ConversationList, window: MainWindow, app: App
) -> None:
    """The rows are told anew meanwhile, and the one that is open is the current one again."""
    asked: list[str] = []
    window.sidebar.chosen.disconnect(app.library.open)
    window.sidebar.chosen.connect(asked.append)
    click(qtbot, listed, "apples")
    listed._follow_model()
    click(qtbot, listed, "quinces", _SHIFT)
    assert picked(listed) == ["apples", "pears", "quinces"]
    app.library.open(asked[0])
    qtbot.waitUntil(lambda: texts(app)[0] == "apples")
    assert picked(listed) == ["apples", "pears", "quinces"]
    qtbot.keyClick(listed, Qt.Key.Key_Escape)
    app.library.open(next(row.id for row in listed._conversations.rows if row.title == "pears"))
    qtbot.waitUntil(lambda: texts(app)[0] == "pears" and listed.row is not None and listed.row.title == "pears")
    click(qtbot, listed, "quinces", _SHIFT)
    assert picked(listed) == ["pears", "quinces"]


def test_keys_select_several_delete_them_and_one_undo_brings_them_back(
    qtbot: QtBot, listed: ConversationList, app: App
) -> None:
    listed.setFocus(Qt.FocusReason.ShortcutFocusReason)
    for _ in range(2):
        qtbot.keyClick(listed, Qt.Key.Key_Down, _SHIFT)
    assert picked(listed) == ["figs", "apples", "pears"]
    assert texts(app)[0] == "figs"
    qtbot.keyClick(listed, Qt.Key.Key_Escape)
    assert picked(listed) == []
    assert [listed._conversations.rows[one.row()].title for one in listed.selectedIndexes()] == ["figs"]
    qtbot.keyClick(listed, Qt.Key.Key_A, _CTRL)
    assert len(picked(listed)) == 4
    qtbot.keyClick(listed, Qt.Key.Key_Home)
    assert picked(listed) == []
    qtbot.keyClick(listed, Qt.Key.Key_Down, _SHIFT)
    qtbot.keyClick(listed, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: titles(app)[-2:] == ["pears", "quinces"] and "apples" not in titles(app))
    assert app.notices.now.text.startswith(f"2{HARD}conversations were deleted.")
    done(qtbot, app)
    app.act("undo")
    qtbot.waitUntil(lambda: {"figs", "apples", "pears", "quinces"} <= set(titles(app)))


def test_several_are_dragged_into_a_folder_and_filed_by_the_menu(
    qtbot: QtBot, listed: ConversationList, window: MainWindow, app: App
) -> None:
    app.library.edits.create_folder("Fruit")
    qtbot.waitUntil(lambda: "Fruit" in titles(app))
    done(qtbot, app)
    listed.setFocus()
    click(qtbot, listed, "quinces")
    qtbot.waitUntil(lambda: texts(app)[0] == "quinces")
    done(qtbot, app)
    click(qtbot, listed, "pears", _CTRL)
    click(qtbot, listed, "Fruit", _CTRL)
    assert sorted(picked(listed)) == ["pears", "quinces"], "a folder is none of several"
    data = listed.model().mimeData(listed.selectedIndexes())
    at = place(listed, "Fruit")
    assert drag(listed, data, at)
    done(qtbot, app)
    homes = {one.title: one.folder_id for one in app.library.library.conversations}
    assert homes["pears"] == homes["quinces"] is not None
    assert homes["figs"] is None
    assert sorted(picked(listed)) == ["pears", "quinces"]
    at = place(listed, "pears")
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, listed.viewport().mapToGlobal(at))
    QApplication.sendEvent(listed.viewport(), event)
    (menu,) = [one for one in window.findChildren(QMenu) if one.isVisible()]
    names = [one.text() for one in menu.actions() if one.text()]
    count = f"2{HARD}Conversations"
    assert names == [f"Move {count} to Folder", f"Export {count}…", f"Delete {count}"]
    folders = cast(QMenu, menu.actions()[0].menu())
    assert [one.text() for one in folders.actions() if one.isChecked()] == ["Fruit"]
    folders.actions()[0].trigger()
    menu.close()
    done(qtbot, app)
    assert {one.folder_id for one in app.library.library.conversations} == {None}


def test_a_conversation_that_is_opened_by_keys_is_selected_alone(
    qtbot: QtBot, listed: ConversationList, window: MainWindow, app: App
) -> None:
    """The keys are still held when it comes into the list."""
    for held in (_CTRL, _SHIFT, _CTRL | _SHIFT):
        QTest.keyPress(window, Qt.Key.Key_N, held)
        assert QGuiApplication.keyboardModifiers() == held
        app.library.new_conversation()
        app.chat.requests.send("plums")
        qtbot.waitUntil(lambda: app.library.conversation_model.rows[0].title == "plums")
        done(qtbot, app)
        for number in (2, 0):
            app.library.open(app.library.conversation_model.rows[number].id)
            qtbot.waitUntil(lambda number=number: app.library.conversation_model.open_row == number)
            assert [index.row() for index in listed.selectedIndexes()] == [number]
        QTest.keyRelease(window, Qt.Key.Key_N)
