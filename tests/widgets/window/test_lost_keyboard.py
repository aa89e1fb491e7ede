"""A side of the window that goes away leaves the keyboard to the message field, and to no button beside it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.widgets.window.main_window import MainWindow
from tests.widgets.window.test_letters import listeners
from tests.widgets.window.test_main_window import ask


def test_a_side_that_goes_leaves_the_keyboard_to_the_message_field(qtbot: QtBot, window: MainWindow, app: App) -> None:
    """It may be put away by a command, or because the window is made narrow; and come back where there is room."""
    ask(qtbot, window, app, "hello")
    wide = window.width()
    ways: tuple[tuple[str, QWidget, Callable[[], object]], ...] = (
        ("sidebar", window.sidebar, lambda: window.do("sidebar")),
        ("inspector", window.inspector, lambda: window.do("inspector")),
        ("inspector", window.inspector, lambda: window.resize(900, window.height())),
    )
    for side, widget, put_away in ways:
        inside = [one for one in listeners(window) if widget.isAncestorOf(one)]
        assert inside
        for listener in inside:
            listener.setFocus(Qt.FocusReason.TabFocusReason)
            assert listener.hasFocus(), listener.accessibleName()
            put_away()
            QApplication.processEvents()
            assert not window.sides.is_shown(side)
            assert window.chat.composer.edit.hasFocus(), listener.accessibleName()
            window.resize(wide, window.height())
            if not window.sides.is_shown(side):
                window.do(side)
            QApplication.processEvents()


def test_the_keyboard_stays_in_a_side_that_is_laid_beside_the_chat_again(
    qtbot: QtBot, window: MainWindow, app: App
) -> None:
    """It lay over the chat while the window was narrow."""
    ask(qtbot, window, app, "hello")
    wide = window.width()
    window.resize(900, window.height())
    window.do("inspector")
    window.branches.tree.setFocus(Qt.FocusReason.TabFocusReason)
    window.resize(wide, window.height())
    QApplication.processEvents()
    assert window.sides.is_shown("inspector")
    assert window.branches.tree.hasFocus()
