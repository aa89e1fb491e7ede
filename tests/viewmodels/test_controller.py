"""The walk of a message, with a scripted engine and a real database."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.conversation.store import Store
from app.viewmodels.controller import Controller


def texts(controller: Controller) -> list[str]:
    return [row.text for row in controller.chat.rows]


def ready(qtbot: QtBot, controller: Controller) -> None:
    qtbot.waitUntil(lambda: controller.status.now.engine_line.startswith("Ready"))


def ended(qtbot: QtBot, controller: Controller, rows: int) -> None:
    """Wait until so many messages are shown and nothing is being written."""

    def holds() -> bool:
        shown = controller.chat.rows
        return len(shown) == rows and not any(row.is_streaming for row in shown) and not controller._asking.is_busy

    qtbot.waitUntil(holds)


def stored(data_folder: Path) -> list[tuple[str, str]]:
    store = Store(data_folder / "conversations.db")
    found = [
        (message.role, message.text)
        for conversation in store.conversations()
        for message in store.messages(conversation.id)
    ]
    store.close()
    return found


def test_a_question_is_answered(qtbot: QtBot, controller: Controller) -> None:
    ready(qtbot, controller)
    controller.send("How are you?")
    assert texts(controller)[0] == "How are you?"
    ended(qtbot, controller, 2)
    assert texts(controller) == ["How are you?", "You said: How are you?"]
