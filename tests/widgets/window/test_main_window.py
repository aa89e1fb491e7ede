from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QGuiApplication,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMessageBox,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

import app.widgets.window.main_window as main_window
from app.protocol.commands import ClearDiskCache, Generate, LoadModel
from app.protocol.reports import Problem
from app.viewmodels.actions import ACTIONS, BUTTONS, enabled
from app.viewmodels.app import App
from app.viewmodels.chat import question_card
from app.viewmodels.kit.settings import WindowState
from app.viewmodels.model import model_cards
from app.viewmodels.unavailable import EMPTY, why_unavailable
from app.widgets.chat.messages.links import ask_and_open
from app.widgets.chat.messages.row_controls import ActionStrip, ControlKind
from app.widgets.chat.messages.version_switcher import VersionSwitcher
from app.widgets.kit.action_button import ActionButton
from app.widgets.kit.controls import Control
from app.widgets.kit.dialogs import shown_dialog
from app.widgets.kit.style import Style
from app.widgets.models.models_window import ModelsWindow
from app.widgets.window.about import AboutBox
from app.widgets.window.drop import document, model_folder
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.widgets.pictures import picture

_CTRL, _ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
_NONE = Qt.KeyboardModifier.NoModifier
MakeWindow = Callable[[WindowState], MainWindow]


def ask(qtbot: QtBot, window: MainWindow, app: App, text: str) -> None:
    """Type a question, press Return, and wait for its answer."""
    edit = window.chat.composer.edit
    edit.selectAll()
    qtbot.keyClicks(edit, text)
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [row.text for row in app.chat.chat_model.rows[-2:-1]] == [text])
    qtbot.waitUntil(
        lambda: not app.chat.chat_model.rows[-1].is_streaming and app.chat.chat_model.rows[-1].footer is not None
    )
    QApplication.processEvents()


def texts(app: App) -> list[str]:
    return [row.text for row in app.chat.chat_model.rows]


# The main job


def test_a_question_typed_and_sent_is_answered_in_the_chat(qtbot: QtBot, window: MainWindow, app: App) -> None:
    assert window.chat.is_welcome_shown
    assert window.chat.composer.edit.hasFocus()
    ask(qtbot, window, app, "hello")
    assert not window.chat.is_welcome_shown
    assert window.chat.composer.text == ""
    rows = window.chat.view.layout_of_rows
    assert [rows.item(number).row.text for number in range(len(rows))] == ["hello", "You said: hello"]
    assert window.windowTitle() == app.chat.state.now.title == "hello"


def test_a_question_is_edited_into_a_fork_and_both_versions_can_be_shown(
    qtbot: QtBot, window: MainWindow, app: App
) -> None:
    ask(qtbot, window, app, "first")
    edit = window.chat.composer.edit
    qtbot.keyClick(edit, Qt.Key.Key_D, _CTRL)
    assert window.chat.composer.text == "first"
    qtbot.waitUntil(lambda: not window.chat.composer.cancel.isHidden())
    ask(qtbot, window, app, "second")
    row = app.chat.chat_model.rows[0]
    assert (row.version, row.versions) == (2, 2)
    switcher = window.chat.view.controls.find(row.id, ControlKind.SWITCHER)
    assert isinstance(switcher, VersionSwitcher)
    qtbot.mouseClick(switcher, Qt.MouseButton.LeftButton, pos=QPoint(6, 10))
    assert texts(app) == ["first", "You said: first"]
    qtbot.waitUntil(window.menus.actions["next"].isEnabled)
    edit.setFocus()
    qtbot.keyClick(edit, Qt.Key.Key_Right, _CTRL | _ALT)
    assert texts(app) == ["second", "You said: second"]


def test_escape_leaves_the_edit_and_the_words_before_it_come_back(qtbot: QtBot, window: MainWindow, app: App) -> None:
    ask(qtbot, window, app, "first")
    edit = window.chat.composer.edit
    qtbot.keyClicks(edit, "a draft")
    qtbot.keyClick(edit, Qt.Key.Key_D, _CTRL)
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    assert window.chat.composer.text == "a draft"
    assert window.chat.composer.cancel.isHidden()


