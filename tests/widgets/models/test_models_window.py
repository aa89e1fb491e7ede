"""The window of models: two pages, one at a time, reached and left by keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.widgets.kit.pane import Pane
from app.widgets.kit.style import Style
from app.widgets.models.models_window import ModelsWindow
from app.widgets.window.main_window import MainWindow
from tests.widgets.pictures import show


class Page(Pane):
    """A page with one stop for the keyboard."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.id, self.title = name, name.title()
        self.field = QLineEdit(self)

    @property
    def tab_order(self) -> tuple[QLineEdit]:
        return (self.field,)


@pytest.fixture
def models(qtbot: QtBot, style: Style) -> ModelsWindow:
    models = ModelsWindow(style, [Page("here"), Page("get")])
    qtbot.addWidget(models)
    show(models)
    return models


def test_the_first_page_is_in_sight_with_the_keyboard_in_it(models: ModelsWindow) -> None:
    assert models.current.id == "here"
    assert models.current.tab_order[0].hasFocus()
    assert [segment.isChecked() for segment in models.selector.segments] == [True, False]


def test_the_selector_brings_the_other_page(qtbot: QtBot, models: ModelsWindow) -> None:
    qtbot.mouseClick(models.selector.segments[1], Qt.MouseButton.LeftButton)
    assert models.current.id == "get"
    assert models.current.tab_order[0].hasFocus()
    models.selector.segments[1].setFocus()
    qtbot.keyClick(models.selector.segments[1], Qt.Key.Key_Left)
    assert models.current.id == "here"
    assert models.selector.segments[0].hasFocus(), "whoever goes through the selector stays in it"


def test_a_page_that_is_none_is_refused(models: ModelsWindow) -> None:
    with pytest.raises(KeyError):
        models.show_page("elsewhere")


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_W])
def test_it_is_shown_once_and_made_anew_after_it_was_closed(qtbot: QtBot, window: MainWindow, key: Qt.Key) -> None:
    window.do("models")
    window.do("models")
    (shown,) = window.findChildren(ModelsWindow)
    qtbot.waitUntil(shown.isActiveWindow)
    assert not shown.isModal(), "the conversation goes on beside it"
    modifier = Qt.KeyboardModifier.ControlModifier if key == Qt.Key.Key_W else Qt.KeyboardModifier.NoModifier
    with qtbot.waitSignal(shown.destroyed):
        qtbot.keyClick(shown, key, modifier)
    window.do("models")
    assert len(window.findChildren(ModelsWindow)) == 1
