"""The line of a thought, and the thought below it: folded nothing of it is laid out, open it moves nothing above."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

import app.widgets.chat.messages.block_layout as laid_part
from app.viewmodels.actions import BY_ID
from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.chat.rows import Footer, MessageRow, ThoughtRow
from app.viewmodels.text.formatting import HARD
from app.widgets.chat.markdown.blocks import Kind, split_thought
from app.widgets.chat.markdown.document import thought_document
from app.widgets.chat.messages.disclosure_line import DisclosureLine
from app.widgets.chat.messages.row_controls import ControlKind
from app.widgets.chat.messages.view import ChatView
from app.widgets.kit.style import Style
from tests.fakes.shown import Shown
from tests.seeds import chosen
from tests.widgets.chat.sample_messages import answer, question, talk
from tests.widgets.pictures import show

FOOTER = Footer(10, 1, 1, 38.2, 0.4, "")
LONG = "\n".join(
    f"Step {number}: the person asks about pears, and I know a little of quinces." for number in range(900)
)


@pytest.fixture
def chat(qapp: object) -> ChatModel:
    return ChatModel()


@pytest.fixture
def view(qtbot: QtBot, style: Style, chat: ChatModel) -> ChatView:
    view = ChatView(style, chat, Shown(ChatState(can_fork=True, can_regenerate=True)), BY_ID)
    qtbot.addWidget(view)
    show(view, 840, 600)
    view.thoughtPressed.connect(lambda message_id: toggle(chat, message_id))
    return view


def toggle(chat: ChatModel, message_id: str) -> None:
    """Open or fold a thought, as the chat region does when it is asked."""
    chat.show([opened(row) if row.id == message_id else row for row in chat.rows])


def opened(row: MessageRow) -> MessageRow:
    assert row.thought is not None
    return replace(row, thought=replace(row.thought, is_open=not row.thought.is_open))


def thinking(text: str = "The person\nasks about pears.", message_id: str = "a") -> MessageRow:
    return replace(answer(message_id, "Late ones."), thought=ThoughtRow(text, 12.0, 214))


def settle() -> None:
    for _ in range(4):
        QApplication.processEvents()


def line(view: ChatView, message_id: str = "a") -> DisclosureLine:
    found = view.controls.find(message_id, ControlKind.THOUGHT)
    assert isinstance(found, DisclosureLine)
    return found


def test_a_press_opens_the_thought_below_its_line_and_folds_it(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show([question("q"), thinking()])
    settle()
    folded = view.layout_of_rows.height(1)
    assert "collapsed" in line(view).accessibleName()
    qtbot.mouseClick(line(view), Qt.MouseButton.LeftButton)
    settle()
    assert view.layout_of_rows.height(1) > folded + 20
    assert "expanded" in line(view).accessibleName()
    assert line(view).isChecked()
    QTest.keyClick(line(view), Qt.Key.Key_Right)
    assert line(view).isChecked(), "it is open already"
    QTest.keyClick(line(view), Qt.Key.Key_Left)
    settle()
    assert view.layout_of_rows.height(1) == folded
    QTest.keyClick(line(view), Qt.Key.Key_Space)
    settle()
    assert view.layout_of_rows.height(1) > folded


@pytest.mark.parametrize("seed", range(6))
def test_the_line_that_is_pressed_stays_where_it_is(qtbot: QtBot, view: ChatView, chat: ChatModel, seed: int) -> None:
    dice = random.Random(seed)
    chat.show([*talk(3), question("q"), thinking(LONG[: dice.choice([60, 900, 60_000])]), *talk(0)])
    settle()
    if dice.random() < 0.5:
        view.verticalScrollBar().setValue(view.verticalScrollBar().value() - dice.randrange(60))
        settle()
    for _ in range(4):
        before = line(view).pos()
        qtbot.mouseClick(line(view), Qt.MouseButton.LeftButton)
        settle()
        is_at_end = view.verticalScrollBar().value() == view.verticalScrollBar().maximum()
        assert line(view).pos() == before or is_at_end


def test_nothing_of_a_folded_thought_is_laid_out_and_of_an_open_one_what_is_seen(
    view: ChatView, chat: ChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    monkeypatch.setattr(
        laid_part, "thought_document", lambda text, style: made.append(text) or thought_document(text, style)
    )
    chat.show([question("q"), thinking(LONG)])
    settle()
    assert made == []
    line(view).click()
    settle()
    assert 0 < sum(map(len, made)) < len(LONG) / 2


def test_a_thought_that_grows_open_lays_out_its_last_piece_only(
    qtbot: QtBot, view: ChatView, chat: ChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    growing = replace(
        answer("s", "", is_streaming=True), thought=ThoughtRow(LONG, 3.0, 40, is_open=True, is_growing=True)
    )
    chat.show([question("q"), growing])
    settle()
    made: list[str] = []
    monkeypatch.setattr(
        laid_part, "thought_document", lambda text, style: made.append(text) or thought_document(text, style)
    )
    for number in range(30):
        chat.append_tail("s", f"and pear {number}\n", "thinking")
        qtbot.waitUntil(lambda: not view._growing.is_waiting)
    assert sum(map(len, made)) < 20_000
    body = view.layout_of_rows.item(1).body
    assert body.selected_text(*body.all_of_it()) == LONG + "".join(f"and pear {number}\n" for number in range(30))


def test_what_grows_while_it_is_folded_moves_nothing(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    growing = replace(answer("s", "", is_streaming=True), thought=ThoughtRow("so", 3.0, 40, is_growing=True))
    chat.show([*talk(3), question("q"), growing])
    settle()
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() - 40)
    settle()
    before, height = view.verticalOffset(), view.layout_of_rows.total
    for number in range(20):
        chat.append_tail("s", f" and pear {number}", "thinking")
    qtbot.waitUntil(lambda: not view._growing.is_waiting)
    assert (view.verticalOffset(), view.layout_of_rows.total) == (before, height)


def test_any_growth_of_a_thought_gives_the_blocks_of_the_whole() -> None:
    for seed in chosen(range(60)):
        dice = random.Random(seed)
        whole = "".join(dice.choice(["pear ", "\n", "x" * 900, "\n\n"]) for _ in range(dice.randint(1, 60)))
        cut = dice.randint(0, len(whole))
        blocks = split_thought(whole[:cut])
        if blocks:
            last = blocks.pop()
            blocks += split_thought(whole[last.start :], last.start, last.state)
        else:
            blocks = split_thought(whole)
        assert blocks == split_thought(whole)
        assert "".join(block.joint * (number > 0) + block.text for number, block in enumerate(blocks)) == whole
        assert {block.kind for block in blocks} <= {Kind.THOUGHT}
        assert [block.is_closed for block in blocks] == [True] * (len(blocks) - 1) + [False] * bool(blocks)


def test_copy_is_of_the_text_and_the_menu_copies_both(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show([question("q"), opened(thinking())])
    settle()
    at = view.visualRect(chat.index(1)).center()
    QApplication.sendEvent(view.viewport(), QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, at))
    menu = view.findChild(QMenu)
    assert isinstance(menu, QMenu)
    entries = {entry.text(): entry for entry in menu.actions()}
    entries["Copy Message"].trigger()
    assert QGuiApplication.clipboard().text() == "Late ones."
    entries["Copy with Thinking"].trigger()
    assert QGuiApplication.clipboard().text() == "The person\nasks about pears.\n\nLate ones."
    menu.close()
    view.pointer.select_all(1)
    assert view.pointer.selected_text() == "The person\nasks about pears.\n\nLate ones."


def test_a_screen_reader_hears_the_line_change_when_it_says_something_else(
    view: ChatView, chat: ChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    growing = replace(answer("s", "", is_streaming=True), thought=ThoughtRow("so", 3.0, 40, is_growing=True))
    chat.show([question("q"), growing])
    settle()
    told: list[str] = []
    monkeypatch.setattr(DisclosureLine, "setAccessibleName", lambda _line, name: told.append(name))
    for number in range(20):
        line(view, "s").show_row(ThoughtRow("so", number / 4, number, is_growing=True))
    assert told == []
    line(view, "s").show_row(ThoughtRow("so", 5.0, 20))
    assert told == [f"Thought, 20{HARD}tokens, collapsed"]


@pytest.mark.parametrize("is_open", [False, True])
def test_the_line_of_a_thought_tells_how_long_it_takes_while_nothing_else_moves(
    view: ChatView, chat: ChatModel, is_open: bool
) -> None:
    growing = replace(answer("a", "", is_streaming=True), footer=FOOTER)
    growing = replace(growing, thought=ThoughtRow("Hm", is_open=is_open, is_growing=True))
    chat.show([question("q"), growing])
    QApplication.processEvents()
    view._growing.take_up()
    for seconds in (3.0, 4.0):
        chat.set_tail_figures("a", FOOTER, seconds)
        view._growing.take_up()
        line = view.controls.find("a", ControlKind.THOUGHT)
        assert isinstance(line, DisclosureLine)
        assert f"{seconds:.0f}" in line._row.title
