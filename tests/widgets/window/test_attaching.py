"""Files that are dropped, chosen and pasted, and what of them is seen before they are sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.viewmodels.chat.draft_attachments import LONG_PASTE
from app.widgets.chat.attachment_sheet import MOST_SHOWN
from app.widgets.window.main_window import MainWindow
from tests.viewmodels.test_app import ask
from tests.widgets.window.test_main_window import walk


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "report.txt"
    path.write_text("Medlars keep until March.\n" * 10)
    return path


def drop(window: MainWindow, at: QPoint, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(at, Qt.DropAction.CopyAction, data, left, none))
    QApplication.sendEvent(window, QDropEvent(QPointF(at), Qt.DropAction.CopyAction, data, left, none))


def names(app: App) -> list[str]:
    return [chip.name for chip in app.chat.state.now.attachments]


def on_composer(window: MainWindow) -> QPoint:
    composer = window.chat.composer
    return composer.mapTo(window, composer.rect().center())


def test_files_dropped_anywhere_are_attached(qtbot: QtBot, window: MainWindow, app: App, report: Path) -> None:
    drop(window, QPoint(400, 300), report)
    qtbot.waitUntil(lambda: names(app) == ["report.txt"])
    drop(window, on_composer(window), report, report)
    qtbot.waitUntil(lambda: len(names(app)) == 3)
    assert [chip.isVisible() for chip in window.chat.composer.attachments.chips] == [True] * 3


def test_tab_goes_from_the_words_to_the_attachments_and_to_the_buttons(
    qtbot: QtBot, window: MainWindow, app: App, report: Path
) -> None:
    """However many came and went."""
    composer = window.chat.composer
    for files in (1, 3, 0, 2):
        for _ in range(files):
            drop(window, on_composer(window), report)
        if not files:
            composer.attachments.chips[1].remove.click()
        qtbot.waitUntil(lambda: not app.chat.state.now.attaching)
        QApplication.processEvents()
        met = walk(qtbot, composer.edit)
        assert composer.attachments.chips
        chips = [stop for chip in composer.attachments.chips for stop in (chip, chip.remove)]
        assert len(chips) == 2 * len(names(app))
        assert met[1 : len(chips) + 3] == [*chips, composer.answers, composer.clip]


def test_a_document_dropped_on_the_composer_is_attached_and_elsewhere_imported(
    qtbot: QtBot, window: MainWindow, app: App, tmp_path: Path
) -> None:
    path = tmp_path / "data.json"
    path.write_text('{"pears": 7}')
    drop(window, on_composer(window), path)
    qtbot.waitUntil(lambda: names(app) == ["data.json"])
    drop(window, QPoint(400, 200), path)
    qtbot.waitUntil(lambda: "data.json" in app.notices.now.text)
    assert names(app) == ["data.json"]


def test_files_are_chosen(qtbot: QtBot, window: MainWindow, app: App, report: Path) -> None:
    window.sidebar.list.setFocus()
    window.do("attach")
    (dialog,) = window.findChildren(QFileDialog)
    dialog.setDirectory(str(report.parent))
    dialog.selectFile(str(report))
    dialog.accept()
    qtbot.waitUntil(lambda: names(app) == ["report.txt"])
    assert window.focusWidget() is window.chat.composer.edit


def test_the_paper_clip_asks_which(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.mouseClick(window.chat.composer.clip, Qt.MouseButton.LeftButton)
    (dialog,) = window.findChildren(QFileDialog)
    dialog.reject()


def test_a_long_paste_is_attached_and_an_undo_brings_its_words(qtbot: QtBot, window: MainWindow, app: App) -> None:
    long = "word " * LONG_PASTE
    composer = window.chat.composer
    composer.focus_text()
    QApplication.clipboard().setText(long)
    window.do("paste")
    assert names(app) == ["Pasted text"]
    assert composer.text == ""
    assert window.menus.actions["undo"].isEnabled()
    window.do("undo")
    assert names(app) == []
    assert composer.text == long
    composer.edit.clear()
    window.do("paste_text")
    assert (composer.text, names(app)) == (long, [])


def test_a_long_paste_is_a_part_of_the_answer_that_is_edited(qtbot: QtBot, window: MainWindow, app: App) -> None:
    """An answer has no attachments."""
    ask(qtbot, app, "Count")
    long, composer = "word " * (LONG_PASTE // 4), window.chat.composer
    window.do("edit_answer")
    said = composer.text
    composer.focus_text()
    QApplication.clipboard().setText(long)
    window.do("paste")
    assert (composer.text, names(app)) == (said + long, [])
    qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: app.library.tree.path[-1].text == said + long)


def test_an_attachment_is_opened_and_removed(qtbot: QtBot, window: MainWindow, app: App, report: Path) -> None:
    line = "x" * 79 + "\n"
    whole = line * (MOST_SHOWN // len(line) + 1)
    report.write_text(whole)
    app.chat.attachments.attach_files([str(report)])
    qtbot.waitUntil(lambda: names(app) == ["report.txt"])
    composer = window.chat.composer
    composer.attachments.chips[0].click()
    sheet = next(one for one in window.findChildren(QDialog) if one.windowTitle() == "report.txt")
    (text,) = sheet.findChildren(QPlainTextEdit)
    assert text.toPlainText() == whole[:MOST_SHOWN]
    assert text.isReadOnly()
    sheet.reject()
    composer.attachments.chips[0].remove.click()
    qtbot.waitUntil(lambda: composer.attachments.isHidden())
    composer.opened.emit(0)


def test_a_screen_reader_hears_what_a_file_became(qtbot: QtBot, window: MainWindow, app: App, tmp_path: Path) -> None:
    (tmp_path / "film.mp4").write_bytes(b"\0" * 9)
    with qtbot.waitSignal(app.notices.announced) as heard:
        drop(window, on_composer(window), tmp_path / "film.mp4")
    assert "film.mp4 cannot be attached" in heard.args[0]
