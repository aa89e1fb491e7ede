"""Answers in columns: by mouse and keys, in any width, for the eye and for a screen reader."""

from __future__ import annotations

from typing import cast

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.widgets.chat.lanes.lanes_view import LanesView
from app.widgets.window.main_window import NO_ROOM, MainWindow
from tests.fakes.engine import Script
from tests.viewmodels.test_app import ready, texts
from tests.widgets.pictures import show


def columns_of(window: MainWindow) -> LanesView | None:
    """The columns, where they stand in the chat's place."""
    page = window.chat._pages.currentWidget()
    return page if isinstance(page, LanesView) else None


def asked(qtbot: QtBot, window: MainWindow, app: App, count: int, width: int = 1400) -> LanesView:
    """Ask for so many answers, in a pane of this width."""
    ready(qtbot, app)
    show(window, 1500, 800)
    widen(window, width)
    app.chat.requests.choose_count(count)
    app.chat.requests.send("Why?")
    qtbot.waitUntil(lambda: len(app.lanes.rows) == count)
    qtbot.waitUntil(lambda: columns_of(window) is not None)
    QApplication.processEvents()
    return cast(LanesView, columns_of(window))


def widen(window: MainWindow, width: int) -> None:
    """Give the chat's pane this width, whatever stands beside it."""
    window.chat.setFixedWidth(width)
    QApplication.processEvents()


def finish(qtbot: QtBot, app: App, script: Script) -> None:
    script.go.set()
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    app.catch_up()


