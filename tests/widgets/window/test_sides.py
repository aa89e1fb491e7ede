from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.kit.style import Style
from app.widgets.window.sides import Sides


class Window:
    """Three empty sides in a window of a given width."""

    def __init__(self, qtbot: QtBot, style: Style) -> None:
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.sidebar, self.chat, self.inspector = QWidget(), QWidget(), QWidget()
        self.sidebar.setMinimumWidth(200)
        self.inspector.setMinimumWidth(300)
        self.sides = Sides(style, self.sidebar, self.chat, self.inspector, self.window)

    def show(self, width: int) -> None:
        self.window.resize(width, 600)
        self.sides.resize(width, 600)
        self.window.show()
        QApplication.processEvents()

    def shown(self) -> tuple[bool, bool]:
        return self.sidebar.isVisible(), self.inspector.isVisible()


@pytest.fixture
def window(qtbot: QtBot, style: Style) -> Window:
    return Window(qtbot, style)


def test_the_widths_of_the_pictures(window: Window) -> None:
    window.sides.restore((), True, True)
    window.show(1440)
    assert (window.sidebar.width(), window.inspector.width()) == (248, 352)
    assert window.chat.width() == 1440 - 248 - 352 - 2


def test_widths_are_found_again(window: Window) -> None:
    window.sides.restore((220, 700, 400), True, True)
    window.show(1440)
    assert (window.sidebar.width(), window.inspector.width()) == (220, 400)
    assert window.sides.widths() == (220, window.chat.width(), 400)


def test_a_hidden_side_keeps_its_width(window: Window) -> None:
    window.sides.restore((220, 700, 400), True, True)
    window.show(1440)
    window.sides.toggle("sidebar")
    QApplication.processEvents()
    assert window.shown() == (False, True)
    assert window.sides.widths()[0] == 220
    window.sides.toggle("sidebar")
    QApplication.processEvents()
    assert window.sidebar.width() == 220


def test_below_1080_the_inspector_leaves_and_comes_back(window: Window) -> None:
    window.sides.restore((), True, True)
    window.show(1440)
    window.show(1079)
    assert window.shown() == (True, False)
    assert window.sides.is_wanted("inspector")
    window.show(1080)
    assert window.shown() == (True, True)
    assert window.inspector.width() == 352


def test_in_a_narrow_window_it_lies_over_the_chat(window: Window) -> None:
    window.sides.restore((), True, True)
    window.show(900)
    chat = window.chat.width()
    window.sides.toggle("inspector")
    QApplication.processEvents()
    assert window.shown() == (True, True)
    assert window.chat.width() == chat
    assert window.inspector.geometry().getRect() == (900 - 352, 52, 352, 548)
    assert window.inspector.parentWidget() is window.sides
    assert window.sides.close_overlay()
    assert window.shown() == (True, False)
    assert not window.sides.close_overlay()


def test_below_760_the_sidebar_leaves_too(window: Window) -> None:
    window.sides.restore((), True, True)
    window.show(759)
    assert window.shown() == (False, False)
    window.sides.toggle("sidebar")
    QApplication.processEvents()
    assert window.shown() == (True, False)
    assert window.sidebar.x() == 0


def test_what_was_not_wanted_stays_away_when_there_is_room(window: Window) -> None:
    window.sides.restore((), True, False)
    window.show(1440)
    assert window.shown() == (True, False)
    window.show(900)
    window.show(1440)
    assert window.shown() == (True, False)


def test_changes_are_told(qtbot: QtBot, window: Window) -> None:
    window.sides.restore((), True, True)
    window.show(1440)
    with qtbot.waitSignal(window.sides.changed):
        window.sides.toggle("inspector")
    window.sides.toggle("inspector")
    with qtbot.waitSignal(window.sides.changed):
        window.show(1000)


def test_a_side_with_nothing_to_show_is_nowhere_until_it_has_something(window: Window) -> None:
    """However wide the window is; and where the person wanted it is not forgotten meanwhile."""
    for width in (1200, 900):
        window.show(width)
        if not window.sides.is_shown("inspector"):
            window.sides.toggle("inspector")
        window.sides.offer("inspector", is_offered=False)
        assert not window.inspector.isVisible()
        window.sides.toggle("inspector")
        assert not window.inspector.isVisible()
        window.sides.offer("inspector", is_offered=True)
        assert window.inspector.isVisible()
    assert window.sides.is_wanted("inspector")
