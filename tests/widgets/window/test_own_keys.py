"""Keys that the menus have too, where a field or a list has a use for them of its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.viewmodels.branches import outline_nodes, run_groups
from app.viewmodels.unavailable import why_unavailable
from app.widgets.kit.name_field import NameField
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


# F2


def named(window: MainWindow) -> str:
    """The text of the field in which a title or a name is being written, once F2 was pressed; "" for none."""
    press(window, Qt.Key.Key_F2)
    field = QApplication.focusWidget()
    text = field.text() if isinstance(field, NameField) else ""
    press(window, Qt.Key.Key_Escape)
    return text


def test_f2_renames_the_row_that_the_keyboard_is_on(qtbot: QtBot, active: MainWindow, app: App) -> None:
    """In the sidebar and in the outline; from elsewhere the open conversation."""
    tree, rows = active.branches.tree, active.sidebar.list
    former = app.library.tree.siblings(app.chat.chat_model.rows[0].id)[0].id
    app.branches.name(former, "cheaper")
    app.library.edits.create_folder("Work")
    model = app.library.conversation_model
    qtbot.waitUntil(lambda: {"cheaper", "Work"} <= {row.title for row in model.rows})
    titles = [row.title for row in model.rows]
    for number, title in enumerate(titles):
        rows.setFocus(Qt.FocusReason.TabFocusReason)
        rows.setCurrentIndex(model.index(number))
        assert named(active) == title
    tree.setFocus(Qt.FocusReason.TabFocusReason)
    tree.setCurrentIndex(app.branches.model.index_of(former))
    assert named(active) == "cheaper"
    for elsewhere in (active.chat.view, active.chat.composer.edit, active.branches.field):
        elsewhere.setFocus(Qt.FocusReason.TabFocusReason)
        assert named(active) == app.state.now.chat.title


def test_f2_renames_a_folder_while_nothing_was_said_in_the_open_conversation(
    qtbot: QtBot, active: MainWindow, app: App
) -> None:
    """Of that one there is nothing to rename yet, which is told from elsewhere."""
    app.library.edits.create_folder("Work")
    app.library.new_conversation()
    model, rows = app.library.conversation_model, active.sidebar.list
    qtbot.waitUntil(lambda: "Work" in [row.title for row in model.rows])
    rows.setFocus(Qt.FocusReason.TabFocusReason)
    rows.setCurrentIndex(model.index([row.title for row in model.rows].index("Work")))
    assert named(active) == "Work"
    assert not app.notices.now.text
    active.chat.composer_area.take_focus()
    assert named(active) == ""
    assert app.notices.now.text == why_unavailable("rename", app.state.now)


def test_f2_on_a_row_that_stands_for_several_branches_names_none(
    qtbot: QtBot, active: MainWindow, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_groups, "MOST_BESIDE", 1)
    monkeypatch.setattr(outline_nodes, "LEAST_FOLDED", 2)
    ask(qtbot, app, "And now?")
    for words in ("And tomorrow?", "And in May?"):
        app.chat.open_draft.begin_edit(None)
        ask(qtbot, app, words)
    model, tree = app.branches.model, active.branches.tree
    qtbot.waitUntil(lambda: any(node.folded for node in model.rows))
    group = next(node for node in model.rows if node.folded)
    tree.setFocus(Qt.FocusReason.TabFocusReason)
    tree.setCurrentIndex(model.index_of(group.id))
    press(active, Qt.Key.Key_F2)
    assert QApplication.focusWidget() is tree


def test_f2_in_a_name_that_is_being_written_changes_nothing(qtbot: QtBot, active: MainWindow, app: App) -> None:
    tree = active.branches.tree
    tree.setFocus(Qt.FocusReason.TabFocusReason)
    tree.setCurrentIndex(app.branches.model.index(0, 0))
    press(active, Qt.Key.Key_F2)
    field = QApplication.focusWidget()
    assert isinstance(field, QLineEdit)
    QTest.keyClicks(field, "cheaper")
    press(active, Qt.Key.Key_F2)
    assert QApplication.focusWidget() is field
    assert field.text() == "cheaper"
    press(active, Qt.Key.Key_Escape)


def test_the_window_leaves_its_events_to_qt() -> None:
    """All that stands in it is drawn in one event of its: in Python's hands no other thread could run Python then."""
    assert "event" not in vars(MainWindow)
