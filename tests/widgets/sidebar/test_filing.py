"""Renaming, favourites and folders with real keys and clicks, in the whole window."""

from __future__ import annotations

from functools import partial
from typing import cast

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QAccessible,
    QContextMenuEvent,
    QCursor,
    QDrag,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QMouseEvent,
)
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from app.conversation.message import Conversation, Message
from app.conversation.store import Store
from app.viewmodels.app import App
from app.viewmodels.library.conversation_model import dragged_ids
from app.widgets.kit.style import Style
from app.widgets.kit.theme import DARK, LIGHT
from app.widgets.kit.typography import TextRole
from app.widgets.sidebar.conversation_list import ConversationList
from app.widgets.window.main_window import MainWindow
from tests.widgets.pictures import count, picture
from tests.widgets.window.test_main_window import ask, texts


@pytest.fixture
def garden(qtbot: QtBot, window: MainWindow, app: App) -> MainWindow:
    """Three conversations, the last one open."""
    for text in ("quinces", "pears", "apples"):
        app.library.new_conversation()
        ask(qtbot, window, app, text)
        done(qtbot, app)
    return window


def open_folder(app: App) -> str | None:
    found = app.library.library.conversation(app.library.open_id)
    return found.folder_id if found else None


def titles(app: App) -> list[str]:
    return [row.title for row in app.library.conversation_model.rows]


def done(qtbot: QtBot, app: App) -> None:
    """Wait until what was asked of the database has come back."""
    qtbot.waitUntil(lambda: not app.chat.questions.unsaved)
    QApplication.processEvents()
    app._store.drain()
    QApplication.processEvents()
    app.catch_up()


def editor(view: ConversationList) -> QLineEdit:
    found = view.viewport().findChild(QLineEdit)
    assert isinstance(found, QLineEdit)
    return found


def entry(menu: QMenu, title: str) -> None:
    (action,) = [one for one in menu.actions() if one.text() == title]
    action.trigger()


def open_menu(garden: MainWindow, row: int) -> QMenu:
    view = garden.sidebar.list
    rect = view.visualRect(view.model().index(row, 0))
    at = QPoint(60, rect.bottom() - 14)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, view.viewport().mapToGlobal(at))
    QApplication.sendEvent(view.viewport(), event)
    menus = garden.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return next(menu for menu in reversed(menus) if any(action.text() == "Rename" for action in menu.actions()))


def folder(qtbot: QtBot, garden: MainWindow, app: App, name: str) -> str:
    """Make a folder, give it a name, and move the open conversation into it."""
    garden.do("new_folder")
    done(qtbot, app)
    assert open_folder(app) is None, "a new folder is empty"
    field = editor(garden.sidebar.list)
    assert field.text() == "New folder"
    qtbot.keyClicks(field, name)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    done(qtbot, app)
    made = next(row.id for row in app.library.conversation_model.rows if row.is_folder and row.title == name)
    app.library.edits.move(app.library.open_id, made)
    done(qtbot, app)
    return made


def test_a_screen_reader_opens_a_conversation_and_folds_a_folder(qtbot: QtBot, garden: MainWindow, app: App) -> None:
    app.library.edits.create_folder("Work", app.library.open_id)
    qtbot.waitUntil(lambda: titles(app)[-2:] == ["Work", "apples"])
    told = QAccessible.queryAccessibleInterface(garden.sidebar.list)

    def press(title: str) -> None:
        told.child(titles(app).index(title)).actionInterface().doAction("Press")

    press("pears")
    qtbot.waitUntil(lambda: texts(app)[0] == "pears")
    for shown in (["Work"], ["Work", "apples"]):
        press("Work")
        qtbot.waitUntil(lambda shown=shown: titles(app)[titles(app).index("Work") :] == shown)


@pytest.mark.parametrize("key", [Qt.Key.Key_F2, Qt.Key.Key_Return])
def test_a_conversation_is_renamed_in_its_place(qtbot: QtBot, garden: MainWindow, app: App, key: Qt.Key) -> None:
    view = garden.sidebar.list
    view.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(view, key)
    field = editor(view)
    assert (field.text(), field.selectedText(), field.accessibleName()) == ("apples", "apples", "Title")
    qtbot.keyClicks(field, "Cider & perry")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    done(qtbot, app)
    assert titles(app)[0] == garden.windowTitle() == "Cider & perry"
    app.act("undo")
    done(qtbot, app)
    assert garden.windowTitle() == "apples"


