from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QModelIndex, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QWheelEvent
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

import app.viewmodels.kit.slices as slices
import app.widgets.chat.messages.block_layout as laid_part
import app.widgets.chat.messages.copy_work as copy_work
import app.widgets.chat.messages.row_painter as row_painter
from app.protocol.chat import Role
from app.viewmodels.actions import BY_ID
from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.chat.path_rows import PathRows
from app.viewmodels.chat.rows import Footer, MessageRow, Segment, segments_of
from app.widgets.chat.messages import growing_answer
from app.widgets.chat.messages.message_body import TextPoint
from app.widgets.chat.messages.message_menu import MessageMenu
from app.widgets.chat.messages.row_controls import ActionStrip, CodeCopy, ControlKind
from app.widgets.chat.messages.version_switcher import VersionSwitcher
from app.widgets.chat.messages.view import ChatView
from app.widgets.kit.controls import Button
from app.widgets.kit.style import Style
from app.widgets.kit.theme import DARK, LIGHT
from tests.fakes.shown import Shown
from tests.seeds import chosen, each_seed
from tests.widgets.chat.sample_messages import CODE, PLAN, answer, question, reading, talk
from tests.widgets.painted import times_painted
from tests.widgets.pictures import count, on_screen, picture, show

ALL = ChatState(can_fork=True, can_regenerate=True)


@pytest.fixture
def chat(qapp: object) -> ChatModel:
    model = ChatModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    return model


@pytest.fixture
def state(qapp: object) -> Shown[ChatState]:
    return Shown(ALL)


@pytest.fixture
def view(qtbot: QtBot, style: Style, chat: ChatModel, state: Shown[ChatState]) -> ChatView:
    view = ChatView(style, chat, state, BY_ID)
    qtbot.addWidget(view)
    show(view, 840, 600)
    return view


@pytest.fixture
def laid(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of which documents are made from now on."""
    texts: list[str] = []
    for name in ("markdown_document", "code_document", "plain_document"):
        original = getattr(laid_part, name)

        def noting(text: str, *rest: object, original: Any = original, **named: object) -> object:
            texts.append(text)
            return original(text, *rest, **named)

        monkeypatch.setattr(laid_part, name, noting)
    return texts


def settle() -> None:
    for _ in range(3):
        QApplication.processEvents()


def write(qtbot: QtBot, view: ChatView, chat: ChatModel, message_id: str, text: str) -> None:
    """Have an answer grow, and wait until the view has taken it up."""
    chat.append_tail(message_id, text)
    qtbot.waitUntil(lambda: not view._growing.is_waiting)


def enter(view: ChatView) -> None:
    """Come to the chat with the Tab key."""
    view.clearFocus()
    view.setFocus(Qt.FocusReason.TabFocusReason)


def hover(qtbot: QtBot, view: ChatView, number: int) -> None:
    rect = view.visualRect(view.model().index(number, 0))
    qtbot.mouseMove(view.viewport(), QPoint(400, rect.center().y() - 5))
    qtbot.mouseMove(view.viewport(), QPoint(401, rect.center().y()))
    settle()


# What is shown


def test_another_conversation_is_painted_once(view: ChatView, chat: ChatModel) -> None:
    """Qt lays rows out that came only while they are painted, and has them painted once more for it."""
    chat.show(talk(20))
    others = [replace(row, id=f"other {row.id}") for row in talk(12)]
    assert times_painted(lambda: chat.show(others), view.viewport()) == 1
    assert times_painted(lambda: chat.show([*others[:-1], answer("another", "Another one.")]), view.viewport()) == 1


def test_rows_stand_below_each_other_and_can_be_found(view: ChatView, chat: ChatModel) -> None:
    chat.show(talk(1))
    settle()
    first, second = (view.visualRect(chat.index(number)) for number in range(2))
    assert first.bottom() + 1 == second.top()
    assert view.indexAt(second.center()).row() == 1
    assert not view.indexAt(QPoint(10, 599)).isValid()


def test_a_path_opens_at_its_end(view: ChatView, chat: ChatModel) -> None:
    chat.show(talk(20))
    settle()
    assert view.verticalOffset() == view.verticalScrollBar().maximum() > 0


def test_the_rail_has_no_gap(view: ChatView, chat: ChatModel) -> None:
    """Every line of the picture has ink at the rail, from the first disc to the end of the last row."""
    chat.show([replace(row, versions=1, version=1, sibling_residencies=("live",)) for row in talk(20)])
    settle()
    image = picture(view.viewport())
    x = view.layout_of_rows.column.rail
    end = view.visualRect(chat.index(39)).bottom()
    ground = LIGHT.window.rgb()
    bare = [y for y in range(end) if image.pixel(x, y) == ground]
    assert longest_run(bare) <= 4


def test_there_is_no_rail_where_no_residency_is_known(view: ChatView, chat: ChatModel) -> None:
    rows = [replace(row, residency=None, sibling_residencies=()) for row in talk(3)]
    chat.show([replace(rows[0], version=2, versions=3), *rows[1:]])
    settle()
    beside = picture(view.viewport()).copy(0, 0, round(view.layout_of_rows.column.rail) + 7, view.height())
    assert count(beside, LIGHT.window) == beside.width() * beside.height()


def longest_run(numbers: list[int]) -> int:
    longest = run = 0
    for before, number in zip([-2, *numbers], numbers, strict=False):
        run = run + 1 if number == before + 1 else 1
        longest = max(longest, run)
    return longest


def test_a_prompt_being_read_shows_its_card(view: ChatView, chat: ChatModel) -> None:
    chat.show([question("q"), reading()])
    settle()
    assert count(picture(view.viewport()), LIGHT.track) > 500
    chat.show([question("q"), answer("r", "Now it writes", is_streaming=True)])
    settle()
    assert count(picture(view.viewport()), LIGHT.track) < 500


def test_theme_and_text_size_change_everything(view: ChatView, chat: ChatModel, style: Style) -> None:
    chat.show(talk(1))
    settle()
    height = view.layout_of_rows.total
    style.set_text_size(20)
    settle()
    assert view.layout_of_rows.total > height * 1.2
    style.set_theme(DARK)
    settle()
    image = picture(view.viewport())
    assert count(image, DARK.window) > 100_000
    assert count(image, LIGHT.text) == 0


def test_another_text_size_keeps_the_place(view: ChatView, chat: ChatModel, style: Style) -> None:
    chat.show(talk(20))
    settle()
    view.verticalScrollBar().setValue(1500)
    settle()
    number = view.indexAt(QPoint(200, 2)).row()
    style.set_text_size(20)
    settle()
    assert view.indexAt(QPoint(200, 2)).row() == number


# An answer that grows


def test_new_text_lays_out_nothing_but_the_tail(qtbot: QtBot, view: ChatView, chat: ChatModel, laid: list[str]) -> None:
    chat.show([*talk(2), question("q"), answer("s", "First.\n\nThe *tail", is_streaming=True)])
    settle()
    picture(view)
    laid.clear()
    write(qtbot, view, chat, "s", " grows")
    picture(view)
    assert laid == ["The *tail grows"]


def test_pieces_that_come_together_are_taken_up_together(
    qtbot: QtBot, view: ChatView, chat: ChatModel, laid: list[str]
) -> None:
    chat.show([question("q"), answer("s", "*a", is_streaming=True)])
    settle()
    laid.clear()
    for letter in "bcdef":
        chat.append_tail("s", letter)
    write(qtbot, view, chat, "s", "g")
    assert laid == ["*abcdefg"]


def test_text_that_comes_after_a_rest_is_taken_up_at_once_and_what_follows_it_together(
    qtbot: QtBot, view: ChatView, chat: ChatModel, laid: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing_answer, "_EVERY", 3_600_000)
    chat.show([question("q"), answer("s", "*a", is_streaming=True)])
    settle()
    laid.clear()
    write(qtbot, view, chat, "s", "b")
    assert laid == ["*ab"]
    chat.append_tail("s", "c")
    settle()
    assert laid == ["*ab"]
    assert view._growing.is_waiting


GROWING = (
    *("A fox ", "and *a ", "hare*", " went, ", "to `the ", "sea`. ", "**So", "** it ", "is", "\n", "\n\n", "- one\n"),
    *("```python\n", "x = 1\n", '"""', "\n```\n", "# Head", " [link](https://a.b)", "$x^2$ ", "| a | b |\n|---|---|\n"),
    *("| 1 | 2 |\n", "note[^1] ", "\n\n[^1]: Below.\n\n", "> said ", "so<br>", "שלום "),
    "of it all, once more and again. " * 3,
)


