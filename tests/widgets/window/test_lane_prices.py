"""Prices of answers beside each other: at the buttons of a column, at its messages, and of asking all of them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.protocol.commands import EstimateCost
from app.viewmodels.app import App
from app.viewmodels.text import formatting
from app.viewmodels.warmth.price_text import price_sentence
from app.widgets.chat.lanes.lane_column import LaneColumn
from app.widgets.chat.messages.row_controls import ActionStrip, ControlKind
from app.widgets.kit.controls import Button
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.widgets.chat.lanes.test_lanes_view import asked, finish
from tests.widgets.window.test_prices import card, leave, rest


def buttons(column: LaneColumn) -> tuple[Button, Button]:
    return column.keep, column.go_on


def test_keeping_and_going_on_tell_what_that_branch_costs(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    """By the mouse and by the keyboard, and to a screen reader; not while the answer is being written."""
    script.hold = 2
    view = asked(qtbot, window, app, 3)
    qtbot.waitUntil(lambda: all(lane.is_writing for lane in app.lanes.state.now.lanes))
    app.catch_up()
    for button in buttons(view.columns[0]):
        button.setFocus(Qt.FocusReason.TabFocusReason)
        assert card(window) is None
    finish(qtbot, app, script)
    for column, rows in zip(view.columns, app.lanes.rows, strict=True):
        for button in buttons(column):
            before = button.accessibleDescription()
            button.setFocus(Qt.FocusReason.TabFocusReason)
            qtbot.waitUntil(lambda button=button: "opens at once" in button.accessibleDescription())
            warmth = app.chat.warmth.warmth_of(rows.leaf_id, app.library.open_id)
            assert price_sentence(warmth) in button.accessibleDescription()
            found = card(window)
            assert found is not None
            assert found.title == button.accessibleName()
            window.chat.composer.edit.setFocus(Qt.FocusReason.TabFocusReason)
            assert button.accessibleDescription() == before
            rest(button, button.rect().center())
            qtbot.waitUntil(lambda: card(window) is not None)
            leave(button)


def test_the_marks_in_a_column_tell_what_they_cost(qtbot: QtBot, window: MainWindow, app: App, script: Script) -> None:
    view = asked(qtbot, window, app, 2)
    finish(qtbot, app, script)
    column, rows = view.columns[1], app.lanes.rows[1]
    column.view.setFocus(Qt.FocusReason.TabFocusReason)
    column.view.setCurrentIndex(rows.chat_model.index(0))
    qtbot.waitUntil(lambda: column.view.controls.find(rows.answer_id, ControlKind.ANSWER) is not None)
    strip = column.view.controls.find(rows.answer_id, ControlKind.ANSWER)
    assert isinstance(strip, ActionStrip)
    button = strip.acts["regenerate"]
    button.setFocus(Qt.FocusReason.TabFocusReason)
    found = card(window)
    assert found is not None
    assert found.title == "Answer Again"


def test_the_message_field_tells_what_asking_all_or_one_costs(
    qtbot: QtBot, window: MainWindow, app: App, script: Script
) -> None:
    """It is what the engine computes then, of all of them together."""
    asked(qtbot, window, app, 3)
    finish(qtbot, app, script)
    app.model.open("/models/one")  # which holds nothing of them
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))
    edit = window.chat.composer.edit
    edit.setFocus()
    qtbot.keyClicks(edit, "and then")
    together = "for all 3 answers together"
    qtbot.waitUntil(lambda: together in app.chat.state.now.send_price)
    app.catch_up()
    qtbot.waitUntil(lambda: app.chat.state.now.send_price in window.chat.composer.accessibleDescription())
    queries = [one for one in script.commands if isinstance(one, EstimateCost) and one.turns[-1].text == "and then"]
    ends = {one.turns[-2].text for one in queries}
    assert ends == {f"You said: Why? ({one})" for one in "ABC"}
    told = app.chat.state.now.send_price
    priced = app.chat.branch_costs.together
    assert priced is not None
    assert formatting.tokens(priced.request.left) in told
    assert app.chat.state.now.send_parts == (priced.request.cached, priced.request.left)
    app.lanes.focus(1)
    app.catch_up()
    QApplication.processEvents()
    qtbot.waitUntil(lambda: bool(app.chat.state.now.send_price) and together not in app.chat.state.now.send_price)
    one = app.chat.branch_costs.sending
    assert one is not None
    assert priced.request.left == 3 * one.request.left
    app.lanes.focus(1)
    qtbot.waitUntil(lambda: app.chat.state.now.send_price == told)
    app.lanes.close()
    qtbot.waitUntil(lambda: bool(app.chat.state.now.send_price) and together not in app.chat.state.now.send_price)
