"""Keys that the menus have too, where a field or a list has a use for them of its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.viewmodels.test_app import ask


def press(window: MainWindow, key: Qt.Key) -> None:
    """Press a key as the window system tells it: a command of the menus comes first."""
    QTest.keyClick(window.windowHandle(), key)
    QApplication.processEvents()


@pytest.fixture
def active(qtbot: QtBot, window: MainWindow, app: App) -> MainWindow:
    """One question in two versions, and the window in front."""
    ask(qtbot, app, "How are you?")
    app.chat.open_draft.begin_edit(None)
    ask(qtbot, app, "And the weather?")
    window.inspector.show_pane("branches")
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.waitUntil(lambda: app.branches.model.rowCount() == 2 and window.branches.isVisible())
    return window


# Escape


def search(window: MainWindow) -> None:
    window.do("find_everywhere")


def search_for_words(window: MainWindow) -> None:
    window.do("find_everywhere")
    window.sidebar.field.setText("weather")


def filter_branches(window: MainWindow) -> None:
    window.branches.field.take_focus()
    window.branches.field.setText("weather")


FIELDS: dict[str, Callable[[MainWindow], None]] = {
    "name of the branch": lambda window: window.do("name_branch"),
    "title": lambda window: window.do("rename"),
    "find": lambda window: window.do("find"),
    "search": search,
    "search for words": search_for_words,
    "filter": lambda window: window.branches.field.take_focus(),
    "filter with words": filter_branches,
}


@pytest.mark.parametrize("where", FIELDS)
def test_escape_in_a_field_is_the_fields_and_stops_no_answer(
    qtbot: QtBot, active: MainWindow, app: App, script: Script, where: str
) -> None:
    """It leaves the field, or clears it where words stand in it; once more, elsewhere, it stops."""
    script.go.clear()
    script.hold = 1
    app.chat.requests.send("A long question")
    qtbot.waitUntil(lambda: bool(app.chat.chat_model.rows[-1].text) and app.state.now.chat.is_writing)
    FIELDS[where](active)
    QApplication.processEvents()
    field = QApplication.focusWidget()
    assert isinstance(field, QLineEdit)
    is_cleared = where in ("search for words", "filter with words")
    press(active, Qt.Key.Key_Escape)
    assert not any(question.is_stopping for question in app.chat.questions.at_engine)
    assert (field is QApplication.focusWidget()) == is_cleared
    if is_cleared:
        assert field.text() == ""
    active.chat.composer_area.take_focus()
    press(active, Qt.Key.Key_Escape)
    assert all(question.is_stopping for question in app.chat.questions.at_engine)
    script.go.set()
    qtbot.waitUntil(lambda: not app.chat.questions.at_engine)
