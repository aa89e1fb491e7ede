from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import app.widgets.chat.welcome as welcome_module
from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.chat.chat_text import GREETING, SUGGESTIONS
from app.widgets.chat.welcome import WelcomeView
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextStyle
from tests.fakes.shown import Shown
from tests.widgets.pictures import show

GUIDE = ChatState(model_name="Espalier Guide", greeting=GREETING, suggestions=SUGGESTIONS)


@pytest.fixture
def state(qapp: object) -> Shown[ChatState]:
    return Shown(GUIDE)


@pytest.fixture
def welcome(qtbot: QtBot, style: Style, state: Shown[ChatState]) -> WelcomeView:
    welcome = WelcomeView(style, state)
    qtbot.addWidget(welcome)
    show(welcome, 840, 704)
    return welcome


def test_every_suggestion_is_a_question_to_press(qtbot: QtBot, welcome: WelcomeView) -> None:
    chips = welcome.page.chips
    assert [chip.accessibleName() for chip in chips] == list(SUGGESTIONS)
    with qtbot.waitSignal(welcome.asked) as heard:
        qtbot.mouseClick(chips[1], Qt.MouseButton.LeftButton)
    assert heard.args == [SUGGESTIONS[1]]


def test_chips_are_pressed_from_the_keyboard_in_their_order(qtbot: QtBot, welcome: WelcomeView) -> None:
    chips = welcome.page.chips
    chips[0].setFocus()
    qtbot.keyClick(chips[0], Qt.Key.Key_Tab)
    assert chips[1].hasFocus()
    with qtbot.waitSignal(welcome.asked):
        qtbot.keyClick(chips[1], Qt.Key.Key_Space)
    for chip in chips[1:]:
        qtbot.keyClick(chip, Qt.Key.Key_Tab)
    assert welcome.page.models_button.hasFocus()


def test_a_model_can_be_chosen(qtbot: QtBot, welcome: WelcomeView) -> None:
    with qtbot.waitSignal(welcome.modelsAsked):
        qtbot.mouseClick(welcome.page.models_button, Qt.MouseButton.LeftButton)


@pytest.mark.parametrize(("width", "height"), [(840, 704), (360, 400), (1400, 1200)])
def test_nothing_overlaps_and_all_of_it_can_be_reached(welcome: WelcomeView, width: int, height: int) -> None:
    welcome.resize(width, height)
    QApplication.processEvents()
    page = welcome.page
    places = [chip.geometry() for chip in page.chips] + [page.models_button.geometry()]
    for number, place in enumerate(places):
        assert page.rect().contains(place)
        assert not any(place.intersects(other) for other in places[number + 1 :])
    assert page.height() >= welcome.viewport().height()
    assert (page.height() > welcome.viewport().height()) == welcome.verticalScrollBar().isVisible()


@pytest.mark.parametrize("size", [14, 20, 24])
def test_no_words_are_cut(
    welcome: WelcomeView, state: Shown[ChatState], style: Style, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """Whatever does not fit into one line goes on in the next."""
    room: list[float] = []

    def noting(painter: QPainter, style: TextStyle, rect: QRectF, text: str, *rest: object) -> None:
        room.append(rect.width() - style.width(text))

    monkeypatch.setattr(welcome_module, "draw_text", noting)
    style.set_text_size(size)
    for width in (480, 660, 840, 1200):
        for now in (GUIDE, replace(GUIDE, greeting="", suggestions=(), title="New conversation")):
            room.clear()
            state.show(now)
            welcome.resize(width, 700)
            QApplication.processEvents()
            welcome.grab()
            assert room
            assert min(room) > -0.5, (width, now.greeting)


def test_a_scroll_bar_does_not_move_the_column(welcome: WelcomeView) -> None:
    """The composer below has no scroll bar: both stand in the middle of the same pane."""
    welcome.resize(840, 300)
    QApplication.processEvents()
    assert welcome.verticalScrollBar().isVisible()
    assert welcome.page.chips[0].x() == (840 - 560) // 2


def test_with_another_model_it_offers_neither_guide_nor_questions(
    welcome: WelcomeView, state: Shown[ChatState]
) -> None:
    state.show(replace(GUIDE, greeting="", suggestions=(), title="New conversation"))
    assert welcome.page.chips == []
    assert welcome.page.models_button.isHidden()


def test_a_larger_text_needs_more_room(welcome: WelcomeView, style: Style) -> None:
    before = welcome.page.models_button.geometry().bottom()
    style.set_text_size(20)
    assert welcome.page.models_button.geometry().bottom() > before
