"""Escape ends the innermost of what is open around the keyboard, and an answer only where nothing is."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.widgets.kit.text_fields import LineField
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.viewmodels.test_app import ask
from tests.widgets.window.test_own_keys import press


class Open(NamedTuple):
    """Something that can be open: how it comes, whether it is there, and the widgets in which Escape is about it."""

    come: Callable[[MainWindow, App], object]
    is_there: Callable[[MainWindow, App], bool]
    around: Callable[[MainWindow], list[QWidget]]


def pick_several(window: MainWindow, app: App) -> None:
    rows = window.sidebar.list
    rows.setFocus(Qt.FocusReason.ShortcutFocusReason)
    rows.pick_all()


def search(window: MainWindow, app: App) -> None:
    window.do("find_everywhere")
    window.sidebar.field.setText("weather")
    app._store.drain()
    QApplication.processEvents()


def filter_branches(window: MainWindow, app: App) -> None:
    window.branches.field.setText("weather")
    window.branches.tree.setFocus(Qt.FocusReason.TabFocusReason)


def hoist(window: MainWindow, app: App) -> None:
    tree = window.branches.tree
    tree.setFocus(Qt.FocusReason.TabFocusReason)
    tree.setCurrentIndex(app.branches.model.index(app.branches.model.rowCount() - 1, 0))
    app.branches.hoist(tree.row_id)


def show_tokens(window: MainWindow, app: App) -> None:
    row = next(one for one in app.chat.chat_model.rows if app.tokens.can_open(one.id))
    app.tokens.toggle(row.id)


def edit_question(window: MainWindow, app: App) -> None:
    app.chat.open_draft.begin_edit(app.chat.chat_model.rows[0].id)
    window.chat.composer_area.take_focus()


# From the inside to the outside.
KINDS: dict[str, Open] = {
    "filter": Open(
        filter_branches,
        lambda window, app: bool(window.branches.field.text()),
        lambda window: [window.branches],
    ),
    "hoist": Open(
        hoist,
        lambda window, app: bool(app.branches.state.now.top),
        lambda window: [window.branches.tree, *window.branches.foot.buttons],
    ),
    "several": Open(
        pick_several,
        lambda window, app: bool(window.sidebar.list.several),
        lambda window: [window.sidebar.list],
    ),
    "search": Open(
        search,
        lambda window, app: bool(window.sidebar.field.text()),
        lambda window: [window.sidebar],
    ),
    "tokens": Open(
        show_tokens,
        lambda window, app: app.tokens.state.now.is_open,
        lambda window: [window.chat],
    ),
    "edit": Open(
        edit_question,
        lambda window, app: app.chat.state.now.is_editing,
        lambda window: [window.chat],
    ),
    "find": Open(
        lambda window, app: window.do("find"),
        lambda window, app: app.find.is_open,
        lambda window: [window],
    ),
}


def stops(window: MainWindow) -> list[QWidget]:
    """Where the keyboard may be besides where something was opened, fields that Escape leaves left out."""
    sidebar, branches, chat = window.sidebar, window.branches, window.chat
    lists = sidebar.list, sidebar.results, branches.tree, chat.view
    buttons = sidebar.new_button, *branches.foot.buttons, chat.find_bar.close_button, chat.toolbar.chip
    return [*lists, *buttons, chat.composer.edit]


@pytest.fixture
def written(qtbot: QtBot, window: MainWindow, app: App, script: Script) -> MainWindow:
    """Two conversations, one question in two versions, and an answer that is being written below them."""
    ask(qtbot, app, "Another thing")
    app.library.new_conversation()
    ask(qtbot, app, "How are you?")
    app.chat.open_draft.begin_edit(None)
    ask(qtbot, app, "And the weather?")
    window.inspector.show_pane("branches")
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.waitUntil(lambda: app.branches.model.rowCount() == 2 and window.branches.isVisible())
    qtbot.waitUntil(lambda: app.tokens.can_open(app.chat.chat_model.rows[1].id))
    script.go.clear()
    script.hold = 1
    app.chat.requests.send("A long question")
    qtbot.waitUntil(lambda: bool(app.chat.chat_model.rows[-1].text) and app.state.now.chat.is_writing)
    return window


def is_stopping(app: App) -> bool:
    return any(question.is_stopping for question in app.chat.questions.at_engine)


def has_keyboard(around: list[QWidget]) -> bool:
    at = QApplication.focusWidget()
    return at is not None and any(one is at or one.isAncestorOf(at) for one in around)


def there(window: MainWindow, app: App) -> set[str]:
    app.catch_up()
    return {name for name, kind in KINDS.items() if kind.is_there(window, app)}


def around_keyboard(window: MainWindow, opened: set[str]) -> list[str]:
    """What Escape ends, the next first: the find bar after what is open in the chat, unless the keyboard is in it."""
    near = [name for name, kind in KINDS.items() if name in opened and has_keyboard(kind.around(window))]
    return sorted(near, key=lambda name: name != "find") if has_keyboard([window.chat.find_bar]) else near


def test_escape_ends_the_innermost_thing_and_an_answer_last(
    qtbot: QtBot, written: MainWindow, app: App, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is open, and wherever the keyboard is. A field in which nothing stands is left by it."""
    window, stopped = written, []
    monkeypatch.setattr(app.chat.requests, "stop", lambda: stopped.append(True))
    for seed in range(40):
        chance = random.Random(seed)
        for name in chance.sample(list(KINDS), chance.randrange(4)):
            KINDS[name].come(window, app)
            QApplication.processEvents()
        if chance.random() < 0.5:
            chosen = chance.choice([one for one in stops(window) if one.isVisible()])
            chosen.setFocus(Qt.FocusReason.TabFocusReason)
            QApplication.processEvents()
        for _ in range(12):
            before = there(window, app)
            near = around_keyboard(window, before)
            at = QApplication.focusWidget()
            is_empty = at in (window.sidebar.field, window.branches.field) and not at.text()
            press(window, Qt.Key.Key_Escape)
            said = f"seed {seed}, open {sorted(before)}, near {near}, at {at}"
            if is_empty:
                assert not stopped, said
                assert at is not QApplication.focusWidget(), said
                assert there(window, app) == before, said
            elif near:
                assert not stopped, said
                assert near[0] not in there(window, app), said
                assert set(near[1:]) <= there(window, app), said
            else:
                assert stopped, said
                stopped.clear()
                break
        for name in there(window, app):
            end(name, window, app)
        window.chat.composer_area.take_focus()
        QApplication.processEvents()
        assert not there(window, app)
    monkeypatch.undo()
    script.go.set()
    qtbot.waitUntil(lambda: not app.chat.questions.at_engine)


