"""The window of the settings, made when it is wanted: most starts of the program never need it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.viewmodels.app import App
from app.widgets.kit.dialogs import shown_dialog
from app.widgets.kit.style import Style
from app.widgets.window.window_commands import bring

if TYPE_CHECKING:
    from app.widgets.preferences.preferences_window import PreferencesWindow


class PreferencesCommands(QObject):
    """Shows the settings beside one main window.

    Attribute: shown, the window of the settings, of which there is one for all main windows, where it was made here.
    """

    def __init__(self, style: Style, app: App, window: QWidget) -> None:
        super().__init__(window)
        self._style, self._app, self._window = style, app, window
        self.shown: PreferencesWindow | None = None

    @property
    def runs(self) -> dict[str, Callable[[], object]]:
        """Commands that the window carries out about settings, by their ids."""
        return {"preferences": self.show}

    def show(self) -> None:
        """Show the settings on the page that was left last, or bring them to the front, whichever window has them."""
        from app.widgets.preferences.preferences_window import PreferencesWindow

        bring(shown_dialog(PreferencesWindow) or self._made())

    def _made(self) -> PreferencesWindow:
        from app.viewmodels.preferences.preferences import Preferences
        from app.widgets.preferences.preferences_window import PreferencesWindow

        app = self._app
        preferences = Preferences(
            *(app.settings, app.folders, app.keys, app.library, app.chat.settings.presets),
            *(app.model, app.hub, app.cache, app.workspace.store, app.workspace.api),
        )
        self.shown = PreferencesWindow(self._style, preferences, self._window)
        preferences.setParent(self.shown)
        self.shown.finished.connect(self._forget)
        return self.shown

    def _forget(self) -> None:
        self.shown = None
