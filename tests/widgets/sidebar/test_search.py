"""Searching with real keys: what is typed is looked for in all branches, and what is found can be opened."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.viewmodels.library.line_model import LineRow
from app.widgets.kit.style import Style
from app.widgets.kit.theme import DARK, LIGHT
from app.widgets.kit.typography import TextRole
from app.widgets.sidebar.line_list import in_sight
from app.widgets.window.main_window import MainWindow
from tests.widgets.pictures import count, picture
from tests.widgets.window.test_main_window import ask, texts

_CTRL = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def garden(qtbot: QtBot, window: MainWindow, app: App) -> MainWindow:
    """Two conversations; in the first one a branch that is not shown speaks of quinces."""
    ask(qtbot, window, app, "quinces in May")
    ask(qtbot, window, app, "and then?")
    app.chat.open_draft.begin_edit(app.chat.chat_model.rows[0].id)
    ask(qtbot, window, app, "apples in June")
    app.library.new_conversation()
    ask(qtbot, window, app, 'she said "pears"')
    return window


def look_for(qtbot: QtBot, window: MainWindow, text: str) -> list[LineRow]:
    """Type into the field and wait for the answer to exactly this."""
    field, search = window.sidebar.field, window._app.library.search
    field.take_focus()
    qtbot.keyClicks(field, text)
    search.ask()
    window._app._store.drain()
    QApplication.processEvents()
    return list(search.rows.rows)


def test_the_key_leads_to_the_field_and_escape_back(qtbot: QtBot, garden: MainWindow) -> None:
    sidebar = garden.sidebar
    qtbot.keyClick(garden.chat.composer.edit, Qt.Key.Key_F, _CTRL)
    assert sidebar.field.hasFocus()
    assert look_for(qtbot, garden, "pears")
    assert sidebar.results.isVisible()
    assert not sidebar.list.isVisible()
    qtbot.keyClick(sidebar.field, Qt.Key.Key_Escape)
    assert sidebar.field.text() == ""
    assert sidebar.list.isVisible()
    assert not sidebar.results.isVisible()
    qtbot.keyClick(sidebar.field, Qt.Key.Key_Escape)
    assert garden.chat.composer.edit.hasFocus()


def test_the_key_brings_the_sidebar_back(qtbot: QtBot, garden: MainWindow) -> None:
    garden.do("sidebar")
    assert not garden.sidebar.isVisible()
    qtbot.keyClick(garden.chat.composer.edit, Qt.Key.Key_F, _CTRL)
    assert garden.sidebar.field.hasFocus()


def test_a_message_of_a_hidden_branch_is_opened(qtbot: QtBot, garden: MainWindow, app: App) -> None:
    found = look_for(qtbot, garden, "quin")
    assert [(row.title, row.line[: row.ranges[0][1]]) for row in found if row.id] == [
        ("quinces in May", "You said: quinces"),
        ("quinces in May", "You: quinces"),
    ]
    assert found[0] == LineRow("", "quinces in May", "now", "The conversation’s title", (), found[1].conversation_id)
    field, results = garden.sidebar.field, garden.sidebar.results
    qtbot.keyClick(field, Qt.Key.Key_Down)
    assert results.hasFocus()
    qtbot.keyClick(results, Qt.Key.Key_End)
    qtbot.keyClick(results, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: texts(app)[:1] == ["quinces in May"])
    assert texts(app)[2] == "and then?"
    qtbot.waitUntil(lambda: garden.chat.view.currentIndex().row() == 0)
    assert results.hasFocus()
    for _ in range(2):
        qtbot.keyClick(results, Qt.Key.Key_Up)
    qtbot.keyClick(results, Qt.Key.Key_Up)
    assert field.hasFocus()


def test_a_click_opens_and_the_path_that_holds_it_stays(qtbot: QtBot, garden: MainWindow, app: App) -> None:
    found = look_for(qtbot, garden, "apples")
    results = garden.sidebar.results
    row = next(number for number, one in enumerate(found) if one.line.startswith("You: "))
    at = results.visualRect(results.model().index(row, 0)).center()
    qtbot.mouseClick(results.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.waitUntil(lambda: texts(app) == ["apples in June", "You said: apples in June"])


@pytest.mark.parametrize("text", ['"pears"', '"pear', "pears*", "said NOT", "(", "'", "''", "*", "\\", "title:pears"])
def test_signs_that_mean_something_to_a_database_do_no_harm(qtbot: QtBot, garden: MainWindow, text: str) -> None:
    look_for(qtbot, garden, text)
    search = garden._app.library.search
    assert search.is_active
    assert search.rows.rows or search.sentence == f"Nothing was found for “{text}”."


def test_where_nothing_is_found_it_is_said(qtbot: QtBot, garden: MainWindow) -> None:
    assert look_for(qtbot, garden, "bananas") == []
    assert garden.sidebar.field.accessibleDescription() == "Nothing was found for “bananas”."
    image = picture(garden.sidebar).copy(16, garden.sidebar._top, 200, 24)
    assert count(image, LIGHT.sidebar) < image.width() * image.height() - 100


def test_what_was_deleted_is_not_found(qtbot: QtBot, garden: MainWindow, app: App) -> None:
    found = look_for(qtbot, garden, "pears")
    assert found
    app.act("delete_conversation")
    qtbot.waitUntil(lambda: not app.library.search.rows.rows)
    app.library.go_to(found[0].conversation_id, found[-1].id)


def test_only_the_newest_question_is_answered(qtbot: QtBot, garden: MainWindow, app: App) -> None:
    search = app.library.search
    search.look_for("pears")
    search.ask()
    search.look_for("quinces")
    app._store.drain()
    assert search.rows.rows == ()
    qtbot.waitUntil(lambda: len(search.rows.rows) == 3)


def test_the_mark_can_be_seen_in_both_themes(qtbot: QtBot, garden: MainWindow, style: Style) -> None:
    look_for(qtbot, garden, "pears")
    for theme in (LIGHT, DARK):
        style.set_theme(theme)
        assert count(picture(garden.sidebar.results), theme.softline) > 100


def test_a_late_match_is_brought_into_sight(style: Style) -> None:
    text_style = style.text_style(TextRole.SMALL)
    text = "You: one two three four five six seven eight nine ten pears and more"
    start = text.index("pears")
    shown, ranges = in_sight(text, ((start, start + 5),), text_style, 120)
    assert shown.startswith("…")
    assert [shown[first:last] for first, last in ranges] == ["pears"]
    assert text_style.width(shown[: ranges[0][1]]) < 120
    assert in_sight(text, ((5, 8),), text_style, 120) == (text, ((5, 8),))


def test_the_rows_are_sound(qtbot: QtBot, app: App) -> None:
    rows = app.library.search.rows
    tester = QAbstractItemModelTester(rows, QAbstractItemModelTester.FailureReportingMode.Warning)
    rows.show([LineRow("a", "Title", "now", "line"), LineRow("b", "Other", "2 h", "line")])
    rows.show([LineRow("b", "Other", "2 h", "line")])
    assert rows.data(rows.index(0), Qt.ItemDataRole.AccessibleTextRole) == "Other, 2 h, line"
    tester.deleteLater()
