"""What each list model owes to the views, whatever its rows are."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QLoggingCategory, QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from app.protocol.cache_events import CacheEvent, CacheEventKind
from app.viewmodels.cache.event_model import EventModel
from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.rows import MessageRow, segments_of
from app.viewmodels.kit.lists import ListModel, RowRole
from app.viewmodels.library.conversation_model import ConversationModel
from app.viewmodels.library.line_model import LineModel, LineRow
from app.viewmodels.library.rows import ConversationRow


def chat() -> ChatModel:
    model = ChatModel()
    model.show(
        [
            MessageRow(name, "user", "You", segments_of("user", f"text {name}"), "none", 1, 1, ("none",))
            for name in "abc"
        ]
    )
    return model


def conversations() -> ConversationModel:
    model = ConversationModel()
    model.show([ConversationRow(name, f"title {name}", "now", "Today", False, False) for name in "abc"])
    return model


def lines() -> LineModel:
    model = LineModel()
    model.show([LineRow(name, f"title {name}", "now", "line") for name in "abc"])
    return model


def events() -> EventModel:
    model = EventModel()
    kinds = (CacheEventKind.PAGED_IN, CacheEventKind.SPLIT, CacheEventKind.CHECKED)
    model.add(CacheEvent(number, 0.0, kind, 5, 100, None, 3) for number, kind in enumerate(kinds))
    return model


@pytest.mark.parametrize("make", [chat, conversations, lines, events])
def test_every_row_is_read_whole_and_has_words_for_the_eye_and_for_a_screen_reader(qapp: object, make: Any) -> None:
    model: ListModel[Any] = make()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal).deleteLater()
    assert model.rowCount() == len(model.rows) == 3
    for number, row in enumerate(model.rows):
        index = model.index(number)
        assert index.data(RowRole.ROW) is row
        assert index.data(Qt.ItemDataRole.DisplayRole)
        assert index.data(Qt.ItemDataRole.AccessibleTextRole)
        assert index.data(Qt.ItemDataRole.DecorationRole) is None
        assert model.rowCount(index) == 0


@pytest.mark.parametrize("make", [chat, conversations, lines, events])
def test_what_is_no_row_has_no_data(qapp: object, make: Any) -> None:
    model, other = make(), lines()
    QLoggingCategory.setFilterRules("qt.core.qabstractitemmodel.checkindex=false")
    for index in (QModelIndex(), model.createIndex(3, 0), other.index(0)):
        assert model.data(index, RowRole.ROW) is None
        assert model.data(index) is None
    QLoggingCategory.setFilterRules("")
