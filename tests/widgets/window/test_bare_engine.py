"""An engine that answers, and can do nothing else: the window does not speak of what it has not."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.protocol.capabilities import Capabilities
from app.viewmodels.actions import TABLE
from app.viewmodels.app import App
from app.widgets.kit.action_button import ActionButton
from app.widgets.window.main_window import MainWindow
from app.widgets.window.status_line import StatusLine
from tests.fakes.engine import ALL, NONE, Script
from tests.widgets.pictures import picture


@pytest.fixture
def bare(script: Script, window: MainWindow, app: App, qtbot: QtBot) -> MainWindow:
    change(qtbot, window, app, script, NONE)
    return window


def change(qtbot: QtBot, window: MainWindow, app: App, script: Script, capabilities: Capabilities) -> None:
    """Have an engine with these abilities in the other one's place."""
    script.capabilities = capabilities
    app.model.restart_engine()
    qtbot.waitUntil(lambda: app.model.state.now.capabilities == capabilities)
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"))
    for _ in range(3):
        QApplication.processEvents()


def ask(qtbot: QtBot, window: MainWindow, app: App, text: str) -> None:
    app.chat.requests.send(text)
    qtbot.waitUntil(lambda: bool(app.chat.chat_model.rows) and bool(app.chat.chat_model.rows[-1].note or _is_done(app)))


def _is_done(app: App) -> bool:
    row = app.chat.chat_model.rows[-1]
    return row.role == "assistant" and not row.is_streaming


def words(window: MainWindow) -> str:
    """All that a screen reader is told by what can be seen."""
    seen = [one for one in window.findChildren(QWidget) if one.isVisible()]
    return "\n".join(f"{one.accessibleName()} {one.accessibleDescription()}" for one in seen)


def inspector_button(window: MainWindow) -> ActionButton:
    (button,) = [one for one in window.chat.toolbar.findChildren(ActionButton) if one.action_id == "inspector"]
    return button


def test_a_window_over_a_bare_engine_shows_no_trie_and_no_prices(qtbot: QtBot, bare: MainWindow, app: App) -> None:
    ask(qtbot, bare, app, "How are you?")
    bare.chat.composer.show_text("And now?")
    qtbot.wait(300)  # longer than a price takes to come
    assert not bare.cache.isVisible()
    has_panes = bare.inspector.current is not None
    assert (bare.inspector.isVisible(), inspector_button(bare).isVisible()) == (has_panes, has_panes)
    state = app.chat.state.now
    assert (state.subtitle, state.send_price, state.send_parts) == ("", "", None)
    assert bare.findChildren(StatusLine)[0].accessibleDescription().startswith("Ready")
    assert "cache" not in words(bare).lower()
    picture(bare)


def test_its_menus_hold_nothing_that_needs_more(bare: MainWindow) -> None:
    for row in TABLE:
        if row.needs and row.id in bare.menus.actions:
            assert not bare.menus.actions[row.id].isVisible(), row.id
            assert not bare.menus.actions[row.id].isEnabled(), row.id
    assert not bare.menus.budget.menuAction().isVisible()
    assert not bare.menus.disk_budget.menuAction().isVisible()
    has_panes = bare.inspector.current is not None
    assert bare.menus.actions["inspector"].isVisible() == has_panes
    titles = [entry.text() for entry in bare.menuBar().actions() if entry.isVisible()]
    assert titles == ["File", "Edit", "View", "Branch", "Window", "Help"]
    bare.do("inspector")
    assert has_panes or not bare.sides.is_shown("inspector")


def test_all_of_it_comes_back_with_an_engine_that_has_it(
    qtbot: QtBot, bare: MainWindow, app: App, script: Script
) -> None:
    bare.inspector.show_pane("cache")
    change(qtbot, bare, app, script, ALL)
    assert bare.cache.isVisible()
    assert inspector_button(bare).isVisible()
    assert bare.menus.actions["inspector"].isChecked()
    assert all(entry.isVisible() for entry in bare.menuBar().actions())
    assert all(entry.isVisible() for entry in bare.menus.actions.values())
    assert bare.state().is_inspector_shown


def test_each_ability_brings_what_needs_it(qtbot: QtBot, window: MainWindow, app: App, script: Script) -> None:
    window.inspector.show_pane("cache")
    for one in fields(Capabilities):
        change(qtbot, window, app, script, replace(NONE, **{one.name: True}))
        shown = {row.id for row in TABLE if row.needs and window.menus.entry(row).isVisible()}
        assert shown == {row.id for row in TABLE if row.needs == one.name}, one.name
        assert window.cache.isVisible() == (one.name == "trie")
