"""What a person looks at stays where it is while something comes, goes or is pointed at."""

from __future__ import annotations

import random

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.widgets.window.main_window import MainWindow
from app.widgets.window.toolbar import TitleBlock
from tests.seeds import chosen
from tests.widgets.window.test_main_window import ask


def places(window: MainWindow) -> dict[object, QRect]:
    """Return where tools, sidebar and message field stand, and the rows that are wholly in sight."""
    found: dict[object, QRect] = {}
    for part in (window.chat.toolbar, window.chat.composer, window.sidebar):
        for one in part.findChildren(QWidget):
            if one.isVisible() and not isinstance(one, TitleBlock):  # as wide as its words
                found[one] = QRect(one.mapTo(window, QPoint(0, 0)), one.size())
    views: tuple[QAbstractItemView, ...] = (window.sidebar.list, window.chat.view)
    for view in views:
        port = view.viewport()
        for row in range(view.model().rowCount()):
            rect = view.visualRect(view.model().index(row, 0))
            if port.rect().contains(rect):
                found[type(view), row] = rect.translated(port.mapTo(window, QPoint(0, 0)))
    return found


def settle() -> None:
    for _ in range(3):
        QApplication.processEvents()


def disturb(qtbot: QtBot, window: MainWindow, app: App, what: str, draw: random.Random) -> None:
    """Have something happen that nobody asked to move anything."""
    if what == "notice":
        app.notices.warn("The disk is full: snapshots are off. " * draw.randrange(1, 4))
    elif what == "notice gone":
        app.notices.dismiss()
    elif what == "find":
        window.do("find")
    elif what == "find gone":
        window.chat.find_bar.close_button.click()
    elif what == "hover":
        seen = [one for one in window.findChildren(QWidget) if one.isVisible()]
        over = draw.choice(seen)
        qtbot.mouseMove(over, QPoint(draw.randrange(max(1, over.width())), draw.randrange(max(1, over.height()))))
    elif what == "tab":
        qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
    elif what == "price":
        edit = window.chat.composer.edit
        edit.insertPlainText("a") if draw.random() < 0.5 else edit.clear()
    elif what == "answer":
        app.chat.requests.send("And then?")


EVENTS = ("notice", "notice", "notice gone", "find", "find gone", "hover", "tab", "price", "price", "answer")


@pytest.mark.parametrize("seed", chosen(range(2)))
def test_nothing_that_is_looked_at_moves(qtbot: QtBot, window: MainWindow, app: App, seed: int) -> None:
    draw = random.Random(seed)
    window.resize(draw.randrange(900, 1300), draw.randrange(600, 800))
    for number in range(7):
        ask(qtbot, window, app, f"Question {number}")
    bar = window.chat.view.verticalScrollBar()
    for step in range(40):
        bar.setValue(draw.randrange(100, bar.maximum() + 1) if step % 8 == 0 else bar.value())
        settle()
        before = places(window)
        what = draw.choice(EVENTS)
        disturb(qtbot, window, app, what, draw)
        settle()
        after = places(window)
        if what == "answer":  # which comes below what was said
            before = {one: rect for one, rect in before.items() if isinstance(one, QWidget)}
        moved = {one: (rect, after[one]) for one, rect in before.items() if after.get(one, rect) != rect}
        assert moved == {}, (seed, step, what)