def places_of(view: ChatView) -> tuple[float, ...]:
    """How far the view is scrolled, how high its last message is, and where its controls stand."""
    rows, controls = view.layout_of_rows, view.controls._widgets.values()
    places = [place for one in controls for place in (one.x(), one.y(), one.width(), one.height())]
    return (view.verticalOffset(), rows.total, rows.item(len(rows) - 1).height, *places)


@each_seed(range(10))
def test_what_stands_on_the_screen_while_an_answer_grows_is_what_a_whole_paint_shows(
    qtbot: QtBot, style: Style, seed: int
) -> None:
    """Only what is new is painted, wherever a letter changes what stands above it."""
    dice = random.Random(seed)
    chat = ChatModel()
    view = ChatView(style, chat, Shown(ALL), BY_ID)
    qtbot.addWidget(view)
    show(view, 560, dice.choice((240, 700)))
    thinks = dice.random() < 0.3
    chat.show([question("q"), answer("s", "", is_streaming=True)])
    settle()
    for step in range(30):
        text = dice.choice(GROWING)
        chat.append_tail("s", text, "thinking" if thinks and step < 8 else "text")
        if dice.random() < 0.3:
            chat.set_tail_figures("s", Footer(10, step, step, 38.2, 0.4, ""))
        view._growing.take_up()
        places = places_of(view)
        view.updateGeometries()
        assert places_of(view) == places, "nothing was left to be measured or moved"
        settle()
        qtbot.waitUntil(lambda: on_screen(view) == picture(view))  # a formula may come between the two


