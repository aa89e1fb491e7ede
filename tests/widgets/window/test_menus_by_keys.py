"""Every menu of something under the mouse opens by keys, and every entry of it is reached by keys."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

import app.widgets
from app.viewmodels.app import App
from app.widgets.models.models_window import ModelsWindow
from app.widgets.models.on_this_machine import OnThisMachine
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.models.folders import TEMPLATE, write_snapshot
from tests.viewmodels.test_app import ask
from tests.widgets.pictures import show

Key, CTRL = Qt.Key, Qt.KeyboardModifier.MetaModifier  # the Control key of a Mac
KEYS = (
    (Key.Key_F10, Qt.KeyboardModifier.ShiftModifier),
    (Key.Key_Return, CTRL),
    (Key.Key_Menu, Qt.KeyboardModifier(0)),
)


@pytest.fixture
def used(qtbot: QtBot, window: MainWindow, app: App, script: Script) -> MainWindow:
    """A question in two versions, thoughts in the answer, a folder; the window in front."""
    show(window, 1500, 800)
    script.thoughts["And the weather?"] = "Let me see."
    ask(qtbot, app, "How are you?")
    app.chat.open_draft.begin_edit(None)
    ask(qtbot, app, "And the weather?")
    app.branches.name(app.chat.chat_model.rows[0].id, "cheaper")
    app.library.edits.create_folder("Work")
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    rows = app.library.conversation_model
    qtbot.waitUntil(lambda: {"Work", "cheaper"} <= {row.title for row in rows.rows})
    return window


def row_of_sidebar(window: MainWindow, title: str) -> QWidget:
    rows = window.sidebar.list
    rows.setFocus(Qt.FocusReason.TabFocusReason)
    titles = [row.title for row in rows._conversations.rows]
    rows.setCurrentIndex(rows._conversations.index(titles.index(title)))
    return rows


def in_folder(window: MainWindow, app: App, qtbot: QtBot) -> None:
    row_of_sidebar(window, "Work")


def in_conversation(window: MainWindow, app: App, qtbot: QtBot) -> None:
    row_of_sidebar(window, app.state.now.chat.title)


def on_branch(window: MainWindow, app: App, qtbot: QtBot) -> None:
    row_of_sidebar(window, "cheaper")


def on_several(window: MainWindow, app: App, qtbot: QtBot) -> None:
    app.library.new_conversation()
    ask(qtbot, app, "Something else")
    window.sidebar.list.setFocus(Qt.FocusReason.TabFocusReason)
    window.sidebar.list.pick_all()


def in_outline(window: MainWindow, app: App, qtbot: QtBot) -> None:
    window.inspector.show_pane("branches")
    qtbot.waitUntil(lambda: app.branches.model.rowCount() == 2 and window.branches.isVisible())
    window.branches.tree.setFocus(Qt.FocusReason.TabFocusReason)
    window.branches.tree.setCurrentIndex(app.branches.model.index(1, 0))


def on_answer(window: MainWindow, app: App, qtbot: QtBot) -> None:
    window.chat.view.setFocus(Qt.FocusReason.TabFocusReason)
    window.chat.view.setCurrentIndex(app.chat.chat_model.index(1))


def on_question(window: MainWindow, app: App, qtbot: QtBot) -> None:
    window.chat.view.setFocus(Qt.FocusReason.TabFocusReason)
    window.chat.view.setCurrentIndex(app.chat.chat_model.index(0))


def on_token(window: MainWindow, app: App, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: app.tokens.can_open())
    window.do("tokens")
    qtbot.waitUntil(lambda: app.tokens.state.now.position >= 0)


def in_comparison(window: MainWindow, app: App, qtbot: QtBot) -> None:
    window.do("compare")
    qtbot.waitUntil(lambda: window.chat.comparison is not None and window.chat.comparison.list.hasFocus())
    assert window.chat.comparison is not None
    last = window.chat.comparison.list.model().rowCount() - 1
    window.chat.comparison.list.setCurrentIndex(window.chat.comparison.list.model().index(last, 0))


def in_cache(window: MainWindow, app: App, qtbot: QtBot) -> None:
    window.inspector.show_pane("cache")
    tree = window.cache.tree
    qtbot.waitUntil(lambda: tree.model().rowCount() > 0 and tree.isVisible())
    tree.setFocus(Qt.FocusReason.TabFocusReason)
    tree.setCurrentIndex(tree.model().index(0, 0))
    qtbot.waitUntil(lambda: bool(app.edges.state.now.chosen))


MENUS: dict[str, tuple[Callable[[MainWindow, App, QtBot], None], set[str]]] = {
    "conversation_list.py: folder": (in_folder, {"Rename", "Delete Folder"}),
    "conversation_list.py: conversation": (
        in_conversation,
        {"Open in New Window", "No Folder", "Work", "Delete Conversation"},
    ),
    "conversation_list.py: branch": (on_branch, {"Rename", "Delete Branch"}),
    "conversation_list.py: several": (on_several, {"Export 2 Conversations…", "Work", "Delete 2 Conversations"}),
    "branch_tree.py: row": (in_outline, {"Show Only This Branch", "Compare…", "Delete Branch"}),
    "view.py: answer": (on_answer, {"Copy with Thinking", "Copy as Markdown", "Answer Again"}),
    "view.py: question": (on_question, {"Copy Message", "Edit as New Branch", "Compare with Version Beside"}),
    "token_cursor.py: token": (on_token, {"Branch Here 2 Ways", "Leave Token Mode"}),
    "comparison_list.py: row": (in_comparison, {"Copy as Markdown"}),
    "trie_tree.py: row": (in_cache, {"Show in Chat"}),
}


def plain(entry: QAction) -> str:
    return entry.text().replace("\xa0", " ")


def entries(menu: QMenu) -> set[str]:
    """All entries that can be chosen, those of submenus too."""
    found: set[str] = set()
    for entry in menu.actions():
        if entry.isSeparator() or not entry.isEnabled():
            continue
        below = entry.menu()
        found |= entries(below) if isinstance(below, QMenu) else {plain(entry)}
    return found


def reached(menu: QMenu) -> set[str]:
    """The entries that the arrow keys lead to, those of submenus too."""
    found: set[str] = set()
    for _ in menu.actions():
        QTest.keyClick(menu, Key.Key_Down)
        entry = menu.activeAction()
        below = entry.menu()
        if isinstance(below, QMenu):
            QTest.keyClick(menu, Key.Key_Right)
            QApplication.processEvents()
            assert below.isVisible()
            found |= reached(below)
            QTest.keyClick(below, Key.Key_Left)
        else:
            found.add(plain(entry))
    return found


def open_menu(window: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> QMenu:
    QTest.keyClick(window.windowHandle(), key, modifiers)
    QApplication.processEvents()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


@pytest.mark.parametrize("name", MENUS)
def test_every_entry_of_every_menu_is_reached_by_keys(qtbot: QtBot, used: MainWindow, app: App, name: str) -> None:
    come, wanted = MENUS[name]
    come(used, app, qtbot)
    QApplication.processEvents()
    at = QApplication.focusWidget()
    for key, modifiers in KEYS:
        menu = open_menu(used, key, modifiers)
        assert wanted <= entries(menu)
        assert reached(menu) == entries(menu)
        menu.close()
        QApplication.processEvents()
        assert QApplication.focusWidget() is at


def test_the_menu_of_a_model_is_opened_by_keys(qtbot: QtBot, machine: Path, window: MainWindow, app: App) -> None:
    """In the window of models, as in a list of any other."""
    write_snapshot(machine / ".cache" / "huggingface" / "hub", "a/Apple-4bit", template=TEMPLATE)
    window.do("models")
    (models,) = window.findChildren(ModelsWindow)
    page = models.current
    assert isinstance(page, OnThisMachine)
    qtbot.waitUntil(models.isActiveWindow)
    qtbot.waitUntil(lambda: page.list.model().rowCount() == 1)
    page.list.take_focus()
    for key, modifiers in KEYS:
        menu = open_menu(models, key, modifiers)
        assert reached(menu) == entries(menu)
        assert entries(menu)
        menu.close()
        QApplication.processEvents()
    models.close()


def test_the_folder_that_the_keyboard_is_on_is_what_the_menu_deletes(qtbot: QtBot, used: MainWindow, app: App) -> None:
    """From elsewhere it is the open conversation, and the menu says which."""
    rows = app.library.conversation_model

    def title() -> str:
        """The entry's words while its menu is open."""
        used.menus.opening.emit()
        return used.menus.actions["delete_conversation"].text()

    before = app.library.open_id
    row_of_sidebar(used, "Work")
    assert title() == "Delete Folder"
    used.chat.composer.edit.setFocus()
    assert title() == "Delete Conversation"
    row_of_sidebar(used, "Work")
    used.do("delete_conversation")
    qtbot.waitUntil(lambda: "Work" not in [row.title for row in rows.rows])
    assert app.library.open_id == before
    assert title() == "Delete Conversation"
    app.act("undo")
    qtbot.waitUntil(lambda: "Work" in [row.title for row in rows.rows])


def test_all_that_have_a_menu_are_among_these() -> None:
    """Whoever gives another widget one finds that it is not tried here."""
    folder = Path(next(iter(app.widgets.__path__)))
    found = set()
    for path in folder.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        if "contextMenuEvent" in names or ("QContextMenuEvent" in used and "eventFilter" in names):
            found.add(path.name)
    assert found - {"menu_keys.py"} == {name.split(":")[0] for name in MENUS} | {"two_line_list.py"}
