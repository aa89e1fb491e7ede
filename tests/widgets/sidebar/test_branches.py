"""Named branches and favourites under their conversations in the sidebar."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.viewmodels.kit.lists import RowRole
from app.viewmodels.library.rows import ConversationRow
from app.widgets.sidebar.conversation_menu import row_menu
from app.widgets.window.main_window import MainWindow
from tests.viewmodels.library.test_library_region import at_rest
from tests.widgets.window.test_main_window import ask


@pytest.fixture
def forked(qtbot: QtBot, window: MainWindow, app: App) -> MainWindow:
    """One, with a branch "cheaper" and one that is open and has no name; above it in the list, another conversation."""
    ask(qtbot, window, app, "One")
    ask(qtbot, window, app, "Two")
    app.branches.name(app.library.tree.path[-2].id, "cheaper")
    at_rest(qtbot, app)
    window.do("fork")
    ask(qtbot, window, app, "Three")
    app.catch_up()
    return window


def rows(window: MainWindow) -> list[str]:
    model = window.sidebar.list.model()
    found: list[ConversationRow] = [model.index(number, 0).data(RowRole.ROW) for number in range(model.rowCount())]
    return [("  " if row.is_branch else "") + row.title + " *" * row.is_favourite for row in found]


def current(window: MainWindow) -> str:
    return str(window.sidebar.list.currentIndex().data())


def settle(qtbot: QtBot, app: App) -> None:
    at_rest(qtbot, app)
    app.catch_up()


def press(window: MainWindow, app: App, title: str, offset: int = 0) -> None:
    """Click on a row, so many points from its left edge, or in its middle."""
    view = window.sidebar.list
    number = next(at for at, one in enumerate(rows(window)) if one.strip() == title)
    rect = view.row_rect(view.model().index(number, 0))
    at = QPoint(rect.left() + offset if offset else rect.center().x(), rect.center().y())
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    app.catch_up()


def test_the_branches_of_the_open_conversation_are_listed_and_opened(
    qtbot: QtBot, forked: MainWindow, app: App
) -> None:
    assert rows(forked) == ["One", "  cheaper"]
    assert current(forked) == "One"
    press(forked, app, "cheaper")
    assert (app.state.now.chat.branch, current(forked)) == ("cheaper", "cheaper")
    assert app.chat.chat_model.rows[2].text == "Two"
    flags = forked.sidebar.list.currentIndex().flags()
    assert flags & Qt.ItemFlag.ItemIsEditable
    assert not flags & Qt.ItemFlag.ItemIsDragEnabled
    said = forked.sidebar.list.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole)
    assert said == "Branch cheaper, open"


def test_branches_are_put_away_and_shown_by_keys_and_by_the_sign_before_the_title(
    qtbot: QtBot, forked: MainWindow, app: App
) -> None:
    view = forked.sidebar.list
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Left)
    app.catch_up()
    assert rows(forked) == ["One"]
    QTest.keyClick(view, Qt.Key.Key_Right)
    app.catch_up()
    assert rows(forked) == ["One", "  cheaper"]
    press(forked, app, "One", 12)
    assert rows(forked) == ["One"]


def test_branches_of_a_closed_conversation_are_known_without_its_messages(
    qtbot: QtBot, forked: MainWindow, app: App
) -> None:
    one = app.library.open_id
    forked.do("new")
    ask(qtbot, forked, app, "Elsewhere")
    app.catch_up()
    assert rows(forked) == ["Elsewhere", "One"]
    app.library.fold(one, is_folded=False)
    app.catch_up()
    assert rows(forked) == ["Elsewhere", "One", "  cheaper"]
    press(forked, app, "cheaper")
    qtbot.waitUntil(lambda: app.library.open_id == one)
    app.catch_up()
    assert (app.state.now.chat.branch, current(forked)) == ("cheaper", "cheaper")


def test_a_branch_is_renamed_marked_and_deleted_in_the_sidebar(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    press(forked, app, "cheaper")
    model, view = app.library.conversation_model, forked.sidebar.list
    model.setData(view.currentIndex(), "dearer")
    settle(qtbot, app)
    assert rows(forked) == ["One", "  dearer"]
    row = view.row
    assert row is not None
    menu = row_menu(row, app.library, lambda _id: None, app.open_in_new_window, str, forked)
    assert [action.text() for action in menu.actions() if not action.isSeparator()] == [
        "Rename",
        "Add to Favourites",
        "Delete Branch",
    ]
    menu.actions()[1].trigger()
    settle(qtbot, app)
    assert rows(forked) == ["One", "  dearer *"]
    QTest.keyClick(view, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: rows(forked) == ["One"])
    app.act("undo")
    qtbot.waitUntil(lambda: rows(forked) == ["One", "  dearer *"])


def test_a_branch_that_is_only_a_favourite_is_listed_by_its_words(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    forked.do("favourite_branch")
    settle(qtbot, app)
    assert rows(forked) == ["One", "  cheaper", "  “Three” *"]
    assert current(forked) == "“Three”"
