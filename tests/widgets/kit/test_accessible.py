"""What screen readers are told of rows that are painted, and of stops that are no widgets of Qt's."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleInterface
from pytestqt.qtbot import QtBot

from app.viewmodels.library.line_model import LineModel, LineRow
from app.widgets.chat.messages.version_switcher import VersionSwitcher
from app.widgets.kit.style import Style
from app.widgets.sidebar.line_list import LineList
from tests.widgets.pictures import show

Role, Name = QAccessible.Role, QAccessible.Text.Name


def fruits(qtbot: QtBot, style: Style, *names: str) -> tuple[LineList, LineModel, QAccessibleInterface]:
    rows = LineModel()
    rows.show([LineRow(name, name, "2 h", "a ripe one", ()) for name in names])
    view = LineList(style, rows, "Fruits")
    qtbot.addWidget(view)
    show(view, 300, 400)
    return view, rows, QAccessible.queryAccessibleInterface(view)


def test_a_row_is_pressed_which_is_a_click_on_it(qtbot: QtBot, style: Style) -> None:
    view, _rows, found = fruits(qtbot, style, "apple", "pear")
    chosen: list[str] = []
    view.chosen.connect(lambda row: chosen.append(row.id))
    pear = found.child(1)
    assert (found.role(), pear.role()) == (Role.List, Role.ListItem)
    assert pear.actionInterface().actionNames() == ["Press"]
    pear.actionInterface().doAction("Press")
    assert chosen == ["pear"]
    assert view.currentIndex().row() == 1


def test_a_row_says_what_it_is_now_and_whether_the_keyboard_is_on_it(qtbot: QtBot, style: Style) -> None:
    view, rows, found = fruits(qtbot, style, "apple", "pear")
    view.activateWindow()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    view.setCurrentIndex(rows.index(1))
    pear = found.child(1)
    assert pear.text(Name).startswith("pear")
    assert pear.state().focused
    assert found.indexOfChild(found.focusChild()) == 1
    assert found.childAt(*pear.rect().center().toTuple()).text(Name) == pear.text(Name)
    rows.show([LineRow("fig", "fig", "2 h", "a ripe one", ())])
    assert found.childCount() == 1
    assert not pear.isValid()
    assert pear.state().invalid
    assert pear.text(Name) == ""
    pear.actionInterface().doAction("Press")  # what is gone is not pressed


def test_the_versions_of_a_message_go_up_and_down(qtbot: QtBot, style: Style) -> None:
    switcher = VersionSwitcher(style)
    qtbot.addWidget(switcher)
    switcher.show_version(2, 3)
    found = QAccessible.queryAccessibleInterface(switcher)
    assert (found.role(), found.text(Name)) == (Role.SpinBox, "Version 2 of 3")
    steps: list[int] = []
    switcher.stepped.connect(steps.append)
    for action in ("Increase", "Decrease"):
        found.actionInterface().doAction(action)
    assert steps == [1, -1]
