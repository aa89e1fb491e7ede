"""Letters that nothing has a use for are typed into the message field, wherever the keyboard is."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.widgets.window.main_window import MainWindow
from tests.widgets.window.test_main_window import ask


def listeners(window: MainWindow) -> list[QWidget]:
    """Everything that Tab comes to, but for the fields in which one writes something else."""
    found = [one for one in window.findChildren(QWidget) if one.focusPolicy() & Qt.FocusPolicy.TabFocus]
    fields = [one for one in found if isinstance(one, QLineEdit)]
    return [one for one in found if one.isVisible() and one.isEnabled() and not {one, one.parent()} & {*fields}]


def test_a_letter_typed_anywhere_comes_to_the_message_field(qtbot: QtBot, window: MainWindow, app: App) -> None:
    ask(qtbot, window, app, "hello")
    edit = window.chat.composer.edit
    for is_searched in (False, True):
        window.sidebar.field.setText("hello" if is_searched else "")
        results = window.sidebar.results
        qtbot.waitUntil(lambda: bool(results.model().rowCount()) == is_searched)  # noqa: B023
        edit.clear()
        window.inspector.show_pane("cache" if is_searched else "branches")
        met = listeners(window)
        own = {window.cache.tree, window.cache.events.list} if is_searched else {window.branches.tree}
        assert own < set(met)
        assert (results if is_searched else window.sidebar.list) in met
        for listener in met:
            edit.clear()
            listener.setFocus(Qt.FocusReason.TabFocusReason)
            assert QApplication.focusWidget() is listener
            qtbot.keyClicks(listener, "W")
            assert edit.toPlainText() == "W", listener.accessibleName()
            assert edit.hasFocus()
