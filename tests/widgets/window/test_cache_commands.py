"""Pins and warm ups begin where the keyboard is: at a message, at a row of the cache pane, or at the branch's end."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.viewmodels.chat.rows import spoken_message
from app.widgets.chat.messages.message_menu import MessageMenu
from app.widgets.window.main_window import MainWindow
from tests.widgets.window.test_main_window import ask


def pinned(app: App) -> list[int]:
    """Which messages of the open path are pinned, by their numbers."""
    return [number for number, one in enumerate(app.library.tree.path) if one.is_pinned]


def test_a_message_that_the_keyboard_is_on_is_pinned_down_to(qtbot: QtBot, window: MainWindow, app: App) -> None:
    ask(qtbot, window, app, "One")
    ask(qtbot, window, app, "Two")
    view = window.chat.view
    view.setFocus()
    view.setCurrentIndex(view.model().index(1, 0))
    window.do("pin")
    qtbot.waitUntil(lambda: pinned(app) == [1])
    qtbot.waitUntil(lambda: app.chat.chat_model.rows[1].is_pinned)
    assert ", pinned, " in spoken_message(app.chat.chat_model.rows[1], 2, 4)
    view.setCurrentIndex(view.model().index(0, 0))
    window.do("unpin")  # the one that there is on the branch, though the keyboard is above it
    qtbot.waitUntil(lambda: pinned(app) == [])
    window.chat.composer.edit.setFocus()
    window.do("pin")
    qtbot.waitUntil(lambda: pinned(app) == [3])


def test_the_menu_of_a_message_pins_it_and_lets_it_go(qtbot: QtBot, window: MainWindow, app: App) -> None:
    ask(qtbot, window, app, "One")
    ask(qtbot, window, app, "Two")
    qtbot.waitUntil(lambda: app.chat.state.now.can_pin)
    view, made = window.chat.view, list[MessageMenu]()
    view.menuMade.connect(made.append)
    for verb, found in (("pin", [1]), ("unpin", [])):
        view._open_menu(1, view.mapToGlobal(view.rect().center()))
        assert {"pin", "unpin"} & set(made[-1].entries) == {verb}
        made[-1].entries[verb].trigger()
        made[-1].close()
        qtbot.waitUntil(lambda found=found: pinned(app) == found)
        qtbot.waitUntil(lambda verb=verb: app.chat.chat_model.rows[1].is_pinned == (verb == "pin"))


def test_a_message_of_another_branch_is_pinned_there(qtbot: QtBot, window: MainWindow, app: App) -> None:
    """As one is that stands in a column beside the open branch."""
    ask(qtbot, window, app, "One")
    other = app.library.tree.path[1].id
    app.chat.requests.regenerate()
    qtbot.waitUntil(lambda: app.library.tree.path[1].id != other and not list(app.chat.questions))
    for verb, is_pinned in (("pin", True), ("unpin", False)):
        window._do_with_answer(verb, other)
        qtbot.waitUntil(lambda is_pinned=is_pinned: app.library.tree.message(other).is_pinned is is_pinned)
        assert pinned(app) == []


def test_in_the_cache_pane_the_keys_are_about_the_row(
    qtbot: QtBot, window: MainWindow, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(qtbot, window, app, "One")
    done: list[object] = []
    monkeypatch.setattr(app.edges, "pin_row", done.append)
    monkeypatch.setattr(app.edges, "warm_up_row", lambda: done.append("warm up"))
    monkeypatch.setattr(app.edges, "warm_up", lambda path: done.append(len(path)))
    if not window.cache.isVisible():
        window.do("cache")
    qtbot.waitUntil(lambda: app.cache_rows.trie_model.rowCount() > 0)
    app.edges.choose(app.cache.view.nodes[0].id)
    window.cache.tree.setFocus(Qt.FocusReason.OtherFocusReason)
    for verb in ("pin", "unpin", "warm_up"):
        window.do(verb)
    assert done == [True, False, "warm up"]
    window.chat.composer.edit.setFocus()
    window.do("warm_up")
    assert done[3:] == [2]
