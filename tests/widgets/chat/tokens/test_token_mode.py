"""Token mode in the window: what is underlined, what keys and the mouse do, and what the card says."""

from __future__ import annotations

import random

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.widgets.chat.markdown.marks import Underline
from app.widgets.chat.tokens.own_words import OwnWords
from app.widgets.chat.tokens.token_cursor import HOVER_MS, TokenCursor
from app.widgets.chat.tokens.token_places import TokenPlaces
from app.widgets.chat.tokens.token_popover import TokenPopover
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import OTHER, Script
from tests.viewmodels.test_app import ask
from tests.viewmodels.tokens.test_token_mode import Asked
from tests.widgets.pictures import show

Key = Qt.Key
ANSWER = "The **plan** holds:\n\n- one and two\n- three `four` five\n\n```py\nx = 1\n```\nAnd so on."


@pytest.fixture
def asked(app: App) -> Asked:
    app.tokens._forks = asked = Asked()
    return asked


@pytest.fixture
def cursor(qtbot: QtBot, window: MainWindow, app: App, script: Script) -> TokenCursor:
    """An answer in token mode, with the keyboard in the chat."""
    script.answers["Why?"] = ANSWER
    show(window, 1200, 800)
    ask(qtbot, app, "Why?")
    qtbot.waitUntil(lambda: app.tokens.can_open())
    window.do("tokens")
    qtbot.waitUntil(lambda: app.tokens.state.now.position >= 0)
    qtbot.waitUntil(lambda: window.chat.tokens.popover is not None)
    return window.chat.tokens


def card(cursor: TokenCursor) -> TokenPopover:
    assert cursor.popover is not None
    return cursor.popover


def begin_words(qtbot: QtBot, window: MainWindow, app: App, cursor: TokenCursor) -> OwnWords:
    """Go to the third token and type the first letter of words of one's own."""
    app.tokens.step(2)
    qtbot.waitUntil(lambda: card(cursor).state.position == 2)
    qtbot.keyClick(window.chat.view, "h")
    assert cursor.words is not None
    return cursor.words


def places(cursor: TokenCursor) -> TokenPlaces:
    assert cursor._places is not None
    return cursor._places


def test_the_card_says_what_else_could_have_stood_there(window: MainWindow, app: App, cursor: TokenCursor) -> None:
    assert card(cursor).isVisible()
    assert window.chat.view.hasFocus()
    assert card(cursor).accessibleDescription() == (
        "token 1 of 17, The, 60.0\xa0%; others: instead, 30.0\xa0%; ends here, 5.0\xa0%"
    ).replace("17", str(len(app.tokens.tokens or ())))
    assert window.chat.status_line.accessibleDescription().startswith("Token mode")
    assert cursor.label(app.tokens.state.now.message_id) == "token mode"


