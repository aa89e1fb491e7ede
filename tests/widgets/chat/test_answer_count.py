"""How many answers a question gets: chosen by mouse and keys, told in words, short where there is little room."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.text import formatting
from app.widgets.chat.answer_count import AnswerCountButton
from app.widgets.chat.composer import SHADOW_ROOM, Composer
from app.widgets.kit.style import Style
from tests.fakes.shown import Shown
from tests.widgets.pictures import show


@pytest.fixture
def state(qapp: object) -> Shown[ChatState]:
    return Shown(ChatState(answers=3, most_answers=8))


@pytest.fixture
def composer(qtbot: QtBot, style: Style, state: Shown[ChatState]) -> Composer:
    composer = Composer(style, state)
    qtbot.addWidget(composer)
    show(composer, 680 + 2 * SHADOW_ROOM, 92 + 2 * SHADOW_ROOM)
    return composer


def test_the_number_is_said_and_another_one_chosen(qtbot: QtBot, composer: Composer) -> None:
    button = composer.answers
    assert (button.text(), button.accessibleName()) == ("3\xa0answers", "Answers to a question: 3")
    menu = button.menu()
    assert [entry.text() for entry in menu.actions()][:3] == ["1\xa0answer", "2\xa0answers", "3\xa0answers"]
    assert [entry.isChecked() for entry in menu.actions()].index(True) == 2
    with qtbot.waitSignal(composer.answersChosen) as heard:
        menu.actions()[7].trigger()
    assert heard.args == [8]


def test_the_menu_offers_different_temperatures(qtbot: QtBot, composer: Composer, state: Shown[ChatState]) -> None:
    with qtbot.waitSignal(composer.ladderChosen) as heard:
        composer.answers.menu().actions()[-1].trigger()
    assert heard.args == [True]
    state.show(ChatState(answers=3, most_answers=8, has_ladder=True))
    assert composer.answers.menu().actions()[-1].isChecked()
    assert composer.answers.accessibleName() == "Answers to a question: 3, at different temperatures"


def test_the_menu_offers_a_preset_for_each_answer(qtbot: QtBot, composer: Composer, state: Shown[ChatState]) -> None:
    offered = ("Precise", "Salt & Pepper")
    now = ChatState(answers=2, most_answers=8, answer_presets=("Precise",), presets=offered)
    state.show(now)
    menu = composer.answers.menu()
    menus = menu.findChildren(QMenu)
    assert [one.title() for one in menus] == ["Answer A: Precise", "Answer B"]
    entries = [entry for entry in menus[1].actions() if entry.text()]
    assert [entry.text() for entry in entries] == ["Chosen Settings", "Precise", "Salt && Pepper"]
    assert [entry.isChecked() for entry in entries] == [True, False, False]
    with qtbot.waitSignal(composer.presetChosen) as heard:
        entries[2].trigger()
    assert heard.args == [1, "Salt & Pepper"]
    assert composer.answers.accessibleName() == "Answers to a question: 2, with Precise, Chosen Settings"
    state.show(replace(now, answers=1))
    assert not composer.answers.menu().findChildren(QMenu)


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Down, Qt.Key.Key_Up])
def test_keys_open_the_menu(qtbot: QtBot, composer: Composer, key: Qt.Key) -> None:
    composer.answers.setFocus()
    qtbot.keyClick(composer.answers, key)
    menu = composer.answers.findChild(QMenu)
    assert menu is not None
    assert menu.isVisible()
    menu.close()


@pytest.mark.parametrize(("answers", "short"), [(1, ""), (2, "2"), (8, "8")])
def test_where_there_is_little_room_the_word_is_left_out(
    composer: Composer, state: Shown[ChatState], answers: int, short: str
) -> None:
    state.show(ChatState(answers=answers, most_answers=8))
    wide = composer.answers.text()
    composer.resize(470 + 2 * SHADOW_ROOM, composer.height())
    assert wide == formatting.plural(answers, "answer")
    assert composer.answers.text() == short
    assert composer.answers.accessibleName() == f"Answers to a question: {answers}"


@pytest.mark.parametrize(
    "now", [ChatState(most_answers=1), ChatState(most_answers=8, edits_answer=True, is_editing=True, editing="A")]
)
def test_it_is_not_offered_where_there_is_nothing_to_choose(
    composer: Composer, state: Shown[ChatState], now: ChatState
) -> None:
    state.show(now)
    assert composer.answers.isHidden()


def test_it_makes_way_for_the_price_where_an_answer_can_go_on_in_a_narrow_window(
    composer: Composer, state: Shown[ChatState]
) -> None:
    state.show(ChatState(most_answers=8, can_continue=True))
    composer.resize(470 + 2 * SHADOW_ROOM, composer.height())
    assert composer.answers.isHidden()
    composer.edit.insertPlainText("Else")
    assert not composer.answers.isHidden()
    composer.edit.clear()
    composer.resize(700 + 2 * SHADOW_ROOM, composer.height())
    assert not composer.answers.isHidden()


def test_it_reaches_no_other_button_at_any_text_size(qtbot: QtBot, state: Shown[ChatState]) -> None:
    for body in (10, 14, 24):
        style = Style(body=body)
        composer = Composer(style, state)
        qtbot.addWidget(composer)
        for width in (470, 579, 580, 900):
            show(composer, width + 2 * SHADOW_ROOM, 200)
            buttons = [composer.answers, composer.clip, composer.button]
            assert all(one.geometry().right() < other.x() for one, other in pairwise(buttons))
            assert composer.answers.width() >= composer.answers.sizeHint().width()


def test_a_button_alone_has_one_answer(qtbot: QtBot, style: Style) -> None:
    button = AnswerCountButton(style)
    qtbot.addWidget(button)
    assert button.text() == "1\xa0answer"