def test_an_answer_is_asked_for_again_from_its_button(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    ask(qtbot, window, app, "hello")
    strip = window.chat.view.controls.find(app.chat.chat_model.rows[1].id, ControlKind.ANSWER)
    assert isinstance(strip, ActionStrip)
    qtbot.mouseClick(strip.stops[-1], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: app.chat.chat_model.rows[1].versions == 2 and not app.chat.chat_model.rows[1].is_streaming)


@pytest.mark.parametrize(
    ("key", "modifier"), [(Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_Period, _CTRL)]
)
def test_it_stops_from_the_composer(
    qtbot: QtBot,
    window: MainWindow,
    app: App,
    script: Script,
    key: Qt.Key,
    modifier: Qt.KeyboardModifier,
) -> None:
    script.hold = 2
    script.answers["long"] = "one two three four five"
    edit = window.chat.composer.edit
    qtbot.keyClicks(edit, "long")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: app.chat.state.now.is_writing and bool(app.chat.chat_model.rows[-1].text))
    assert window.chat.composer.button.accessibleName() == "Stop"
    qtbot.keyClick(edit, key, modifier)
    qtbot.waitUntil(lambda: not app.chat.state.now.is_writing)
    assert texts(app)[-1].startswith("one")


def test_escape_and_the_stop_button_end_the_opening_of_a_model(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    qtbot.waitUntil(lambda: app.model.state.now.is_open)
    (stop,) = (one for one in window.chat.toolbar.findChildren(Control) if one.accessibleName() == "Stop")
    edit = window.chat.composer.edit
    ways = (
        lambda: qtbot.keyClick(edit, Qt.Key.Key_Escape),
        lambda: qtbot.mouseClick(stop, Qt.MouseButton.LeftButton),
    )
    for way in ways:
        assert not stop.isEnabled()
        script.load_gate.clear()
        app.model.open("/models/other")
        qtbot.waitUntil(stop.isEnabled)
        way()
        qtbot.waitUntil(lambda: not app.model.state.now.is_loading)
        assert app.model.state.now.is_guide
        qtbot.waitUntil(lambda: not stop.isEnabled())


def test_words_stay_when_they_cannot_be_sent(qtbot: QtBot, window: MainWindow, script: Script) -> None:
    edit = window.chat.composer.edit
    qtbot.keyClicks(edit, "   ")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert window.chat.composer.text == "   "
    assert not [command for command in script.commands if isinstance(command, Generate)]


def test_a_suggestion_asks(qtbot: QtBot, window: MainWindow, app: App) -> None:
    chip = window.chat.welcome.page.chips[0]
    suggestion = chip.text()
    qtbot.mouseClick(chip, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(app.chat.chat_model.rows) == 2)
    assert texts(app)[0] == suggestion


def test_a_folder_that_cannot_be_opened_is_said_in_the_composers_place(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    """Where no model is in use: here the engine has just died."""
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))
    script.deadly.add("/models/deadly")
    app.model.open("/models/deadly")
    qtbot.waitUntil(lambda: app.state.now.activity.text == "No model loaded")
    script.broken.add("/models/broken")
    app.model.open("/models/broken")
    qtbot.waitUntil(lambda: not window.chat.composer_area.problem.isHidden())
    qtbot.mouseClick(window.chat.composer_area.problem.other, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.chat.composer_area.problem.isHidden())
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))


def test_what_a_card_offers_is_done(qtbot: QtBot, window: MainWindow, app: App) -> None:
    """Commands of the window as well as of the program, and what only cards do."""
    problem = Problem("Not enough memory", "Choose a smaller model.")
    missing = replace(problem, is_missing=True)
    cards = [model_cards.model_failed(problem, path, is_guide=False) for path in ("/models/large", "server:a1/large")]
    cards += [model_cards.model_failed(missing, "/models/gone", is_guide=guide) for guide in (False, True)]
    of_server = replace(problem, is_of_server=True)
    cards += [model_cards.model_failed(of_server, "server:a1/large", is_guide=False)]
    cards += [question_card.server_failed(one, "q", goes_on=False) for one in (problem, of_server)]
    cards += [model_cards.engine_failed(problem), model_cards.stopped("One"), model_cards.suspected("/models/one")]
    for card in cards:
        for verb in (card.action_id, card.other_id, *(verb for _, verb in card.choices)):
            assert not verb or verb in window._runs or verb in BUTTONS, card
    app.model._show_card(cards[0])
    qtbot.waitUntil(lambda: not window.chat.composer_area.problem.isHidden())
    qtbot.mouseClick(window.chat.composer_area.problem.action, Qt.MouseButton.LeftButton)
    shown = shown_dialog(ModelsWindow)
    assert shown is not None
    shown.close()


