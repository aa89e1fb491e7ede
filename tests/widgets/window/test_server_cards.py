"""The cards about a server lead to what was entered about it, and go on from there."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.settings import ServerState, Settings
from app.widgets.kit.controls import Button
from app.widgets.kit.dialogs import shown_dialog
from app.widgets.models.models_window import ModelsWindow
from app.widgets.models.server_box import ServerBox
from app.widgets.window.main_window import MainWindow
from tests.fakes import engine as fakes
from tests.remote.scripted import Script, serving

MODEL = "server:a1/tiny"


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    """A data folder in which keys may lie."""
    return Folders("/models/guide", "/caches/snapshots", database=str(tmp_path / "conversations.db"))


def enter_key(qtbot: QtBot, app: App, button: Button) -> None:
    """Press the button of a card that leads to the server, and enter its key there."""
    assert button.text() == "Change Server…"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    shown = shown_dialog(ModelsWindow)
    assert shown is not None
    (box,) = shown.findChildren(ServerBox)
    assert (box.name.text(), box.key.text()) == ("Studio", "")
    box.key.setText("secret")
    with qtbot.waitSignal(app.servers.added):
        box.save_button.click()
    shown.close()


def add(settings: Settings, script: Script) -> None:
    settings.update(servers=(ServerState("a1", "Studio", script.address, "vLLM", {"tiny": 2048}),))


def test_the_key_of_a_model_in_use(qtbot: QtBot, window: MainWindow, app: App, settings: Settings) -> None:
    with serving(Script(kind="vLLM")) as script:
        add(settings, script)
        app.model.open(MODEL)
        qtbot.waitUntil(lambda: app.model.state.now.detail == "on Studio")
        app.answering.chosen.all.allow(app.library.open_id, "a1")
        script.key = "secret"
        app.chat.requests.send("Hello?")
        card = window.chat.composer_area.problem
        qtbot.waitUntil(lambda: not card.isHidden())
        enter_key(qtbot, app, card.action)
        qtbot.waitUntil(lambda: card.isHidden() and app.chat.state.now.has_unanswered)
        window.do("regenerate")
        qtbot.waitUntil(lambda: app.chat.chat_model.rows[-1].text == "Hello, world")


def test_the_key_of_a_model_that_was_not_opened(
    qtbot: QtBot, window: MainWindow, app: App, script: fakes.Script, settings: Settings
) -> None:
    script.deadly.add("/models/deadly")
    app.model.open("/models/deadly")
    qtbot.waitUntil(lambda: app.state.now.activity.text == "No model loaded")
    with serving(Script(kind="vLLM", key="secret")) as server:
        add(settings, server)
        app.model.open(MODEL)
        card = window.chat.composer_area.problem
        qtbot.waitUntil(lambda: not card.isHidden() and card.action.text() == "Change Server…")
        enter_key(qtbot, app, card.action)
        qtbot.waitUntil(lambda: card.isHidden() and app.model.state.now.detail == "on Studio")