def test_keys_go_from_token_to_token_and_through_the_alternatives(
    qtbot: QtBot, window: MainWindow, app: App, cursor: TokenCursor, asked: Asked
) -> None:
    view, mode = window.chat.view, app.tokens
    qtbot.keyClick(view, Key.Key_Right)
    assert mode.state.now.position == 1
    qtbot.keyClick(view, Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(view, Key.Key_Left)
    assert mode.state.now.position == 1
    qtbot.keyClick(view, Key.Key_Down)
    assert mode.state.now.chosen == 2
    qtbot.keyClick(view, Key.Key_Up)
    qtbot.waitUntil(lambda: card(cursor).state.chosen == 1)
    qtbot.keyClick(view, Key.Key_Return)
    assert asked.forks[0][1:] == (1, (OTHER,))


def test_a_digit_branches_so_many_ways(
    qtbot: QtBot, window: MainWindow, app: App, cursor: TokenCursor, asked: Asked
) -> None:
    qtbot.keyClick(window.chat.view, "2")
    assert [len(ids) for _id, _at, ids in asked.forks] == [2]


def test_escape_leaves_from_the_chat_and_from_the_composer(
    qtbot: QtBot, window: MainWindow, app: App, cursor: TokenCursor
) -> None:
    qtbot.keyClick(window.chat.view, Key.Key_Escape)
    assert not app.tokens.state.now.is_open
    window.do("tokens")
    qtbot.waitUntil(lambda: app.tokens.state.now.position >= 0)
    window.chat.composer.edit.setFocus()
    assert not card(cursor).isVisible()
    qtbot.keyClick(window.chat.composer.edit, Key.Key_Escape)
    assert not app.tokens.state.now.is_open


def test_the_keyboard_goes_back_to_where_it_was(
    qtbot: QtBot, window: MainWindow, app: App, cursor: TokenCursor, asked: Asked
) -> None:
    """However token mode ends, unless the person took it elsewhere meanwhile."""
    view, edit = window.chat.view, window.chat.composer.edit
    for leave in (Key.Key_Escape, Key.Key_Return):
        app.tokens.close()
        edit.setFocus()
        window.do("tokens")
        qtbot.waitUntil(lambda: app.tokens.state.now.position >= 0)
        assert view.hasFocus()
        qtbot.keyClick(view, leave)
        app.tokens.close()
        assert edit.hasFocus()
    window.do("tokens")
    window.sidebar.setFocus()
    taken = QApplication.focusWidget()
    app.tokens.close()
    assert QApplication.focusWidget() is taken


def test_letters_begin_own_words_at_the_token(
    qtbot: QtBot, window: MainWindow, app: App, cursor: TokenCursor, asked: Asked
) -> None:
    words = begin_words(qtbot, window, app, cursor)
    assert words.isVisible()
    assert words.hasFocus()
    qtbot.keyClicks(words, "olds 2")
    qtbot.keyClick(words, Key.Key_Escape)
    assert window.chat.view.hasFocus()
    assert card(cursor).isVisible()
    qtbot.keyClick(window.chat.view, "m")
    qtbot.keyClicks(words, "ay hold")
    qtbot.keyClick(words, Key.Key_Return)
    assert [(at, text) for _id, at, text in asked.words] == [(2, " may hold")]


def test_own_words_are_there_when_somebody_comes_back_from_another_program(
    qtbot: QtBot, window: MainWindow, app: App, cursor: TokenCursor
) -> None:
    words, other = begin_words(qtbot, window, app, cursor), QWidget()
    qtbot.keyClicks(words, "olds")
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    qtbot.waitUntil(other.isActiveWindow)
    assert card(cursor).isVisible()
    window.activateWindow()
    qtbot.waitUntil(words.hasFocus)
    assert words.text() == "holds"


def test_own_words_stay_while_an_answer_is_written_below_their_token(
    qtbot: QtBot, window: MainWindow, app: App, cursor: TokenCursor, script: Script, asked: Asked
) -> None:
    """The chat goes on to the end of the other answer, and the token leaves the view."""
    words, bar = begin_words(qtbot, window, app, cursor), window.chat.view.verticalScrollBar()
    script.answers["More?"] = "And more words of it. " * 200
    app.chat.requests.send("More?")
    qtbot.waitUntil(lambda: not list(app.chat.questions) and bar.value() > 200)
    qtbot.keyClicks(words, "olds")
    assert words.hasFocus()
    assert card(cursor).isVisible()
    qtbot.keyClick(words, Key.Key_Return)
    assert [(at, text) for _id, at, text in asked.words] == [(2, " holds")]
    assert window.chat.view.hasFocus()


def test_the_chat_has_the_keyboard_where_token_mode_ends_over_own_words(
    qtbot: QtBot, window: MainWindow, app: App, cursor: TokenCursor
) -> None:
    assert begin_words(qtbot, window, app, cursor).hasFocus()
    app.tokens.close()
    assert QApplication.focusWidget() in (window.chat.view, window.chat.composer.edit)


def test_own_words_tell_their_price_below_them_as_they_are_typed(
    qtbot: QtBot, window: MainWindow, app: App, cursor: TokenCursor, asked: Asked
) -> None:
    """Also to a screen reader; the mouse over the alternatives does not take it away."""
    words, popover = begin_words(qtbot, window, app, cursor), card(cursor)
    qtbot.keyClicks(words, "olds")
    qtbot.waitUntil(lambda: "token" in popover.state.price)
    assert popover.state.is_written
    assert words.accessibleDescription() == app.tokens.state.now.spoken_words
    assert popover.state.price in words.accessibleDescription()
    assert words.geometry() == popover.words_rect
    assert popover.foot.bottom() - words.geometry().bottom() >= popover._small
    QTest.mouseMove(popover, popover._row_rect(0).center().toPoint())
    popover.pointed.emit(0)
    assert app.tokens.state.now.is_written
    qtbot.keyClick(words, Key.Key_Escape)
    assert not app.tokens.state.now.is_written
    qtbot.waitUntil(lambda: bool(popover.state.price) and not popover.state.is_written)


def test_a_press_on_a_row_forks(qtbot: QtBot, app: App, cursor: TokenCursor, asked: Asked) -> None:
    popover = card(cursor)
    row = popover._row_rect(1).center().toPoint()
    qtbot.mouseMove(popover, row)
    qtbot.mouseClick(popover, Qt.MouseButton.LeftButton, pos=row)
    assert asked.forks[0][1:] == (0, (OTHER,))


def middle(window: MainWindow, cursor: TokenCursor, number: int) -> QPoint:
    """The middle of a token, in the viewport."""
    view = window.chat.view
    at = view.layout_of_rows.row_of(cursor._mode.state.now.message_id)
    item = view.layout_of_rows.item(at)
    place = places(cursor).place(item, number)
    assert place is not None
    (rect,) = places(cursor).rects(item, place)
    return rect.translated(QPointF(view.row_rect(at).topLeft())).center().toPoint()


def test_the_mouse_comes_to_the_token_that_it_rests_on_or_presses(
    qtbot: QtBot, window: MainWindow, app: App, cursor: TokenCursor
) -> None:
    viewport = window.chat.view.viewport()
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=middle(window, cursor, 4))
    assert app.tokens.state.now.position == 4
    qtbot.mouseMove(viewport, middle(window, cursor, 1))
    assert cursor._rest.interval() == HOVER_MS
    cursor._rest.timeout.emit()
    assert app.tokens.state.now.position == 1


