"""The Window menu as a Mac has it, and the full screen."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.widgets.preferences.preferences_window import PreferencesWindow
from app.widgets.window.main_window import MainWindow

_CTRL, _META = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.MetaModifier


def listed(window: MainWindow) -> dict[str, bool]:
    """The entries below the last line of the menu, with their marks."""
    window.menus.window.aboutToShow.emit()
    entries = window.menus.window.actions()
    last = max(number for number, entry in enumerate(entries) if entry.isSeparator())
    return {entry.text(): entry.isChecked() for entry in entries[last + 1 :]}


def test_the_full_screen_is_entered_and_left_and_the_menu_says_which(qtbot: QtBot, window: MainWindow) -> None:
    entry = window.menus.actions["full_screen"]
    assert entry.text() == "Enter Full Screen"
    qtbot.keyClick(window, Qt.Key.Key_F, _CTRL | _META)
    assert window.isFullScreen()
    assert entry.text() == "Exit Full Screen"
    window.do("full_screen")
    assert not window.isFullScreen()
    assert entry.text() == "Enter Full Screen"


def test_the_window_is_put_away_and_zoomed(qtbot: QtBot, window: MainWindow) -> None:
    window.do("zoom")
    assert window.isMaximized()
    window.do("zoom")
    assert not window.isMaximized()
    window.do("full_screen")
    window.do("zoom")
    assert window.isFullScreen()
    assert not window.isMaximized()
    window.do("full_screen")
    qtbot.keyClick(window, Qt.Key.Key_M, _CTRL)
    assert window.isMinimized()
    window.do("bring_all")
    assert not window.isMinimized()


def test_the_windows_are_listed_and_one_is_brought_to_the_front(qtbot: QtBot, window: MainWindow, app: App) -> None:
    qtbot.waitUntil(window.isActiveWindow)
    assert listed(window) == {window.windowTitle() or "Espalier": True}
    window.do("preferences")
    (settings,) = window.findChildren(PreferencesWindow)
    qtbot.waitUntil(settings.isActiveWindow)
    assert listed(window) == {window.windowTitle() or "Espalier": False, "General": True}
    next(entry for entry in window.menus.window.actions() if entry.text() == window.windowTitle()).trigger()
    qtbot.waitUntil(window.isActiveWindow)
    window.do("models")
    assert "Models" in listed(window)
    settings.close()
    QApplication.processEvents()
    assert "General" not in listed(window)


def test_a_command_is_about_the_window_that_the_keyboard_is_in(qtbot: QtBot, window: MainWindow) -> None:
    window.do("preferences")
    (settings,) = window.findChildren(PreferencesWindow)
    qtbot.waitUntil(settings.isActiveWindow)
    window.do("minimise")
    assert settings.isMinimized()
    assert not window.isMinimized()


def test_a_question_is_no_window_of_the_list(qtbot: QtBot, window: MainWindow) -> None:
    window.do("about")
    assert "About Espalier" not in listed(window)
