"""Commands are about the message that is looked at: what they do, when they can be chosen, and why they cannot."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.viewmodels.actions import enabled
from app.viewmodels.app import App
from app.viewmodels.kit.action import Menu
from app.viewmodels.tokens.token_mode import UNKNOWN
from app.viewmodels.unavailable import why_unavailable
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.viewmodels.library.test_library_region import at_rest
from tests.viewmodels.test_app import ask

_CTRL_ALT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
_KEYS = {"previous": Qt.Key.Key_Left, "next": Qt.Key.Key_Right, "tokens": Qt.Key.Key_T}


def look_at(window: MainWindow, app: App, row: int) -> None:
    """Take the keyboard to a message."""
    view = window.chat.view
    view.setFocus(Qt.FocusReason.TabFocusReason)
    view.setCurrentIndex(app.chat.chat_model.index(row))
    QApplication.processEvents()
    app.catch_up()


def look_elsewhere(window: MainWindow, app: App) -> None:
    window.chat.composer_area.take_focus()
    QApplication.processEvents()
    app.catch_up()


def press(qtbot: QtBot, window: MainWindow, verb: str) -> None:
    """Press the keys of a command as the window system tells them."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window.windowHandle(), _KEYS[verb], _CTRL_ALT)


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


@pytest.mark.parametrize(("verb", "step"), [("previous", -1), ("next", 1)])
@pytest.mark.parametrize("row", [-1, 0, 1, 2, 3])
def test_a_version_beside_what_is_looked_at_is_shown_or_it_is_said_that_there_is_none(
    qtbot: QtBot, window: MainWindow, app: App, verb: str, step: int, row: int
) -> None:
    """At two forks, each at its first or its last version; a message without versions stands for the last fork."""
    ask(qtbot, app, "One")
    app.chat.open_draft.begin_edit(None)
    for words in ("Two", "Below"):
        ask(qtbot, app, words)
    app.chat.open_draft.begin_edit(None)
    ask(qtbot, app, "Below again")
    tree = app.library.tree
    below = [one.id for one in tree.siblings(app.chat.chat_model.rows[2].id)]
    for last in below:
        app.chat.open_branch.show(last)
        look_at(window, app, row) if row >= 0 else look_elsewhere(window, app)
        at = app.chat.chat_model.rows[0 if row == 0 else 2]
        is_there = 1 <= at.version + step <= at.versions
        assert (verb in enabled(app.state.now)) == is_there
        assert window.menus.actions[verb].isEnabled() == is_there
        app.notices.dismiss()
        press(qtbot, window, verb)
        side = "left" if step < 0 else "right"
        assert app.notices.now.text == ("" if is_there else f"There is no version to the {side}.")
        versions = [one.id for one in tree.siblings(at.id)]
        shown = next(one for one in versions if tree.is_on_path(one))
        assert versions.index(shown) == at.version - 1 + (step if is_there else 0)


@pytest.mark.parametrize("row", [-1, 0, 1, 2, 3])
def test_token_mode_is_about_the_answer_that_is_looked_at(
    qtbot: QtBot, window: MainWindow, app: App, script: Script, row: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one answer alone it is known what its tokens were chosen from, of the first or of the last."""
    script.answers["How are you?"] = script.answers["And the weather?"] = "Well.\n\n" * 60
    for words in ("How are you?", "And the weather?"):
        ask(qtbot, app, words)
    opened: list[str | None] = []
    monkeypatch.setattr(app.tokens, "toggle", opened.append)
    rows, view = app.chat.chat_model.rows, window.chat.view
    answers = [rows[1].id, rows[3].id]
    qtbot.waitUntil(lambda: app.tokens.known == {*answers})
    monkeypatch.setattr(app.tokens, "_ask_known", lambda: None)
    at_rest(qtbot, app)
    for known in answers:
        monkeypatch.setattr(app.tokens, "known", frozenset({known}))
        app.tokens.state.refresh()
        look_at(window, app, row) if row >= 0 else look_elsewhere(window, app)
        if row < 0:
            view.verticalScrollBar().setValue(0)
            QApplication.processEvents()
            app.catch_up()
        at = answers[max(row, 0) // 2]
        assert ("tokens" in enabled(app.state.now)) == (at == known)
        assert why_unavailable("tokens", app.state.now) == ("" if at == known else UNKNOWN)
        press(qtbot, window, "tokens")
        assert opened == [known] * (at == known)
        opened.clear()


def test_a_menu_is_judged_by_what_is_looked_at_as_it_opens(qtbot: QtBot, window: MainWindow, app: App) -> None:
    """However short the time since the keyboard came there."""
    ask(qtbot, app, "One")
    app.chat.open_draft.begin_edit(None)
    for words in ("Two", "Below"):
        ask(qtbot, app, words)
    app.chat.open_draft.begin_edit(None)
    ask(qtbot, app, "Below again")
    look_elsewhere(window, app)
    app.chat.open_branch.select_version(None, -1)
    entry = window.menus.actions["previous"]
    window.chat.view.setFocus(Qt.FocusReason.TabFocusReason)
    window.chat.view.setCurrentIndex(app.chat.chat_model.index(0))
    window.menus._menus[Menu.BRANCH].aboutToShow.emit()
    assert entry.isEnabled()
