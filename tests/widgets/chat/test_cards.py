from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.problem_card import ProblemCard
from app.widgets.chat.cards import NoticeBanner, ProblemView, lines_of
from app.widgets.chat.composer_area import ComposerArea
from app.widgets.kit.style import Style
from app.widgets.kit.theme import LIGHT
from app.widgets.kit.typography import TextRole
from tests.fakes.shown import Shown
from tests.widgets.pictures import count, picture, show

MISSING = ProblemCard(
    "The model folder is not where it was",
    "Espalier looked in ~/Models/Qwen3 and found nothing there. Your conversations are safe.",
    "Locate Folder…",
    "open_model",
    "Use the Guide Meanwhile",
    "use_guide",
)
READY = ChatState(placeholder="Ask anything")


@pytest.fixture
def state(qapp: object) -> Shown[ChatState]:
    return Shown(READY)


@pytest.fixture
def notices(qapp: object) -> Notices:
    return Notices(lambda: 0)


@pytest.fixture
def card(qtbot: QtBot, style: Style) -> ProblemView:
    card = ProblemView(style)
    qtbot.addWidget(card)
    card.show_problem(MISSING)
    show(card, 680, card.wanted_height(680))
    return card


@pytest.fixture
def composer_area(qtbot: QtBot, style: Style, state: Shown[ChatState]) -> ComposerArea:
    composer_area = ComposerArea(style, state)
    qtbot.addWidget(composer_area)
    show(composer_area, 840, composer_area.sizeHint().height())
    return composer_area


def test_buttons_carry_their_verbs(qtbot: QtBot, card: ProblemView) -> None:
    for button, verb in ((card.action, "open_model"), (card.other, "use_guide")):
        with qtbot.waitSignal(card.acted) as heard:
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert heard.args == [verb]
    with qtbot.waitSignal(card.acted):
        qtbot.keyClick(card.action, Qt.Key.Key_Return)


def test_it_speaks(card: ProblemView) -> None:
    assert card.accessibleName() == MISSING.title
    assert card.accessibleDescription() == MISSING.sentence
    assert card.action.accessibleName() == "Locate Folder…"


def test_a_problem_without_a_second_way_has_one_button(card: ProblemView) -> None:
    card.show_problem(ProblemCard("It stopped", "Conversations are safe.", "Restart", "restart"))
    assert card.other.isHidden()
    assert not card.action.isHidden()


def test_it_is_as_high_as_its_sentence(card: ProblemView) -> None:
    assert card.wanted_height(300) > card.wanted_height(680)
    longer = replace(MISSING, sentence=MISSING.sentence * 3)
    before = card.wanted_height(680)
    card.show_problem(longer)
    assert card.wanted_height(680) >= before + 2 * 18


def test_sentences_are_broken_within_their_width(style: Style) -> None:
    layout = lines_of("word " * 30 + "x" * 100, style.text_style(TextRole.UI), 200)
    assert layout.lineCount() > 5
    assert all(layout.lineAt(number).naturalTextWidth() <= 200 for number in range(layout.lineCount()))


def test_the_problem_takes_the_composers_place_and_leaves_its_words(
    qtbot: QtBot, composer_area: ComposerArea, state: Shown[ChatState]
) -> None:
    composer_area.composer.edit.setFocus()
    qtbot.keyClicks(composer_area.composer.edit, "not sent yet")
    state.show(replace(READY, card=MISSING))
    assert not composer_area.problem.isHidden()
    assert composer_area.composer.isHidden()
    assert composer_area.problem.hasFocus()
    with qtbot.assertNotEmitted(composer_area.acted):
        qtbot.keyClicks(QApplication.focusWidget(), " and on")
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    with qtbot.waitSignal(composer_area.acted) as heard:
        qtbot.mouseClick(composer_area.problem.action, Qt.MouseButton.LeftButton)
    assert heard.args == ["open_model"]
    state.show(READY)
    assert composer_area.problem.isHidden()
    assert composer_area.composer.text == "not sent yet"
    assert composer_area.composer.edit.hasFocus()


def test_the_composer_grows_to_two_fifths_of_the_pane(composer_area: ComposerArea) -> None:
    composer_area.set_pane_height(800)
    low = composer_area.sizeHint().height()
    composer_area.composer.show_text("\n" * 200)
    assert low < composer_area.sizeHint().height() == 800 * 0.4 + 24