def test_each_answer_has_a_column_that_says_how_it_is(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    script.hold = 2
    view = asked(qtbot, window, app, 3)
    qtbot.waitUntil(lambda: all(one.chat_model.rows[-1].text == "You said:" for one in app.lanes.rows))
    app.catch_up()
    assert [one.accessibleName().split(", ")[:2] for one in view.columns] == [
        [f"Answer {letter} of 3", "writing"] for letter in "ABC"
    ]
    assert [one.keep.accessibleName() for one in view.columns] == [f"Keep Answer {letter}" for letter in "ABC"]
    assert all(one.isVisible() for one in view.columns)
    finish(qtbot, app, script)
    assert [one.view.model() for one in view.columns] == [one.chat_model for one in app.lanes.rows]
    assert [one.chat_model.rows[-1].text for one in app.lanes.rows] == [f"You said: Why? ({one})" for one in "ABC"]


def test_the_buttons_do_what_they_say(qtbot: QtBot, window: MainWindow, app: App, script: Script) -> None:
    view = asked(qtbot, window, app, 3)
    finish(qtbot, app, script)
    qtbot.mouseClick(view.columns[1].mark, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: app.lanes.state.now.lanes[1].is_favourite)
    qtbot.mouseClick(view.columns[2].discard, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(view.columns) == 2)
    qtbot.mouseClick(view.columns[1].keep, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: columns_of(window) is None)
    assert texts(app) == ["Why?", "You said: Why? (B)"]


def test_two_are_compared_from_a_column_and_by_the_keys(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    script.hold = 2
    view = asked(qtbot, window, app, 3)
    app.catch_up()
    assert not any(one.compare.isEnabled() for one in view.columns)
    window.do("compare")
    assert app.notices.now.text.startswith("Possible as soon as")
    finish(qtbot, app, script)
    assert [one.compare.accessibleName() for one in view.columns] == [
        f"Compare Answer {one} with {other}" for one, other in ("AB", "BC", "CB")
    ]
    leaves = [one.leaf_id for one in app.lanes.rows]

    def compared() -> list[int]:
        now = app.comparison.state.now
        return [leaves.index(one.leaf_id) for one in (now.left, now.right) if one is not None]

    qtbot.mouseClick(view.columns[2].compare, Qt.MouseButton.LeftButton)
    assert compared() == [1, 2]
    assert columns_of(window) is None
    qtbot.keyClick(window.chat.comparison, Qt.Key.Key_Escape)
    assert columns_of(window) is view
    window.do("compare")
    assert compared() == [0, 1]
    window.do("compare")
    assert columns_of(window) is view
    app.lanes.focus(0)
    app.catch_up()
    qtbot.mouseClick(view.columns[2].compare, Qt.MouseButton.LeftButton)
    assert compared() == [0, 2]
    assert window.chat.comparison is not None
    qtbot.mouseClick(window.chat.comparison.buttons[1], Qt.MouseButton.LeftButton)
    app.catch_up()
    assert columns_of(window) is None
    assert texts(app) == ["Why?", "You said: Why? (C)"]


def test_a_digit_chooses_an_answer_while_nothing_is_written(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    view = asked(qtbot, window, app, 3)
    finish(qtbot, app, script)
    edit = window.chat.composer.edit
    edit.setFocus()
    qtbot.keyClick(edit, Qt.Key.Key_2)
    assert app.lanes.state.now.focused == 1
    assert edit.toPlainText() == ""
    app.catch_up()
    assert edit.accessibleDescription() == "Ask answer B, or press 2 to ask all"
    qtbot.keyClicks(edit, "and 3")
    assert edit.toPlainText() == "and 3"
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [len(one.chat_model.rows) for one in app.lanes.rows] == [1, 3, 1])
    assert columns_of(window) is view
    finish(qtbot, app, script)
    edit.clear()
    qtbot.keyClick(edit, Qt.Key.Key_9)
    assert edit.toPlainText() == "9"


def test_a_press_on_a_card_chooses_it(qtbot: QtBot, window: MainWindow, app: App, script: Script) -> None:
    view = asked(qtbot, window, app, 3)
    finish(qtbot, app, script)
    qtbot.mouseClick(view.columns[2], Qt.MouseButton.LeftButton, pos=QPoint(60, 20))
    assert app.lanes.state.now.focused == 2
    app.catch_up()
    assert view.columns[2].keep.is_default
    assert not view.columns[0].keep.is_default


def test_escape_stops_them_first_and_then_shows_the_chat(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    script.hold = 2
    asked(qtbot, window, app, 3)
    edit = window.chat.composer.edit
    edit.setFocus()
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    app.catch_up()
    assert columns_of(window) is not None
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: columns_of(window) is None)


def test_the_command_shows_them_at_once_where_there_were_none(qtbot: QtBot, window: MainWindow, app: App) -> None:
    """And says nothing then, since they have room."""
    ready(qtbot, app)
    show(window, 1500, 800)
    widen(window, 1400)
    for ask in (lambda: app.chat.requests.send("Why?"), lambda: app.chat.requests.regenerate()):
        ask()
        qtbot.waitUntil(lambda: not list(app.chat.questions) and len(app.library.tree) > 1)
        app.catch_up()
    window.do("answers")
    assert window.chat.has_columns
    assert app.notices.now.text == ""


def test_the_command_says_where_columns_have_no_room(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    """They come as soon as they have it, and go by the same command."""
    asked(qtbot, window, app, 2)
    finish(qtbot, app, script)
    for was_open in (True, False):
        if not was_open:
            window.do("answers")
            assert not window.chat.has_columns
        widen(window, 599)
        for _ in range(2):
            assert NO_ROOM not in app.notices.now.text
            window.do("answers")
            assert NO_ROOM in app.notices.now.text
            app.notices.info("Something else")
        widen(window, 600)
        assert window.chat.has_columns


@pytest.mark.parametrize(("count", "width", "fits"), [(2, 600, True), (2, 599, False), (3, 899, False), (8, 900, True)])
def test_where_they_have_no_room_they_are_versions_in_the_chat(
    qtbot: QtBot, window: MainWindow, app: App, script: Script, count: int, width: int, fits: bool
) -> None:
    asked(qtbot, window, app, count)
    finish(qtbot, app, script)
    widen(window, width)
    assert (columns_of(window) is not None) is fits
    widen(window, 1400)
    assert columns_of(window) is not None


def test_of_many_as_many_are_seen_as_have_room_and_none_is_narrow(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    view = asked(qtbot, window, app, 8, width=1000)
    finish(qtbot, app, script)

    def seen() -> list[int]:
        return [number for number, one in enumerate(view.columns) if one.isVisible()]

    assert seen() == [0, 1, 2]
    assert all(view.columns[number].width() >= 300 for number in seen())
    assert not view.earlier.isEnabled()
    qtbot.mouseClick(view.later, Qt.MouseButton.LeftButton)
    assert seen() == [1, 2, 3]
    app.lanes.focus(7)
    app.catch_up()
    assert seen() == [5, 6, 7]
    assert not view.later.isEnabled()


def test_tab_goes_through_the_columns_in_their_order(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    view = asked(qtbot, window, app, 3)
    finish(qtbot, app, script)
    order = [
        stop for one in view.columns for stop in (one.compare, one.mark, one.discard, one.view, one.keep, one.go_on)
    ]
    order[0].setFocus()
    met = [order[0]]
    while window.focusNextPrevChild(True) and window.focusWidget() is not order[0]:
        met += [window.focusWidget()] * (window.focusWidget() in order)
    assert met == order


def test_answers_that_are_asked_for_beside_others_come_into_sight(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    view = asked(qtbot, window, app, 3, width=1000)
    finish(qtbot, app, script)
    script.go.clear()
    script.hold = 2
    app.chat.requests.regenerate()
    qtbot.waitUntil(lambda: len(app.lanes.rows) == 6)
    QApplication.processEvents()
    assert [one.isVisible() for one in view.columns] == [False, False, False, True, True, True]
    finish(qtbot, app, script)
    assert [one.isVisible() for one in view.columns] == [False, False, False, True, True, True]
    app.lanes.discard(app.lanes.rows[5].answer_id)
    qtbot.waitUntil(lambda: len(app.lanes.rows) == 5)
    QApplication.processEvents()
    assert [one.isVisible() for one in view.columns] == [False, False, True, True, True]


def test_commands_are_about_the_column_that_is_looked_at(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    view = asked(qtbot, window, app, 3)
    finish(qtbot, app, script)
    second = view.columns[1].view
    assert window.chat.messages is view.columns[0].view
    qtbot.keyClick(window.chat.composer.edit, Qt.Key.Key_2)
    assert window.chat.messages is second
    window.do("parent")
    assert second.hasFocus()
    assert second.keyboard_row == 0
    assert not window.chat.view.hasFocus()
    answer = app.lanes.rows[1].answer_id
    window.do("edit_answer")
    assert app.chat.open_draft.now.editing == answer
    app.chat.open_draft.cancel_edit()
    second.setFocus()
    window.do("select_all")
    window.do("copy")
    assert QApplication.clipboard().text() == app.lanes.rows[1].chat_model.rows[0].text


def test_what_is_looked_at_in_a_column_is_shown_in_the_cache(
    qtbot: QtBot, window: MainWindow, app: App, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_for: list[str] = []
    monkeypatch.setattr(app.edges, "select_message", asked_for.append)
    view = asked(qtbot, window, app, 2)
    finish(qtbot, app, script)
    view.currentMessageChanged.connect(asked_for.append)
    view.columns[1].view.setFocus()
    window.do("child")
    assert app.lanes.rows[1].answer_id in asked_for


def test_the_tokens_of_an_answer_in_a_column_are_shown_in_the_chat(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    """On its own branch, whichever was open; where they are not known the columns stay."""
    view = asked(qtbot, window, app, 3)
    finish(qtbot, app, script)
    answer = app.lanes.rows[2].answer_id
    window.do("child")
    app.tokens.known = frozenset()
    window._show_tokens(answer)
    assert app.lanes.rows
    app.tokens.known = frozenset([answer])
    view.columns[2].view.setFocus()
    window._show_tokens(answer)
    assert columns_of(window) is None or not app.lanes.rows
    assert app.library.tree.is_on_path(answer)


def test_a_branch_is_named_in_its_column(qtbot: QtBot, window: MainWindow, app: App, script: Script) -> None:
    view = asked(qtbot, window, app, 2)
    finish(qtbot, app, script)
    view.columns[1].view.setFocus()
    window.do("child")
    window.do("name_branch")
    field = QApplication.focusWidget()
    assert field is not None
    assert view.columns[1].view.isAncestorOf(field)
    qtbot.keyClicks(field, "Colder")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    answer = app.lanes.rows[1].answer_id
    qtbot.waitUntil(lambda: app.library.tree.message(answer).name == "Colder")


def test_what_is_written_or_read_is_in_sight_when_columns_are_opened(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    """Of more answers than have room: the new ones while they are written, later the one on the open path."""
    asked(qtbot, window, app, 4, 1000)
    finish(qtbot, app, script)
    app.lanes.close()
    script.hold = 1
    script.go.clear()
    app.chat.requests.choose_count(2)
    app.chat.requests.regenerate()
    qtbot.waitUntil(lambda: len(app.lanes.rows) == 6)
    view = cast(LanesView, columns_of(window))
    assert [column.isHidden() for column in view.columns] == [True, True, True, False, False, False]
    finish(qtbot, app, script)
    third = app.lanes.rows[2].answer_id
    app.lanes.close()
    app.chat.open_branch.show(third)
    app.lanes.open()
    qtbot.waitUntil(lambda: columns_of(window) is not None)
    assert [column.isHidden() for column in view.columns] == [True, True, False, False, False, True]
