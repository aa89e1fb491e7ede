"""Names of branches in the chat, the breadcrumb and the menus."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.widgets.chat.composer_edit import ComposerEdit
from app.widgets.chat.messages.branch_name import NameField, NameTag
from app.widgets.chat.messages.row_controls import ControlKind
from app.widgets.kit.theme import DARK, LIGHT
from app.widgets.kit.typography import BODY_SIZE, LARGEST_BODY, SMALLEST_BODY, TextRole
from app.widgets.window.main_window import MainWindow
from app.widgets.window.toolbar import TitleBlock
from tests.fakes.engine import Script
from tests.widgets.window.test_main_window import ask


@pytest.fixture
def forked(qtbot: QtBot, window: MainWindow, app: App) -> MainWindow:
    """One, and below its answer Two and Three, of which Three is open."""
    ask(qtbot, window, app, "One")
    ask(qtbot, window, app, "Two")
    window.do("fork")
    ask(qtbot, window, app, "Three")
    return window


def field(window: MainWindow) -> NameField:
    found = window.chat.view.viewport().findChild(NameField)
    assert isinstance(found, NameField)
    return found


def tag(window: MainWindow, app: App, row: int) -> NameTag | None:
    found = window.chat.view.controls.find(app.chat.chat_model.rows[row].id, ControlKind.NAME)
    assert found is None or isinstance(found, NameTag)
    return found


def name(qtbot: QtBot, window: MainWindow, app: App, text: str) -> None:
    window.do("name_branch")
    QTest.keyClicks(field(window), text)
    QTest.keyClick(field(window), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: app.state.now.chat.branch == text)
    app.catch_up()
    window.grab()


def test_a_branch_is_named_from_the_menu_and_the_name_stands_wherever_it_is(
    qtbot: QtBot, forked: MainWindow, app: App
) -> None:
    title = forked.findChild(TitleBlock)
    assert isinstance(title, TitleBlock)
    assert title.accessibleName() == "One"
    assert tag(forked, app, 2) is None
    name(qtbot, forked, app, "cheaper")
    assert title.accessibleName() == "One › cheaper"
    shown = tag(forked, app, 2)
    assert shown is not None
    switcher = forked.chat.view.controls.find(app.chat.chat_model.rows[2].id, ControlKind.SWITCHER)
    assert switcher is not None
    assert shown.geometry().right() < switcher.geometry().left()
    assert (shown.text(), shown.accessibleName()) == ("cheaper", "Branch cheaper")
    forked.do("previous")
    app.catch_up()
    assert title.accessibleName() == "One"


def test_a_click_on_a_name_changes_it_and_escape_leaves_it(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    name(qtbot, forked, app, "cheaper")
    shown = tag(forked, app, 2)
    assert shown is not None
    shown.click()
    assert field(forked).text() == "cheaper"
    QTest.keyClicks(field(forked), "x")
    QTest.keyClick(field(forked), Qt.Key.Key_Escape)
    assert app.state.now.chat.branch == "cheaper"
    qtbot.waitUntil(lambda: forked.chat.view.viewport().findChild(NameField) is None)
    shown.click()
    QTest.keyClick(field(forked), Qt.Key.Key_Backspace)
    forked.chat.composer.edit.setFocus()  # which gives it, too
    qtbot.waitUntil(lambda: app.state.now.chat.branch == "")


@pytest.mark.parametrize("verb", ["rename", "name_branch", "find_everywhere", "compose", ""])
def test_whoever_goes_elsewhere_from_a_name_stays_there(qtbot: QtBot, forked: MainWindow, app: App, verb: str) -> None:
    forked.do("name_branch")
    first = field(forked)
    QTest.keyClicks(first, "cheaper")
    if verb:
        forked.do(verb)
    else:
        QTest.mouseClick(forked.sidebar.field, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: app.state.now.chat.branch == "cheaper")
    now = forked.focusWidget()
    assert isinstance(now, QLineEdit | ComposerEdit)
    assert now.isVisible()
    assert now is not first


def test_a_name_is_typed_to_its_end_while_the_chat_moves_under_it(
    qtbot: QtBot, forked: MainWindow, app: App, script: Script
) -> None:
    """As it does while an answer is written: the field goes along, and stays in sight."""
    script.answers["Three"] = "One word more, and a line, and another. " * 60
    script.hold = 3
    forked.resize(900, 600)
    app.chat.requests.regenerate()
    view = forked.chat.view
    qtbot.waitUntil(lambda: len(app.chat.chat_model.rows[-1].text) > 3)
    forked.do("name_branch")
    named = field(forked)
    QTest.keyClicks(named, "with ")
    place, offset = named.y(), view.verticalOffset()
    script.go.set()
    qtbot.waitUntil(lambda: not list(app.chat.questions))
    qtbot.waitUntil(lambda: view.verticalOffset() > offset)
    assert named.hasFocus()
    assert named.y() != place
    assert view.viewport().rect().contains(named.geometry())
    QTest.keyClicks(named, "wind")
    QTest.keyClick(named, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: app.state.now.chat.branch == "with wind")
    assert not forked.chat.composer.edit.toPlainText()


def test_a_name_that_is_being_typed_is_given_where_its_message_goes(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    three = app.chat.chat_model.rows[2].id
    forked.do("name_branch")
    QTest.keyClicks(field(forked), "cheaper")
    app.chat.open_branch.select_version(three, -1)
    qtbot.waitUntil(lambda: app.library.tree.message(three).name == "cheaper")
    qtbot.waitUntil(lambda: forked.chat.view.viewport().findChild(NameField) is None)


def test_the_chat_has_the_keyboard_again_after_a_name(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Escape):
        forked.do("name_branch")
        QTest.keyClick(field(forked), key)
        qtbot.waitUntil(lambda: forked.chat.view.viewport().findChild(NameField) is None)
        assert forked.focusWidget() is forked.chat.view


def test_the_name_of_a_branch_above_holds_until_another_one_is_given(
    qtbot: QtBot, forked: MainWindow, app: App
) -> None:
    name(qtbot, forked, app, "cheaper")
    ask(qtbot, forked, app, "Four")
    forked.do("fork")
    ask(qtbot, forked, app, "Five")
    assert app.state.now.chat.branch == "cheaper"
    forked.do("name_branch")
    assert field(forked).text() == ""  # of the version that is open, not of what is above it
    QTest.keyClick(field(forked), Qt.Key.Key_Escape)


def test_the_open_branch_is_marked_as_a_favourite_from_the_menu(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    entry = forked.menus.actions["favourite_branch"]
    assert not entry.isChecked()
    for holds in (True, False):
        forked.do("favourite_branch")
        qtbot.waitUntil(lambda holds=holds: app.state.now.chat.is_favourite_branch == holds)
        app.catch_up()
        assert entry.isChecked() == holds


def test_a_message_says_the_name_of_its_branch(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    name(qtbot, forked, app, "cheaper")
    model = app.chat.chat_model
    said = model.index(2).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "version 2 of 2, branch cheaper" in said


def test_the_field_takes_another_theme_and_size_of_text(qtbot: QtBot, forked: MainWindow, app: App) -> None:
    style = forked._style
    forked.do("name_branch")
    shown = field(forked)
    for theme, size in ((DARK, LARGEST_BODY), (LIGHT, SMALLEST_BODY), (DARK, BODY_SIZE)):
        style.set_theme(theme)
        style.set_text_size(size)
        assert shown.palette().text().color() == theme.text
        assert shown.font().pixelSize() == style.text_style(TextRole.SMALL).font.pixelSize()
        assert shown.height() == style.typography.row - 2
        row = forked.chat.view.layout_of_rows.row_of(shown.message_id)
        head = forked.chat.view.layout_of_rows.item(row).name
        assert shown.geometry().right() + 1 == round(head.right())
