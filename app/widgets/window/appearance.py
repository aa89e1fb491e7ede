"""The look that a person chose, or that the system has: followed while the program runs."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QStyleHints

from app.viewmodels.kit.settings import Settings
from app.widgets.kit.style import Style, system_theme

_SCHEMES = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}


class Appearance(QObject):
    """Gives the style its theme and its font of code, from the settings and the system, now and whenever they change.

    Of the system's looks it takes the contrast always, light or dark where the person leaves it the choice. What is not
    painted here, menus and title bars, is told to the system.
    """

    def __init__(self, style: Style, settings: Settings, hints: QStyleHints, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._style, self._settings, self._hints = style, settings, hints
        self._chosen = ""
        hints.colorSchemeChanged.connect(self._show)
        hints.accessibility().contrastPreferenceChanged.connect(self._show)
        settings.changed.connect(self._follow)
        style.apply_to_application()
        self._show()
        self._follow()

    def _follow(self) -> None:
        values = self._settings.values
        if values.code_font != self._style.typography.code_family:
            self._style.set_code_font(values.code_font)
        if values.appearance != self._chosen:
            self._chosen = values.appearance
            self._hints.setColorScheme(_SCHEMES.get(values.appearance, Qt.ColorScheme.Unknown))
            self._show()

    def _show(self) -> None:
        scheme = _SCHEMES.get(self._settings.values.appearance, self._hints.colorScheme())
        contrast = self._hints.accessibility().contrastPreference()
        wanted = system_theme(scheme is Qt.ColorScheme.Dark, contrast is Qt.ContrastPreference.HighContrast)
        if wanted != self._style.theme:
            self._style.set_theme(wanted)
