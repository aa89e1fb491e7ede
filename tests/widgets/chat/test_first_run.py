from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.viewmodels.status import Status, StatusValues
from app.viewmodels.status_words import GREETING, SUGGESTIONS
from app.widgets.chat.first_run import FirstRun
from app.widgets.kit.style import Style
from tests.widgets.pictures import show

GUIDE = StatusValues(model_name="Espalier Guide", greeting=GREETING, suggestions=SUGGESTIONS)


@pytest.fixture
def status(qapp: object) -> Status:
    status = Status()
    status.show(GUIDE)
    return status


@pytest.fixture
def first_run(qtbot: QtBot, style: Style, status: Status) -> FirstRun:
    first_run = FirstRun(style, status)
    qtbot.addWidget(first_run)
    show(first_run, 840, 704)
    return first_run


def test_every_suggestion_is_a_question_to_press(qtbot: QtBot, first_run: FirstRun) -> None:
    chips = first_run.page.chips
    assert [chip.accessibleName() for chip in chips] == list(SUGGESTIONS)
    with qtbot.waitSignal(first_run.asked) as heard:
        qtbot.mouseClick(chips[1], Qt.MouseButton.LeftButton)
    assert heard.args == [SUGGESTIONS[1]]


def test_chips_are_pressed_from_the_keyboard_in_their_order(qtbot: QtBot, first_run: FirstRun) -> None:
    chips = first_run.page.chips
    chips[0].setFocus()
    qtbot.keyClick(chips[0], Qt.Key.Key_Tab)
    assert chips[1].hasFocus()
    with qtbot.waitSignal(first_run.asked):
        qtbot.keyClick(chips[1], Qt.Key.Key_Space)
    for chip in chips[1:]:
        qtbot.keyClick(chip, Qt.Key.Key_Tab)
    assert first_run.page.open_button.hasFocus()


def test_a_model_can_be_chosen(qtbot: QtBot, first_run: FirstRun) -> None:
    with qtbot.waitSignal(first_run.openAsked):
        qtbot.mouseClick(first_run.page.open_button, Qt.MouseButton.LeftButton)


@pytest.mark.parametrize(("width", "height"), [(840, 704), (360, 400), (1400, 1200)])
def test_nothing_overlaps_and_all_of_it_can_be_reached(first_run: FirstRun, width: int, height: int) -> None:
    first_run.resize(width, height)
    QApplication.processEvents()
    page = first_run.page
    places = [chip.geometry() for chip in page.chips] + [page.open_button.geometry()]
    for number, place in enumerate(places):
        assert page.rect().contains(place)
        assert not any(place.intersects(other) for other in places[number + 1 :])
    assert page.height() >= first_run.viewport().height()
    assert (page.height() > first_run.viewport().height()) == first_run.verticalScrollBar().isVisible()


def test_a_scroll_bar_does_not_move_the_column(first_run: FirstRun) -> None:
    """The composer below has no scroll bar: both stand in the middle of the same pane."""
    first_run.resize(840, 300)
    QApplication.processEvents()
    assert first_run.verticalScrollBar().isVisible()
    assert first_run.page.chips[0].x() == (840 - 560) // 2


def test_with_another_model_it_offers_neither_guide_nor_questions(first_run: FirstRun, status: Status) -> None:
    status.show(replace(GUIDE, greeting="", suggestions=(), title="New conversation"))
    assert first_run.page.chips == []
    assert first_run.page.open_button.isHidden()


def test_a_larger_text_needs_more_room(first_run: FirstRun, style: Style) -> None:
    before = first_run.page.open_button.geometry().bottom()
    style.set_text_size(20)
    assert first_run.page.open_button.geometry().bottom() > before