def test_whoever_types_while_a_question_fails_presses_nothing_and_types_on(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))
    script.fail = "Does it fit?"
    edit = window.chat.composer.edit
    qtbot.keyClicks(edit, "Does it fit?")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not window.chat.composer_area.problem.isHidden())
    asked = len(app.chat.chat_model.rows)
    focused = QApplication.focusWidget()
    assert focused is not None
    qtbot.keyClick(focused, Qt.Key.Key_Space)
    assert app.chat.state.now.editing is None
    qtbot.keyClicks(focused, "n")
    assert app.chat.state.now.card is None
    assert window.chat.composer.text == "n"
    assert edit.hasFocus()
    assert len(app.chat.chat_model.rows) == asked


def test_a_conversation_is_found_where_it_was_scrolled_to(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    script.answers.update({f"question {number}": "line\n\n" * (8 * number + 6) for number in range(5)})
    for number in range(5):
        ask(qtbot, window, app, f"question {number}")
    view, bar = window.chat.view, window.chat.view.verticalScrollBar()
    left = app.library.open_id
    for share in (0.3, 0.7, 1.0, 0.0):
        bar.setValue(round(bar.maximum() * share))
        QApplication.processEvents()
        anchor, was_at_end = view.anchor(), bar.value() == bar.maximum()
        app.library.new_conversation()
        qtbot.waitUntil(lambda: window.chat.is_welcome_shown)
        app.library.open(left)
        qtbot.waitUntil(lambda: not window.chat.is_welcome_shown)
        qtbot.waitUntil(lambda was_at_end=was_at_end: (bar.value() == bar.maximum()) == was_at_end)
        assert view.anchor() == (anchor[0], pytest.approx(anchor[1], abs=1.0))


def test_closing_while_it_writes_waits_for_nothing(qtbot: QtBot, window: MainWindow, app: App, script: Script) -> None:
    script.hold = 1
    ask_text = "long"
    script.answers[ask_text] = "one two three"
    app.chat.requests.send(ask_text)
    qtbot.waitUntil(lambda: app.chat.state.now.is_writing)
    assert window.close()
    assert app.chat.state.now.is_writing


# Commands


def test_copy_takes_the_selected_text_else_the_message_the_keyboard_is_on(
    qtbot: QtBot, window: MainWindow, app: App
) -> None:
    ask(qtbot, window, app, "hello")
    edit, view = window.chat.composer.edit, window.chat.view
    edit.setFocus()
    qtbot.keyClicks(edit, "draft")
    window.do("select_all")
    window.do("copy")
    assert QGuiApplication.clipboard().text() == "draft"
    view.setFocus()
    view.setCurrentIndex(app.chat.chat_model.index(1))
    window.do("copy")
    assert QGuiApplication.clipboard().text() == "You said: hello"
    view.setCurrentIndex(app.chat.chat_model.index(0))
    window.do("select_all")
    assert view.pointer.selected_text() == "hello"
    window.do("copy")
    assert QGuiApplication.clipboard().text() == "hello"


def test_fork_means_a_question_that_is_seen_and_keeps_it_in_sight(qtbot: QtBot, window: MainWindow, app: App) -> None:
    for number in range(12):
        ask(qtbot, window, app, f"Question {number}")
    view = window.chat.view
    for offset in (0, 400, 800, view.verticalScrollBar().maximum()):
        view.verticalScrollBar().setValue(offset)
        window.chat.composer.focus_text()
        QApplication.processEvents()
        row = next(row for row in app.chat.chat_model.rows if row.id == view.question_to_edit)
        assert view.visualRect(app.chat.chat_model.index(app.chat.chat_model.row_of(row.id))).intersects(view.rect())
        window.do("fork")
        for _ in range(3):
            QApplication.processEvents()
        assert window.chat.composer.text == row.text
        rect = view.visualRect(app.chat.chat_model.index(app.chat.chat_model.row_of(row.id)))
        assert rect.intersects(view.viewport().rect())
        app.chat.open_draft.cancel_edit()


def test_fork_means_the_question_the_keyboard_is_on(qtbot: QtBot, window: MainWindow, app: App) -> None:
    ask(qtbot, window, app, "one")
    ask(qtbot, window, app, "two")
    window.do("fork")
    assert window.chat.composer.text == "two"
    window.do("stop")
    window.chat.view.setFocus()
    window.chat.view.setCurrentIndex(app.chat.chat_model.index(0))
    window.do("fork")
    assert window.chat.composer.text == "one"


def test_text_size(window: MainWindow, style: Style) -> None:
    for verb, size in (("bigger", 15), ("bigger", 16), ("smaller", 15), ("actual_size", 14)):
        window.do(verb)
        assert style.typography.body == size


def test_panes_are_shown_and_hidden_and_their_entries_checked(window: MainWindow) -> None:
    for name in ("sidebar", "inspector"):
        assert window.menus.actions[name].isChecked()
        window.menus.actions[name].trigger()
        assert not window.sides.is_shown(name)
        assert not window.menus.actions[name].isChecked()


def test_menu_entries_follow_what_can_be_done(qtbot: QtBot, window: MainWindow, app: App) -> None:
    assert not window.menus.actions["stop"].isEnabled()
    assert not window.menus.actions["fork"].isEnabled()
    ask(qtbot, window, app, "hello")
    assert window.menus.actions["fork"].isEnabled()
    assert window.menus.actions["use_guide"].isEnabled() == ("use_guide" in enabled(app.state.now))


def test_every_action_does_something(window: MainWindow) -> None:
    """No command of the table falls through, and each entry of the menus is one of the table."""
    commands = window._runs.keys() - window._models.of_cards.keys()
    assert commands == window.menus.actions.keys() == {action.id for action in ACTIONS}


def test_each_pane_of_the_inspector_has_a_command_with_keys(window: MainWindow) -> None:
    """One that an engine may lack needs what the pane needs."""
    found = {action.pane: action.needs for action in ACTIONS if action.pane and action.keys}
    assert {name: found.get(name) for name in window.inspector._panes} == {
        name: pane.needs for name, pane in window.inspector._panes.items()
    }


def test_a_command_may_name_a_pane_of_the_inspector(window: MainWindow) -> None:
    """It puts the inspector away only where that very pane is in sight."""
    window.inspector.show_pane("branches")
    assert window._is_pane_shown("branches")
    window._toggle_pane("cache")
    assert window._is_pane_shown("cache")
    window._toggle_pane("cache")
    assert not window.sides.is_shown("inspector")
    assert not window._is_pane_shown("cache")
    window._toggle_pane("cache")
    assert window.sides.is_shown("inspector")
    assert window._is_pane_shown("cache")


def test_the_log_is_found_as_it_was_left(make_window: MakeWindow) -> None:
    first = make_window(WindowState())
    assert first.state().panes["cache"] == {"events_height": 0, "is_log_shown": True}
    first.cache.events.head.setChecked(False)
    first.cache.events.rows_height = 190
    again = make_window(first.state())
    assert not again.cache.events.is_open
    assert again.state().panes["cache"] == {"events_height": 190, "is_log_shown": False}


def test_the_budget_is_chosen_in_the_cache_menu(window: MainWindow, app: App) -> None:
    entries = {entry.text().replace("\u00a0", " "): entry for entry in window.menus.budget.actions()}
    assert entries["Default"].isChecked()
    entries["2 GB"].trigger()
    assert app.settings.values.budget == "2 GB"
    app.settings.update(budget="none")
    assert entries["None"].isChecked()


def test_the_cache_is_copied_without_words(qtbot: QtBot, window: MainWindow, app: App) -> None:
    ask(qtbot, window, app, "hello")
    window.do("copy_cache")
    text = QGuiApplication.clipboard().text()
    assert "1\u00a0edge" in text
    assert "Computed" in text
    assert "prompt 1" not in text


def test_about_shows_version_and_licence(window: MainWindow) -> None:
    before = QCoreApplication.applicationVersion()
    QCoreApplication.setApplicationVersion("1.2.3")
    window.do("about")
    box = window.findChild(AboutBox)
    assert isinstance(box, AboutBox)
    words = [label.text() for label in box.findChildren(QLabel)]
    assert "1.2.3" in words
    assert any("MIT" in text for text in words)
    box.close()
    QCoreApplication.setApplicationVersion(before)


def test_what_the_controller_announces_is_said(window: MainWindow, app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    class Heard(QAccessibleAnnouncementEvent):
        def __init__(self, widget: QWidget, text: str) -> None:
            super().__init__(widget, text)
            said.append(text)

    monkeypatch.setattr(main_window, "QAccessibleAnnouncementEvent", Heard)
    app.notices.announced.emit("Version 2 of 3")
    assert said == ["Version 2 of 3"]


# Folders from outside


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "Qwen3 8B"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    return folder


def dragged(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def drag_over(window: MainWindow, data: QMimeData) -> bool:
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QDragEnterEvent(QPoint(400, 300), Qt.DropAction.CopyAction, data, left, none)
    event.ignore()
    QApplication.sendEvent(window, event)
    return event.isAccepted()


def test_a_dropped_folder_is_opened(window: MainWindow, folder: Path, script: Script, qtbot: QtBot) -> None:
    data = dragged(folder)
    assert drag_over(window, data)
    assert window._outline.isVisible()
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDropEvent(QPointF(400, 300), Qt.DropAction.CopyAction, data, left, none))
    assert not window._outline.isVisible()
    qtbot.waitUntil(lambda: [one.path for one in script.commands if isinstance(one, LoadModel)][-1] == str(folder))


def test_the_outline_goes_when_the_folder_leaves(window: MainWindow, folder: Path) -> None:
    drag_over(window, dragged(folder))
    QApplication.sendEvent(window, QDragLeaveEvent())
    assert not window._outline.isVisible()


def test_other_things_are_not_taken(window: MainWindow, folder: Path, tmp_path: Path) -> None:
    web = QMimeData()
    web.setUrls([QUrl("https://example.org/model")])
    words = QMimeData()
    words.setText("hello")
    for data in (dragged(folder, folder), dragged(tmp_path / "gone.txt"), web, words):
        assert not drag_over(window, data)


def test_a_file_of_a_model_stands_for_its_folder(folder: Path, tmp_path: Path) -> None:
    assert model_folder(str(folder / "config.json")) == str(folder)
    assert model_folder(str(folder)) == str(folder)
    assert model_folder(str(tmp_path / "gone")) == model_folder("") == ""


def test_json_belongs_to_a_model_only_beside_its_configuration(folder: Path, tmp_path: Path) -> None:
    for name in ("conversations.json", "talk.espalier", "Talk.ZIP"):
        (tmp_path / name).write_text("{}")
        assert document(str(tmp_path / name)) == str(tmp_path / name)
        assert model_folder(str(tmp_path / name)) == ""
    (folder / "tokenizer.json").write_text("{}")
    assert model_folder(str(folder / "tokenizer.json")) == str(folder)
    for nothing in (folder / "tokenizer.json", folder, tmp_path / "gone.espalier", tmp_path / "note.txt"):
        assert document(str(nothing)) == ""


def test_a_document_opened_from_outside_is_passed_on(window: MainWindow, tmp_path: Path) -> None:
    opened: list[str] = []
    window.documentOpened.connect(opened.append)
    (tmp_path / "talk.espalier").write_text("{}")
    window.open_path(str(tmp_path / "talk.espalier"))
    assert opened == [str(tmp_path / "talk.espalier")]


def test_a_path_that_is_nothing_gets_a_sentence(window: MainWindow, app: App, tmp_path: Path) -> None:
    window.open_path(str(tmp_path / "gone.espalier"))
    assert str(tmp_path / "gone.espalier") in app.notices.now.text
    assert window.chat.banner.isVisible()


# Links


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    addresses: list[str] = []
    monkeypatch.setattr(
        "app.widgets.chat.messages.links.QDesktopServices.openUrl", lambda url: not addresses.append(url.toString())
    )
    return addresses


def press(box: QMessageBox, text: str) -> None:
    next(button for button in box.buttons() if button.text().replace("&", "") == text).click()


def test_a_link_is_opened_only_after_its_address_was_shown(window: MainWindow, opened: list[str]) -> None:
    box = ask_and_open("https://example.org/x?y=1", window)
    assert box.informativeText() == "https://example.org/x?y=1"
    assert box.defaultButton().text().replace("&", "") == "Cancel"
    assert opened == []
    press(box, "Cancel")
    assert opened == []
    press(ask_and_open("https://example.org/x?y=1", window), "Open")
    assert opened == ["https://example.org/x?y=1"]


def test_a_link_that_nothing_opens_is_told_with_its_address(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.widgets.chat.messages.links.QDesktopServices.openUrl", lambda url: False)
    press(ask_and_open("https://example.org/x?y=1", window), "Open")
    (told,) = (box for box in window.findChildren(QMessageBox) if box.isVisible())
    assert (told.text(), told.informativeText()) == (
        "Nothing on this computer opens this link.",
        "https://example.org/x?y=1",
    )
    press(told, "Copy Address")
    assert QGuiApplication.clipboard().text() == "https://example.org/x?y=1"


@pytest.mark.parametrize("address", ["file:///etc/passwd", "javascript:alert(1)", "/etc/passwd", "x-apple:danger"])
def test_a_link_that_leads_elsewhere_cannot_be_opened(window: MainWindow, opened: list[str], address: str) -> None:
    box = ask_and_open(address, window)
    assert {button.text().replace("&", "") for button in box.buttons()} == {"Copy Address", "Cancel"}
    press(box, "Copy Address")
    assert QGuiApplication.clipboard().text() == address
    assert opened == []


# The window itself


def test_it_never_gets_smaller_than_it_can_be_used(window: MainWindow) -> None:
    assert (window.minimumWidth(), window.minimumHeight()) == (880, 560)
    window.resize(100, 100)
    assert (window.width(), window.height()) == (880, 560)


def test_how_it_was_left_is_found_again(make_window: MakeWindow, style: Style) -> None:
    first = make_window(WindowState())
    first.resize(880, 700)
    first.do("sidebar")
    first.do("bigger")
    QApplication.processEvents()
    state = first.state()
    assert (state.is_sidebar_shown, state.is_inspector_shown) == (False, True)
    first.close()
    style.set_text_size(14)
    second = make_window(state)
    assert (second.width(), second.height()) == (880, 700)
    assert not second.sides.is_shown("sidebar")
    assert style.typography.body == 15


def test_a_state_that_makes_no_sense_is_ignored(make_window: MakeWindow) -> None:
    window = make_window(replace(WindowState(), geometry="not base64 at all", splitter=(1, 2)))
    assert window.width() >= 880


def test_everything_that_can_be_used_has_a_name(qtbot: QtBot, window: MainWindow, app: App) -> None:
    ask(qtbot, window, app, "hello")
    kinds = (QAbstractButton, QAbstractItemView, QTextEdit, VersionSwitcher)
    nameless = [
        widget
        for widget in window.findChildren(QWidget)
        if isinstance(widget, kinds) and widget.isVisible() and not widget.accessibleName()
    ]
    assert nameless == []


def walk(qtbot: QtBot, start: QWidget) -> list[QWidget]:
    """Where Tab goes, from a widget until it is back there."""
    start.setFocus()
    met = [start]
    for _ in range(100):
        qtbot.keyClick(met[-1], Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        assert focused is not None
        if focused is start:
            return met
        met.append(focused)
    raise AssertionError(f"Tab never came back: {[widget.accessibleName() for widget in met]}")


def test_tab_goes_from_the_left_to_the_right_and_back(qtbot: QtBot, window: MainWindow, app: App) -> None:
    ask(qtbot, window, app, "hello")
    window.inspector.show_pane("cache")
    chat = window.chat
    met = walk(qtbot, chat.composer.edit)
    strip = chat.view.controls.find(app.chat.chat_model.rows[1].id, ControlKind.ANSWER)
    assert isinstance(strip, ActionStrip)
    order = [window.cache.tree, window.sidebar.list, chat.view, *strip.stops]
    assert [widget for widget in met if widget in order] == order


def test_tab_goes_through_every_pane_of_the_inspector_and_comes_back(
    qtbot: QtBot, window: MainWindow, app: App
) -> None:
    """Whatever is shown there: also a system prompt that is to hold, and settings that can be reset."""
    ask(qtbot, window, app, "hello")
    for has_choices in (False, True):
        if has_choices:
            app.chat.settings.instruct("Be brief.")
            app.chat.settings.type("temperature", "0.2")
            app.chat.settings.type("stop", "END")
        for pane in (window.cache, window.settings):
            app.catch_up()
            window.inspector.show_pane(pane.id)
            QApplication.processEvents()
            met = walk(qtbot, window.chat.composer.edit)
            stops = [stop for stop in pane.tab_order if stop.isVisible() and stop.isEnabled()]
            assert [stop for stop in met if stop in stops] == stops
            assert window.sidebar.list in met


def test_the_branch_is_searched_from_the_toolbar_by_mouse_and_by_tab(
    qtbot: QtBot, window: MainWindow, app: App
) -> None:
    toolbar, bar = window.chat.toolbar, window.chat.find_bar
    (find,) = (one for one in toolbar.findChildren(ActionButton) if one.action_id == "find")
    assert not find.isEnabled()
    assert find.toolTip() == why_unavailable("find", app.state.now) == EMPTY.sentence
    ask(qtbot, window, app, "hello")
    qtbot.waitUntil(find.isEnabled)
    qtbot.mouseClick(find, Qt.MouseButton.LeftButton)
    assert bar.isVisible()
    assert bar.field.hasFocus()
    qtbot.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    met = walk(qtbot, window.chat.composer.edit)
    stops = [one for one in toolbar.findChildren(Control) if one.isVisible() and one.isEnabled()]
    assert [one for one in met if one in stops] == stops
    assert find in stops
    find.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(find, Qt.Key.Key_Return)
    assert bar.field.hasFocus()


def test_on_the_welcome_page_tab_goes_through_the_questions(qtbot: QtBot, window: MainWindow) -> None:
    page = window.chat.welcome.page
    met = walk(qtbot, window.chat.composer.edit)
    wanted = [*page.chips, page.models_button]
    assert [widget for widget in met if widget in wanted] == wanted
    assert met.index(page.chips[0]) > met.index(window.sidebar.list)


def test_the_welcome_page_leads_to_the_models(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.mouseClick(window.chat.welcome.page.models_button, Qt.MouseButton.LeftButton)
    shown = [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, ModelsWindow)]
    assert [widget.isVisible() for widget in shown] == [True]
    shown[0].close()


def test_letters_typed_in_the_chat_go_to_the_composer(qtbot: QtBot, window: MainWindow, app: App) -> None:
    ask(qtbot, window, app, "hello")
    window.chat.view.setFocus()
    qtbot.keyClicks(window.chat.view, "ab")
    assert window.chat.composer.text.startswith("a")
    assert window.chat.composer.edit.hasFocus()


def test_what_a_command_changes_is_shown_in_the_turn_after_it(qtbot: QtBot, window: MainWindow, app: App) -> None:
    """Both in one turn would be long enough to be felt."""
    ask(qtbot, window, app, "Hello?")
    app.catch_up()
    window.do("new")
    assert app.library.tree.leaf_id is None
    assert window.windowTitle() == "Hello?"
    qtbot.waitUntil(lambda: window.windowTitle() != "Hello?")


def test_words_typed_after_a_click_beside_the_conversations_are_written(
    qtbot: QtBot, window: MainWindow, app: App
) -> None:
    ask(qtbot, window, app, "Hello?")
    conversations, edit = window.sidebar.list, window.chat.composer.edit
    beside = conversations.rect().bottomLeft() + QPoint(40, -10)
    conversations.setFocus(Qt.FocusReason.MouseFocusReason)
    qtbot.mouseClick(conversations.viewport(), Qt.MouseButton.LeftButton, pos=beside)
    assert edit.hasFocus()
    conversations.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClicks(conversations, "W")
    assert edit.hasFocus()
    assert edit.toPlainText() == "W"
    conversations.setFocus(Qt.FocusReason.TabFocusReason)
    window.do("new")
    app.catch_up()
    assert edit.hasFocus()
    conversations.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(conversations, Qt.Key.Key_Return)
    assert not conversations.findChildren(QLineEdit), "a blank conversation has no title to change"


def test_escape_puts_away_what_lies_over_the_chat(qtbot: QtBot, window: MainWindow) -> None:
    window.resize(900, 600)
    QApplication.processEvents()
    window.do("inspector")
    assert window.sides.is_shown("inspector")
    qtbot.keyClick(window.chat.composer.edit, Qt.Key.Key_Escape)
    assert not window.sides.is_shown("inspector")
    assert not window.menus.actions["inspector"].isChecked()


def test_the_keyboard_stays_on_the_switcher_while_versions_change(qtbot: QtBot, window: MainWindow, app: App) -> None:
    ask(qtbot, window, app, "first")
    window.do("fork")
    ask(qtbot, window, app, "second")
    view = window.chat.view
    switcher = view.controls.find(app.chat.chat_model.rows[0].id, ControlKind.SWITCHER)
    assert isinstance(switcher, VersionSwitcher)
    switcher.setFocus()
    for key, text in ((Qt.Key.Key_Left, "first"), (Qt.Key.Key_Right, "second"), (Qt.Key.Key_Left, "first")):
        focused = QApplication.focusWidget()
        assert focused is view.controls.find(app.chat.chat_model.rows[0].id, ControlKind.SWITCHER)
        qtbot.keyClick(focused, key)
        for _ in range(3):
            QApplication.processEvents()
        assert texts(app)[0] == text


def test_a_folder_chosen_in_the_dialog_is_opened(
    qtbot: QtBot, window: MainWindow, app: App, folder: Path, script: Script
) -> None:
    app.act("open_model")
    dialog = window.findChild(QFileDialog)
    assert isinstance(dialog, QFileDialog)
    assert dialog.isVisible()
    dialog.filesSelected.emit([str(folder)])
    dialog.close()
    qtbot.waitUntil(lambda: [one.path for one in script.commands if isinstance(one, LoadModel)][-1] == str(folder))


def test_the_accessible_tree_has_the_messages(qtbot: QtBot, window: MainWindow, app: App) -> None:
    ask(qtbot, window, app, "hello")
    found = QAccessible.queryAccessibleInterface(window.chat.view)
    assert found is not None
    assert found.childCount() >= 2
    spoken = [found.child(number).text(QAccessible.Text.Name) for number in range(found.childCount())]
    assert any("message 2 of 2" in text for text in spoken)


def test_it_can_be_painted_in_every_state(qtbot: QtBot, window: MainWindow, app: App) -> None:
    assert not picture(window).isNull()
    ask(qtbot, window, app, "hello")
    window.do("fork")
    window.resize(880, 560)
    window.do("inspector")
    assert not picture(window).isNull()


def test_files_are_deleted_only_after_a_yes(qtbot: QtBot, window: MainWindow, script: Script) -> None:
    script.disk_bytes = 4_600_000_000
    window.menus.disk_budget.actions()[3].trigger()
    for label in ("Cancel", "Delete"):
        assert not [command for command in script.commands if isinstance(command, ClearDiskCache)]
        window.do("delete_files")
        (box,) = window.findChildren(QMessageBox)
        assert "/caches/snapshots" in box.informativeText()
        assert box.defaultButton().text() == "Cancel"
        (button,) = [button for button in box.buttons() if button.text() == label]
        button.click()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert [command for command in script.commands if isinstance(command, ClearDiskCache)]


def test_the_disk_is_chosen_in_the_cache_menu(window: MainWindow, app: App) -> None:
    entries = {entry.text().replace("\u00a0", " "): entry for entry in window.menus.disk_budget.actions()}
    assert entries["Default"].isChecked()
    entries["20 GB"].trigger()
    assert app.settings.values.disk_budget == "20 GB"
    every = window.menus.actions["keep_every_fork"]
    assert not every.isChecked()
    every.trigger()
    assert app.settings.values.keeps_every_fork
    assert every.isChecked()
    every.trigger()
    assert not every.isChecked()


def test_tips_name_the_keys_that_hold(window: MainWindow, app: App) -> None:
    """Those of the tool buttons, of the field that searches, and of the buttons below the message field."""
    assert window.sidebar.new_button.toolTip() == "New Conversation (Ctrl+N)"
    app.settings.update(keys={"new": "F5", "find": "F6", "attach": "", "continue": "F7"})
    assert window.sidebar.new_button.toolTip() == "New Conversation (F5)"
    assert window.chat.composer.clip.toolTip() == "Attach a file"
    assert window.chat.composer.go_on.toolTip() == "Have the answer go on (F7)"
    later = MainWindow(window._style, app, WindowState())
    assert later.sidebar.new_button.toolTip() == "New Conversation (F5)"
    later.deleteLater()


def test_a_text_size_that_is_set_elsewhere_holds_at_once(window: MainWindow, app: App) -> None:
    window.do("bigger")
    assert app.settings.values.body_size == 15
    app.settings.update(body_size=20)
    assert window._style.typography.body == 20
    app.settings.update(budget="4 GB")
    assert window._style.typography.body == 20
    for _ in range(20):
        window.do("bigger")
    assert app.settings.values.body_size == 24
