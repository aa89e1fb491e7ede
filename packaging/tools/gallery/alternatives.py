"""An answer shown by its tokens."""

from __future__ import annotations

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.viewmodels.app import App
from app.widgets.window.main_window import MainWindow
from tools.gallery.sample_choices import WORD
from tools.gallery.waiting import wait


def show_tokens(app: App, window: MainWindow) -> None:
    """Show the last answer by its tokens, and look at one of them."""
    wait("its alternatives are known", app.tokens.can_open)
    window.do("tokens")
    wait("its tokens are shown", lambda: app.tokens.tokens is not None)
    tokens = app.tokens.tokens
    if tokens is not None:
        app.tokens.point(next(number for number in range(len(tokens)) if tokens.text(number) == WORD))


def write_own(app: App, window: MainWindow) -> None:
    """Type what is to stand in the place of that token."""
    show_tokens(app, window)
    wait("its alternatives are shown", lambda: window.chat.tokens.popover is not None)
    QTest.keyClicks(window.chat.view, "A")
    QTest.keyClicks(QApplication.focusWidget(), " train")


def are_priced(app: App) -> bool:
    """Return whether the price of what is chosen is told."""
    return bool(app.tokens.state.now.price)