def test_the_menus_key_renames_the_open_one_and_escape_leaves_it(qtbot: QtBot, garden: MainWindow, app: App) -> None:
    qtbot.keyClick(garden.chat.composer.edit, Qt.Key.Key_F2)
    field = editor(garden.sidebar.list)
    qtbot.keyClicks(field, "never")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    done(qtbot, app)
    assert garden.windowTitle() == "apples"


@pytest.mark.parametrize("blank", ["", "   "])
def test_no_title_is_no_change(qtbot: QtBot, garden: MainWindow, app: App, blank: str) -> None:
    garden.do("rename")
    field = editor(garden.sidebar.list)
    field.setText(blank)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    done(qtbot, app)
    assert garden.windowTitle() == "apples"
    assert app.library.state.now.undo == "New Conversation"


def test_a_favourite_stands_first_under_a_star(qtbot: QtBot, garden: MainWindow, app: App, style: Style) -> None:
    entry(open_menu(garden, 2), "Add to Favourites")
    done(qtbot, app)
    assert titles(app) == ["quinces", "apples", "pears"]
    assert [row.section for row in app.library.conversation_model.rows] == ["Favourites", "Today", "Today"]
    for theme in (LIGHT, DARK):
        style.set_theme(theme)
        star = picture(garden.sidebar.list).copy(30, 24, 20, 28)
        assert count(star, theme.accentgfx) > 10
    assert "favourite" in spoken(app, 0)
    entry(open_menu(garden, 0), "Remove from Favourites")
    done(qtbot, app)
    assert titles(app) == ["apples", "pears", "quinces"]


def spoken(app: App, row: int) -> str:
    model = app.library.conversation_model
    return str(model.data(model.index(row), Qt.ItemDataRole.AccessibleTextRole))


def test_the_menu_bar_says_whether_it_is_a_favourite(qtbot: QtBot, garden: MainWindow, app: App) -> None:
    action = garden.menus.actions["favourite"]
    action.trigger()
    done(qtbot, app)
    assert action.isChecked()
    app.act("undo")
    done(qtbot, app)
    assert not action.isChecked()


def test_a_folder_is_made_named_folded_and_deleted(qtbot: QtBot, garden: MainWindow, app: App) -> None:
    folder(qtbot, garden, app, "Orchard")
    assert titles(app) == ["pears", "quinces", "Orchard", "apples"]
    assert spoken(app, 2).replace("\u00a0", " ") == "Folder Orchard, 1 conversation, open"
    app.library.open(app.library.conversation_model.rows[0].id)
    app.catch_up()
    view = garden.sidebar.list
    view.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(2):
        qtbot.keyClick(view, Qt.Key.Key_Down)
    assert view.row is not None
    assert view.row.title == "Orchard"
    assert texts(app)[0] == "quinces"
    qtbot.keyClick(view, Qt.Key.Key_Left)
    app.catch_up()
    assert titles(app) == ["pears", "quinces", "Orchard"]
    assert spoken(app, 2).endswith("closed")
    qtbot.keyClick(view, Qt.Key.Key_Right)
    app.catch_up()
    assert titles(app)[-1] == "apples"
    qtbot.keyClick(view, Qt.Key.Key_Backspace)
    done(qtbot, app)
    assert sorted(titles(app)) == ["apples", "pears", "quinces"]
    assert "still there" in app.notices.now.text
    app.notices.press()
    done(qtbot, app)
    assert titles(app) == ["pears", "quinces", "Orchard", "apples"]


def test_a_click_folds(qtbot: QtBot, garden: MainWindow, app: App) -> None:
    folder(qtbot, garden, app, "Orchard")
    app.library.open(app.library.conversation_model.rows[0].id)
    app.catch_up()
    view = garden.sidebar.list
    rect = view.visualRect(view.model().index(2, 0))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(40, rect.bottom() - 14))
    app.catch_up()
    assert titles(app)[-1] == "Orchard"


