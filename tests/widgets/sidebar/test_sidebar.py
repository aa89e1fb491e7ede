from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from app.viewmodels.actions import BY_ID
from app.viewmodels.library.conversation_model import ConversationModel
from app.widgets.kit.action_button import ActionButton
from app.widgets.kit.style import Style
from app.widgets.kit.theme import DARK, LIGHT, Theme
from app.widgets.sidebar.conversation_list import ConversationList
from app.widgets.sidebar.sidebar import Sidebar
from tests.widgets.pictures import count, picture, show
from tests.widgets.samples import conversations, opened, search


@pytest.fixture
def model(qapp: object) -> ConversationModel:
    return conversations()


@pytest.fixture
def sidebar(qtbot: QtBot, style: Style, model: ConversationModel) -> Iterator[Sidebar]:
    sidebar = Sidebar(style, model, search(), BY_ID)
    qtbot.addWidget(sidebar)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    show(sidebar, 248, 560)
    qtbot.waitUntil(sidebar.isActiveWindow)
    yield sidebar
    tester.deleteLater()


def row_center(view: ConversationList, row: int) -> QPoint:
    """The middle of the row itself, below any caption."""
    rect = view.visualRect(view.model().index(row, 0))
    return QPoint(rect.center().x(), rect.bottom() - 14)


def test_the_open_conversation_is_selected(sidebar: Sidebar, model: ConversationModel) -> None:
    assert sidebar.list.currentIndex().row() == 0
    opened(model, "d")
    assert sidebar.list.currentIndex().row() == 3
    assert [index.row() for index in sidebar.list.selectedIndexes()] == [3]


def test_the_open_conversation_is_seen_while_another_row_is_selected(
    sidebar: Sidebar, model: ConversationModel
) -> None:
    """As while the keyboard is on a folder."""
    view = sidebar.list

    def unselected() -> QImage:
        view.clearSelection()
        return view.grab(view.row_rect(model.index(2))).toImage()

    closed = unselected()
    opened(model, "c")
    assert unselected() != closed


def test_nothing_is_selected_while_nothing_is_open(sidebar: Sidebar, model: ConversationModel) -> None:
    opened(model, "none of them")
    assert not sidebar.list.selectedIndexes()


def test_a_click_chooses_another_conversation(qtbot: QtBot, sidebar: Sidebar) -> None:
    with qtbot.waitSignal(sidebar.chosen) as heard:
        qtbot.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=row_center(sidebar.list, 2))
    assert heard.args == ["c"]


def test_the_arrow_keys_choose_too(qtbot: QtBot, sidebar: Sidebar) -> None:
    with qtbot.waitSignal(sidebar.chosen) as heard:
        qtbot.keyClick(sidebar.list, Qt.Key.Key_Down)
    assert heard.args == ["b"]


def test_a_screen_reader_chooses_a_row(qtbot: QtBot, sidebar: Sidebar) -> None:
    told = QAccessible.queryAccessibleInterface(sidebar.list)
    with qtbot.waitSignal(sidebar.chosen) as heard:
        told.child(2).actionInterface().doAction("Press")
    assert heard.args == ["c"]


def test_what_is_open_already_is_not_opened_again(qtbot: QtBot, sidebar: Sidebar) -> None:
    with qtbot.assertNotEmitted(sidebar.chosen):
        qtbot.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=row_center(sidebar.list, 0))


def test_a_row_that_leaves_chooses_nothing(qtbot: QtBot, sidebar: Sidebar, model: ConversationModel) -> None:
    with qtbot.assertNotEmitted(sidebar.chosen):
        model.show(model.rows[1:])


def test_a_click_on_a_caption_chooses_nothing(qtbot: QtBot, sidebar: Sidebar) -> None:
    caption = sidebar.list.visualRect(sidebar.list.model().index(3, 0)).topLeft() + QPoint(40, 12)
    assert not sidebar.list.indexAt(caption).isValid()
    with qtbot.assertNotEmitted(sidebar.chosen):
        qtbot.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=caption)


def test_only_the_first_row_of_a_section_has_a_caption(sidebar: Sidebar, model: ConversationModel) -> None:
    heights = [sidebar.list.visualRect(model.index(row)).height() for row in range(5)]
    assert heights == [52, 28, 28, 64, 28]


def test_the_caption_moves_to_whatever_row_is_first_now(sidebar: Sidebar, model: ConversationModel) -> None:
    model.show(model.rows[3:])
    sidebar.list.grab()
    assert [sidebar.list.visualRect(model.index(row)).height() for row in range(2)] == [52, 28]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_rows_are_painted_in_the_themes_colours(
    qtbot: QtBot, style: Style, sidebar: Sidebar, model: ConversationModel, theme: Theme
) -> None:
    style.set_theme(theme)
    image = picture(sidebar)
    assert image.pixelColor(2, 500) == theme.sidebar
    assert count(image, theme.soft) > 3000
    caret = image.copy(220, sidebar.list.y() + 52, 20, 28)
    assert count(caret, theme.accentgfx) > 30
    assert count(image, theme.accentgfx) < 150


def test_hover_and_the_keyboards_focus_can_be_seen(qtbot: QtBot, sidebar: Sidebar) -> None:
    rest = picture(sidebar)
    qtbot.mouseMove(sidebar.list.viewport(), row_center(sidebar.list, 2))
    hover = picture(sidebar)
    assert count(hover, LIGHT.fill2) > count(rest, LIGHT.fill2) + 3000
    qtbot.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=row_center(sidebar.list, 0))
    assert count(picture(sidebar), LIGHT.accentgfx) < 150
    sidebar.list.clearFocus()
    sidebar.list.setFocus(Qt.FocusReason.TabFocusReason)
    assert count(picture(sidebar), LIGHT.accentgfx) > 400


def test_the_selection_of_an_inactive_window_is_grey(qtbot: QtBot, sidebar: Sidebar, style: Style) -> None:
    other = Sidebar(style, conversations(), search(), BY_ID)
    qtbot.addWidget(other)
    show(other, 248, 300)
    qtbot.waitUntil(other.isActiveWindow)
    image = picture(sidebar)
    assert count(image, LIGHT.soft) == 0
    assert count(image, LIGHT.fill2) > 3000


def test_rows_grow_with_the_text(qtbot: QtBot, style: Style, sidebar: Sidebar, model: ConversationModel) -> None:
    style.set_text_size(21)
    sidebar.list.grab()
    assert sidebar.list.visualRect(model.index(1)).height() == 37


def test_a_long_title_stays_clear_of_its_age(qtbot: QtBot, style: Style) -> None:
    model = conversations()
    sidebar = Sidebar(style, model, search(), BY_ID)
    qtbot.addWidget(sidebar)
    show(sidebar, 200, 400)
    gap = picture(sidebar).copy(134, sidebar.list.y() + 52 + 28 + 28 + 40 + 28, 6, 20)
    assert count(gap, LIGHT.sidebar) >= 20


def test_the_head_asks_for_its_verbs(qtbot: QtBot, sidebar: Sidebar) -> None:
    heard: list[str] = []
    sidebar.asked.connect(heard.append)
    for button in sidebar.findChildren(ActionButton):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert sorted(heard) == ["new", "preferences", "sidebar", "trash"]
