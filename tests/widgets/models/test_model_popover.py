"""The picker under the model chip: the few used lately, all others by typing, the ways to still others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.viewmodels.kit.folders import Folders
from app.widgets.models.model_popover import ModelPopover
from app.widgets.models.models_window import ModelsWindow
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.models.folders import TEMPLATE, write_model, write_snapshot
from tests.widgets.models.test_on_this_machine import loaded
from tests.widgets.pictures import count, picture


@pytest.fixture
def folders(tmp_path: Path, machine: Path) -> Folders:
    return Folders(str(write_model(tmp_path / "guide", template=TEMPLATE)))


@pytest.fixture
def hub(machine: Path) -> Path:
    hub = machine / ".cache" / "huggingface" / "hub"
    for number in range(12):
        write_snapshot(hub, f"a/Model-{number:02}", template=TEMPLATE)
    return hub


Pick = Callable[[], ModelPopover]


@pytest.fixture
def pick(qtbot: QtBot, hub: Path, window: MainWindow, app: App) -> Iterator[Pick]:
    """Opens the picker from the chip."""

    def press() -> ModelPopover:
        qtbot.keyClick(window.chat.toolbar.chip, Qt.Key.Key_Return)
        (found,) = window.findChildren(ModelPopover)
        qtbot.waitUntil(lambda: not app.model.list.search.is_running)
        QApplication.processEvents()
        return found

    yield press
    for left in window.findChildren(ModelPopover):
        left.close()


def names(picker: ModelPopover) -> list[str]:
    return [row.name for row in picker._rows.rows]


def test_the_models_used_lately_and_the_guide_are_offered(qtbot: QtBot, pick: Pick, app: App, hub: Path) -> None:
    used = {str(hub / f"models--a--Model-{number:02}" / "snapshots" / "0123abcd"): number for number in (7, 9, 3)}
    app.settings.update(models_used=used)
    picker = pick()
    assert names(picker) == ["Model-09", "Model-07", "Model-03", "Model-00", "Model-01", "Espalier Guide"]
    qtbot.waitUntil(picker.field.hasFocus)
    assert picker.list.height() >= 6 * picker.list.sizeHintForRow(0)
    assert picker.accessibleName() == "Choose a model"


def test_a_draft_that_comes_while_it_is_open_leaves_the_keyboard_in_it(
    qtbot: QtBot, pick: Pick, window: MainWindow, app: App
) -> None:
    picker = pick()
    qtbot.waitUntil(lambda: QGuiApplication.focusWindow() is picker.windowHandle())
    app.chat.open_draft.turnedTo.emit()
    QApplication.processEvents()
    assert picker.field.hasFocus()
    assert QGuiApplication.focusWindow() is picker.windowHandle()
    picker.close()
    qtbot.waitUntil(window.chat.composer.edit.hasFocus)


def test_typing_finds_all_others_and_return_opens(qtbot: QtBot, pick: Pick, script: Script) -> None:
    picker = pick()
    qtbot.keyClicks(picker.field, "11")
    assert names(picker) == ["Model-11"]
    with qtbot.waitSignal(picker.destroyed):
        qtbot.keyClick(picker.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: loaded(script) == ["models--a--Model-11"])


def test_keys_lead_into_the_list_and_letters_back(qtbot: QtBot, pick: Pick, script: Script) -> None:
    picker = pick()
    qtbot.keyClick(picker.field, Qt.Key.Key_Down)
    qtbot.waitUntil(picker.list.hasFocus)
    qtbot.keyClicks(picker.list, "05")
    assert (picker.field.text(), picker.field.hasFocus()) == ("05", True)
    qtbot.keyClick(picker.field, Qt.Key.Key_Down)
    while picker.list.currentIndex().row() > 0:
        qtbot.keyClick(picker.list, Qt.Key.Key_Up)
    qtbot.keyClick(picker.list, Qt.Key.Key_Up)
    assert picker.field.hasFocus()


def test_down_goes_on_from_the_row_that_return_would_take(qtbot: QtBot, pick: Pick, script: Script) -> None:
    picker = pick()
    there = picker.list.currentIndex().row()
    qtbot.keyClick(picker.field, Qt.Key.Key_Down)
    assert picker.list.currentIndex().row() == there + 1
    second = names(picker)[there + 1]
    with qtbot.waitSignal(picker.destroyed):
        qtbot.keyClick(picker.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: loaded(script) == [f"models--a--{second}"])


def test_down_stays_in_the_last_row(qtbot: QtBot, pick: Pick) -> None:
    picker = pick()
    qtbot.keyClicks(picker.field, "11")
    qtbot.keyClick(picker.field, Qt.Key.Key_Down)
    assert (picker.list.hasFocus(), picker.list.currentIndex().row()) == (True, 0)


def test_a_click_opens(qtbot: QtBot, pick: Pick, script: Script) -> None:
    picker = pick()
    at = picker.list.visualRect(picker._rows.index(1)).center()
    with qtbot.waitSignal(picker.destroyed):
        qtbot.mouseClick(picker.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.waitUntil(lambda: loaded(script) == ["models--a--Model-01"])


def test_what_cannot_be_opened_stays_where_it_is(qtbot: QtBot, pick: Pick, script: Script, hub: Path) -> None:
    (write_snapshot(hub, "a/Broken") / "tokenizer.json").unlink()
    picker = pick()
    assert "Broken" not in names(picker)
    qtbot.keyClicks(picker.field, "broken")
    assert names(picker) == ["Broken"]
    qtbot.keyClick(picker.field, Qt.Key.Key_Return)
    qtbot.mouseClick(
        picker.list.viewport(), Qt.MouseButton.LeftButton, pos=picker.list.visualRect(picker._rows.index(0)).center()
    )
    assert picker.isVisible()
    assert loaded(script) == []


@pytest.mark.parametrize("times", [1, 2])
def test_escape_clears_and_closes(qtbot: QtBot, pick: Pick, times: int) -> None:
    picker = pick()
    if times == 2:
        qtbot.keyClicks(picker.field, "0")
        qtbot.keyClick(picker.field, Qt.Key.Key_Escape)
        assert picker.field.text() == ""
    with qtbot.waitSignal(picker.destroyed):
        qtbot.keyClick(picker.field, Qt.Key.Key_Escape)


def test_all_models_are_one_step_away(qtbot: QtBot, pick: Pick, window: MainWindow) -> None:
    qtbot.mouseClick(pick().all_button, Qt.MouseButton.LeftButton)
    (models,) = window.findChildren(ModelsWindow)
    assert models.isVisible()
    models.close()


def test_a_folder_is_one_step_away(qtbot: QtBot, pick: Pick, window: MainWindow) -> None:
    qtbot.mouseClick(pick().folder_button, Qt.MouseButton.LeftButton)
    (dialog,) = window.findChildren(QFileDialog)
    assert dialog.isVisible()
    dialog.close()


def test_nothing_that_matches_is_said(qtbot: QtBot, pick: Pick) -> None:
    picker = pick()
    qtbot.keyClicks(picker.field, "zzz")
    assert picker.list.accessibleDescription() == "No model matches “zzz”."
    assert count(picture(picker), picker._style.theme.text2) > 20
