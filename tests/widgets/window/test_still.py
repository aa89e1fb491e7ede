"""What a person looks at stays where it is while something comes, goes or is pointed at."""

from __future__ import annotations

import random

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.viewmodels.kit.problem_card import ProblemCard
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
    elif what == "lines":
        edit = window.chat.composer.edit
        edit.insertPlainText("\n" * draw.randrange(1, 12)) if draw.random() < 0.6 else edit.clear()
    elif what == "card":
        words = "Choose another model, or free some memory. " * draw.randrange(1, 9)
        app.chat.cards.put(app.library.open_id, ProblemCard("Not enough memory", words, "Choose Model", "choose_model"))
    elif what == "card gone":
        app.chat.cards.dismiss()
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
    assert bar.maximum() > 100
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


def gap_below(window: MainWindow) -> int:
    """Return how many points of the chat are empty below its end; less than none while the end is out of sight."""
    view = window.chat.view
    rows = view.layout_of_rows
    return view.viewport().height() - round(rows.top(len(rows)) - view.verticalOffset())


def tops(window: MainWindow) -> list[int]:
    """Return where every row begins in the window."""
    view = window.chat.view
    top = view.viewport().mapTo(window, QPoint(0, -view.verticalOffset())).y()
    return [top + round(view.layout_of_rows.top(number)) for number in range(view.model().rowCount())]


BESIDE = (
    "notice",
    "notice",
    "notice gone",
    "find",
    "find gone",
    "lines",
    "lines",
    "card",
    "card gone",
    "hover",
    "price",
)


@pytest.mark.parametrize("seed", chosen(range(4)))
@pytest.mark.parametrize("questions", [1, 2, 6])
def test_messages_stay_whatever_comes_above_or_below_them(
    qtbot: QtBot, window: MainWindow, app: App, questions: int, seed: int
) -> None:
    """Only their end makes way for what grows over it, as far as it must, and comes back."""
    draw = random.Random(f"{questions} {seed}")
    window.resize(draw.randrange(900, 1300), draw.randrange(600, 800))
    for number in range(questions):
        ask(qtbot, window, app, f"Question {number}")
    settle()
    at_first = tops(window)
    for step in range(30):
        if questions > 2 and draw.random() < 0.2:
            bar = window.chat.view.verticalScrollBar()
            bar.setValue(draw.randrange(100, bar.maximum() + 1))
            settle()
            at_first = []
        before, is_at_end = tops(window), gap_below(window) >= 0
        what = draw.choice(BESIDE)
        disturb(qtbot, window, app, what, draw)
        settle()
        after = tops(window)
        makes_way = (is_at_end or after > before) and 0 <= gap_below(window) <= 25
        assert before == after or makes_way or after == at_first, (seed, step, what)
    for one in ("notice gone", "find gone", "card gone"):
        disturb(qtbot, window, app, one, draw)
    window.chat.composer.edit.clear()
    settle()
    assert not at_first or tops(window) == at_first