def test_a_conversation_is_moved_by_its_menu(qtbot: QtBot, garden: MainWindow, app: App) -> None:
    folder(qtbot, garden, app, "A & B")
    menu = open_menu(garden, 0)
    (move,) = [cast(QMenu, one.menu()) for one in menu.actions() if one.text() == "Move to Folder"]
    assert [one.text() for one in move.actions() if not one.isSeparator()] == ["No Folder", "A && B", "New Folder"]
    entry(move, "A && B")
    done(qtbot, app)
    assert titles(app)[1] == "A & B"
    assert len(titles(app)) == 4
    assert app.library.state.now.undo == "Move"
    menu = open_menu(garden, 2)
    (move,) = [cast(QMenu, one.menu()) for one in menu.actions() if one.text() == "Move to Folder"]
    assert [one.isChecked() for one in move.actions()][:2] == [False, True]
    entry(move, "No Folder")
    done(qtbot, app)
    assert [row.folder_id for row in app.library.conversation_model.rows].count("") == 3


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_Backspace])
def test_a_conversation_is_deleted_in_the_list(qtbot: QtBot, garden: MainWindow, app: App, key: Qt.Key) -> None:
    view = garden.sidebar.list
    view.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: texts(app)[0] == "pears")
    assert view.hasFocus()
    qtbot.keyClick(view, key)
    qtbot.waitUntil(lambda: texts(app)[0] == "quinces")
    assert titles(app) == ["apples", "quinces"]
    assert view.hasFocus()
    qtbot.keyClick(view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: titles(app) == ["apples", "pears", "quinces"])


def test_a_title_being_written_survives_news(qtbot: QtBot, garden: MainWindow, app: App) -> None:
    garden.do("rename")
    field = editor(garden.sidebar.list)
    qtbot.keyClicks(field, "Cid")
    app.library.library.read_list()
    done(qtbot, app)
    app.library.state.tell()
    qtbot.keyClicks(field, "er")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    done(qtbot, app)
    assert garden.windowTitle() == "Cider"


def test_a_thousand_conversations_are_listed_and_one_is_deleted(qtbot: QtBot, garden: MainWindow, app: App) -> None:
    def add(number: int, store: Store) -> None:
        one = Conversation.new(f"Number {number}")
        store.conversations.create(one)
        store.messages.add(Message.new(one.id, None, "user", f"pear {number}"))

    for number in range(1000):  # each a request of its own: one that takes long is given up
        app._store.do(partial(add, number))
    app.library.library.read_list()
    app._store.drain()
    app.catch_up()
    assert app.library.conversation_model.rowCount() == 1003
    changes: list[str] = []
    model = app.library.conversation_model
    model.rowsInserted.connect(lambda *_: changes.append("in"))
    model.rowsMoved.connect(lambda *_: changes.append("moved"))
    model.rowsRemoved.connect(lambda *_: changes.append("out"))
    app.library.edits.delete_conversation(model.rows[500].id)
    done(qtbot, app)
    assert changes == ["out"]


def test_the_screen_reader_finds_a_list_of_its_name(garden: MainWindow) -> None:
    interface = QAccessible.queryAccessibleInterface(garden.sidebar.list)
    assert interface.text(QAccessible.Text.Name) == "Conversations"


def test_the_open_conversation_is_moved_from_the_menu_bar(qtbot: QtBot, garden: MainWindow, app: App) -> None:
    folder(qtbot, garden, app, "Orchard")
    menu = garden.menus.folders
    menu.aboutToShow.emit()
    assert [one.text() for one in menu.actions() if one.isChecked()] == ["Orchard"]
    entry(menu, "No Folder")
    done(qtbot, app)
    assert [row.folder_id for row in app.library.conversation_model.rows if row.is_open] == [""]
    menu.aboutToShow.emit()
    assert [one.text() for one in menu.actions() if one.isChecked()] == ["No Folder"]


def test_renaming_a_row_that_is_being_renamed_goes_on_with_it(qtbot: QtBot, garden: MainWindow) -> None:
    garden.do("rename")
    field = editor(garden.sidebar.list)
    qtbot.keyClicks(field, "quin")
    garden.do("rename")
    assert editor(garden.sidebar.list) is field
    assert field.text() == "quin"
    assert field.hasFocus()


