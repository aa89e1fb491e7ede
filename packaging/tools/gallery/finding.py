"""What is looked for in the pictures, and where one jumps to."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from app.viewmodels.app import App
from app.widgets.jump.jump_panel import JumpPanel
from app.widgets.window.main_window import MainWindow


def find(text: str, steps: int = 0) -> Callable[[App, MainWindow], None]:
    """Return what types words into the bar under the toolbar, and goes on so many times."""

    def type_words(app: App, window: MainWindow) -> None:
        window.do("find")
        bar = window.chat.find_bar
        bar.field.setText(text)
        bar.typed.emit(text)
        while app.find._work.is_running:
            QCoreApplication.processEvents()
        for _ in range(steps):
            app.find.go(1)

    return type_words


def jump(text: str = "") -> Callable[[App, MainWindow], None]:
    """Return what opens the panel, and types some letters of where to go."""

    def type_letters(app: App, window: MainWindow) -> None:
        window.do("jump")
        app._store.drain()
        QCoreApplication.processEvents()
        panel_of(window).field.setText(text)
        while panel_of(window)._jump._work.is_running:
            QCoreApplication.processEvents()

    return type_letters


def panel_of(window: MainWindow) -> JumpPanel:
    """Return the panel that is open."""
    panel = window._jumps.panel
    assert isinstance(panel, JumpPanel)
    return panel


def panel(window: MainWindow) -> QWidget:
    """Return the panel, to be taken by itself."""
    return panel_of(window)
