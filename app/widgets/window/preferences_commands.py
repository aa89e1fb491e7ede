"""The window of the settings, made when it is wanted: most starts of the program never need it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.viewmodels.app import App
from app.widgets.kit.style import Style

if TYPE_CHECKING:
    from app.widgets.preferences.preferences_window import PreferencesWindow


class PreferencesCommands(QObject):
    """Shows the settings beside one main window."""

    def __init__(self, style: Style, app: App, window: QWidget) -> None:
        super().__init__(window)
        self._style, self._app, self._window = style, app, window
        self._shown: PreferencesWindow | None = None

    @property
    def runs(self) -> dict[str, Callable[[], object]]:
        """Commands that the window carries out about settings, by their ids."""
        return {"preferences": self.show}

    def show(self) -> None:
        """Show the settings on the page that was left last, or bring them to the front."""
        from app.viewmodels.preferences.preferences import Preferences
        from app.widgets.preferences.preferences_window import PreferencesWindow

        if self._shown is None:
            app = self._app
            preferences = Preferences(
                *(app.settings, app.folders, app.keys, app.library, app.chat.settings.presets),
                *(app.model, app.hub, app.cache),
            )
            self._shown = PreferencesWindow(self._style, preferences, self._window)
            preferences.setParent(self._shown)
            self._shown.finished.connect(self._forget)
        self._shown.show()
        self._shown.raise_()
        self._shown.activateWindow()

    def _forget(self) -> None:
        self._shown = None
