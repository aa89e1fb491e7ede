"""The verbs of a row, by mouse and by keys, and the rows that a message marks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.viewmodels.actions import enabled
from app.viewmodels.cache.event_model import EventModel
from app.viewmodels.cache.shown_trie import Others
from app.viewmodels.cache.trie_model import TrieModel
from app.viewmodels.edges.edge_region import EdgeState
from app.viewmodels.kit.live_state import LiveState
from app.widgets.cache.cache_pane import CachePane
from app.widgets.cache.row_actions import row_menu
from app.widgets.kit.style import Style
from tests.widgets.pictures import count, picture, show
from tests.widgets.samples import NOW, READY, view

ROW = EdgeState(chosen=4, title="You: Make it cheaper", can_show=True, can_pin=True, can_evict=True)


class Edges:
    """What can be done with rows, as a test says."""

    def __init__(self) -> None:
        self.value = EdgeState()
        self.state = LiveState(lambda: self.value)

    def become(self, now: EdgeState) -> None:
        self.value = now
        self.state.refresh()
        self.state.tell()


@pytest.fixture
def edges(qapp: object) -> Edges:
    return Edges()


@pytest.fixture
def pane(qtbot: QtBot, style: Style, edges: Edges) -> CachePane:
    model = TrieModel()
    model.show(view())
    pane = CachePane(style, model, EventModel(), lambda: NOW, edges=edges.state)
    model.setParent(pane)
    qtbot.addWidget(pane)
    show(pane, 352, 700)
    edges.become(ROW)
    return pane


def test_return_shows_in_chat_and_delete_evicts(qtbot: QtBot, pane: CachePane) -> None:
    asked: list[str] = []
    pane.asked.connect(asked.append)
    pane.tree.come_to(4, is_chosen=True)
    qtbot.keyClick(pane.tree, Qt.Key.Key_Return)
    qtbot.keyClick(pane.tree, Qt.Key.Key_Delete)
    assert asked == ["show_row", "evict_row"]


def test_keys_ask_for_nothing_that_cannot_be_done(qtbot: QtBot, pane: CachePane, edges: Edges) -> None:
    asked: list[str] = []
    refused: list[str] = []
    pane.asked.connect(asked.append)
    pane.refused.connect(refused.append)
    edges.become(EdgeState(chosen=4))
    pane.tree.come_to(4, is_chosen=True)
    qtbot.keyClick(pane.tree, Qt.Key.Key_Return)
    qtbot.keyClick(pane.tree, Qt.Key.Key_Delete)
    assert (asked, refused) == ([], ["show_row", "evict_row"])
    assert not any(button.isEnabled() for button in pane.row_actions.buttons)


@pytest.mark.parametrize(
    ("now", "words", "commands"),
    [
        (ROW, ["Show in Chat", "Pin", "Evict"], ["show_row", "pin_row", "evict_row"]),
        (
            replace(ROW, can_pin=False, can_unpin=True, can_evict=False, can_warm_up=True, price="212 tokens"),
            ["Show in Chat", "Unpin", "Warm Up"],
            ["show_row", "unpin_row", "warm_up_row"],
        ),
        (replace(ROW, warming="Warming up"), ["Show in Chat", "Pin", "Stop"], ["show_row", "pin_row", "warm_up"]),
    ],
)
def test_the_buttons_say_and_do_what_can_be_done(
    qtbot: QtBot, pane: CachePane, edges: Edges, now: EdgeState, words: list[str], commands: list[str]
) -> None:
    asked: list[str] = []
    pane.asked.connect(asked.append)
    edges.become(now)
    buttons = pane.row_actions.buttons
    assert [button.accessibleName() for button in buttons] == words
    for button in buttons:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert asked == commands
    assert all(button.geometry().right() < pane.width() - 15 for button in buttons)
    assert now.price in buttons[2].toolTip()


def test_a_chosen_row_is_told_and_the_rows_of_a_message_have_its_ground(
    qtbot: QtBot, pane: CachePane, style: Style, edges: Edges
) -> None:
    chosen: list[int] = []
    pane.tree.chosen.connect(chosen.append)
    pane.tree.come_to(2, is_chosen=True)
    assert chosen == [2]
    before = count(picture(pane.tree), style.theme.soft)
    edges.become(replace(ROW, marked=frozenset({2, 3, 4})))
    assert count(picture(pane.tree), style.theme.soft) > 2 * before > 0


def test_other_conversations_are_one_line_that_opens(qtbot: QtBot, pane: CachePane, edges: Edges) -> None:
    assert not pane.others.isVisible()
    edges.become(replace(ROW, others=Others(12, 240_000_000)))
    assert pane.others.isVisible()
    said = pane.others.accessibleName().replace("\u00a0", " ")
    assert said == "Other conversations  ·  12 edges  ·  240 MB"
    asked: list[bool] = []
    pane.othersAsked.connect(asked.append)
    qtbot.mouseClick(pane.others, Qt.MouseButton.LeftButton)
    edges.become(replace(edges.value, shows_others=True))
    qtbot.keyClick(pane.others, Qt.Key.Key_Space)
    assert asked == [True, False]


def test_a_row_that_is_wanted_comes_into_sight_unless_the_person_scrolls(qtbot: QtBot, pane: CachePane) -> None:
    pane.resize(352, 360)
    pane.tree.viewport().setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)  # wherever a test before left the mouse
    pane.tree.verticalScrollBar().setValue(0)
    pane.tree.come_to(8)
    assert pane.tree.verticalScrollBar().value() > 0
    pane.tree.verticalScrollBar().setValue(0)
    pane.tree.verticalScrollBar().setSliderDown(True)
    pane.tree.come_to(8)
    assert pane.tree.verticalScrollBar().value() == 0


def test_why_a_branch_is_cold_stands_under_the_budgets(pane: CachePane, edges: Edges) -> None:
    before = pane.head.height()
    edges.become(replace(ROW, cold="Cold: what lies on disk was read with another system prompt."))
    assert pane.head.height() > before
    assert "another system prompt" in pane.head.accessibleDescription()
    assert "another system prompt" in pane.head.toolTip()
    edges.become(ROW)
    assert pane.head.height() == before


def test_a_conversation_of_which_nothing_is_held_says_whose_the_rest_is(pane: CachePane, edges: Edges) -> None:
    edges.become(EdgeState(others=Others(12, 240_000_000)))
    assert pane.empty.accessibleName() == "Nothing of this conversation is held"
    assert "one line below" in pane.empty.accessibleDescription()
    edges.become(EdgeState())
    assert pane.empty.accessibleName() == "Nothing of this model is held yet"


VERBS = {
    "show_row": ROW,
    "pin_row": ROW,
    "unpin_row": replace(ROW, can_pin=False, can_unpin=True),
    "evict_row": ROW,
    "warm_up_row": replace(ROW, can_evict=False, can_warm_up=True, price="212 tokens to read"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_is_asked_for_by_mouse_by_menu_and_by_keys(
    qtbot: QtBot, pane: CachePane, edges: Edges, verb: str
) -> None:
    edges.become(VERBS[verb])
    asked: list[str] = []
    pane.asked.connect(asked.append)
    (place,) = [at for at, command in enumerate(pane.row_actions._commands) if command == verb]
    button = pane.row_actions.buttons[place]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert asked == [verb]
    button.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(button, Qt.Key.Key_Space)
    assert asked == [verb] * 2
    menu = row_menu(pane, edges.value, [], pane.row_actions)
    words = button.accessibleName()
    (entry,) = [one for one in menu.actions() if one.text().startswith(words)]
    assert entry.isEnabled()
    entry.trigger()
    assert asked == [verb] * 3
    assert edges.value.price in entry.text()
    menu.deleteLater()
    assert verb in enabled(replace(READY, edges=edges.value)), "in the Cache menu"


@pytest.mark.parametrize("body", [10, 14, 20, 24])
def test_no_word_of_a_button_is_cut_and_no_choice_moves_anything(
    qtbot: QtBot, style: Style, pane: CachePane, edges: Edges, body: int
) -> None:
    style.set_text_size(body)
    places: set[tuple[int, ...]] = set()
    for now in (
        ROW,
        replace(ROW, can_unpin=True),
        replace(ROW, can_evict=False, can_warm_up=True),
        replace(ROW, warming="a"),
    ):
        edges.become(now)
        for button in pane.row_actions.buttons:
            assert button.width() >= button.sizeHint().width() - button.spare
            assert pane.row_actions.rect().contains(button.geometry())
        shown = (pane.row_actions, pane.tree, *pane.row_actions.buttons)
        places.add(tuple(number for one in shown for number in (one.x(), one.y(), one.width(), one.height())))
    assert len(places) == 1


def test_over_a_server_it_says_what_that_should_hold_and_offers_nothing_that_it_cannot_do(
    pane: CachePane, edges: Edges
) -> None:
    here = pane.head.sizeHint().height()
    pane.head.show_view(replace(view(), place="Studio", disk_bytes=0, disk_allowed_bytes=0))
    assert pane.head.accessibleName() == "What Studio should still hold"
    assert "at any time" in pane.head.accessibleDescription()
    assert pane.head.sizeHint().height() != here
    edges.become(replace(ROW, can_ever=frozenset()))
    actions = pane.row_actions
    assert [button.isHidden() for button in actions.buttons] == [False, True, True]
    menu = row_menu(pane, edges.value, (), actions)
    assert [entry.text() for entry in menu.actions()] == ["Show in Chat"]
    edges.become(ROW)
    assert not any(button.isHidden() for button in actions.buttons)
