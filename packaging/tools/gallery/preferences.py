"""The window of the settings, page by page."""

from __future__ import annotations

from collections.abc import Callable

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