def test_the_field_for_a_title_grows_with_the_text(qtbot: QtBot, garden: MainWindow, style: Style) -> None:
    garden.do("rename")
    view = garden.sidebar.list
    field = editor(view)
    qtbot.keyClicks(field, "quin")
    for size in (24, 10):
        style.set_text_size(size)
        assert field.font() == style.text_style(TextRole.UI).font
        qtbot.waitUntil(lambda: view.visualRect(view.currentIndex()).contains(field.geometry()))
        assert field.height() >= style.text_style(TextRole.UI).metrics.height()
        assert field.text() == "quin"


@pytest.mark.parametrize("name", ["", "Fruit"])
def test_a_folder_that_was_named_is_left_for_the_open_conversation(
    qtbot: QtBot, garden: MainWindow, app: App, name: str
) -> None:
    view = garden.sidebar.list
    garden.do("new_folder")
    done(qtbot, app)
    qtbot.keyClicks(editor(view), name)
    garden.do("compose")
    assert garden.chat.composer.edit.hasFocus()
    assert view.row is not None
    assert view.row.is_open
    done(qtbot, app)
    assert view.row.is_open


# Dragging


def dragged(view: ConversationList, title: str) -> QMimeData:
    """Return what is dragged of a conversation."""
    model = view.model()
    (number,) = [one for one in range(model.rowCount()) if model.index(one, 0).data() == title]
    assert model.flags(model.index(number, 0)) & Qt.ItemFlag.ItemIsDragEnabled
    return model.mimeData([model.index(number, 0)])


def place_of(view: ConversationList, title: str) -> QPoint:
    model = view.model()
    (number,) = [one for one in range(model.rowCount()) if model.index(one, 0).data() == title]
    return QPoint(60, view.visualRect(model.index(number, 0)).bottom() - 8)


def drag(view: ConversationList, data: QMimeData, at: QPoint, *, is_dropped: bool = True) -> bool:
    """Drag something from the first row to a place and drop it; returns whether it is taken there."""
    rest = (data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    first = view.visualRect(view.model().index(0, 0)).center()
    QApplication.sendEvent(view.viewport(), QDragEnterEvent(first, Qt.DropAction.MoveAction, *rest))
    move = QDragMoveEvent(at, Qt.DropAction.MoveAction, *rest)
    QApplication.sendEvent(view.viewport(), move)
    if is_dropped and move.isAccepted():
        QApplication.sendEvent(view.viewport(), QDropEvent(QPointF(at), Qt.DropAction.MoveAction, *rest))
    return move.isAccepted()


def test_a_conversation_is_dragged_into_a_folder_and_out_of_it(qtbot: QtBot, garden: MainWindow, app: App) -> None:
    app.library.edits.create_folder("Garden")
    done(qtbot, app)
    view = garden.sidebar.list
    garden.setFocus()
    assert titles(app) == ["apples", "pears", "quinces", "Garden"]
    assert drag(view, dragged(view, "pears"), place_of(view, "Garden"))
    done(qtbot, app)
    assert titles(app) == ["apples", "quinces", "Garden", "pears"]
    assert not drag(view, dragged(view, "pears"), place_of(view, "Garden"))
    assert drag(view, dragged(view, "quinces"), place_of(view, "pears"))
    done(qtbot, app)
    assert sorted(titles(app)[2:]) == ["pears", "quinces"]
    assert drag(view, dragged(view, "pears"), place_of(view, "apples"))
    done(qtbot, app)
    assert titles(app) == ["apples", "pears", "Garden", "quinces"]
    assert app.library.state.now.undo == "Move"
    app.act("undo")
    done(qtbot, app)
    assert sorted(titles(app)[2:]) == ["pears", "quinces"]


def test_the_list_scrolls_while_something_is_dragged_near_its_edge(qtbot: QtBot, garden: MainWindow, app: App) -> None:
    for number in range(40):
        app.library.edits.create_folder(f"Bed {number}")
    done(qtbot, app)
    view = garden.sidebar.list
    garden.setFocus()
    bar, data = view.verticalScrollBar(), dragged(view, "pears")
    bar.setValue(0)
    at = QPoint(60, view.viewport().height() - 3)
    QCursor.setPos(view.viewport().mapToGlobal(at))
    drag(view, data, at, is_dropped=False)
    qtbot.waitUntil(lambda: bar.value() > 0)
    QApplication.sendEvent(view.viewport(), QDragLeaveEvent())
    there = bar.value()
    qtbot.wait(200)
    assert bar.value() == there, "it stands still where nothing is dragged any more"


def test_what_is_dragged_hangs_below_the_mouse(
    qtbot: QtBot, garden: MainWindow, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.library.edits.create_folder("Garden")
    done(qtbot, app)
    view, drags = garden.sidebar.list, list[QDrag]()
    monkeypatch.setattr(QDrag, "exec", lambda drag, *_actions: drags.append(drag))
    at = place_of(view, "pears")
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    view.startDrag(Qt.DropAction.MoveAction)
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    (drag,) = drags
    assert dragged_ids(drag.mimeData()) == dragged_ids(dragged(view, "pears"))
    row = view.row_rect(view.indexAt(at))
    assert drag.pixmap().deviceIndependentSize().height() == row.height()
    assert -drag.hotSpot().y() > row.height() / 2, "the folder that the mouse is on stays in sight"
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=place_of(view, "Garden"))
    view.startDrag(Qt.DropAction.MoveAction)
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=place_of(view, "Garden"))
    assert len(drags) == 1, "a folder stays where it is"


