"""What all lists and trees of painted rows have in common, whatever their rows say."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView, QFrame
from pytestqt.qtbot import QtBot

from app.protocol.cache_events import CacheEvent, CacheEventKind
from app.viewmodels.cache.event_model import EventModel
from app.viewmodels.cache.trie_model import TrieModel
from app.viewmodels.hub.hub_rows import HubRow, HubRows
from app.viewmodels.library.conversation_model import ConversationModel
from app.viewmodels.library.line_model import LineModel, LineRow
from app.viewmodels.library.rows import ConversationRow
from app.viewmodels.model.model_rows import ModelRow, ModelRows
from app.widgets.cache.event_list import EventList
from app.widgets.cache.trie_tree import TrieTree
from app.widgets.kit.style import Style
from app.widgets.kit.theme import LIGHT
from app.widgets.models.hub_view import HubView
from app.widgets.models.model_view import ModelView
from app.widgets.sidebar.conversation_list import ConversationList
from app.widgets.sidebar.line_list import LineList
from tests.widgets import samples
from tests.widgets.pictures import count, picture, show

Make = Callable[[Style], QAbstractItemView]


def conversations(style: Style) -> QAbstractItemView:
    model = ConversationModel()
    model.show([ConversationRow(name, name, "now", "Today", False, False) for name in "abc"])
    return ConversationList(style, model)


def lines(style: Style) -> QAbstractItemView:
    model = LineModel()
    model.show([LineRow(name, name, "now", "a line") for name in "abc"])
    return LineList(style, model, "Results")


def hub(style: Style) -> QAbstractItemView:
    rows = HubRows()
    rows.show([HubRow(name, name, "grower", "a line") for name in "abc"])
    return HubView(style, rows)


def models(style: Style) -> QAbstractItemView:
    rows = ModelRows()
    rows.show([ModelRow(name, name, "grower") for name in "abc"])
    return ModelView(style, rows)


def events(style: Style) -> QAbstractItemView:
    model = EventModel()
    model.add(CacheEvent(number, 0.0, CacheEventKind.SPLIT, 5, 100, None, 3) for number in range(3))
    return EventList(style, model)


def trie(style: Style) -> QAbstractItemView:
    model = TrieModel()
    model.show(samples.view())
    return TrieTree(style, model)


@pytest.fixture(params=[conversations, lines, hub, models, events, trie])
def view(request: pytest.FixtureRequest, qtbot: QtBot, style: Style) -> QAbstractItemView:
    view: QAbstractItemView = request.param(style)
    qtbot.addWidget(view)
    show(view, 300, 300)
    return view


def test_a_view_has_a_name_no_frame_and_no_way_to_the_side(view: QAbstractItemView) -> None:
    assert view.accessibleName()
    assert view.frameShape() is QFrame.Shape.NoFrame
    assert view.horizontalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    assert view.editTriggers() == QAbstractItemView.EditTrigger.NoEditTriggers


def test_rows_grow_with_the_text(view: QAbstractItemView, style: Style) -> None:
    before = view.visualRect(view.model().index(0, 0)).height()
    style.set_text_size(24)
    view.grab()
    assert view.visualRect(view.model().index(0, 0)).height() > before * 1.2


def test_the_row_that_the_keyboard_is_on_has_a_ring_and_one_that_was_clicked_has_none(
    qtbot: QtBot, view: QAbstractItemView
) -> None:
    view.setFocus(Qt.FocusReason.TabFocusReason)
    view.setCurrentIndex(view.model().index(0, 0))
    qtbot.keyClick(view, Qt.Key.Key_Down)
    rect = view.visualRect(view.currentIndex())
    ringed = count(picture(view.viewport()).copy(rect), LIGHT.accentgfx)
    assert ringed > rect.width()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert count(picture(view.viewport()).copy(rect), LIGHT.accentgfx) < ringed - rect.width()


def test_the_row_under_the_mouse_has_a_ground_of_its_own(qtbot: QtBot, view: QAbstractItemView) -> None:
    rect = view.visualRect(view.model().index(1, 0) if view.model().rowCount() > 1 else view.model().index(0, 0))
    before = picture(view.viewport()).copy(rect)
    qtbot.mouseMove(view.viewport(), rect.topLeft() - QPoint(0, 3))
    qtbot.mouseMove(view.viewport(), rect.center())
    qtbot.waitUntil(lambda: picture(view.viewport()).copy(rect) != before)
