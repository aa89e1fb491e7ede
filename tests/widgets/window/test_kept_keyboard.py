"""The keyboard stays where a person has taken it, whatever comes to the message field meanwhile."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.widgets.window.test_main_window import ask


def test_words_that_were_in_line_leave_the_message_field_while_somebody_searches(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    script.hold = 1
    script.go.clear()
    app.chat.requests.send("One")
    qtbot.waitUntil(lambda: any(one.text for one in app.chat.questions))
    qtbot.keyClicks(window.chat.composer.edit, "Two")
    window.do("send")
    window.do("find_everywhere")
    qtbot.keyClicks(window.sidebar.field, "fo")
    script.go.set()
    qtbot.waitUntil(lambda: len(app.chat.chat_model.rows) == 4 and not list(app.chat.questions))
    assert window.chat.composer.edit.toPlainText() == ""
    assert window.sidebar.field.hasFocus()
    window.do("fork")
    assert window.chat.composer.edit.hasFocus(), "who asks for the words gets the keyboard too"


def test_a_comparison_that_is_left_by_keys_in_the_sidebar_leaves_the_keyboard_there(
    qtbot: QtBot, window: MainWindow, app: App
) -> None:
    ask(qtbot, window, app, "Zero")
    app.library.new_conversation()
    ask(qtbot, window, app, "One")
    window.do("fork")
    ask(qtbot, window, app, "Two")
    window.do("compare")
    qtbot.waitUntil(lambda: window.chat.comparison is not None and window.chat.comparison.isVisible())
    window.sidebar.list.setFocus(Qt.FocusReason.TabFocusReason)
    compared = app.library.open_id
    qtbot.keyClick(window.sidebar.list, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: app.library.open_id != compared and window.chat.view.isVisible())
    assert window.sidebar.list.hasFocus()


@pytest.mark.parametrize("way", ["page", "field"])
def test_who_asks_with_a_button_goes_on_in_the_message_field(
    qtbot: QtBot, window: MainWindow, app: App, script: Script, way: str
) -> None:
    chat = window.chat
    qtbot.waitUntil(lambda: chat.welcome.page.chips[0].isVisible())
    chat.composer.edit.insertPlainText("One")
    app.catch_up()
    button: QWidget = chat.welcome.page.chips[0] if way == "page" else chat.composer.button
    button.setFocus(Qt.FocusReason.TabFocusReason)
    assert button.hasFocus()
    qtbot.keyClick(button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: len(app.chat.chat_model.rows) == 2 and not list(app.chat.questions))
    assert chat.composer.edit.hasFocus()
