"""Two branches in the chat's place: what is marked, how one goes about in them, and the way back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QTextCursor
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.conversation.message import Message, new_id
from app.protocol.chat import Role
from app.viewmodels.app import App
from app.viewmodels.comparison.comparison import ComparedMessage
from app.viewmodels.comparison.word_differences import MOST_OF_LINES
from app.viewmodels.kit.lists import RowRole
from app.viewmodels.text.formatting import DOT, HARD
from app.widgets.chat.comparison import comparison_view
from app.widgets.chat.comparison.compared_blocks import ComparedBlocks
from app.widgets.chat.comparison.comparison_list import _SLICE_ROWS, ComparisonList, columns
from app.widgets.chat.comparison.comparison_rows import ComparisonRow, RowKind, pair_rows, spoken_row, thought_rows
from app.widgets.chat.comparison.comparison_view import ComparisonView
from app.widgets.chat.comparison.copied_side import copied_side
from app.widgets.kit.drawing import draw_text
from app.widgets.kit.style import Style
from app.widgets.window.copy_commands import NOTHING_TO_COPY
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.widgets.pictures import count, picture

_CTRL, _ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


def message(text: str, role: Role = "assistant", name: str = "Model") -> ComparedMessage:
    return ComparedMessage("0" * 32, role, name, text)


def block_rows(left: str, right: str) -> list[ComparisonRow]:
    return [row for row in pair_rows(iter([(message(left), message(right))])) if row.kind is RowKind.BLOCK]


def say(app: App, parent_id: str | None, role: Role, text: str) -> str:
    said = Message.new(app.library.open_id, parent_id, role, text)
    app.library.tree.add(replace(said, model_name="Model" if role == "assistant" else None))
    return said.id


@pytest.fixture
def forked(qtbot: QtBot, window: MainWindow, app: App) -> MainWindow:
    """A window on a question with two answers, which begin differently."""
    window.resize(1200, 800)
    question = say(app, None, "user", "Which way?")
    say(app, question, "assistant", "Go **left** at the mill.")
    say(app, question, "assistant", "Go **right** at the mill.")
    app.chat.open_branch.moved.emit(app.library.open_id)
    app.catch_up()
    return window


def view_of(window: MainWindow) -> ComparisonView:
    assert window.chat.comparison is not None
    return window.chat.comparison


def test_heads_that_are_cut_say_in_what_the_branches_differ(
    window: MainWindow, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(comparison_view, "draw_text", lambda *given: (drawn.append(given[3]), draw_text(*given))[1])
    begun, kinds = "Tell me a long story with words about ", ("a wolf", "a hen")
    first = say(app, say(app, None, "user", "Hello"), "assistant", "Yes?")
    for kind in kinds:
        say(app, first, "user", f"{begun}{kind}")
    app.chat.open_branch.moved.emit(app.library.open_id)
    app.catch_up()
    window.do("compare")
    for width, shown in ((900, {f"“…about {kind}”" for kind in kinds}), (2200, {f"“{begun}{kind}”" for kind in kinds})):
        window.resize(width, 800)
        drawn.clear()
        picture(view_of(window))
        assert {text for text in drawn if "about" in text} == shown


def test_words_that_differ_are_struck_out_at_the_left_and_underlined_at_the_right(style: Style) -> None:
    (row,) = block_rows("Go **left** 👍 at the old mill.", "Go **right** 👍 at the new mill.")
    laid = ComparedBlocks(row, style)
    assert laid.height(300) > 0
    assert not laid.is_different
    for layout, words, is_struck in ((laid._left, ["left", "old"], True), (laid._right, ["right", "new"], False)):
        assert layout is not None
        found, block = [], layout.document.begin()
        iterator = block.begin()
        while not iterator.atEnd():
            piece = iterator.fragment()
            char_format = piece.charFormat()
            if char_format.fontStrikeOut() if is_struck else char_format.fontUnderline():
                found.append(piece.text())
            iterator += 1
        assert found == words


def test_paragraphs_without_a_counterpart_are_told_as_a_whole(style: Style) -> None:
    rows = block_rows("Here is the plan.\n\nBring cash.", "Here is the plan.")
    laid = [ComparedBlocks(row, style) for row in rows]
    assert [one.height(300) > 0 for one in laid] == [True, True]
    assert [one.is_different for one in laid] == [False, True]


def test_a_screen_reader_is_told_which_words_differ() -> None:
    (row,) = block_rows("Go left at the mill.", "Go right at the mill.")
    assert spoken_row(row, is_open=False) == (
        "differs, left alone “left”; right alone “right”; left: Go left at the mill., right: Go right at the mill."
    )
    same, alone = block_rows("Here.\n\nBring cash.", "Here.")
    assert spoken_row(same, is_open=False) == "same: Here."
    assert spoken_row(alone, is_open=False) == "only left: Bring cash."
    assert spoken_row(ComparisonRow(RowKind.SHARED, count=14), is_open=True) == f"14{HARD}messages in common, expanded"
    head = ComparisonRow(RowKind.HEAD, (message("a", name="Qwen"), message("b", name="Phi")))
    assert spoken_row(head, is_open=False) == "left: Qwen, right: Phi"


def test_thoughts_are_a_line_that_opens_to_their_paragraphs() -> None:
    answer = Message.new(new_id(), new_id(), "assistant", "Left.", model_name="Qwen")
    left, right = (
        ComparedMessage.of(replace(answer, thinking=one)) for one in ("So.\n\nHm, left.", "So.\n\nHm, right.")
    )
    head, line, text = pair_rows(iter([(left, right)]))
    assert head.names == ("Qwen", "Qwen")
    assert (line.kind, line.is_different, text.is_different) == (RowKind.THOUGHT, True, False)
    assert spoken_row(line, is_open=False) == f"left: Thought{DOT}differs, right: Thought{DOT}differs, collapsed"
    assert [(row.left.text, row.right.text) for row in thought_rows(line) if row.left and row.right] == [
        ("So.", "So."),
        ("Hm, left.", "Hm, right."),
    ]
    (_, line, _) = pair_rows(iter([(left, ComparedMessage.of(answer))]))
    assert line.titles == ("Thought", "")
    assert [row.right for row in thought_rows(line)] == [None, None]


def test_a_thought_opens_and_folds_where_it_stands(qtbot: QtBot, window: MainWindow, app: App, style: Style) -> None:
    question = say(app, None, "user", "Which way?")
    for way in ("left", "right"):
        said = Message.new(app.library.open_id, question, "assistant", f"Go {way}.")
        app.library.tree.add(replace(said, model_name="Model", thinking=f"Hm.\n\nSurely {way}."))
    app.chat.open_branch.moved.emit(app.library.open_id)
    app.catch_up()
    window.do("compare")
    shown = view_of(window).list
    rows = shown.comparison_model
    folded = list(rows.rows)
    assert [row.kind for row in folded] == [RowKind.SHARED, RowKind.HEAD, RowKind.THOUGHT, RowKind.BLOCK]
    shown.step_difference(1)
    assert shown.currentIndex().row() == 2
    qtbot.keyClick(shown, Qt.Key.Key_Return)
    assert [row.is_of_thought for row in rows.rows] == [False] * 3 + [True] * 2 + [False]
    assert copied_side(rows.rows[4], 1, style) == "Surely left."
    picture(shown)
    qtbot.keyClick(shown, Qt.Key.Key_Return)
    assert rows.rows == folded


def test_a_paragraph_is_copied_as_what_it_is(style: Style) -> None:
    (row,) = block_rows("```sh\n# *a*\n```\n", "```sh\n# *b*\n```\n")
    assert copied_side(row, 0, style) == "# *a*"
    assert copied_side(row, 1, style, as_markdown=True) == "```sh\n# *b*\n```"
    typed = (message("# a", "user"), message("# b", "user"))
    assert [copied_side(row, 0, style) for row in pair_rows(iter([typed]))] == ["# a", "# a"]


def test_formulas_that_differ_are_marked(style: Style) -> None:
    (row,) = block_rows("It is $x^2$ and $y$ here.", "It is $x^3$ and $y$ here.")
    laid = ComparedBlocks(row, style)
    laid.height(300)
    assert laid._left is not None
    struck = QTextCursor(laid._left.document)
    found = [at for at in range(laid._left.document.characterCount() - 1) if is_struck(struck, at)]
    assert found == [6]


def is_struck(cursor: QTextCursor, at: int) -> bool:
    cursor.setPosition(at + 1)
    return cursor.charFormat().fontStrikeOut()


@pytest.fixture
def differing(qtbot: QtBot, window: MainWindow, app: App) -> ComparisonList:
    """Two answers of nine paragraphs, every third of which differs."""
    question = say(app, None, "user", "Which way?")
    for name in ("beside", "open"):  # the one that is open stands at the left
        paragraphs = (f"Turn *{name}* at {one} now." if one % 3 == 2 else f"Go **on** to {one}." for one in range(9))
        say(app, question, "assistant", "\n\n".join(paragraphs))
    app.chat.open_branch.moved.emit(app.library.open_id)
    app.catch_up()
    window.do("compare")
    return view_of(window).list


def test_keys_and_buttons_go_from_difference_to_difference_and_round(
    qtbot: QtBot, differing: ComparisonList, window: MainWindow, app: App
) -> None:
    rows, view = differing.comparison_model.rows, view_of(window)
    places = [number for number, row in enumerate(rows) if row.is_different]
    assert len(places) == 3

    def go(command: str) -> int:
        assert window.menus.actions[command].isEnabled()
        window.do(command)
        return differing.currentIndex().row()

    assert differing.currentIndex().row() == 0
    assert [go("find_next") for _ in range(4)] == [*places, places[0]]
    assert [go("find_previous") for _ in range(3)] == places[::-1]
    view.next.click()
    assert differing.currentIndex().row() == places[1]
    view.previous.click()
    assert differing.currentIndex().row() == places[0]
    window.do("compare")
    app.catch_up()
    assert not window.menus.actions["find_next"].isEnabled()


def test_what_is_written_otherwise_and_shown_alike_is_no_difference_to_go_to(
    qtbot: QtBot, window: MainWindow, app: App
) -> None:
    question = say(app, None, "user", "Which way?")
    for name, dash, bold in (("beside", "*", "**"), ("open", "-", "")):
        paragraphs = [f"{dash} one\n{dash} two", f"Go {name}.", f"A {bold}bold{bold} word", f"Turn {name}.", "End"]
        say(app, question, "assistant", "\n\n".join(paragraphs[: 4 if bold else 5]))
    app.chat.open_branch.moved.emit(app.library.open_id)
    app.catch_up()
    window.do("compare")
    shown, found = view_of(window).list, list[str]()
    for _ in range(4):
        assert shown.step_difference(1)
        row = shown.comparison_model.rows[shown.currentIndex().row()]
        found.append(row.left.text if row.left is not None else "")
    assert found == ["Go open.", "Turn open.", "End", "Go open."]


def test_a_paragraph_of_one_side_or_a_whole_message_is_copied(
    qtbot: QtBot, differing: ComparisonList, window: MainWindow, app: App
) -> None:
    clipboard = QGuiApplication.clipboard()
    window.do("find_next")
    for key, name in ((Qt.Key.Key_Right, "beside"), (Qt.Key.Key_Left, "open"), (Qt.Key.Key_Left, "open")):
        qtbot.keyClick(differing, key)
        window.do("copy")
        assert clipboard.text() == f"Turn {name} at 2 now."
        window.do("copy_markdown")
        assert clipboard.text().startswith("Turn *")
    differing.setCurrentIndex(differing.comparison_model.index(1))
    window.do("copy")
    assert clipboard.text().startswith("Go on to 0.\n\nGo on to 1.\n\nTurn open at 2 now.")
    rect = differing.visualRect(differing.comparison_model.index(4))
    at = QPoint(rect.right() - 80, rect.center().y())
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, differing.mapToGlobal(at))
    qtbot.waitUntil(lambda: differing.indexAt(at).row() == 4)  # rows are laid out some at a time
    QApplication.sendEvent(differing.viewport(), event)
    (menu,) = [one for one in differing.findChildren(QMenu) if one.isVisible()]
    assert [one.text() for one in menu.actions()] == ["Copy Paragraph", "Copy as Markdown"]
    menu.actions()[0].trigger()
    assert clipboard.text() == "Turn beside at 2 now."
    menu.close()
    differing.setCurrentIndex(QModelIndex())
    assert differing.hasFocus()
    window.do("copy_markdown")
    assert clipboard.text() == "Turn beside at 2 now."
    assert app.notices.now.text == NOTHING_TO_COPY


def test_the_command_shows_the_comparison_and_escape_the_chat(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    qtbot.keyClick(forked.chat.composer.edit, Qt.Key.Key_C, _CTRL | _ALT)
    view = view_of(forked)
    qtbot.waitUntil(view.isVisible)
    assert view.list.hasFocus()
    assert not forked.chat.composer_area.isVisible()
    kinds = [row.kind for row in view.list.comparison_model.rows]
    assert kinds == [RowKind.SHARED, RowKind.HEAD, RowKind.BLOCK]
    qtbot.keyClick(view.list, Qt.Key.Key_Escape)
    assert not view.isVisible()
    assert forked.chat.composer.edit.hasFocus()


def test_escape_closes_it_from_everywhere_in_the_window(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    rows = app.chat.chat_model
    asked = (lambda: app.chat.requests.send("Which way?"), app.chat.requests.regenerate)
    for answers, ask in enumerate(asked, start=1):
        ask()
        qtbot.waitUntil(lambda answers=answers: [row.versions for row in rows.rows[1:]] == [answers])
        qtbot.waitUntil(lambda: rows.rows[-1].footer is not None and not rows.rows[-1].is_streaming)
    script.hold = 1
    app.chat.requests.send("Tell me at length")
    qtbot.waitUntil(lambda: app.chat.state.now.is_writing)
    for pane in ("branches", "cache", "map", "settings"):
        window.inspector.show_pane(pane)
        window.do("compare")
        app.catch_up()
        stops = [one for one in window.findChildren(QWidget) if one.focusPolicy() & Qt.FocusPolicy.TabFocus]
        for widget in [one for one in stops if one.isVisible()]:
            if not app.comparison.state.now.is_open:
                window.do("compare")
            widget.setFocus()
            if not widget.hasFocus():
                continue
            qtbot.keyClick(widget, Qt.Key.Key_Escape)
            assert not app.comparison.state.now.is_open, (pane, widget)
            assert window.chat.composer_area.isVisible()
    assert app.chat.state.now.is_writing


@pytest.mark.parametrize(("width", "text"), [(1200, 14), (880, 14), (1600, 24), (880, 24)])
def test_what_stands_above_each_column_is_in_its_place_from_the_first_moment(
    qtbot: QtBot, forked: MainWindow, style: Style, width: int, text: int
) -> None:
    style.set_text_size(text)
    forked.resize(width, 560)
    forked.do("compare")
    view = view_of(forked)
    qtbot.waitUntil(lambda: view.choosers[1].x() > view.width() // 2 - 100 and view.list.y() > 0)
    stops = [stop.geometry() for stop in view.tab_order[:-1]]
    for number, one in enumerate(stops):
        assert QRect(0, 0, view.width(), view.list.y()).contains(one), number
        assert not any(one.intersects(other) for other in stops[:number]), number
    for chooser, button, column in zip(
        view.choosers, view.buttons, columns(QRectF(view.list.viewport().rect())), strict=True
    ):
        assert column.left() - 10 <= min(chooser.x(), button.x())
        assert max(chooser.geometry().right(), button.geometry().right()) <= column.right() + 1
        assert chooser.width() >= min(chooser.sizeHint().width(), style.typography.scaled(100))


def test_tab_goes_through_both_sides_to_the_rows(qtbot: QtBot, forked: MainWindow) -> None:
    forked.do("compare")
    view = view_of(forked)
    view.choosers[0].setFocus()
    for stop in view.tab_order[1:]:
        focused = QApplication.focusWidget()
        assert focused is not None
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is stop
    for stop in view.tab_order:
        assert stop.accessibleName()


def test_the_messages_in_common_are_one_line_that_opens(qtbot: QtBot, forked: MainWindow) -> None:
    forked.do("compare")
    rows = view_of(forked).list
    folded = len(rows.comparison_model.rows)
    qtbot.keyClick(rows, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: len(rows.comparison_model.rows) == folded + 2)
    assert rows.currentIndex().row() == 0
    assert "expanded" in str(rows.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole))
    first = rows.comparison_model.index(0)
    qtbot.waitUntil(lambda: rows.indexAt(rows.visualRect(first).center()) == first)
    qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=rows.visualRect(first).center())
    assert not rows.comparison_model.is_open


def test_another_branch_is_chosen_from_a_menu_and_gone_on_in(forked: MainWindow, app: App) -> None:
    question = app.library.tree.path[0].id
    third = say(app, question, "assistant", "Stay & rest.")
    app.chat.open_branch.moved.emit(app.library.open_id)
    forked.do("compare")
    view = view_of(forked)
    menu = view.choosers[1].menu()
    assert [entry.text() for entry in menu.actions()] == [
        "“Go left at the mill.”",
        "“Go right at the mill.”",
        "“Stay && rest.”",
    ]
    assert [entry.isChecked() for entry in menu.actions()].count(True) == 1
    menu.actions()[0].trigger()
    app.catch_up()
    assert "Go left" in view.choosers[1].accessibleName()
    menu.close()
    view.buttons[1].click()
    assert app.library.tree.path[-1].text == "Go **left** at the mill."
    assert third in app.library.tree
    assert not view.isVisible()


def test_arrows_scroll_a_row_that_is_higher_than_what_is_in_sight(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    question = app.library.tree.path[0].id
    say(app, question, "assistant", " ".join(["A long paragraph goes on."] * 220))
    app.chat.open_branch.moved.emit(app.library.open_id)
    forked.do("compare")
    rows = view_of(forked).list
    qtbot.waitUntil(lambda: rows.verticalScrollBar().maximum() > 0)
    for _ in range(2):
        qtbot.keyClick(rows, Qt.Key.Key_Down)
    assert rows.currentIndex().row() == 2
    at = rows.verticalScrollBar().value()
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    assert rows.currentIndex().row() == 2
    assert rows.verticalScrollBar().value() > at


def test_rows_of_a_long_comparison_come_in_slices_and_its_texts_are_not_marked(
    qtbot: QtBot, style: Style, forked: MainWindow, app: App
) -> None:
    question = app.library.tree.path[0].id
    long = "a line of it\n" * (MOST_OF_LINES // 50)
    say(app, question, "assistant", long)
    say(app, question, "assistant", long.replace("line", "row"))
    app.chat.open_branch.moved.emit(app.library.open_id)
    forked.do("compare")
    model = view_of(forked).list.comparison_model
    assert len(model.rows) <= 1 + _SLICE_ROWS
    qtbot.waitUntil(lambda: not model._timer.isActive())
    assert len(model.rows) > _SLICE_ROWS
    sizes = {row.size for row in model.rows}
    assert max(sizes) < 20_000


def test_the_window_paints_marks_in_both_columns(qtbot: QtBot, forked: MainWindow, style: Style) -> None:
    forked.do("compare")
    rows = view_of(forked).list
    assert isinstance(rows, ComparisonList)
    index = rows.comparison_model.index(2)
    qtbot.waitUntil(lambda: rows.visualRect(index).height() > 0)
    assert isinstance(index.data(RowRole.ROW), ComparisonRow)
    image = picture(rows)
    half = image.width() // 2
    left, right = image.copy(0, 0, half, image.height()), image.copy(half, 0, half, image.height())
    soft, fill = style.theme.soft, style.theme.fill2

    assert count(left, fill) > 0 == count(left, soft)
    assert count(right, soft) > 0 == count(right, fill)
