"""A thought from the engine to the window, and from there through a restart, a file, and another program's folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from pytestqt.qtbot import QtBot

from app.protocol.commands import Generate
from app.viewmodels.app import App
from app.viewmodels.kit.settings import WindowState
from app.viewmodels.library.form import Form
from app.widgets.chat.messages.disclosure_line import DisclosureLine
from app.widgets.chat.messages.row_controls import ControlKind
from app.widgets.kit.style import Style
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.widgets.pictures import show

QUESTION, THOUGHT, TEXT = "Which pears?", "The person asks about pears,\nand I know a little.", "Late ones."


def shown(style: Style, app: App) -> MainWindow:
    window = MainWindow(style, app, WindowState())
    show(window, 1100, 800)
    return window


def closed(window: MainWindow) -> None:
    """Close a window, and let Qt delete it now."""
    window.close()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def line_of(window: MainWindow, app: App) -> DisclosureLine:
    found = window.chat.view.controls.find(app.chat.chat_model.rows[-1].id, ControlKind.THOUGHT)
    assert isinstance(found, DisclosureLine)
    return found


def test_a_thought_goes_all_the_way(
    qtbot: QtBot, make_app: Callable[[], App], style: Style, script: Script, tmp_path: Path
) -> None:
    script.thoughts[QUESTION], script.answers[QUESTION] = THOUGHT, TEXT
    script.hold = 3
    app = make_app()
    window = shown(style, app)
    qtbot.waitUntil(lambda: app.model.current_model.to_ask is not None)
    app.chat.requests.send(QUESTION)
    qtbot.waitUntil(lambda: app.chat.chat_model.rows[-1].thought is not None)
    qtbot.waitUntil(lambda: line_of(window, app).accessibleName().startswith("Thinking"))
    script.hold = None
    qtbot.waitUntil(lambda: not app.chat.state.now.is_writing)
    qtbot.mouseClick(line_of(window, app), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "expanded" in line_of(window, app).accessibleName())
    assert [segment.text for segment in app.chat.chat_model.rows[-1].shown] == [THOUGHT, TEXT]
    qtbot.waitUntil(lambda: not app.chat.questions.unsaved)
    closed(window)

    app = make_app()
    window = shown(style, app)
    qtbot.waitUntil(lambda: len(app.chat.chat_model.rows) == 2)
    row = app.chat.chat_model.rows[-1]
    assert row.thought is not None
    assert (row.thought.text, row.thought.seconds, row.text, row.thought.is_open) == (THOUGHT, 12.3, TEXT, False)
    qtbot.waitUntil(lambda: "collapsed" in line_of(window, app).accessibleName())

    qtbot.waitUntil(lambda: app.model.current_model.to_ask is not None)
    app.chat.requests.send("And then?")
    qtbot.waitUntil(lambda: len(app.chat.chat_model.rows) == 4 and not app.chat.state.now.is_writing)
    asked = [command for command in script.commands if isinstance(command, Generate)][-1]
    assert (asked.turns[1].thinking, asked.turns[1].text) == (THOUGHT, TEXT)

    target = tmp_path / "pears.espalier"
    app.library.import_export.export(app.library.open_id, Form.ESPALIER, str(target))
    qtbot.waitUntil(target.exists)
    before = app.library.open_id
    app.library.stored.import_export.import_file(str(target), lambda: app.library.open, copies=True)
    qtbot.waitUntil(lambda: app.library.open_id != before and len(app.chat.chat_model.rows) == 4)
    imported = app.chat.chat_model.rows[1]
    assert imported.thought is not None
    assert (imported.thought.text, imported.text) == (THOUGHT, TEXT)
    closed(window)