def test_the_end_is_followed(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show([*talk(10), question("q"), answer("s", "", is_streaming=True)])
    settle()
    for _ in range(3):
        write(qtbot, view, chat, "s", "More text.\n\n" * 4)
        assert view.verticalOffset() == view.verticalScrollBar().maximum()
    assert view.pill.isHidden()


def test_the_pill_is_placed_only_where_it_can_be_seen(
    qtbot: QtBot, view: ChatView, chat: ChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    placed: list[bool] = []
    monkeypatch.setattr(view.pill, "raise_", lambda: placed.append(view.follows_end))
    chat.show([*talk(10), question("q"), answer("s", "", is_streaming=True)])
    settle()
    write(qtbot, view, chat, "s", "More text.\n\n" * 4)
    assert not placed
    view.resize(view.width() + 40, view.height() + 40)
    view.verticalScrollBar().setValue(100)
    write(qtbot, view, chat, "s", "And more.")
    assert placed
    assert not any(placed)
    assert view.pill.isVisible()
    assert view.viewport().rect().contains(view.pill.geometry())
    column, pill = view.layout_of_rows.column, view.pill.geometry()
    assert abs(pill.center().x() - column.left - column.width / 2) <= 1


def test_who_reads_further_up_is_left_there_and_told(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show([*talk(10), question("q"), answer("s", "", is_streaming=True)])
    settle()
    view.verticalScrollBar().setValue(100)
    settle()
    top = view.visualRect(chat.index(1)).top()
    write(qtbot, view, chat, "s", "More text.\n\n" * 20)
    assert view.visualRect(chat.index(1)).top() == top
    assert view.pill.isVisible()
    qtbot.mouseClick(view.pill, Qt.MouseButton.LeftButton)
    assert view.verticalOffset() == view.verticalScrollBar().maximum()
    assert view.pill.isHidden()


def test_the_end_that_is_in_sight_is_not_covered_by_what_grows_below_it(view: ChatView, chat: ChatModel) -> None:
    """Also where one has scrolled a little, so that the end is not followed; who reads further up is left there."""
    chat.show(talk(20))
    settle()
    bar, rows = view.verticalScrollBar(), view.layout_of_rows
    for above in (0, 1, 2, 8, 15, 200, 700):
        view.resize(840, 600)
        view.go_to_end()
        bar.setValue(bar.maximum() - above)
        settle()
        was_in_sight = rows.top(len(rows)) <= view.verticalOffset() + view.viewport().height()
        assert was_in_sight == (above < 200)
        before = view.verticalOffset()
        for size in ((840, 500), (840, 380), (760, 300)) if was_in_sight else ((840, 500), (840, 380)):
            view.resize(*size)
            settle()
            if was_in_sight:
                assert rows.top(len(rows)) <= view.verticalOffset() + view.viewport().height()
            else:
                assert view.verticalOffset() == before


def test_the_pill_goes_when_one_scrolls_to_the_end(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show([*talk(10), question("q"), answer("s", "", is_streaming=True)])
    settle()
    view.verticalScrollBar().setValue(100)
    write(qtbot, view, chat, "s", "More text.\n\n" * 20)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    assert view.pill.isHidden()
    assert view.follows_end


def test_a_new_question_is_shown_to_whoever_asked_it(view: ChatView, chat: ChatModel) -> None:
    chat.show(talk(10))
    settle()
    view.verticalScrollBar().setValue(0)
    view.go_to_end()
    chat.show([*talk(10), question("q"), answer("s", "", is_streaming=True)])
    settle()
    assert view.verticalOffset() == view.verticalScrollBar().maximum()


def test_a_question_that_waited_moves_nobody_who_has_scrolled_away_since(view: ChatView, chat: ChatModel) -> None:
    chat.show(talk(10))
    settle()
    view.go_to_end()
    view.verticalScrollBar().setValue(100)
    settle()
    before = view.verticalOffset()
    chat.show([*talk(10), question("q"), answer("s", "", is_streaming=True)])
    settle()
    assert view.verticalOffset() == before


def test_another_answer_is_shown_wherever_it_was_asked_for(view: ChatView, chat: ChatModel) -> None:
    chat.show(talk(10))
    settle()
    view.verticalScrollBar().setValue(100)
    chat.show([*talk(10)[:-1], answer("s", "", is_streaming=True)])
    settle()
    assert view.verticalOffset() == view.verticalScrollBar().maximum()


# Nothing moves the view but what the person asks for


def long_talk() -> list[MessageRow]:
    """Messages from one line to several screens, the last answer being written."""
    rows = []
    for number in range(12):
        rows += [question(f"q{number}", "Words. " * (number * number)), answer(f"a{number}", PLAN * (1 + number % 5))]
    return [*rows, question("q"), answer("s", "It begins.\n\n", is_streaming=True)]


@pytest.mark.parametrize("seed", chosen(range(4)))
def test_nothing_that_is_not_scrolling_moves_the_view(
    qtbot: QtBot, view: ChatView, chat: ChatModel, style: Style, seed: int
) -> None:
    draw = random.Random(seed)
    chat.show(long_talk())
    other = QLineEdit()
    qtbot.addWidget(host := QWidget())
    column = QVBoxLayout(host)
    column.addWidget(other)
    column.addWidget(view)
    show(host, 840, 640)
    settle()
    for step in range(60):
        if step % 4 == 0:
            view.verticalScrollBar().setValue(draw.randrange(view.verticalScrollBar().maximum() - 50))
            settle()
        at = QPoint(draw.randrange(100, 700), draw.randrange(10, 590))
        before = view.visualRect(view.indexAt(at)).top(), view.indexAt(at).row()
        what = draw.choice(["click", "double", "drag", "hover", "focus", "tab", "leave", "menu", "write", "figures"])
        disturb(qtbot, view, chat, other, what, at, draw)
        settle()
        assert (view.visualRect(view.indexAt(at)).top(), view.indexAt(at).row()) == before, (seed, step, what)
    before = view.verticalOffset()
    qtbot.wait(QApplication.doubleClickInterval() + 150)
    view.setParent(None)
    assert view.verticalOffset() == before


def disturb(
    qtbot: QtBot, view: ChatView, chat: ChatModel, other: QLineEdit, what: str, at: QPoint, draw: random.Random
) -> None:
    """Do something that is no scrolling."""
    port, left = view.viewport(), Qt.MouseButton.LeftButton
    if what == "click":
        other.setFocus()
        qtbot.mouseClick(port, draw.choice([left, Qt.MouseButton.RightButton]), pos=at)
    elif what == "double":
        qtbot.mouseDClick(port, left, pos=at)
    elif what == "drag":
        qtbot.mousePress(port, left, pos=at)
        for _ in range(3):
            qtbot.mouseMove(port, QPoint(draw.randrange(100, 700), draw.randrange(-50, 650)))
        qtbot.mouseRelease(port, left, pos=QPoint(draw.randrange(100, 700), draw.randrange(10, 590)))
    elif what == "hover":
        qtbot.mouseMove(port, QPoint(draw.randrange(100, 700), draw.randrange(10, 590)))
    elif what == "focus":
        other.setFocus()
        view.setFocus(Qt.FocusReason.MouseFocusReason)
    elif what == "tab":
        other.setFocus()
        view.setFocus(draw.choice([Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason]))
        assert view.current_row() is not None
        assert view.visualRect(view.currentIndex()).intersects(port.rect())
    elif what == "leave":
        view.clearFocus()
    elif what == "menu":
        QApplication.sendEvent(port, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, port.mapToGlobal(at)))
        for menu in view.findChildren(QMenu):
            menu.close()
        view.window().activateWindow()
    elif what == "write":
        write(qtbot, view, chat, "s", "More text, and more.\n\n" * draw.randrange(1, 9))
    else:
        chat.set_tail_figures("s", Footer(0, 168, draw.randrange(1000), 38.0, None, ""))


@pytest.mark.parametrize("seed", chosen(range(3)))
def test_another_width_or_size_keeps_the_line_at_the_top(
    view: ChatView, chat: ChatModel, style: Style, seed: int
) -> None:
    """Not only the message: a long one stays at the same words."""
    draw = random.Random(seed)
    words = " ".join(f"word{number}" for number in range(3000))
    code = "\n".join(f"line_{number} = {number}" for number in range(400))
    chat.show([*talk(3), question("q", words), answer("a", f"{PLAN}\n\n```py\n{code}\n```\n\n{words}"), *talk(2)[:1]])
    settle()
    for step in range(12):
        view.verticalScrollBar().setValue(draw.randrange(300, view.verticalScrollBar().maximum() - 700))
        settle()
        offset, rows = view.verticalOffset(), view.layout_of_rows
        anchor = rows.anchor_at(offset)
        if draw.random() < 0.5:
            view.resize(draw.randrange(500, 1000), 600)
        else:
            style.set_text_size(draw.randrange(11, 20))
        settle()
        assert anchor is not None
        now = view.layout_of_rows.offset_of(anchor)
        is_at_end = view.verticalOffset() == view.verticalScrollBar().maximum()
        assert is_at_end or abs(now - view.verticalOffset()) <= style.typography.body, (seed, step, anchor)


def test_selected_text_stays_selected_while_the_focus_comes_and_goes(
    qtbot: QtBot, view: ChatView, chat: ChatModel
) -> None:
    chat.show(talk(2))
    settle()
    rect = view.visualRect(chat.index(3))
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(130, rect.top() + 60))
    selected = view.pointer.selected_text()
    assert selected
    view.clearFocus()
    enter(view)
    chat.show([*talk(2), question("q"), answer("s", "", is_streaming=True)])
    chat.show(talk(2))
    assert view.pointer.selected_text() == selected


def test_the_question_to_edit_is_one_that_is_seen(view: ChatView, chat: ChatModel) -> None:
    chat.show(long_talk())
    settle()
    assert view.question_to_edit == "q"
    for number in range(12):
        view.show_message(f"q{number}")
        view.setCurrentIndex(QModelIndex())
        in_sight = [row.id for row in chat.rows if view.visualRect(chat.index(chat.row_of(row.id))).top() < 600]
        assert view.question_to_edit == [name for name in in_sight if name.startswith("q")][-1]
    enter(view)
    view.setCurrentIndex(chat.index(chat.row_of("a3")))
    assert view.question_to_edit == "q3"


def test_figures_so_far_are_painted(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show([question("q"), answer("s", "text", is_streaming=True)])
    settle()
    before = count(picture(view.viewport()), LIGHT.mute)
    chat.set_tail_figures("s", Footer(0, 168, 96, 38.0, None, ""))
    qtbot.waitUntil(lambda: not view._growing.is_waiting)
    assert count(picture(view.viewport()), LIGHT.mute) > before


def test_the_caret_stands_while_it_writes(view: ChatView, chat: ChatModel) -> None:
    def accent() -> int:
        settle()
        return count(picture(view.viewport()), LIGHT.accentgfx)

    chat.show([question("q"), answer("s", "text", is_streaming=True)])
    writing = accent()
    chat.show([question("q"), replace(answer("s", "text", is_streaming=True), is_streaming=False)])
    assert writing - accent() > 80


def test_no_turn_of_the_event_loop_lays_out_more_than_a_share(view: ChatView, chat: ChatModel, laid: list[str]) -> None:
    """Characters without a width stand thousands to a line: what is in sight then comes in several turns."""
    for attack in ("a" + "\u0301" * 300_000, "\u2067" * 300_000, "\u200d" * 300_000):
        chat.show([])
        laid.clear()
        chat.show([question("q"), answer(attack[-1:], attack)])
        shares = []
        for _ in range(200):
            laid.clear()
            QApplication.processEvents()
            shares.append(sum(map(len, laid)))
            if sum(shares) and not view.layout_of_rows.is_behind and not laid:
                break
        assert max(shares) <= 2 * 46_000
        assert not view.layout_of_rows.is_behind
        rows, item = view.layout_of_rows, view.layout_of_rows.item(1)
        top = view.verticalOffset() - rows.top(1) - item.text.top()
        in_sight = list(item.body._placed(top, top + 600))
        assert len(in_sight) > 20
        assert [number for number, block, _ in in_sight if not block.is_laid_out(item.body._width)] == []


# Versions


def test_a_fork_stays_where_it_is_when_another_version_is_shown(view: ChatView, chat: ChatModel) -> None:
    rows = talk(12)
    chat.show(rows)
    settle()
    view.verticalScrollBar().setValue(view.visualRect(chat.index(2)).top() + view.verticalOffset() - 80)
    settle()
    assert view.visualRect(chat.index(2)).top() == 80
    chat.show([*rows[:2], question("other", "Another one", 3, 3), answer("b", "Short.")])
    chat.show([*rows[:2], question("other", "Another one", 3, 3), *talk(8)[1:]])
    settle()
    assert view.visualRect(chat.index(2)).top() == 80


def test_another_conversation_opens_at_its_end(view: ChatView, chat: ChatModel) -> None:
    chat.show(talk(20))
    settle()
    view.verticalScrollBar().setValue(10)
    chat.show([replace(row, id=f"other {row.id}") for row in talk(15)])
    settle()
    assert view.verticalOffset() == view.verticalScrollBar().maximum()


def test_arrows_of_the_switcher_ask_for_a_version(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show(talk(2))
    settle()
    switcher = view.controls.find("q1", ControlKind.SWITCHER)
    assert isinstance(switcher, VersionSwitcher)
    assert switcher.text == "2 of 3"
    with qtbot.waitSignal(view.versionAsked) as heard:
        qtbot.mouseClick(switcher, Qt.MouseButton.LeftButton, pos=QPoint(switcher.width() - 8, 10))
    assert heard.args == ["q1", 1]
    switcher.setFocus()
    with qtbot.waitSignal(view.versionAsked) as heard:
        qtbot.keyClick(switcher, Qt.Key.Key_Left)
    assert heard.args == ["q1", -1]


def test_left_and_right_show_versions_of_the_message_the_keyboard_is_on(
    qtbot: QtBot, view: ChatView, chat: ChatModel
) -> None:
    chat.show(talk(2))
    settle()
    view.setFocus()
    view.setCurrentIndex(chat.index(2))
    with qtbot.waitSignal(view.versionAsked) as heard:
        qtbot.keyClick(view, Qt.Key.Key_Right)
    assert heard.args == ["q1", 1]
    view.setCurrentIndex(chat.index(0))
    with qtbot.assertNotEmitted(view.versionAsked):
        qtbot.keyClick(view, Qt.Key.Key_Right)


# Actions


def test_the_last_answer_always_has_its_actions(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show(talk(2))
    settle()
    strip = view.controls.find("a1", ControlKind.ANSWER)
    assert isinstance(strip, ActionStrip)
    assert view.controls.find("a0", ControlKind.ANSWER) is None
    with qtbot.waitSignal(view.againAsked) as heard:
        qtbot.mouseClick(strip.stops[-1], Qt.MouseButton.LeftButton)
    assert heard.args == ["a1"]


def test_an_answer_that_is_written_has_none(view: ChatView, chat: ChatModel) -> None:
    chat.show([question("q"), answer("s", "text", is_streaming=True)])
    settle()
    assert view.controls.find("s", ControlKind.ANSWER) is None


def test_a_message_has_its_actions_while_the_mouse_is_on_it(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show(talk(1))
    settle()
    assert view.controls.find("q0", ControlKind.QUESTION) is None
    hover(qtbot, view, 0)
    strip = view.controls.find("q0", ControlKind.QUESTION)
    assert isinstance(strip, ActionStrip)
    with qtbot.waitSignal(view.editAsked) as heard:
        qtbot.mouseClick(strip.stops[-1], Qt.MouseButton.LeftButton)
    assert heard.args == ["q0"]
    hover(qtbot, view, 1)
    assert view.controls.find("q0", ControlKind.QUESTION) is None


def test_actions_are_reached_from_the_keyboard(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show(talk(1))
    settle()
    enter(view)
    qtbot.keyClick(view, Qt.Key.Key_Home)
    settle()
    strip = view.controls.find("q0", ControlKind.QUESTION)
    assert isinstance(strip, ActionStrip)
    qtbot.keyClick(view, Qt.Key.Key_Tab)
    assert strip.copy.hasFocus()
    qtbot.keyClick(strip.copy, Qt.Key.Key_Tab)
    assert strip.stops[-1].hasFocus()
    with qtbot.waitSignal(view.editAsked) as heard:
        qtbot.keyClick(strip.stops[-1], Qt.Key.Key_Return)
    assert heard.args == ["q0"]


def test_an_action_that_cannot_act_now_is_disabled(view: ChatView, chat: ChatModel, state: Shown[ChatState]) -> None:
    chat.show(talk(1))
    settle()
    strip = view.controls.find("a0", ControlKind.ANSWER)
    assert isinstance(strip, ActionStrip)
    assert strip.stops[-1].isEnabled()
    state.show(replace(ALL, can_regenerate=False))
    settle()
    assert not strip.stops[-1].isEnabled()
    assert strip.copy.isEnabled()


def test_copy_copies_the_message_as_it_was_written(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show(talk(1))
    settle()
    strip = view.controls.find("a0", ControlKind.ANSWER)
    assert isinstance(strip, ActionStrip)
    qtbot.mouseClick(strip.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == PLAN


def test_code_is_copied_without_its_fence(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show(talk(1))
    settle()
    copy = view.findChild(CodeCopy)
    assert isinstance(copy, CodeCopy)
    qtbot.mouseClick(copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == CODE


def test_code_is_scrolled_by_the_wheel_and_by_keys_and_the_chat_stays(
    qtbot: QtBot, view: ChatView, chat: ChatModel
) -> None:
    chat.show([question("q"), answer("a", "```py\n" + "x + " * 200 + "\n```\n\n" + "Words. " * 2000)])
    settle()
    view.verticalScrollBar().setValue(0)
    settle()
    copy = view.controls.find("a", ControlKind.CODE)
    assert isinstance(copy, CodeCopy)
    laid = view.layout_of_rows.item(1).body._split()[0]
    at = QPointF(300, copy.geometry().bottom() + 20)
    for delta, modifier in (
        (QPoint(-120, 0), Qt.KeyboardModifier.NoModifier),
        (QPoint(0, -120), Qt.KeyboardModifier.ShiftModifier),
    ):
        before, offset = laid.scrolled, view.verticalOffset()
        wheel = QWheelEvent(
            *(at, QPointF(view.viewport().mapToGlobal(at)), QPoint(), delta, Qt.MouseButton.NoButton, modifier),
            *(Qt.ScrollPhase.NoScrollPhase, False),
        )
        QApplication.sendEvent(view.viewport(), wheel)
        assert laid.scrolled > before
        assert view.verticalOffset() == offset
    before = laid.scrolled
    qtbot.keyClick(copy, Qt.Key.Key_Right)
    assert laid.scrolled > before
    qtbot.keyClick(copy, Qt.Key.Key_Left)
    assert abs(laid.scrolled - before) < 0.01


def test_controls_leave_with_their_message_and_give_the_focus_back(view: ChatView, chat: ChatModel) -> None:
    chat.show(talk(2))
    settle()
    switcher = view.controls.find("q1", ControlKind.SWITCHER)
    assert isinstance(switcher, VersionSwitcher)
    switcher.setFocus()
    chat.show(talk(1))
    settle()
    assert view.controls.find("q1", ControlKind.SWITCHER) is None
    assert view.hasFocus()


def test_every_control_says_what_it_is(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show(talk(2))
    settle()
    hover(qtbot, view, 0)
    named = [view, *view.findChildren(VersionSwitcher), *view.findChildren(CodeCopy), view.pill]
    named += [button for strip in view.findChildren(ActionStrip) for button in strip.stops]
    assert all(widget.accessibleName() for widget in named)
    assert len(named) > 6


# The keyboard


def test_up_and_down_go_from_message_to_message(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show(talk(10))
    settle()
    enter(view)
    assert view.currentIndex().row() == 19
    for _ in range(3):
        qtbot.keyClick(view, Qt.Key.Key_Up)
    assert view.currentIndex().row() == 16
    assert view.viewport().rect().intersects(view.visualRect(view.currentIndex()))
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert view.verticalOffset() == 0


def test_the_message_that_the_keyboard_is_on_has_a_ring(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show([question("q"), answer("a", "short")])
    settle()
    before = count(picture(view.viewport()), LIGHT.accentgfx)
    enter(view)
    settle()
    assert count(picture(view.viewport()), LIGHT.accentgfx) > before + 500


def test_pages_scroll(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show(talk(10))
    settle()
    before = view.visualRect(chat.index(18)).top()
    qtbot.keyClick(view, Qt.Key.Key_PageUp)
    assert 400 < view.visualRect(chat.index(18)).top() - before < 600


# Selecting text and links


def line_of(view: ChatView, chat: ChatModel, number: int) -> QPoint:
    """The middle of the first line of a message's text."""
    item, rect = view.layout_of_rows.item(number), view.visualRect(chat.index(number))
    return (QPointF(rect.topLeft()) + item.text.topLeft() + QPointF(2, 11)).toPoint()


def drag(qtbot: QtBot, view: ChatView, start: QPoint, end: QPoint) -> None:
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=start)
    for at in (start + QPoint(3, 0), end):
        move(view, at)
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=end)


def move(view: ChatView, at: QPoint) -> None:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent

    where = QPointF(view.viewport().mapToGlobal(at))
    left = Qt.MouseButton.LeftButton
    event = QMouseEvent(
        QEvent.Type.MouseMove, QPointF(at), where, Qt.MouseButton.NoButton, left, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(view.viewport(), event)


def test_text_is_selected_and_copied(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show([question("q"), answer("a", "one two three")])
    settle()
    start = line_of(view, chat, 1)
    drag(qtbot, view, start, start + QPoint(400, 0))
    assert view.pointer.selected_text() == "one two three"
    assert count(picture(view.viewport()), LIGHT.softline) > 100
    assert view.copy()
    assert QGuiApplication.clipboard().text() == "one two three"
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, 590))
    assert view.pointer.selected_text() == ""


def test_thousands_of_messages_are_copied_a_few_at_a_time(
    qtbot: QtBot, view: ChatView, chat: ChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def pieces_of(segments: Sequence[Segment], _style: Style, *, as_markdown: bool) -> Iterator[str]:
        told.append(segments[0].text)
        yield segments[0].text

    monkeypatch.setattr(copy_work, "pieces_of", pieces_of)
    monkeypatch.setattr(slices, "SLICE", 0.0)  # one message in a turn of the event loop
    QGuiApplication.clipboard().setText("before")
    chat.show([question(f"m{number}", f"Message {number}.") for number in range(2_000)])
    settle()
    view.pointer.selection.begin(0, TextPoint(0, 3))
    view.pointer.selection.extend(1_999, TextPoint(0, 7))
    assert view.copy()
    assert (told, QGuiApplication.clipboard().text()) == ([], "before")
    for _ in range(4):
        QApplication.processEvents()
    assert 0 < len(told) < 100
    chat.show(talk())  # what was selected is copied, wherever one goes meanwhile
    monkeypatch.setattr(slices, "SLICE", 0.005)
    with qtbot.waitSignal(view.copy_work.copied) as done:
        pass
    assert done.args == [2_000]
    between = [f"Message {number}." for number in range(1, 1_999)]
    assert QGuiApplication.clipboard().text().split("\n\n") == ["sage 0.", *between, "Message"]


@pytest.mark.parametrize("is_selected", [False, True])
def test_a_huge_message_is_copied_a_piece_at_a_time(
    qtbot: QtBot, view: ChatView, chat: ChatModel, monkeypatch: pytest.MonkeyPatch, is_selected: bool
) -> None:
    monkeypatch.setattr(slices, "SLICE", 0.0)  # one piece in a turn of the event loop
    QGuiApplication.clipboard().setText("before")
    words = [f"paragraph **{number}**{' and more' * 5}" for number in range(1_200)]
    chat.show([question("q"), answer("a", "\n\n".join(words))])
    settle()
    view.setFocus()
    view.setCurrentIndex(chat.index(1))
    if is_selected:
        view.pointer.select_all(1)
    assert view.copy()
    QApplication.processEvents()
    assert view.copy_work.is_running
    assert QGuiApplication.clipboard().text() == "before"
    chat.show(talk())
    monkeypatch.setattr(slices, "SLICE", 0.005)
    with qtbot.waitSignal(view.copy_work.copied):
        pass
    assert QGuiApplication.clipboard().text() == "\n\n".join(words).replace("**", "")


def test_the_space_bar_turns_pages_and_with_shift_back(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show([question("q"), answer("a", "\n\n".join(f"Paragraph {number}" for number in range(200)))])
    settle()
    view.setFocus()
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    qtbot.keyClick(view, Qt.Key.Key_PageDown)
    down = bar.value()
    qtbot.keyClick(view, Qt.Key.Key_PageUp)
    up = bar.value()
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert bar.value() == down > up
    qtbot.keyClick(view, Qt.Key.Key_Space, Qt.KeyboardModifier.ShiftModifier)
    assert bar.value() == up


def test_a_double_click_takes_a_word(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show([question("q"), answer("a", "one two three")])
    settle()
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=line_of(view, chat, 1) + QPoint(5, 0))
    assert view.pointer.selected_text() == "one"


def test_all_of_the_current_message_is_selected(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show([question("q", "Typed **text**"), answer("a", "one")])
    settle()
    view.setFocus()
    view.setCurrentIndex(chat.index(0))
    qtbot.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert view.pointer.selected_text() == "Typed **text**"


def test_a_link_is_asked_about_and_not_opened(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show([question("q"), answer("a", "[everything here](https://example.org/x)")])
    settle()
    at = line_of(view, chat, 1) + QPoint(20, 0)
    with qtbot.waitSignal(view.linkAsked) as heard:
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert heard.args == ["https://example.org/x"]
    with qtbot.assertNotEmitted(view.linkAsked):
        drag(qtbot, view, at, at + QPoint(40, 0))


def test_the_menu_under_the_mouse_acts_on_its_message(qtbot: QtBot, view: ChatView, chat: ChatModel) -> None:
    chat.show([question("q", "Typed"), answer("a", "one")])
    settle()
    at = view.visualRect(chat.index(0)).center()
    QApplication.sendEvent(view.viewport(), QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, at))
    menu = view.findChild(QMenu)
    assert isinstance(menu, QMenu)
    titles = [entry.text() for entry in menu.actions() if not entry.isSeparator()]
    assert titles == ["Copy Message", "Copy as Markdown", "Edit as New Branch", "Delete Message and What Follows"]
    with qtbot.waitSignal(view.editAsked) as heard:
        menu.actions()[2].trigger()
    assert heard.args == ["q"]
    menu.actions()[0].trigger()
    assert QGuiApplication.clipboard().text() == "Typed"
    menu.close()


def test_the_menu_of_a_message_copies_what_is_selected_only_in_that_one(
    qtbot: QtBot, view: ChatView, chat: ChatModel
) -> None:
    chat.show([question("p", "First"), answer("a", "one two"), question("q", "Second")])
    settle()
    view.pointer.selection.take(1, (TextPoint(0, 0), TextPoint(0, 3)))
    menus: list[MessageMenu] = []
    view.menuMade.connect(menus.append)
    for number, title, words in ((0, "Copy Message", "First"), (1, "Copy", "one"), (2, "Copy Message", "Second")):
        view._open_menu(number, QPoint(0, 0))
        copy, as_markdown = menus[-1].actions()[:2]
        assert copy.text() == title
        for entry in (copy, as_markdown):
            QGuiApplication.clipboard().setText("")
            entry.trigger()
            assert QGuiApplication.clipboard().text() == words
        menus[-1].close()


def test_the_menu_key_opens_the_menu_of_the_message_that_the_keyboard_is_on(
    qtbot: QtBot, view: ChatView, chat: ChatModel
) -> None:
    """In sight, however long the message is; also from a button of the message, wherever the mouse is."""
    long = question("q", "Typed\n" * 200)
    chat.show([question("p", "First"), answer("a", "one"), long, answer("b", "two")])
    settle()
    seen = set[str]()
    for number, has_button in product(range(4), (False, True)):
        view.window().activateWindow()
        view.setCurrentIndex(chat.index(number))
        view.scrollTo(chat.index(number))
        settle()
        view.setFocus()
        if has_button:
            qtbot.keyClick(view, Qt.Key.Key_Tab)
        focused, far = QApplication.focusWidget(), QPoint(-500, -500)
        assert focused is not None
        assert (focused is view) is not has_button
        on = chat.rows[view.keyboard_row].id
        seen.add(on)
        QApplication.sendEvent(focused, QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, far, far))
        menu = view.findChildren(QMenu)[-1]
        assert menu.isVisible()
        assert view.viewport().rect().contains(view.viewport().mapFromGlobal(menu.pos()))
        with qtbot.waitSignal(view.deleteAsked) as heard:
            next(entry for entry in menu.actions() if entry.text().startswith("Delete")).trigger()
        assert heard.args == [on]
        menu.close()
        menu.deleteLater()
        QCoreApplication.sendPostedEvents(menu, QEvent.Type.DeferredDelete)
    assert seen == {"p", "a", "q", "b"}


# Size


def test_five_thousand_messages_open_without_being_measured(view: ChatView, chat: ChatModel, laid: list[str]) -> None:
    chat.show(talk(2500))
    settle()
    picture(view)
    assert 0 < len(laid) < 40
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    picture(view)
    assert len(laid) < 80


class LongTalk:
    """A path of which every row can be made, and which notes the numbers of those that are."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.made: list[int] = []

    def rows(self, prefix: str = "m") -> PathRows:
        ids = [f"{prefix}{number}" for number in range(self.count)]
        return PathRows(ids, lambda number: self._make(ids[number], number), self._segments)

    def _make(self, message_id: str, number: int) -> MessageRow:
        self.made.append(number)
        role, text = self._said(number, number + 1)[0]
        return question(message_id, text) if role == "user" else answer(message_id, text)

    def _segments(self, first: int, end: int) -> list[tuple[Role, tuple[Segment, ...]]]:
        return [(role, segments_of(role, text)) for role, text in self._said(first, end)]

    def _said(self, first: int, end: int) -> list[tuple[Role, str]]:
        texts = [PLAN, "Short.", "Words. " * 200]
        return [("assistant" if one % 2 else "user", texts[one % 3]) for one in range(first, min(end, self.count))]


def test_what_happens_costs_the_rows_that_are_looked_at(view: ChatView, chat: ChatModel, style: Style) -> None:
    """However long the path is: none of these makes more than a few screens of rows."""
    talk, bar = LongTalk(8_000), view.verticalScrollBar()

    def grow() -> None:
        talk.count += 1
        chat.show(talk.rows())

    def fork() -> None:
        talk.count = 6_000
        chat.show(talk.rows())

    for act in (
        lambda: chat.show(talk.rows()),
        lambda: chat.show(talk.rows()),
        grow,
        lambda: bar.setValue(0),
        lambda: bar.setValue(bar.maximum() // 2),
        lambda: view.show_message("m3000"),
        lambda: view.resize(700, 500),
        lambda: style.set_theme(DARK),
        lambda: style.set_text_size(18),
        lambda: view.question_to_edit,
        fork,
        lambda: chat.show(talk.rows("other")),
        lambda: view.show_anchor("other1500", 10),
        lambda: chat.show([]),
    ):
        talk.made.clear()
        act()
        settle()
        picture(view.viewport())
        assert len(talk.made) < 400, act
    assert len(view.layout_of_rows) == 0


@pytest.mark.parametrize("seed", chosen(range(3)))
def test_a_place_in_a_very_long_path_is_come_back_to(view: ChatView, chat: ChatModel, seed: int) -> None:
    draw, talk, bar = random.Random(seed), LongTalk(8_000), view.verticalScrollBar()
    for _ in range(2):
        chat.show(talk.rows())
        settle()
        bar.setValue(draw.randrange(bar.maximum() - 50))
        settle()
        anchor, first = view.anchor(), view.indexAt(QPoint(200, 2)).row()
        before = [view.visualRect(chat.index(number)).top() for number in (first + 1, first + 2)]
        chat.show(talk.rows("other"))
        settle()
        chat.show(talk.rows())
        view.show_anchor(*anchor)
        settle()
        after = [view.visualRect(chat.index(number)).top() for number in (first + 1, first + 2)]
        assert after == pytest.approx(before, abs=1), (seed, anchor)


def test_on_the_way_to_a_place_no_controls_are_made_elsewhere(view: ChatView, chat: ChatModel) -> None:
    """Another conversation is opened at its end, and at once taken to where it was left."""
    made: list[str] = []
    view.controls.made.connect(lambda _widget, message_id: made.append(message_id))
    chat.show(talk(40))
    settle()
    shown = {chat.rows[number].id for number in view.rows_in_sight()}
    assert made
    chat.show(LongTalk(40).rows("other"))
    made.clear()
    view.show_anchor("other3", 0.0)
    settle()
    in_sight = {chat.rows[number].id for number in view.rows_in_sight()}
    assert made
    assert set(made) <= in_sight
    assert not shown & in_sight


def test_news_of_rows_far_away_move_nothing(view: ChatView, chat: ChatModel) -> None:
    draw, talk, bar = random.Random(1), LongTalk(8_000), view.verticalScrollBar()
    chat.show(talk.rows())
    settle()
    bar.setValue(bar.maximum() // 2)
    settle()
    number = view.indexAt(QPoint(200, 300)).row()
    before = view.visualRect(chat.index(number))
    for _ in range(10):
        other = draw.randrange(8_000)
        for _ in range(3):
            assert chat.index(other).data(Qt.ItemDataRole.AccessibleTextRole)
            assert view.visualRect(chat.index(other)).height() > 0
        if draw.random() < 0.5:
            talk.count += 1
        chat.show(talk.rows())
        settle()
        assert view.visualRect(chat.index(number)) == before, other


def test_every_row_speaks(view: ChatView, chat: ChatModel) -> None:
    chat.show(talk(2))
    spoken = chat.index(2).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "message 3 of 4" in spoken
    assert "version 2 of 3" in spoken


def test_why_an_answer_ended_is_said_once(view: ChatView, chat: ChatModel, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(row_painter, "paint_footer", lambda *args, is_done: said.append(args[3].stop))
    ended = replace(answer("a", "half an ans"), footer=Footer(1, 2, 3, 4.0, 0.5, "stopped"))
    chat.show([question("q"), ended])
    settle()
    picture(view)
    chat.show([question("q"), replace(ended, note="Stopped")])
    settle()
    picture(view)
    assert (said[0], said[-1]) == ("stopped", "")


# Messages that are marked


def test_a_question_that_nobody_answered_has_a_button_that_has_it_answered(
    qtbot: QtBot, view: ChatView, chat: ChatModel
) -> None:
    rows = [*talk(1), replace(question("q", "And then?"), is_unanswered=True, note="Not answered yet")]
    chat.show(rows)
    settle()
    button = view.controls.find("q", ControlKind.UNANSWERED)
    assert isinstance(button, Button)
    assert button.accessibleName() == BY_ID["answer"].title
    item = view.layout_of_rows.item(2)
    assert button.x() >= item.note_end
    assert view.visualRect(chat.index(2)).contains(button.geometry())
    with qtbot.waitSignal(view.commandAsked) as heard:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert heard.args == ["answer", "q"]
    chat.show([*rows[:2], question("q", "And then?"), answer("a")])
    settle()
    assert view.controls.find("q", ControlKind.UNANSWERED) is None


@pytest.mark.parametrize("number", [0, 1])
def test_the_message_being_edited_is_marked(view: ChatView, chat: ChatModel, number: int) -> None:
    rows = talk(1)
    chat.show(rows)
    settle()
    plain = picture(view.viewport())
    rows[number] = replace(rows[number], is_edited=True)
    chat.show(rows)
    settle()
    assert picture(view.viewport()) != plain
    assert "being edited" in str(chat.index(number).data(Qt.ItemDataRole.AccessibleTextRole))


def test_steps_lead_along_the_path_from_where_one_looks(view: ChatView, chat: ChatModel) -> None:
    """From elsewhere to the last message in sight; at both ends they stay."""
    chat.show(talk(3))
    settle()
    view.clearFocus()
    view.step(-1)
    assert (view.keyboard_row, view.hasFocus()) == (5, True)
    for by, number in ((1, 5), (-1, 4), (-1, 3), (1, 4), *((-1, one) for one in (3, 2, 1, 0, 0)), (1, 1)):
        view.step(by)
        settle()
        assert view.keyboard_row == number
        top = view.visualRect(chat.index(number)).top()
        assert top < view.viewport().height()
        assert view.visualRect(chat.index(number)).bottom() > 0


def test_what_is_edited_is_what_is_looked_at(view: ChatView, chat: ChatModel) -> None:
    chat.show(talk(12))
    settle()
    view.clearFocus()
    assert (view.question_to_edit, view.answer_to_edit) == ("q11", "a11")
    view.verticalScrollBar().setValue(0)
    settle()
    last = view.indexAt(QPoint(400, 590)).row()
    expected = list(chat.rows.ids[: last + 1])
    assert view.question_to_edit == [one for one in expected if one.startswith("q")][-1]
    assert view.answer_to_edit == [one for one in expected if one.startswith("a")][-1]
    enter(view)
    view.setCurrentIndex(chat.index(0))
    assert (view.question_to_edit, view.answer_to_edit) == ("q0", "a0")