def test_escape_is_heard_where_nothing_has_the_keyboard(
    qtbot: QtBot, written: MainWindow, app: App, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, stopped = written, []
    monkeypatch.setattr(app.chat.requests, "stop", lambda: stopped.append(True))
    for act, is_open in (("compare", lambda: app.comparison.state.now.is_open), ("find", lambda: app.find.is_open)):
        window.do(act)
        app.catch_up()
        assert is_open()
        at = QApplication.focusWidget()
        if at is not None:
            at.clearFocus()
        press(window, Qt.Key.Key_Escape)
        app.catch_up()
        assert not is_open()
        assert not stopped
    monkeypatch.undo()
    script.go.set()
    qtbot.waitUntil(lambda: not app.chat.questions.at_engine)


def test_escape_leads_from_the_inspector_back_to_writing(
    qtbot: QtBot, written: MainWindow, app: App, script: Script
) -> None:
    window = written
    script.go.set()
    qtbot.waitUntil(lambda: not app.chat.questions.at_engine)
    for stop in (window.branches.tree, window.branches.foot.buttons[0]):
        stop.setFocus(Qt.FocusReason.TabFocusReason)
        press(window, Qt.Key.Key_Escape)
        assert window.chat.composer.edit.hasFocus()


def end(name: str, window: MainWindow, app: App) -> None:
    """End what was left open, as buttons do."""
    ends: dict[str, Callable[[], object]] = {
        "filter": window.branches.field.clear,
        "hoist": lambda: app.branches.hoist(""),
        "several": window.sidebar.list._end_picking,
        "search": window.sidebar.field.clear,
        "find": app.find.close,
        "tokens": app.tokens.close,
        "edit": app.chat.open_draft.cancel_edit,
    }
    ends[name]()
    app.catch_up()


def test_stop_stops_whatever_is_edited_and_puts_the_edit_back_only_then(
    qtbot: QtBot, written: MainWindow, app: App, script: Script
) -> None:
    """The button and Command-Period; of one answer and of several beside each other."""
    window = written
    edit_question(window, app)
    app.catch_up()
    window.do("stop")
    assert is_stopping(app)
    assert app.chat.state.now.is_editing
    script.go.set()
    qtbot.waitUntil(lambda: not app.chat.questions.at_engine)
    app.catch_up()
    window.do("stop")
    app.catch_up()
    assert not app.chat.state.now.is_editing


def test_escape_in_a_setting_and_in_own_words_is_about_the_field(
    qtbot: QtBot, written: MainWindow, app: App, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A setting is left for the message field; own words are left for the token they were to replace."""
    window, stopped = written, []
    monkeypatch.setattr(app.chat.requests, "stop", lambda: stopped.append(True))
    window.inspector.show_pane("settings")
    for field in window.settings.findChildren(QWidget):
        if isinstance(field, LineField | QPlainTextEdit) and field.isVisible() and field.isEnabled():
            field.setFocus(Qt.FocusReason.TabFocusReason)
            press(window, Qt.Key.Key_Escape)
            assert window.chat.composer.edit.hasFocus()
    show_tokens(window, app)
    qtbot.waitUntil(lambda: window.chat.tokens.popover is not None and window.chat.tokens.popover.isVisible())
    press(window, Qt.Key.Key_X)
    assert window.chat.tokens.words is not None
    assert window.chat.tokens.words.hasFocus()
    press(window, Qt.Key.Key_Escape)
    assert window.chat.view.hasFocus()
    assert app.tokens.state.now.is_open
    press(window, Qt.Key.Key_Escape)
    assert not app.tokens.state.now.is_open
    assert not stopped
    monkeypatch.undo()
    script.go.set()
    qtbot.waitUntil(lambda: not app.chat.questions.at_engine)


def test_escape_in_a_side_over_the_chat_puts_that_away(
    qtbot: QtBot, written: MainWindow, app: App, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And from the chat beside it, it stops the answer first."""
    window, stopped = written, []
    monkeypatch.setattr(app.chat.requests, "stop", lambda: stopped.append(True))
    window.resize(900, 700)
    for row in (window.branches.tree, window.branches.foot.buttons[0]):
        window.do("inspector")
        assert window.sides.is_shown("inspector")
        row.setFocus(Qt.FocusReason.TabFocusReason)
        press(window, Qt.Key.Key_Escape)
        assert not window.sides.is_shown("inspector")
        assert window.chat.composer.edit.hasFocus()
        assert not stopped
    window.do("inspector")
    press(window, Qt.Key.Key_Escape)
    assert stopped
    assert window.sides.is_shown("inspector")
    monkeypatch.undo()
    script.go.set()
    qtbot.waitUntil(lambda: not app.chat.questions.at_engine)
