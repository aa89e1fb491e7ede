"""The window of the settings by mouse and keys: pages, rows, recorded keys, and what a screen reader hears."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QAccessible, QFontDatabase
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.viewmodels.kit.key_bindings import native
from app.widgets.kit.choice_button import ChoiceButton
from app.widgets.kit.controls import Control
from app.widgets.kit.style import Style
from app.widgets.kit.theme import DARK
from app.widgets.preferences.key_field import KeyField
from app.widgets.preferences.preferences_window import PreferencesWindow
from app.widgets.preferences.row_widgets import ButtonsRow, KeysRow, RowWidget, TypedAmountRow
from app.widgets.window.main_window import MainWindow
from tests.widgets.pictures import picture

PAGES = ("general", "appearance", "models", "cache", "shortcuts", "api", "privacy")
_CTRL, _ALT, _SHIFT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
)


@pytest.fixture
def shown(qtbot: QtBot, window: MainWindow) -> PreferencesWindow:
    window.do("preferences")
    (found,) = window.findChildren(PreferencesWindow)
    qtbot.waitUntil(found.isActiveWindow)
    return found


def control(shown: PreferencesWindow, row_id: str) -> QWidget:
    return shown.page.row(row_id).stops[-1]


def key_field(shown: PreferencesWindow, action_id: str) -> KeyField:
    row = shown.page.row(f"keys:{action_id}")
    assert isinstance(row, KeysRow)
    return row.control


def go_to(qtbot: QtBot, shown: PreferencesWindow, page_id: str) -> None:
    qtbot.mouseClick(shown.buttons[page_id], Qt.MouseButton.LeftButton)


def test_the_key_of_the_table_opens_one_window_again_and_again(qtbot: QtBot, window: MainWindow) -> None:
    for _ in range(3):
        qtbot.keyClick(window, Qt.Key.Key_Comma, _CTRL)
    (found,) = window.findChildren(PreferencesWindow)
    qtbot.keyClick(found, Qt.Key.Key_Escape)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert window.findChildren(PreferencesWindow) == []
    window.do("preferences")
    assert len(window.findChildren(PreferencesWindow)) == 1


def test_a_page_is_chosen_by_mouse_and_arrows_and_is_there_the_next_time(
    qtbot: QtBot, window: MainWindow, shown: PreferencesWindow
) -> None:
    assert shown.windowTitle() == "General"
    go_to(qtbot, shown, "cache")
    assert shown.windowTitle() == "Cache"
    assert shown.buttons["cache"].hasFocus(), "the ring goes with the page"
    qtbot.keyClick(shown.buttons["cache"], Qt.Key.Key_Right)
    assert shown.windowTitle() == "Shortcuts"
    shown.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    window.do("preferences")
    (again,) = window.findChildren(PreferencesWindow)
    assert again.windowTitle() == "Shortcuts"


def test_a_choice_a_switch_and_a_slider_hold_at_once(qtbot: QtBot, app: App, shown: PreferencesWindow) -> None:
    start = control(shown, "start_with")
    assert isinstance(start, ChoiceButton)
    assert start.accessibleName() == "When Espalier starts, open: Where I was"
    start.menu().actions()[1].trigger()
    assert app.settings.values.start_with == "new"
    assert start.text() == "A new conversation"
    qtbot.keyClick(control(shown, "asks_to_quit"), Qt.Key.Key_Space)
    assert app.settings.values.asks_to_quit
    go_to(qtbot, shown, "appearance")
    slider = control(shown, "text_size")
    qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert app.settings.values.body_size == 15
    assert slider.accessibleDescription() == "15"
    assert shown._style.typography.body == 15


def test_an_amount_holds_when_the_slider_is_let_go_of_or_the_field_is_left(
    qtbot: QtBot, app: App, shown: PreferencesWindow, window: MainWindow
) -> None:
    go_to(qtbot, shown, "cache")
    (row,) = [one for one in shown.findChildren(TypedAmountRow) if one._id == "budget_amount"]
    slider = row.control
    held: list[str] = []
    app.settings.changed.connect(lambda values: held.append(values.budget))
    left, middle = Qt.MouseButton.LeftButton, slider.height() // 2
    qtbot.mousePress(slider, left, pos=QPoint(2, middle))
    for x in range(10, 100, 10):
        qtbot.mouseMove(slider, QPoint(x, middle))
    assert held == [], "what is dragged over is never told"
    qtbot.mouseRelease(slider, left, pos=QPoint(slider.width() - 1, middle))
    most = row._row.high
    assert held == [f"{most:g} GB"]
    assert row.field.text() == f"{most:g}"
    for typed, wanted in (("1,5", "1.5 GB"), *((one, "0.5 GB") for one in ("0.5 GB", "many", "nan", ""))):
        row.field.setFocus()
        row.field.selectAll()
        qtbot.keyClick(row.field, Qt.Key.Key_Backspace)
        qtbot.keyClicks(row.field, typed)
        qtbot.keyClick(row.field, Qt.Key.Key_Return)
        assert app.settings.values.budget == wanted, typed
        assert row.field.text() == wanted.removesuffix(" GB")
    app.state.catch_up()
    assert [one.text() for one in window.menus.budget.actions() if one.isChecked()] == []
    app.settings.update(budget="none")
    app.state.catch_up()
    assert [one.text() for one in window.menus.budget.actions() if one.isChecked()] == ["None"]


def test_what_changes_elsewhere_is_shown_here(shown: PreferencesWindow, app: App) -> None:
    start = control(shown, "start_with")
    app.settings.update(start_with="new")
    app.state.catch_up()
    QApplication.processEvents()
    assert isinstance(start, ChoiceButton)
    assert start.text() == "A new conversation"


def test_a_line_holds_with_return_and_when_it_is_left(qtbot: QtBot, app: App, shown: PreferencesWindow) -> None:
    go_to(qtbot, shown, "models")
    field = control(shown, "hub")
    assert isinstance(field, QLineEdit)
    field.setFocus()
    qtbot.keyClicks(field, "nothing at all")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert app.settings.values.hub == ""
    assert field.accessibleDescription()
    assert shown.isVisible(), "Return closes nothing"
    field.selectAll()
    qtbot.keyClicks(field, "https://hub.example.org")
    control(shown, "token").setFocus()
    assert app.settings.values.hub == "https://hub.example.org"
    token = control(shown, "token")
    assert isinstance(token, QLineEdit)
    assert token.echoMode() is QLineEdit.EchoMode.Password


# Keys


def test_keys_are_recorded_and_hold_in_the_menus_at_once(
    qtbot: QtBot, window: MainWindow, app: App, shown: PreferencesWindow
) -> None:
    go_to(qtbot, shown, "shortcuts")
    field = key_field(shown, "new")
    qtbot.keyClick(field, Qt.Key.Key_Space)
    assert field.is_recording
    qtbot.keyClick(field, Qt.Key.Key_J, _CTRL | _ALT)
    assert not field.is_recording
    assert app.keys.actions["new"].keys == ("Ctrl+Alt+J",)
    assert window.menus.actions["new"].shortcut().toString() == "Ctrl+Alt+J"
    assert field.accessibleName() == f"New Conversation: {native('Ctrl+Alt+J')}"
    row = shown.page.row("keys:new")
    assert isinstance(row, KeysRow)
    qtbot.keyClick(row.reset, Qt.Key.Key_Space)
    assert window.menus.actions["new"].shortcut().toString() == "Ctrl+N"


def test_a_conflict_names_the_other_command_and_changes_nothing(
    qtbot: QtBot, app: App, shown: PreferencesWindow
) -> None:
    """Its key does nothing else meanwhile, though a menu or the window itself has it."""
    go_to(qtbot, shown, "shortcuts")
    field = key_field(shown, "new")
    qtbot.mouseClick(field, Qt.MouseButton.LeftButton)
    qtbot.keyClick(field, Qt.Key.Key_O, _CTRL)
    assert field.accessibleDescription() == f"{native('Ctrl+O')} belongs to “Open Model…”."
    assert app.keys.actions["new"].keys == ("Ctrl+N",)
    assert not [one for one in QApplication.topLevelWidgets() if isinstance(one, QFileDialog) and one.isVisible()]
    qtbot.mouseClick(field, Qt.MouseButton.LeftButton)
    qtbot.keyClick(field, Qt.Key.Key_W, _CTRL)
    assert field.accessibleDescription() == f"{native('Ctrl+W')} belongs to “Close Window”."
    assert shown.isVisible()


@pytest.mark.parametrize("leave", [Qt.Key.Key_Escape, Qt.Key.Key_Tab])
def test_recording_is_given_up_without_a_change(
    qtbot: QtBot, app: App, shown: PreferencesWindow, leave: Qt.Key
) -> None:
    go_to(qtbot, shown, "shortcuts")
    field = key_field(shown, "new")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.keyClick(field, Qt.Key.Key_Shift, _SHIFT)
    assert field.is_recording, "a modifier alone is no key"
    qtbot.keyClick(field, leave)
    assert not field.is_recording
    assert app.keys.actions["new"].keys == ("Ctrl+N",)
    assert shown.isVisible()


def test_delete_takes_the_keys_away(qtbot: QtBot, app: App, shown: PreferencesWindow) -> None:
    go_to(qtbot, shown, "shortcuts")
    field = key_field(shown, "new")
    qtbot.keyClick(field, Qt.Key.Key_Space)
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    assert app.keys.actions["new"].keys == ()
    assert field.accessibleName() == "New Conversation: no keys"


# Questions


def press(qtbot: QtBot, shown: PreferencesWindow, row_id: str, button_id: str) -> QMessageBox | None:
    row = shown.page.row(row_id)
    assert isinstance(row, ButtonsRow)
    qtbot.mouseClick(row.buttons[button_id], Qt.MouseButton.LeftButton)
    boxes = [one for one in shown.findChildren(QMessageBox) if one.isVisible()]
    return boxes[0] if boxes else None


def test_nothing_is_deleted_before_the_question_is_answered(qtbot: QtBot, app: App, shown: PreferencesWindow) -> None:
    go_to(qtbot, shown, "cache")
    box = press(qtbot, shown, "cache_files", "delete_files")
    assert box is not None
    box.reject()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not app.notices.now.text
    box = press(qtbot, shown, "cache_files", "delete_files")
    assert box is not None
    next(one for one in box.buttons() if one.text() == "Delete").click()
    assert "are deleted" in app.notices.now.text


def test_moving_files_asks_with_the_cost_and_then_for_the_folder(qtbot: QtBot, shown: PreferencesWindow) -> None:
    go_to(qtbot, shown, "cache")
    box = press(qtbot, shown, "cache_folder", "move_files")
    assert box is not None
    assert "computed anew" in box.informativeText()
    next(one for one in box.buttons() if one.text().startswith("Choose")).click()
    (dialog,) = [one for one in shown.findChildren(QFileDialog) if one.isVisible()]
    assert dialog.windowTitle() == "Folder of the Cache Files"
    dialog.reject()


# How it looks and is gone through


@pytest.mark.parametrize("page_id", PAGES)
def test_tab_comes_to_every_control_from_above_and_each_has_a_name(
    qtbot: QtBot, shown: PreferencesWindow, page_id: str
) -> None:
    go_to(qtbot, shown, page_id)
    wanted = [one for one in shown.page.stops if one.isVisible() and one.isEnabled()]
    shown.buttons[page_id].setFocus()
    found: list[QWidget] = []
    for _ in wanted:
        focused = QApplication.focusWidget()
        assert focused is not None
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        assert focused is not None
        found.append(focused)
    assert found == wanted
    for one in wanted:
        assert one.accessibleName()
        assert QAccessible.queryAccessibleInterface(one) is not None
        seen = one.visibleRegion().boundingRect()
        assert not seen.isEmpty() or one is not found[-1], "what has the keyboard is in view"


@pytest.mark.parametrize("page_id", PAGES)
@pytest.mark.parametrize("body", [10, 14, 24])
def test_nothing_is_cut_off(qtbot: QtBot, style: Style, shown: PreferencesWindow, page_id: str, body: int) -> None:
    go_to(qtbot, shown, page_id)
    style.set_text_size(body)
    QApplication.processEvents()
    for row in shown.page.findChildren(RowWidget):
        for one in row.findChildren(Control):
            if one.isVisible():
                assert row.rect().contains(one.geometry()), one.accessibleName()
    content = shown.page.widget()
    assert content.width() <= shown.page.viewport().width()
    for button in shown.buttons.values():
        assert shown.rect().contains(button.geometry())


@pytest.mark.parametrize("page_id", PAGES)
def test_each_page_is_painted_light_and_dark(
    qtbot: QtBot, style: Style, shown: PreferencesWindow, page_id: str
) -> None:
    go_to(qtbot, shown, page_id)
    light = picture(shown)
    style.set_theme(DARK)
    assert picture(shown).pixelColor(5, 200) != light.pixelColor(5, 200)


def test_fonts_of_code_are_those_that_are_installed(qtbot: QtBot, app: App, shown: PreferencesWindow) -> None:
    go_to(qtbot, shown, "appearance")
    fonts = control(shown, "code_font")
    assert isinstance(fonts, ChoiceButton)
    entries = fonts.menu().actions()
    assert entries[0].isChecked()
    assert all(QFontDatabase.isFixedPitch(entry.text().replace("&&", "&")) for entry in entries[1:])


def test_a_folder_that_comes_leaves_the_keyboard_where_it_was(qtbot: QtBot, app: App, shown: PreferencesWindow) -> None:
    go_to(qtbot, shown, "models")
    field = control(shown, "folders")
    field.setFocus()
    app.settings.update(model_folders=("/models/of mine",))
    qtbot.waitUntil(lambda: "folder:/models/of mine" in shown.page._rows)
    assert control(shown, "folders").hasFocus()


def test_the_gear_at_the_foot_of_the_sidebar_opens_it(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.mouseClick(window.sidebar.settings_button, Qt.MouseButton.LeftButton)
    assert len(window.findChildren(PreferencesWindow)) == 1


def test_what_was_typed_holds_when_another_page_is_chosen(qtbot: QtBot, app: App, shown: PreferencesWindow) -> None:
    """A click on a page takes no keyboard from the field, which is gone all the same."""
    go_to(qtbot, shown, "models")
    field = control(shown, "hub")
    field.setFocus()
    qtbot.keyClicks(field, "https://hub.example.org")
    go_to(qtbot, shown, "cache")
    assert app.settings.values.hub == "https://hub.example.org"
    assert shown.windowTitle() == "Cache"
    assert shown.buttons["cache"].hasFocus()


def test_half_a_token_is_not_kept_because_the_page_is_made_anew(
    qtbot: QtBot, app: App, shown: PreferencesWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[str] = []
    monkeypatch.setattr(app.hub, "keep_token", kept.append)
    go_to(qtbot, shown, "models")
    field = control(shown, "token")
    field.setFocus()
    qtbot.keyClicks(field, "hf_ha")
    app.settings.update(model_folders=("/models/of mine",))
    qtbot.waitUntil(lambda: "folder:/models/of mine" in shown.page._rows)
    assert kept == []
    assert control(shown, "token").hasFocus()


def test_all_pages_are_equally_wide_with_a_scroll_bar_and_without(qtbot: QtBot, shown: PreferencesWindow) -> None:
    bars = set()
    for height in (500, 900):
        shown.resize(shown.width(), height)
        rights = set()
        for page in PAGES:
            go_to(qtbot, shown, page)
            for _ in range(3):  # the bar comes and goes with the layout
                QApplication.processEvents()
            row = next(iter(shown.page._rows.values()))
            rights.add(row.mapTo(shown, QPoint(row.width(), 0)).x())
            bars.add(shown.page.verticalScrollBar().isVisible())
        assert len(rights) == 1, height
    assert bars == {False, True}


def test_what_other_programs_must_be_told_is_copied(
    qtbot: QtBot, app: App, shown: PreferencesWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    api, token = app.workspace.api, "e4c1" * 16
    monkeypatch.setattr(api.gateway, "start", lambda port, **_how: api.gateway.listening.emit(port, token))
    go_to(qtbot, shown, "api")
    qtbot.keyClick(control(shown, "api"), Qt.Key.Key_Space)
    told = {}
    for row_id in ("address", "token", "try"):
        row = shown.page.row(row_id)
        assert isinstance(row, ButtonsRow)
        button = row.buttons[f"copy_{row_id}"]
        assert button.accessibleName() == f"Copy the {'line' if row_id == 'try' else row_id}"
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        told[row_id] = QApplication.clipboard().text()
    assert told["token"] == token
    assert told["address"] == f"http://127.0.0.1:{app.settings.values.api_port}/v1"
    assert told["try"].startswith(f"curl {told['address']}/chat/completions")
    assert f"Bearer {token}'" in told["try"]
    qtbot.keyClick(control(shown, "api"), Qt.Key.Key_Space)
    assert not app.settings.values.is_api_on
    with pytest.raises(KeyError):
        shown.page.row("token")