def test_the_menu_of_a_token_branches_too(
    qtbot: QtBot, window: MainWindow, app: App, cursor: TokenCursor, asked: Asked
) -> None:
    viewport, at = window.chat.view.viewport(), middle(window, cursor, 4)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, viewport.mapToGlobal(at))
    QApplication.sendEvent(viewport, event)
    menu = QApplication.activePopupWidget()
    assert menu is not None
    assert [one.text() for one in menu.actions() if one.text()] == [
        *("Fork with “instead”", "Branch Here 2 Ways", "Branch Here 3 Ways", "Leave Token Mode")
    ]
    menu.actions()[1].trigger()
    menu.close()
    assert asked.forks[0][1] == 4


def test_every_token_stands_under_its_own_letters(window: MainWindow, app: App, cursor: TokenCursor) -> None:
    """Bold words, lists and code stay as they are."""
    view, tokens = window.chat.view, app.tokens.tokens
    assert tokens is not None
    item = view.layout_of_rows.item(view.layout_of_rows.row_of(app.tokens.state.now.message_id))
    for number in range(len(tokens)):
        place = places(cursor).place(item, number)
        assert place is not None
        shown = item.body.block(place.block).document.toPlainText()[place.first : place.last]
        bare = "".join(letter for letter in tokens.text(number) if letter.isalnum())
        assert "".join(letter for letter in shown if letter.isalnum()) == bare.removeprefix("py")
        assert shown == shown.strip() or not shown.strip()


def test_what_is_looked_at_is_filled_and_what_was_unsure_underlined(
    app: App, cursor: TokenCursor, window: MainWindow
) -> None:
    view = window.chat.view
    item = view.layout_of_rows.item(view.layout_of_rows.row_of(app.tokens.state.now.message_id))
    marks = cursor.marks(item, {})
    assert len(marks) == 4
    assert [(mark.is_current, mark.underline) for mark in marks[0]][:2] == [
        (True, Underline.THIN),
        (False, Underline.THIN),
    ]
    app.tokens.close()
    assert cursor.marks(item, {}) == {}


def test_random_keys_and_sizes_leave_the_card_where_its_token_is(
    qtbot: QtBot, window: MainWindow, app: App, cursor: TokenCursor
) -> None:
    draw, view = random.Random(4), window.chat.view
    keys = [Key.Key_Left, Key.Key_Right, Key.Key_Up, Key.Key_Down]
    for _ in range(80):
        if draw.random() < 0.1:
            window.resize(draw.choice([900, 1100, 1400]), draw.choice([560, 700, 900]))
        shift = draw.choice([Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier])
        qtbot.keyClick(view, draw.choice(keys), shift)
        QApplication.processEvents()
        rect = cursor._rect()
        assert rect is not None
        assert view.viewport().rect().intersects(rect)
        assert card(cursor).isVisible()
        assert card(cursor).state.position == app.tokens.state.now.position


def test_an_answer_of_thirty_thousand_tokens_is_gone_through(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    """From its first token to its last; no token is looked at that is out of sight."""
    words = [f"word{number % 97}" for number in range(30_000)]
    script.answers["Why?"] = "\n\n".join(" ".join(words[at : at + 100]) for at in range(0, len(words), 100))
    show(window, 1200, 800)
    ask(qtbot, app, "Why?")
    qtbot.waitUntil(app.tokens.can_open)
    window.do("tokens")
    qtbot.waitUntil(lambda: app.tokens.state.now.position >= 0)
    count = len(app.tokens.tokens or ())
    assert count >= len(words)
    bar = window.chat.view.verticalScrollBar()
    for position in (0, count // 2, count - 1):
        app.tokens.point(position)
        qtbot.keyClick(window.chat.view, Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
        qtbot.keyClick(window.chat.view, Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
        QApplication.processEvents()
        assert app.tokens.state.now.position == (position or 1)
        assert card(window.chat.tokens).isVisible()
    assert bar.value() > bar.maximum() // 2
