"""The menu of a message offers what can be done with that one, and does it."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.widgets.chat.messages.message_menu import MessageMenu
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.widgets.window.test_main_window import ask, texts


def menu_of(window: MainWindow, number: int) -> MessageMenu:
    made: list[MessageMenu] = []
    view = window.chat.view
    view.menuMade.connect(made.append)
    view._open_menu(number, view.mapToGlobal(view.rect().center()))
    view.menuMade.disconnect(made.append)
    made[0].close()
    return made[0]


def test_an_answer_that_was_stopped_goes_on_from_its_menu(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    ask(qtbot, window, app, "One")
    script.answers["Two"], script.hold = "word " * 40, 3
    app.chat.requests.send("Two")
    qtbot.waitUntil(lambda: texts(app)[-1].count("word") >= 2)
    app.chat.requests.stop()
    qtbot.waitUntil(lambda: app.chat.state.now.can_continue)
    script.hold = None
    assert "continue" not in menu_of(window, 1).entries
    menu_of(window, 3).entries["continue"].trigger()
    qtbot.waitUntil(lambda: app.library.tree.path[-1].stop == "finished")
    assert len(app.library.tree.path) == 4


def test_the_answer_goes_on_whose_menu_it_is(qtbot: QtBot, window: MainWindow, app: App, script: Script) -> None:
    """Where several stand beside each other, another one may be the open branch's."""
    script.answers["One"], script.hold = "word " * 40, 3
    stopped = []
    for ask_for in (lambda: app.chat.requests.send("One"), app.chat.requests.regenerate):
        ask_for()
        qtbot.waitUntil(lambda: len(texts(app)) == 2 and texts(app)[-1].count("word") >= 2)
        app.chat.requests.stop()
        qtbot.waitUntil(lambda: app.chat.state.now.can_continue)
        stopped.append(app.library.tree.path[-1].id)
    script.hold = None
    window._do_with_answer("continue", stopped[0])
    qtbot.waitUntil(lambda: app.library.tree.message(stopped[0]).stop == "finished")
    assert app.library.tree.message(stopped[1]).stop == "stopped"


def test_a_question_that_nobody_answered_is_answered_from_its_menu(qtbot: QtBot, window: MainWindow, app: App) -> None:
    ask(qtbot, window, app, "One")
    assert "answer" not in menu_of(window, 0).entries
    app.library.edits.delete_message(app.library.open_id, app.library.tree.path[-1].id)
    qtbot.waitUntil(lambda: app.chat.state.now.has_unanswered)
    qtbot.waitUntil(lambda: app.chat.chat_model.rows[0].is_unanswered)
    menu_of(window, 0).entries["answer"].trigger()
    qtbot.waitUntil(lambda: texts(app) == ["One", "You said: One"])
