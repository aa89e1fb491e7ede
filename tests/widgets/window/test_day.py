"""A window that is left open all day: whatever is looked at again and again, nothing of it stays behind."""

from __future__ import annotations

import gc
from collections import Counter

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.viewmodels.app import App
from app.widgets.kit.style import Style
from app.widgets.window.main_window import MainWindow
from tests.widgets.window.test_main_window import ask

CONVERSATIONS, ROUNDS = 3, 3


def objects() -> Counter[str]:
    """Count the objects of Qt that are there, those that are deleted in the next turn left out."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    known = [one for one in gc.get_objects() if isinstance(one, QObject) and isValid(one)]
    below = [child for one in known if one.parent() is None for child in one.findChildren(QObject)]
    return Counter(type(one).__name__ for one in {id(one): one for one in (*known, *below)}.values())


def look_at_everything(qtbot: QtBot, app: App, window: MainWindow, style: Style) -> None:
    """Go through the panes, the two ways of finding, a comparison, the settings and the sizes of text."""
    for pane in ("branches", "cache", "map", "settings"):
        window.inspector.show_pane(pane)
        QApplication.processEvents()
    window.do("find")
    qtbot.keyClicks(window.chat.find_bar.field, "question")
    qtbot.waitUntil(lambda: app.find.can_go)
    qtbot.keyClick(window.chat.find_bar.field, Qt.Key.Key_Escape)
    for _ in range(2):
        window.do("compare")
        QApplication.processEvents()
    window.do("preferences")
    qtbot.waitUntil(lambda: any(one.isVisible() for one in QApplication.topLevelWidgets() if one is not window))
    for one in QApplication.topLevelWidgets():
        if one is not window:
            one.close()
    for size in (18, 14):
        style.set_text_size(size)
        QApplication.processEvents()


def test_whatever_is_looked_at_again_nothing_of_it_stays(
    qtbot: QtBot, app: App, window: MainWindow, style: Style
) -> None:
    conversations = []
    for number in range(CONVERSATIONS):
        app.library.new_conversation()
        ask(qtbot, window, app, f"question {number} of this day")
        app.chat.requests.regenerate(None)
        qtbot.waitUntil(lambda: not list(app.chat.questions) and app.chat.chat_model.rows[-1].versions == 2)
        conversations.append(app.library.open_id)
    counted = []
    for _ in range(ROUNDS):
        for one in conversations:
            app.library.open(one)
            qtbot.waitUntil(lambda one=one: app.library.tree.conversation_id == one and bool(app.chat.chat_model.rows))
            for step in (-1, 1):
                app.chat.open_branch.select_version(None, step)
                QApplication.processEvents()
        look_at_everything(qtbot, app, window, style)
        counted.append(objects())
    assert counted[-1] - counted[-2] == Counter()  # in the first round panes and windows are made
