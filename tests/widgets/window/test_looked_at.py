"""Commands are about the message that is looked at: what they do, when they can be chosen, and why they cannot."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.widgets.window.main_window import MainWindow
from tests.viewmodels.test_app import ask


def look_at(window: MainWindow, app: App, row: int) -> None:
    """Take the keyboard to a message."""
    view = window.chat.view
    view.setFocus(Qt.FocusReason.TabFocusReason)
    view.setCurrentIndex(app.chat.chat_model.index(row))
    QApplication.processEvents()
    app.catch_up()


@pytest.mark.parametrize("row", range(4))
def test_answer_again_is_about_the_question_that_is_looked_at_or_whose_answer_is(
    qtbot: QtBot, window: MainWindow, app: App, row: int
) -> None:
    for words in ("How are you?", "And the weather?"):
        ask(qtbot, app, words)
    look_at(window, app, row)
    answer = app.chat.chat_model.rows[row // 2 * 2 + 1].id
    window.do("regenerate")
    qtbot.waitUntil(lambda: len(app.library.tree.siblings(answer)) == 2 and not app.chat.questions.at_engine)
    qtbot.waitUntil(lambda: app.chat.chat_model.rows[row // 2 * 2 + 1].versions == 2)
    assert [one.versions for one in app.chat.chat_model.rows].count(2) == 1


@pytest.mark.parametrize("row", range(4))
def test_the_settings_of_an_answer_are_those_of_the_one_that_is_looked_at_or_answers_what_is(
    qtbot: QtBot, window: MainWindow, app: App, row: int
) -> None:
    for words in ("How are you?", "And the weather?"):
        ask(qtbot, app, words)
    asked: list[str | None] = []
    window.show_answer_settings = asked.append  # type: ignore[method-assign]
    look_at(window, app, row)
    window.do("answer_settings")
    assert asked == [app.chat.chat_model.rows[row // 2 * 2 + 1].id]