def test_a_problem_leaves_room_for_the_end_of_the_chat_and_covers_none_of_its_own_words(
    qtbot: QtBot, composer_area: ComposerArea, state: Shown[ChatState], style: Style
) -> None:
    words = replace(MISSING, title="The conversation is too long for this model", sentence=MISSING.sentence * 3)
    card = replace(words, choices=(("Edit the Question", "edit"), ("Fork at an Earlier Question", "fork")))
    problem = composer_area.problem
    for body in (10, 14, 20, 24):
        style.set_text_size(body)
        for width, height in ((460, 420), (540, 528), (840, 860)):
            composer_area.set_pane_height(height)
            composer_area.resize(width, composer_area.height())
            state.show(replace(READY, card=card))
            composer_area.resize(width, composer_area.sizeHint().height())
            assert composer_area.height() <= height * 0.55 + 24
            buttons = [problem.action, *problem.choices, problem.other]
            assert problem.height() >= problem.wanted_height(problem.width())
            assert min(button.y() for button in buttons) >= problem.first_line + 3 * style.typography[TextRole.UI].line
            problem.setFocus()
            for button in buttons:
                qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
                assert button.hasFocus()
                seen = button.visibleRegion().boundingRect().height()
                assert seen >= min(button.height(), 20), (body, width, button.text())
            state.show(READY)


def test_a_long_title_is_broken_and_not_cut(card: ProblemView) -> None:
    one_line = card.wanted_height(680)
    card.show_problem(replace(MISSING, title=f"{MISSING.title}, as far as that is known at all, " * 2))
    assert card.wanted_height(680) > one_line
    before = picture(card)
    card.show_problem(replace(MISSING, title=f"{MISSING.title}, as far as that is known at all, " * 2 + "end"))
    assert picture(card) != before


def test_the_rail_ends_beside_the_first_line(composer_area: ComposerArea, state: Shown[ChatState]) -> None:
    def rail() -> int:
        beside = picture(composer_area).copy(0, 0, 90, composer_area.height())
        return beside.width() * beside.height() - count(beside, LIGHT.window)

    assert rail() > 10
    state.show(replace(state.now, has_residencies=False))
    assert rail() == 0
    state.show(replace(state.now, has_residencies=True))
    assert rail() > 10
    composer_area.set_centred(True)
    assert rail() == 0


def test_in_an_empty_conversation_the_composer_stands_in_the_middle(composer_area: ComposerArea) -> None:
    composer_area.set_centred(True)
    assert composer_area.column.left == (840 - 560) // 2
    assert composer_area.composer.geometry().center().x() == 419


def test_a_notice_comes_and_goes(qtbot: QtBot, style: Style, notices: Notices) -> None:
    banner = NoticeBanner(style, notices)
    qtbot.addWidget(banner)
    assert banner.isHidden()
    notices.warn("Disk is full: snapshots are off.")
    assert not banner.isHidden()
    assert banner.accessibleName() == "Disk is full: snapshots are off."
    assert banner.heightForWidth(840) == 44
    notices.warn("Disk is full: snapshots are off. " * 6)
    assert banner.heightForWidth(600) > 44
    show(banner, 600, banner.heightForWidth(600))
    qtbot.mouseClick(banner.close_button, Qt.MouseButton.LeftButton)
    assert banner.isHidden()
    pressed: list[str] = []
    notices.warn("Crashed last time.", "Show Log", lambda: pressed.append("log"))
    qtbot.mouseClick(banner.action, Qt.MouseButton.LeftButton)
    assert pressed == ["log"]


def test_good_news_is_no_warning(qtbot: QtBot, style: Style, notices: Notices) -> None:
    banner = NoticeBanner(style, notices)
    qtbot.addWidget(banner)
    notices.warn("The cache is exact.")
    show(banner, 600, 44)
    assert count(picture(banner), LIGHT.warnbg) > 10_000
    notices.info("The cache is exact.")
    assert count(picture(banner), LIGHT.warnbg) == count(picture(banner), LIGHT.warn) == 0
    assert count(picture(banner), LIGHT.soft) > 10_000
    assert count(picture(banner), LIGHT.accent) > 0
    notices.refuse("There is nothing to undo.")  # which is nothing done
    assert count(picture(banner), LIGHT.soft) == count(picture(banner), LIGHT.accent) == 0
    assert count(picture(banner), LIGHT.fill) > 10_000


def test_choices_stand_between_the_two_and_wrap_where_it_is_narrow(qtbot: QtBot, style: Style) -> None:
    view = ProblemView(style)
    qtbot.addWidget(view)
    card = ProblemCard("Too long", "It does not fit.", "Leave Out the First 4 Turns", "leave", "Not Now", "dismiss")
    view.show_problem(replace(card, choices=(("Edit the Question", "edit"), ("Fork at an Earlier Question", "fork"))))
    heights = []
    for width in (720, 330):
        view.resize(width, view.wanted_height(width))
        view.show()
        buttons = [view.action, *view.choices, view.other]
        assert [button.text() for button in buttons][1:3] == ["Edit the Question", "Fork at an Earlier Question"]
        assert all(view.rect().contains(button.geometry()) for button in buttons)
        pairs = [(one, two) for at, one in enumerate(buttons) for two in buttons[at + 1 :]]
        assert not any(one.geometry().intersects(two.geometry()) for one, two in pairs)
        heights.append(view.height())
    assert heights[1] > heights[0]
    with qtbot.waitSignal(view.acted) as heard:
        view.choices[1].click()
    assert heard.args == ["fork"]
    view.show_problem(card)
    assert view.choices == []
