"""What a person does to see the price of a branch: they come to an arrow of a fork, with the keyboard or the mouse."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication

from app.viewmodels.app import App
from app.widgets.chat.messages.version_switcher import VersionSwitcher
from app.widgets.window.main_window import MainWindow


def come_to_right_arrow(app: App, window: MainWindow) -> None:
    """Come to the arrows of the first fork with the keyboard."""
    _switcher(app, window).setFocus(Qt.FocusReason.TabFocusReason)


def rest_on_left_arrow(app: App, window: MainWindow) -> None:
    """Rest the mouse on the left arrow of the first fork."""
    switcher = _switcher(app, window)
    at = QPointF(switcher.arrow(-1).center())
    QApplication.sendEvent(switcher, QEnterEvent(at, at, QPointF(switcher.mapToGlobal(at.toPoint()))))


def come_where_nothing_fits(app: App, window: MainWindow) -> None:
    """Limit the context to less than what was said, and come to the arrows."""
    app.model.limit_context(app.model.current_model.path, "128")
    come_to_right_arrow(app, window)


def is_priced(app: App) -> bool:
    """Return whether a price is shown, and the branches of the open conversation are known."""
    ends = [run.last_id for run in app.library.tree.runs().values()]
    windows = [one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow)]
    is_known = all(app.chat.warmth.warmth_of(message_id, app.library.open_id) is not None for message_id in ends)
    return is_known and any(one.prices.hover.popover.isVisible() for one in windows)


def _switcher(app: App, window: MainWindow) -> VersionSwitcher:
    window.chat.view.show_message(app.library.tree.forks[0].id)
    window.chat.view.updateGeometries()
    return window.chat.view.viewport().findChildren(VersionSwitcher)[0]
