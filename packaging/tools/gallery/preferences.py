"""The window of the settings, page by page."""

from __future__ import annotations

from collections.abc import Callable

from app.protocol.reports import Problem
from app.viewmodels.app import App
from app.viewmodels.preferences.disk_usage import DiskUsage, Usage
from app.widgets.preferences.preferences_window import PreferencesWindow
from app.widgets.preferences.row_widgets import KeysRow
from app.widgets.window.main_window import MainWindow

_USAGES = {
    "conversations": Usage(48_300_000, 3),
    "copies": Usage(46_100_000, 1),
    "snapshots": Usage(4_610_000_000, 212),
    "logs": Usage(310_000, 4),
}


def page(page_id: str) -> Callable[[App, MainWindow], None]:
    """Return what opens the settings on a page."""

    def show(app: App, window: MainWindow) -> None:
        app.settings.update(model_folders=("/Users/ana/Models", "/Volumes/Archive/Models of last year"))
        app.settings.update(keys={"models": "F6"})
        window.do("preferences")
        shown = preferences_window(window)
        for usage in shown.findChildren(DiskUsage):
            usage.close()
            usage.usages = dict(_USAGES)
        shown.buttons[page_id].click()
        for usage in shown.findChildren(DiskUsage):
            usage.close()
            usage.usages = dict(_USAGES)
            usage.changed.emit()

    return show


def api(app: App, window: MainWindow) -> None:
    """Turn the local API on, without a socket."""
    gateway = app.workspace.api.gateway
    token = "e4c1" * 16
    gateway.start = lambda port, **_how: gateway.listening.emit(port, token)  # type: ignore[method-assign]
    app.workspace.api.switch(True)
    page("api")(app, window)


def api_refused(app: App, window: MainWindow) -> None:
    """Turn the local API on where its port is taken."""
    gateway = app.workspace.api.gateway
    sentence = "Another program listens on port 11888. Choose another port, or end that program."
    problem = Problem("The port is taken", sentence)
    gateway.start = lambda *_where, **_how: gateway.failed.emit(problem)  # type: ignore[method-assign]
    app.workspace.api.switch(True)
    page("api")(app, window)


def conflict(app: App, window: MainWindow) -> None:
    """Give a command the keys of another one."""
    page("shortcuts")(app, window)
    row = preferences_window(window).page.row("keys:new")
    assert isinstance(row, KeysRow)
    row.control.recorded.emit("Ctrl+O")


def preferences_window(window: MainWindow) -> PreferencesWindow:
    """Return the window of the settings, which is open."""
    (found,) = window.findChildren(PreferencesWindow)
    return found
