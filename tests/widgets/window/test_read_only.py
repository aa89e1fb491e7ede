"""Where the conversations can only be read, what would change them is grey and says why, before it is tried."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.conversation.faults import Fault, store_error
from app.launch.paths import paths_in
from app.main import Program
from app.viewmodels.app import App
from app.viewmodels.edges.edge_region import EdgeState
from app.viewmodels.library.library_state import READ_ONLY
from app.widgets.cache.row_actions import RowActions, row_menu
from app.widgets.chat.messages.row_controls import ActionStrip
from app.widgets.sidebar.trash_box import TrashBox
from app.widgets.window.main_window import MainWindow
from tests.viewmodels.test_app import ask, ready

_REFUSED = store_error(Fault.READ_ONLY, None).problem.title
# Which ask the system for a file, or end the window.
_OUTSIDE = ("Attach", "Choose", "Models", "Settings", "Close", "New", "Import", "Export", "Open in New Window")


@pytest.fixture
def locked(qtbot: QtBot, make_program: Callable[[], Program], data_folder: Path) -> MainWindow:
    """A program on what a newer one has written: branches with and without a name, a folder, a full trash."""
    program = make_program()
    app = program.window._app
    ask(qtbot, app, "Which apple?")
    first = app.library.open_id
    app.library.new_conversation()
    ask(qtbot, app, "How are you?")
    app.chat.requests.regenerate()
    qtbot.waitUntil(lambda: app.chat.chat_model.rows[-1].versions == 2 and not list(app.chat.questions))
    app.library.edits.name_branch(app.library.tree.leaf_id or "", "Kind")
    app.library.edits.mark_branch(app.library.tree.leaf_id or "", True)
    app._store.drain()
    app.chat.requests.regenerate()
    qtbot.waitUntil(lambda: app.chat.chat_model.rows[-1].versions == 3 and not list(app.chat.questions))
    app.library.edits.create_folder("Fruit", first)
    app.library.edits.delete_message(app.library.open_id, app.library.tree.leaf_id or "")
    qtbot.waitUntil(lambda: app.chat.chat_model.rows[-1].versions == 2)
    app._store.drain()
    program.close()
    with closing(sqlite3.connect(paths_in(data_folder).database)) as newer:
        newer.execute("PRAGMA user_version = 99")
    window = make_program().window
    ready(qtbot, window._app)
    qtbot.waitUntil(lambda: window._app.state.now.chat.can_prune)
    window._app.notices.dismiss()  # which says it once
    return window


class Walk:
    """Opens every menu and looks at every button of a window. Attribute: wrong, what was found."""

    def __init__(self, qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
        self.qtbot, self.window, self.app = qtbot, window, window._app
        self.wrong: list[str] = []
        self.refused: set[str] = set()
        self.opened: list[QMenu] = []
        monkeypatch.setattr(QMenu, "popup", lambda menu, *_: self.opened.append(menu))
        monkeypatch.setattr(QMenu, "exec", lambda menu, *_: self.opened.append(menu))

    def settle(self) -> None:
        self.app._store.drain()
        QApplication.processEvents()
        self.app.catch_up()

    def try_out(self, name: str, what: QAction | QAbstractButton) -> None:
        """Do what can be done, which is refused nowhere; what cannot says why, if it is because of the database."""
        if not what.isEnabled():
            if what.toolTip() == READ_ONLY:
                self.refused.add(name)
            return
        if name.startswith(_OUTSIDE):
            return
        self.app.notices.dismiss()
        what.trigger() if isinstance(what, QAction) else what.click()
        self.settle()
        for one in QApplication.topLevelWidgets():
            if one.isVisible() and one is not self.window:
                one.close()
        said = self.app.notices.now.text
        if _REFUSED in said or READ_ONLY in said:
            self.wrong.append(f"{name}: {said}")

    def menu(self, open_menu: Callable[[], object]) -> None:
        """Try out each entry of a menu, which is opened anew for each of them."""
        for number in range(len(self._entries(open_menu))):
            entries = self._entries(open_menu)
            if number < len(entries):
                self.try_out(entries[number].text(), entries[number])

    def _entries(self, open_menu: Callable[[], object]) -> list[QAction]:
        self.opened.clear()
        open_menu()
        assert self.opened
        return list(_leaves(self.opened[-1]))

    def buttons(self, home: QWidget) -> None:
        """Try out each button that is to be seen; those that can be pressed last, as one may close the others."""
        for one in sorted(home.findChildren(QAbstractButton), key=QWidget.isEnabled):
            try:
                is_shown = one.isVisible()
            except RuntimeError:  # gone with what another one has closed
                continue
            if is_shown:
                self.try_out(one.accessibleName() or one.text(), one)


def _leaves(menu: QMenu) -> Iterator[QAction]:
    for entry in menu.actions():
        if entry.menu() is not None and entry.isEnabled():
            yield from _leaves(entry.menu())  # type: ignore[arg-type]
        elif not entry.isSeparator():
            yield entry


@pytest.fixture
def walk(qtbot: QtBot, locked: MainWindow, monkeypatch: pytest.MonkeyPatch) -> Walk:
    return Walk(qtbot, locked, monkeypatch)


def test_menus_of_the_sidebar(walk: Walk, locked: MainWindow) -> None:
    app, rows = locked._app, locked.sidebar.list._conversations.rows
    assert {(row.is_folder, row.is_branch) for row in rows} == {(True, False), (False, True), (False, False)}
    for row in rows:
        walk.menu(lambda row=row: locked.sidebar.list.menuAsked.emit(row, QPoint(0, 0)))
    assert walk.wrong == []
    assert walk.refused >= {"Rename", "Move to Folder", "Delete Conversation", "Delete Folder", "Delete Branch"}
    assert walk.refused >= {"Add to Favourites", "Remove from Favourites"}
    assert not locked.menus.folders.menuAction().isEnabled()
    assert locked.menus.folders.menuAction().toolTip() == READ_ONLY
    locked.sidebar.list.pick_all()
    walk.menu(lambda: locked.sidebar.list.menuAsked.emit(next(one for one in rows if one.can_change), QPoint(0, 0)))
    assert walk.wrong == []
    assert app.notices.now.text == ""


def test_menus_and_buttons_of_messages(walk: Walk, locked: MainWindow) -> None:
    view = locked.chat.view
    for number in range(view.model().rowCount()):
        walk.menu(lambda number=number: view._open_menu(number, QPoint(0, 0)))
    assert walk.refused >= {
        *("Edit as New Branch", "Edit Answer", "Answer Again", "Delete Message and What Follows"),
        *("New Branch from Here",),
    }
    strips = view.findChildren(ActionStrip)
    assert strips
    assert all(one.toolTip() == READ_ONLY for strip in strips for one in strip.acts.values())
    walk.buttons(locked)
    assert walk.wrong == []


@pytest.mark.parametrize("pane", ["branches", "cache", "settings", "map"])
def test_panes(walk: Walk, locked: MainWindow, pane: str) -> None:
    app = locked._app
    locked.do(pane)
    walk.settle()
    if pane == "branches":
        for node in app.branches.model.rows:
            walk.menu(lambda node=node: locked.branches._show_menu(node.id, QPoint(0, 0)))
        assert walk.refused == {"Rename", "Add to Favourites", "Remove from Favourites", "Delete Branch"}
    walk.buttons(locked)
    assert walk.wrong == []


@pytest.mark.parametrize("is_pinned", [False, True])
def test_pins(walk: Walk, locked: MainWindow, is_pinned: bool) -> None:
    now = EdgeState(1, "Said", can_pin=not is_pinned, can_unpin=is_pinned, refusal=locked._app.edges.state.now.refusal)
    actions = RowActions(locked._style, locked)
    actions.show_state(now)
    walk.try_out("button", actions.pin_button)
    walk.menu(lambda: row_menu(locked, now, (), actions).popup(QPoint()))
    assert walk.refused == {"button", "Unpin" if is_pinned else "Pin"}


def test_answers_side_by_side(walk: Walk, locked: MainWindow) -> None:
    locked.resize(1500, 800)
    locked.do("answers")
    walk.settle()
    assert locked.chat.lanes is not None
    walk.buttons(locked.chat.lanes)
    assert walk.wrong == []
    assert walk.refused >= {"Discard Answer A", "Favourite, Answer B"}


def test_the_trash(walk: Walk, locked: MainWindow) -> None:
    locked.do("trash")
    walk.settle()
    box = next(one for one in QApplication.topLevelWidgets() if isinstance(one, TrashBox))
    walk.qtbot.waitUntil(lambda: bool(box._trash.rows.rows))
    assert (box.restore_button.toolTip(), box.empty_button.toolTip()) == (READ_ONLY, READ_ONLY)
    assert not box.restore_button.isEnabled()
    assert not box.empty_button.isEnabled()
    QTest.keyClick(box.list, Qt.Key.Key_Return)
    assert locked._app.notices.now.text == READ_ONLY


def test_what_is_written_is_kept_and_not_sent(walk: Walk, locked: MainWindow) -> None:
    composer, app = locked.chat.composer, locked._app
    said = len(app.chat.chat_model.rows)
    QTest.keyClicks(composer.edit, "Which pear?")
    walk.settle()
    assert not composer.button.isEnabled()
    assert composer.button.toolTip() == READ_ONLY
    assert app.chat.state.now.send_price == READ_ONLY
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    walk.settle()
    assert composer.text == "Which pear?"
    assert len(app.chat.chat_model.rows) == said
    assert app.notices.now.text == ""


@pytest.mark.parametrize("key", [Qt.Key.Key_F2, Qt.Key.Key_Delete])
@pytest.mark.parametrize("pane", ["sidebar", "branches"])
def test_keys_say_why_they_change_nothing(walk: Walk, locked: MainWindow, pane: str, key: Qt.Key) -> None:
    if pane == "branches":
        locked.do("branches")
        walk.settle()
    view = locked.branches.tree if pane == "branches" else locked.sidebar.list
    view.setFocus()
    for number in range(view.model().rowCount()):
        locked._app.notices.dismiss()
        view.setCurrentIndex(view.model().index(number, 0))
        QTest.keyClick(view, key)
        walk.settle()
        assert locked._app.notices.now.text == READ_ONLY, number
        assert view.indexWidget(view.currentIndex()) is None


def test_an_empty_conversation_offers_no_question(locked: MainWindow) -> None:
    app: App = locked._app
    assert app.chat.state.now.refusal == READ_ONLY
    app.library.new_conversation()
    app.catch_up()
    assert app.chat.state.now.suggestions == ()
