"""The page of this machine's models: found, filtered, opened, shown and added by mouse and by keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtGui import QContextMenuEvent, QDesktopServices
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.protocol.commands import LoadModel
from app.protocol.memory import GIB, Memory, ModelSupport
from app.viewmodels.app import App
from app.viewmodels.model.context_limits import NO_NUMBER
from app.viewmodels.model.model_rows import ModelRows
from app.widgets.kit.style import Style
from app.widgets.models.context_box import ContextBox
from app.widgets.models.models_window import ModelsWindow
from app.widgets.models.on_this_machine import LOOKING, NOTHING, SHOW, OnThisMachine
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import CONTEXT, Script
from tests.models.folders import CONFIG, TEMPLATE, write_model, write_snapshot
from tests.models.ollama import write_store
from tests.widgets.pictures import count, picture


@pytest.fixture
def hub(machine: Path) -> Path:
    """Three models, of which one cannot be opened."""
    hub = machine / ".cache" / "huggingface" / "hub"
    write_snapshot(hub, "a/Apple-4bit", template=TEMPLATE)
    write_snapshot(hub, "a/Pear-8bit", template=TEMPLATE, config=CONFIG | {"quantization": {"bits": 8}})
    (write_snapshot(hub, "a/Broken") / "tokenizer.json").unlink()
    return hub


@pytest.fixture
def script(script: Script) -> Script:
    script.support = ModelSupport(frozenset({"qwen3"}), Memory(16 * GIB, 12 * GIB))
    return script


@pytest.fixture
def page(qtbot: QtBot, hub: Path, window: MainWindow, app: App) -> Iterator[OnThisMachine]:
    found = opened(qtbot, window, app)
    qtbot.waitUntil(lambda: names(found) == ["Apple-4bit", "Pear-8bit", "Broken"])
    yield found
    if isValid(found):
        found.window().close()


def opened(qtbot: QtBot, window: MainWindow, app: App) -> OnThisMachine:
    window.do("models")
    (models,) = window.findChildren(ModelsWindow)
    page = models.current
    assert isinstance(page, OnThisMachine)
    qtbot.waitUntil(models.isActiveWindow)
    qtbot.waitUntil(lambda: not app.model.list.search.is_running)
    QApplication.processEvents()
    return page


def names(page: OnThisMachine) -> list[str]:
    return [row.name for row in page._rows.rows]


def loaded(script: Script) -> list[str]:
    return [Path(command.path).parent.parent.name for command in script.commands if isinstance(command, LoadModel)][1:]


def test_models_are_listed_without_being_told(page: OnThisMachine) -> None:
    assert page.list.row is not None
    assert page.list.row.name == "Apple-4bit"
    assert page.field.hasFocus()
    assert page.list.accessibleDescription() == ""
    assert page.list.model().index(2, 0).data(Qt.ItemDataRole.AccessibleTextRole).startswith("Broken, qwen3")


def test_a_model_that_has_come_is_there_when_one_comes_back(qtbot: QtBot, page: OnThisMachine, hub: Path) -> None:
    window = page.window()
    assert isinstance(window, ModelsWindow)
    window.show_page("get")
    write_snapshot(hub, "a/New")
    window.show_page("here")
    qtbot.waitUntil(lambda: "New" in names(page))


def test_typing_anywhere_filters(qtbot: QtBot, page: OnThisMachine) -> None:
    page.list.setFocus()
    qtbot.keyClicks(page.list, "PEA")
    assert (page.field.text(), names(page)) == ("PEA", ["Pear-8bit"])
    assert page.field.hasFocus()
    qtbot.keyClicks(page.field, "x")
    assert names(page) == []
    assert page.list.accessibleDescription() == "No model matches “PEAx”."
    qtbot.keyClick(page.field, Qt.Key.Key_Escape)
    assert names(page) == ["Apple-4bit", "Pear-8bit", "Broken"]


def test_return_opens_the_model_one_is_on(
    qtbot: QtBot, page: OnThisMachine, window: MainWindow, script: Script, app: App
) -> None:
    """The window goes as soon as it is open."""
    qtbot.keyClick(page.field, Qt.Key.Key_Down)
    assert page.list.hasFocus()
    qtbot.keyClick(page.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not isValid(page))
    assert loaded(script) == ["models--a--Pear-8bit"]
    page = opened(qtbot, window, app)
    assert names(page)[0] == "Pear-8bit", "the last used comes first"
    assert page.list.row is not None
    assert page.list.row.is_current
    assert not page.open_button.isEnabled(), "it is open"
    app.model.open(page._rows.rows[1].id)
    qtbot.waitUntil(lambda: loaded(script) == ["models--a--Pear-8bit", "models--a--Apple-4bit"])
    qtbot.waitUntil(lambda: names(page)[0] == "Apple-4bit")
    assert isValid(page), "it was opened elsewhere"
    page.window().close()


def test_return_after_typing_opens_what_was_found(qtbot: QtBot, page: OnThisMachine, script: Script) -> None:
    qtbot.keyClicks(page.field, "pear")
    qtbot.keyClick(page.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: loaded(script) == ["models--a--Pear-8bit"])


def test_a_double_click_and_the_button_open_too(
    qtbot: QtBot, page: OnThisMachine, window: MainWindow, script: Script, app: App
) -> None:
    at = page.list.visualRect(page.list.model().index(1, 0)).center()
    qtbot.mouseClick(page.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseDClick(page.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.waitUntil(lambda: loaded(script) == ["models--a--Pear-8bit"])
    qtbot.waitUntil(lambda: not isValid(page))
    page = opened(qtbot, window, app)
    page.list.select(1)
    qtbot.mouseClick(page.open_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: loaded(script) == ["models--a--Pear-8bit", "models--a--Apple-4bit"])


def test_what_cannot_be_opened_is_gone_to_but_not_opened(qtbot: QtBot, page: OnThisMachine, script: Script) -> None:
    page.list.select(2)
    assert page.list.row is not None
    assert page.list.row.reason == "It has no tokenizer that Espalier can read."
    assert not page.open_button.isEnabled()
    qtbot.keyClick(page.list, Qt.Key.Key_Return)
    qtbot.mouseDClick(
        page.list.viewport(), Qt.MouseButton.LeftButton, pos=page.list.visualRect(page.list.currentIndex()).center()
    )
    assert loaded(script) == []


def test_opening_shows_in_the_row_and_escape_stops_it(
    qtbot: QtBot, page: OnThisMachine, script: Script, app: App
) -> None:
    script.load_gate.clear()
    assert page.stop_button.isHidden()
    page.list.setFocus()
    qtbot.keyClick(page.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.list.row is not None and page.list.row.done == 0.5)
    assert page.list.row is not None
    assert page.list.row.stage == "Reading weights"
    assert not page.stop_button.isHidden()
    green = count(picture(page.list), page._style.theme.accentgfx)
    assert green > 100, "a bar"
    qtbot.keyClick(page.list, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: app.model.current_model.loading is None)
    qtbot.waitUntil(page.stop_button.isHidden)
    assert page.window().isVisible()


def test_why_a_model_was_not_opened_is_said_where_it_was_asked_for(
    qtbot: QtBot, page: OnThisMachine, script: Script
) -> None:
    assert page.list.row is not None
    script.broken.add(page.list.row.id)
    qtbot.mouseClick(page.open_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not page.problem.isHidden())
    assert page.problem.text().startswith("The model folder is not where it was. Nothing at ")
    script.broken.clear()
    qtbot.mouseClick(page.open_button, Qt.MouseButton.LeftButton)
    assert page.problem.isHidden()
    qtbot.waitUntil(lambda: not isValid(page))


def test_a_folder_is_added_and_removed(qtbot: QtBot, page: OnThisMachine, app: App, tmp_path: Path) -> None:
    write_model(tmp_path / "mine" / "Plum")
    qtbot.mouseClick(page.add_button, Qt.MouseButton.LeftButton)
    (dialog,) = page.findChildren(QFileDialog)
    dialog.filesSelected.emit([str(tmp_path / "mine")])
    dialog.close()
    qtbot.waitUntil(lambda: "Plum" in names(page))
    assert page.remove_button.isHidden()
    page.list.select(names(page).index("Plum"))
    assert not page.remove_button.isHidden()
    qtbot.mouseClick(page.remove_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Plum" not in names(page))
    assert app.settings.values.model_folders == ()


def test_its_files_are_shown(qtbot: QtBot, page: OnThisMachine, hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: shown.append(url) or len(shown) == 1)
    for _ in range(2):
        qtbot.mouseClick(page.show_button, Qt.MouseButton.LeftButton)
    assert shown[0].toLocalFile() == str(hub / "models--a--Apple-4bit" / "snapshots" / "0123abcd")
    assert "It is in" in page.problem.text(), "where nothing can show it"


def menu_of(page: OnThisMachine, number: int) -> QMenu:
    """The menu of a row, which is closed by whoever asked for it."""
    for old in page.findChildren(QMenu):
        old.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    at = page.list.visualRect(page.list.model().index(number, 0)).center()
    QApplication.sendEvent(
        page.list.viewport(),
        QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, page.list.viewport().mapToGlobal(at)),
    )
    (menu,) = page.findChildren(QMenu)
    return menu


def test_an_adapter_is_added_to_a_model_and_left_out_again(
    qtbot: QtBot, page: OnThisMachine, window: MainWindow, app: App, tmp_path: Path
) -> None:
    menu = menu_of(page, 1)
    menu.actions()[1].trigger()
    menu.close()
    (dialog,) = page.findChildren(QFileDialog)
    dialog.filesSelected.emit([str(tmp_path / "Pirate & Co")])
    dialog.close()
    current = app.model.current_model
    qtbot.waitUntil(lambda: current.info is not None and current.info.adapter == str(tmp_path / "Pirate & Co"))
    qtbot.waitUntil(lambda: not isValid(page))
    page = opened(qtbot, window, app)
    assert current.info is not None
    number = next(at for at, row in enumerate(cast(ModelRows, page.list.model()).rows) if row.id == current.info.path)
    menu = menu_of(page, number)
    without = menu.actions()[2]
    assert without.text() == "Open Without the Adapter Pirate && Co"
    without.trigger()
    menu.close()
    qtbot.waitUntil(lambda: current.info is not None and current.info.adapter == "")
    assert app.settings.values.adapters == {}


def test_the_menu_of_a_row_offers_the_same(qtbot: QtBot, page: OnThisMachine, script: Script) -> None:
    at = page.list.visualRect(page.list.model().index(1, 0)).center()
    QApplication.sendEvent(
        page.list.viewport(),
        QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, page.list.viewport().mapToGlobal(at)),
    )
    (menu,) = page.findChildren(QMenu)
    assert [entry.text() for entry in menu.actions()] == ["Open", "Add Adapter…", "Limit Context…", SHOW]
    menu.actions()[0].trigger()
    menu.close()
    qtbot.waitUntil(lambda: loaded(script) == ["models--a--Pear-8bit"])


def test_the_files_of_a_model_of_ollama_are_verified(
    qtbot: QtBot, page: OnThisMachine, app: App, machine: Path
) -> None:
    files = {"config.json": json.dumps(CONFIG).encode(), "tokenizer.json": b"{}"}
    write_store(machine / ".ollama" / "models", files, [("a", b"x" * 1000)], name="plum")
    app.model.list.look()
    qtbot.waitUntil(lambda: "plum:latest" in names(page))
    assert page.verify_button.isHidden()
    page.list.select(names(page).index("plum:latest"))
    qtbot.mouseClick(page.verify_button, Qt.MouseButton.LeftButton)
    assert not page.stop_button.isHidden()
    qtbot.waitUntil(lambda: not page.problem.isHidden())
    assert page.problem.text() == "plum:latest is whole. Every file has the digest that it is kept by."
    qtbot.waitUntil(page.stop_button.isHidden)
    qtbot.mouseClick(page.verify_button, Qt.MouseButton.LeftButton)
    page.list.setFocus()
    qtbot.keyClick(page.list, Qt.Key.Key_Escape)
    assert app.model.list.file_check.state.model_id == ""
    assert page.window().isVisible()


@pytest.mark.parametrize("text", [10, 14, 24])
def test_the_buttons_have_room_at_every_size_of_text(
    qtbot: QtBot, page: OnThisMachine, style: Style, tmp_path: Path, app: App, text: int
) -> None:
    style.set_text_size(text)
    write_model(tmp_path / "Plum")
    app.model.list.add_folder(str(tmp_path / "Plum"))
    qtbot.waitUntil(lambda: "Plum" in names(page))
    page.list.select(names(page).index("Plum"))
    page.window().resize(page.window().minimumSize())
    QApplication.processEvents()
    buttons = [button for button in page.tab_order[2:] if not button.isHidden()]
    assert len(buttons) == 5
    for before, after in pairwise(buttons):
        assert before.geometry().right() < after.geometry().left()
        assert before.width() >= before.sizeHint().width()
    assert buttons[-1].geometry().right() < page.width()


def test_without_models_it_says_where_they_come_from(qtbot: QtBot, machine: Path, window: MainWindow, app: App) -> None:
    page = opened(qtbot, window, app)
    assert page.list.accessibleDescription() == NOTHING
    assert count(picture(page.list), page._style.theme.text2) > 50, "painted"
    app.model.list.look()
    page.refresh()
    assert page.list.accessibleDescription() == LOOKING
    page.window().close()


def test_four_hundred_models_are_listed_and_filtered(qtbot: QtBot, machine: Path, window: MainWindow, app: App) -> None:
    for number in range(400):
        write_model(machine / ".lmstudio" / "models" / "someone" / f"Model-{number:03}", tensors={})
    page = opened(qtbot, window, app)
    qtbot.waitUntil(lambda: len(names(page)) == 400)
    assert names(page) == sorted(names(page))
    qtbot.keyClicks(page.field, "399")
    assert names(page) == ["Model-399"]
    qtbot.keyClick(page.field, Qt.Key.Key_Escape)
    assert len(names(page)) == 400


def test_tab_leads_through_the_page_and_to_the_selector(qtbot: QtBot, page: OnThisMachine) -> None:
    window = page.window()
    assert isinstance(window, ModelsWindow)
    stops = []
    for _ in range(5):
        stops.append(QApplication.focusWidget())
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    here = window.selector.segments[0]
    assert stops == [page.field, page.list, page.add_button, page.show_button, page.more_button]
    assert QApplication.focusWidget() is page.open_button
    qtbot.keyClick(page.open_button, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is here


def test_how_many_tokens_a_model_reads_is_limited_by_keys(
    qtbot: QtBot, page: OnThisMachine, app: App, script: Script
) -> None:
    def asked() -> ContextBox:
        page.list.select(0)
        next(entry for entry in menu_of(page, 0).actions() if entry.text() == "Limit Context…").trigger()
        (box,) = (one for one in page.findChildren(ContextBox) if one.isVisible())
        qtbot.waitUntil(box.field.hasFocus)
        return box

    path = page.list.row.id if page.list.row is not None else ""
    box = asked()
    assert box.field.accessibleName() == "Context limit of Apple-4bit in tokens"
    qtbot.keyClicks(box.field, "many")
    qtbot.keyClick(box.field, Qt.Key.Key_Return)
    assert box._problem.text() == NO_NUMBER
    assert box.isVisible()
    box.field.clear()
    qtbot.keyClicks(box.field, "300")
    qtbot.keyClick(box.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "limited to 300" in (page.list.row.details if page.list.row else ""))
    page._models.open(path)
    qtbot.waitUntil(lambda: app.model.state.now.context_length == 300)
    assert LoadModel(path, context_limit=300) in script.commands
    box = asked()
    assert box.field.text() == "300"
    qtbot.keyClick(box.field, Qt.Key.Key_Escape)
    box = asked()
    box.field.clear()
    qtbot.mouseClick(box.save_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: app.model.state.now.context_length == CONTEXT)
    assert app.settings.values.context_limits == {}


def test_the_menu_of_a_row_needs_no_mouse(qtbot: QtBot, page: OnThisMachine, script: Script) -> None:
    page.more_button.setFocus()
    qtbot.keyClick(page.more_button, Qt.Key.Key_Return)
    (menu,) = page.findChildren(QMenu)
    qtbot.waitUntil(menu.isVisible)
    qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: loaded(script) == ["models--a--Apple-4bit"])
