"""Several answers to one question, in columns."""

from __future__ import annotations

from types import SimpleNamespace

from app.viewmodels.app import App
from app.viewmodels.chat import question
from app.widgets.window.main_window import MainWindow
from tools.gallery.stage import SEVERAL
from tools.gallery.waiting import wait

ASKED = "Make it cheaper, under 300 euros each without the flights, and say in two paragraphs what changes."


def ask_for_three(app: App, window: MainWindow) -> None:
    """Have three answers written, and choose the second."""
    clock = SimpleNamespace(now=0.0)
    vars(question)["time"] = SimpleNamespace(monotonic=lambda: clock.now)
    app.chat.requests.choose_count(3)
    app.chat.requests.send(ASKED)
    wait("all is written", lambda: are_written(app))
    clock.now = 1.5
    app.lanes.focus(1)
    app.chat.state.refresh()


def ask_alone(app: App, window: MainWindow) -> None:
    """Do so where the inspector takes no room from the columns."""
    window.do("inspector")
    ask_for_three(app, window)


def are_written(app: App) -> bool:
    """Return whether each column holds its whole text."""
    return [one.chat_model.rows[-1].text for one in app.lanes.rows] == list(SEVERAL)
