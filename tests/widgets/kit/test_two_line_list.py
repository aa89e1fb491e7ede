"""What all lists of rows of two lines have in common: keys, mouse, hint, field, and what a screen reader hears."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.viewmodels.hub.hub_rows import HubRow, HubRows
from app.viewmodels.kit.lists import RowRole
from app.viewmodels.library.line_model import LineModel, LineRow
from app.viewmodels.model.model_rows import ModelRow, ModelRows
from app.viewmodels.text.formatting import DOT
from app.widgets.kit.search_field import SearchField
from app.widgets.kit.style import Style
from app.widgets.kit.theme import LIGHT
from app.widgets.kit.two_line_list import TwoLineList
from app.widgets.models import hub_view, model_view
from app.widgets.models.hub_view import HubView
from app.widgets.models.model_view import ModelView
from app.widgets.sidebar import line_list
from app.widgets.sidebar.line_list import LineList
from tests.seeds import each_seed
from tests.widgets.pictures import count, picture, show

List = TwoLineList[Any]
NAMES = ("apple", "pear", "quince")


def hub(style: Style, names: tuple[str, ...]) -> List:
    rows = HubRows()
    rows.show([HubRow(name, name, "grower", f"8 B{DOT}4-bit", "Fits", is_here=name == "pear") for name in names])
    return HubView(style, rows)


def models(style: Style, names: tuple[str, ...]) -> List:
    rows = ModelRows()
    row = ModelRow("", "", f"grower{DOT}Added folder", f"llama{DOT}8 B", f"llama{DOT}8 B", "fits", age="2 h")
    rows.show([replace(row, id=name, name=name, is_current=name == "pear") for name in names])
    return ModelView(style, rows, is_chosen_by_click=True)


def lines(style: Style, names: tuple[str, ...]) -> List:
    rows = LineModel()
    rows.show([LineRow(name, name, "2 h", "a ripe one", ((2, 6),)) for name in names])
    return LineList(style, rows, "Results")


Make = Callable[[Style, tuple[str, ...]], List]
EACH = pytest.mark.parametrize("make", [hub, models, lines])


def placed(qtbot: QtBot, style: Style, view: List) -> tuple[QWidget, SearchField]:
    """Put a list below a field that belongs to it, in a window of its own."""
    pane = QWidget()
    qtbot.addWidget(pane)
    field = SearchField(style, "Filter", parent=pane)
    column = QVBoxLayout(pane)
    column.addWidget(field)
    column.addWidget(view)
    view.set_field(field)
    show(pane, 420, 320)
    qtbot.waitUntil(pane.isActiveWindow)
    return pane, field


@EACH
def test_keys_lead_from_the_field_through_the_rows_and_back(qtbot: QtBot, style: Style, make: Make) -> None:
    view = make(style, NAMES)
    _pane, field = placed(qtbot, style, view)
    heard: list[Any] = []
    view.chosen.connect(heard.append)
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_Down)
    assert view.hasFocus()
    assert view.row_focus.is_shown
    assert view.currentIndex().row() == 0
    qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert heard == [view.row] == [view.model().index(1, 0).data(RowRole.ROW)]
    qtbot.keyClicks(view, "kW")
    assert (field.text(), field.hasFocus()) == ("kW", True)
    qtbot.keyClick(field, Qt.Key.Key_Down)
    assert view.currentIndex().row() == 1, "where one was"
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert view.hasFocus()
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert field.hasFocus()


@EACH
@each_seed(range(8))
def test_no_key_is_lost_on_a_list_at_any_place_of_it(qtbot: QtBot, style: Style, make: Make, seed: int) -> None:
    """Return chooses the current row whatever was pressed before, and the keyboard is in the field or the list."""
    keys = [Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Q]
    rng = random.Random(seed)
    view = make(style, NAMES[: rng.randrange(4)])
    pane, field = placed(qtbot, style, view)
    heard: list[Any] = []
    view.chosen.connect(heard.append)
    field.setFocus()
    for _ in range(30):
        key, was, row, is_in_list = rng.choice(keys), len(heard), view.row, view.hasFocus()
        qtbot.keyClick(QApplication.focusWidget(), key)
        assert view.hasFocus() != field.hasFocus()
        assert heard[was:] == ([row] if is_in_list and key is Qt.Key.Key_Return else [])
        assert view.row is not None or not view.hasFocus()
    pane.close()


@EACH
def test_escape_and_without_a_field_letters_are_the_panes(qtbot: QtBot, style: Style, make: Make) -> None:
    view = make(style, NAMES)
    qtbot.addWidget(view)
    show(view, 300, 200)
    for key, text in ((Qt.Key.Key_Escape, ""), (Qt.Key.Key_Q, "q")):
        event = QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier, text)
        QApplication.sendEvent(view, event)
        assert not event.isAccepted()


@EACH
def test_a_click_chooses_and_a_menu_is_asked_for_where_one_is(qtbot: QtBot, style: Style, make: Make) -> None:
    view = make(style, NAMES)
    qtbot.addWidget(view)
    show(view, 300, 300)
    chosen, asked = list[Any](), list[Any]()
    view.chosen.connect(chosen.append)
    view.menuAsked.connect(lambda row, _at: asked.append(row))
    rect = view.visualRect(view.model().index(2, 0))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert chosen == [view.row] == [view.model().index(2, 0).data(RowRole.ROW)]
    first = view.visualRect(view.model().index(0, 0)).center()
    for reason, at in ((QContextMenuEvent.Reason.Mouse, first), (QContextMenuEvent.Reason.Keyboard, QPoint(0, 0))):
        QApplication.sendEvent(view.viewport(), QContextMenuEvent(reason, at, view.viewport().mapToGlobal(at)))
    assert asked == [view.model().index(0, 0).data(RowRole.ROW), view.row]


def test_two_clicks_choose_where_one_only_selects(qtbot: QtBot, style: Style) -> None:
    rows = ModelRows()
    rows.show([ModelRow("a", "a", "here"), ModelRow("b", "b", "here", reason="It is broken.")])
    view = ModelView(style, rows)
    qtbot.addWidget(view)
    show(view, 300, 300)
    chosen: list[Any] = []
    view.chosen.connect(chosen.append)
    for number, wanted in ((0, ["a"]), (1, [])):
        at = view.visualRect(rows.index(number)).center()
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
        assert chosen == []
        qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
        qtbot.keyRelease(view, Qt.Key.Key_Shift)
        assert [row.name for row in chosen] == wanted
        chosen.clear()


@EACH
def test_a_hint_stands_below_the_rows_and_is_told(qtbot: QtBot, style: Style, make: Make) -> None:
    for names in ((), NAMES[:1], NAMES):
        view = make(style, names)
        qtbot.addWidget(view)
        show(view, 300, 400)
        end = view.visualRect(view.model().index(len(names) - 1, 0)).bottom() + 1 if names else 0
        below = picture(view.viewport()).copy(0, end, 300, 400 - end)
        assert count(below, LIGHT.text2) == 0
        view.show_hint("Nothing more was found.")
        assert view.accessibleDescription() == "Nothing more was found."
        assert count(picture(view.viewport()).copy(0, end, 300, 60), LIGHT.text2) > 20
        view.show_hint("")
        assert picture(view.viewport()).copy(0, end, 300, 400 - end) == below


@EACH
def test_all_that_a_row_shows_is_said(qtbot: QtBot, style: Style, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    def note(_painter: QPainter, _style: object, _rect: QRectF, text: str, *_rest: object) -> float:
        shown.append(text)
        return 0.0

    for module in (hub_view, model_view, line_list):
        monkeypatch.setattr(module, "draw_text", note)
    view = make(style, ("pear",))
    qtbot.addWidget(view)
    show(view, 900, 100)
    view.grab()
    said = view.model().index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert shown
    for words in shown:
        assert all(part in said for part in words.split(DOT)), words


@EACH
def test_rows_are_two_lines_high_with_room_between(qtbot: QtBot, style: Style, make: Make) -> None:
    view = make(style, NAMES)
    qtbot.addWidget(view)
    show(view, 300, 300)
    for body in (10, 14, 24):
        style.set_text_size(body)
        view.grab()
        heights = {view.visualRect(view.model().index(row, 0)).height() for row in range(3)}
        (height,) = heights
        assert 4 <= height - style.typography.two_line_row <= 8
