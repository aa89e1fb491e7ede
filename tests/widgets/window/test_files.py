"""Export and import from the menus, by dropping, and from outside."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu
from pytestqt.qtbot import QtBot

from app.conversation.message import new_id
from app.exchange import read
from app.viewmodels.app import App
from app.viewmodels.library.form import Form
from app.widgets.window.main_window import MainWindow
from tests.widgets.window.test_main_window import ask, texts


@pytest.fixture
def talk(qtbot: QtBot, window: MainWindow, app: App) -> MainWindow:
    ask(qtbot, window, app, "pears / apples")
    return window


def dialog(window: MainWindow) -> QFileDialog:
    (found,) = window.findChildren(QFileDialog)
    return found


@pytest.mark.parametrize(
    ("verb", "name"),
    [("export", "pears apples.espalier"), ("export_branch", "pears apples.md"), ("export_tree", "pears apples.md")],
)
def test_a_file_is_chosen_and_written(
    qtbot: QtBot, talk: MainWindow, app: App, tmp_path: Path, verb: str, name: str
) -> None:
    talk.menus.actions[verb].trigger()
    asked = dialog(talk)
    assert asked.acceptMode() is QFileDialog.AcceptMode.AcceptSave
    assert [Path(file).name for file in asked.selectedFiles()] == [name]
    asked.setDirectory(str(tmp_path))
    asked.selectFile(str(tmp_path / name))
    asked.accept()
    qtbot.waitUntil((tmp_path / name).exists)
    qtbot.waitUntil(lambda: app.notices.now.text == f"Saved as {name}.")
    qtbot.waitUntil(lambda: not talk.findChildren(QFileDialog))


def test_nothing_is_exported_before_anything_was_said(window: MainWindow) -> None:
    for verb in ("export", "export_branch", "export_tree", "rename", "delete_conversation", "delete_message"):
        assert not window.menus.actions[verb].isEnabled(), verb
    assert window.menus.actions["import"].isEnabled()


def exported(qtbot: QtBot, talk: MainWindow, app: App, folder: Path) -> Path:
    """Return a file of the open conversation, as if it had come from another machine."""
    file = folder / "talk.espalier"
    app.library.import_export.export(app.library.open_id, Form.ESPALIER, str(file))
    qtbot.waitUntil(lambda: app.notices.now.text == "Saved as talk.espalier.")
    file.write_text(file.read_text(encoding="utf-8").replace(app.library.open_id, new_id()), encoding="utf-8")
    return file


def test_a_file_is_chosen_and_read(qtbot: QtBot, talk: MainWindow, app: App, tmp_path: Path) -> None:
    file = exported(qtbot, talk, app, tmp_path)
    talk.menus.actions["import"].trigger()
    asked = dialog(talk)
    asked.setDirectory(str(tmp_path))
    asked.selectFile(str(file))
    asked.accept()
    qtbot.waitUntil(lambda: app.library.conversation_model.rowCount() == 2)
    assert len(read(file.read_text()).messages) == 2


def test_a_file_is_dropped_on_the_window(qtbot: QtBot, talk: MainWindow, app: App, tmp_path: Path) -> None:
    file = exported(qtbot, talk, app, tmp_path)
    app.act("delete_conversation")
    qtbot.waitUntil(lambda: texts(app) == [])
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    buttons, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(300, 300), Qt.DropAction.CopyAction, data, buttons, none)
    QApplication.sendEvent(talk, enter)
    assert enter.isAccepted()
    drop = QDropEvent(QPointF(300, 300), Qt.DropAction.CopyAction, data, buttons, none)
    QApplication.sendEvent(talk, drop)
    qtbot.waitUntil(lambda: len(texts(app)) == 2)


def test_a_file_opened_from_outside_is_imported(qtbot: QtBot, talk: MainWindow, app: App, tmp_path: Path) -> None:
    file = exported(qtbot, talk, app, tmp_path)
    talk.open_path(str(file))
    qtbot.waitUntil(lambda: app.library.conversation_model.rowCount() == 2)
    broken = tmp_path / "broken.espalier"
    broken.write_text("{")
    talk.open_path(str(broken))
    qtbot.waitUntil(lambda: "broken.espalier" in app.notices.now.text)
    assert app.library.conversation_model.rowCount() == 2


def test_everything_is_written_where_the_person_says(qtbot: QtBot, talk: MainWindow, app: App, tmp_path: Path) -> None:
    talk.menus.actions["export_all"].trigger()
    asked = dialog(talk)
    asked.setDirectory(str(tmp_path))
    asked.selectFile(str(tmp_path / "all"))
    asked.accept()
    qtbot.waitUntil(lambda: app.notices.now.text == "1\u00a0conversation saved as all.zip.")
    talk.open_path(str(tmp_path / "all.zip"))
    qtbot.waitUntil(lambda: app.notices.now.label == "Import Copies")


def test_a_conversation_is_exported_from_its_own_menu_whichever_is_open(
    qtbot: QtBot, talk: MainWindow, app: App, tmp_path: Path
) -> None:
    home = app.library.open_id
    app.library.new_conversation()
    app.catch_up()
    (row,) = [one for one in app.library.conversation_model.rows if one.id == home]
    talk._library._show_menu(row, QPoint())
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    (entry,) = [one for one in menu.actions() if one.text() == "Export…"]
    entry.trigger()
    menu.close()
    asked = dialog(talk)
    asked.setDirectory(str(tmp_path))
    asked.selectFile(str(tmp_path / "mine.espalier"))
    asked.accept()
    qtbot.waitUntil((tmp_path / "mine.espalier").exists)
    assert read((tmp_path / "mine.espalier").read_text(encoding="utf-8")).conversation.title == "pears / apples"
