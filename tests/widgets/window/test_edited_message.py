"""What is edited can be seen: it is the message that was looked at, and its mark is in sight once it is edited."""

from __future__ import annotations

from random import Random

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.viewmodels.chat.rows import MessageRow
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.seeds import each_seed

_WORDS = ("short", "two\n\nlines", "half\n\n" * 8, "full\n\n" * 36)


def say(qtbot: QtBot, app: App, text: str) -> None:
    """Ask this, and wait for the answer."""
    app.chat.requests.send(text)
    rows = app.chat.chat_model
    qtbot.waitUntil(lambda: [row.text for row in rows.rows[-2:-1]] == [text])
    qtbot.waitUntil(lambda: not rows.rows[-1].is_streaming and rows.rows[-1].footer is not None)


def settle() -> None:
    for _ in range(6):
        QApplication.processEvents()


def head_in_sight(window: MainWindow, message_id: str) -> bool:
    """Whether the line over a message stands wholly in what is seen of the chat."""
    view = window.chat.view
    number = window.chat.view.layout_of_rows.row_of(message_id)
    head = view.layout_of_rows.item(number).name.translated(0, view.row_rect(number).top())
    return head.top() >= -1 and head.bottom() <= view.viewport().height() + 1


def edited(app: App) -> MessageRow:
    return next(row for row in app.chat.chat_model.rows if row.is_edited)


@each_seed(range(4))
def test_what_is_edited_is_marked_in_sight(
    qtbot: QtBot, window: MainWindow, app: App, script: Script, seed: int
) -> None:
    random = Random(seed)
    app.library.new_conversation()
    for number in range(random.randint(1, 4)):
        question = f"Question {seed}.{number} {random.choice(_WORDS)}".strip()
        script.answers[question] = random.choice(_WORDS).strip()
        say(qtbot, app, question)
    view, bar = window.chat.view, window.chat.view.verticalScrollBar()
    for _ in range(12):
        window.resize(random.randint(900, 1500), random.randint(600, 1000))
        settle()
        bar.setValue(random.randint(0, bar.maximum()))
        selected = random.random() < 0.4
        if selected:
            view.setFocus()
            view.setCurrentIndex(app.chat.chat_model.index(random.randrange(len(app.chat.chat_model.rows))))
            if random.random() < 0.5:
                bar.setValue(random.randint(0, bar.maximum()))
        else:
            window.chat.composer.focus_text()
        settle()
        command = random.choice(("fork", "edit_answer"))
        seen = [row.id for row in app.chat.chat_model.rows if head_in_sight(window, row.id) and row.role == "user"]
        window.do(command)
        settle()
        row = edited(app)
        assert row.role == ("user" if command == "fork" else "assistant")
        assert window.chat.composer.text == row.text
        assert head_in_sight(window, row.id)
        if command == "fork" and seen and not selected:
            assert row.id == seen[-1]
        app.chat.open_draft.cancel_edit()
        settle()