def test_the_mouse_drags_one_conversation_and_opens_or_selects_none(
    qtbot: QtBot, garden: MainWindow, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that would show its branches when it is opened."""
    app.library.edits.create_folder("Garden")
    pears = next(one.id for one in app.library.library.conversations if one.title == "pears")
    app.library.open(pears)
    qtbot.waitUntil(lambda: app.library.open_id == pears)
    app.chat.open_draft.begin_edit(app.library.tree.path[0].id)
    ask(qtbot, garden, app, "plums")
    app.library.edits.name_branch(app.library.tree.path[0].id, "with plums")
    app.library.open(next(one.id for one in app.library.library.conversations if one.title == "apples"))
    done(qtbot, app)
    qtbot.waitUntil(lambda: titles(app) == ["pears", "apples", "quinces", "Garden"])
    view, here, drags = garden.sidebar.list, app.library.open_id, list[QDrag]()
    monkeypatch.setattr(QDrag, "exec", lambda drag, *_actions: drags.append(drag))
    for title, begun, selected in (("pears", 1, "apples"), ("quinces", 2, "apples"), ("Garden", 2, "Garden")):
        at = place_of(view, title)
        qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
        for step in range(8):
            QApplication.processEvents()
            to = at + QPoint(0, 12 * step if title != "Garden" else -12 * step)
            move = QMouseEvent(
                *(QEvent.Type.MouseMove, QPointF(to), QPointF(view.viewport().mapToGlobal(to))),
                *(Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier),
            )
            QApplication.sendEvent(view.viewport(), move)
        qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=to)
        done(qtbot, app)
        assert (len(drags), app.library.open_id) == (begun, here)
        assert [index.data() for index in view.selectedIndexes()] == [selected]
    assert dragged_ids(drags[0].mimeData()) == (pears,)


def test_what_is_dragged_marks_the_folder_it_would_come_to(qtbot: QtBot, garden: MainWindow, app: App) -> None:
    app.library.edits.create_folder("Garden")
    done(qtbot, app)
    view = garden.sidebar.list
    garden.setFocus()
    plain = picture(view.viewport())
    assert drag(view, dragged(view, "pears"), place_of(view, "Garden"), is_dropped=False)
    assert picture(view.viewport()) != plain
    QApplication.sendEvent(view.viewport(), QDragLeaveEvent())
    assert picture(view.viewport()) == plain
    assert not drag(view, dragged(view, "pears"), place_of(view, "apples"))
    other = QMimeData()
    other.setText("pears")
    assert not drag(view, other, place_of(view, "Garden"))
    folder = view.model().index(view.model().rowCount() - 1, 0)
    assert not view.model().flags(folder) & Qt.ItemFlag.ItemIsDragEnabled
