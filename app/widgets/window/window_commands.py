"""The Window menu: what is done to windows as such, and the list of those that are open."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow, QMenu, QWidget

ENTER, EXIT = "Enter Full Screen", "Exit Full Screen"
_KINDS = (QMainWindow, QDialog)


class WindowCommands(QObject):
    """Acts on the window that the keyboard is in, for one main window whose menu lists them all.

    full_screen: the entry of the menu, which says what it would do.
    """

    def __init__(self, menu: QMenu, full_screen: QAction, window: QMainWindow) -> None:
        super().__init__(window)
        self._menu, self._full_screen, self._window = menu, full_screen, window
        self._listed: list[QAction] = []
        menu.aboutToShow.connect(self.list_windows)

    @property
    def runs(self) -> dict[str, Callable[[], object]]:
        """Commands about windows, by their ids."""
        return {
            "minimise": lambda: self._active.showMinimized(),
            "zoom": self._zoom,
            "full_screen": self._toggle_full_screen,
            "bring_all": self._bring_all,
        }

    def show_state(self) -> None:
        """Say in the menu what the command for the full screen would do now."""
        self._full_screen.setText(EXIT if self._window.isFullScreen() else ENTER)

    def list_windows(self) -> None:
        """List the windows that are open, the one with the keyboard marked."""
        for entry in self._listed:
            self._menu.removeAction(entry)
            entry.deleteLater()
        self._listed = [self._menu.addSeparator()]
        for window in _windows():
            title = window.windowTitle() or window.accessibleName()
            entry = self._menu.addAction(title.replace("&", "&&"))
            entry.setMenuRole(QAction.MenuRole.NoRole)
            entry.setCheckable(True)
            entry.setChecked(window is self._active)
            entry.triggered.connect(partial(bring, window))
            self._listed.append(entry)

    @property
    def _active(self) -> QWidget:
        active = QApplication.activeWindow()
        return active if isinstance(active, _KINDS) else self._window

    def _zoom(self) -> None:
        """Fill the screen's free part, or go back; a window that has the whole screen stays so."""
        window = self._active
        if not window.isFullScreen():
            window.setWindowState(window.windowState() ^ Qt.WindowState.WindowMaximized)

    def _toggle_full_screen(self) -> None:
        self._window.setWindowState(self._window.windowState() ^ Qt.WindowState.WindowFullScreen)

    def _bring_all(self) -> None:
        active = self._active
        for window in [*(one for one in _windows() if one is not active), active]:
            bring(window)


def _windows() -> list[QWidget]:
    """Return the windows that a person has open, by their titles: no popups, and no questions over one of them."""
    shown = [one for one in QApplication.topLevelWidgets() if isinstance(one, _KINDS) and one.isVisible()]
    return sorted((one for one in shown if not one.isModal()), key=_order)


def _order(window: QWidget) -> tuple[bool, str, int]:
    return not isinstance(window, QMainWindow), window.windowTitle().casefold(), window.winId()


def bring(window: QWidget, _is_checked: bool = False) -> None:
    """Show a window above all others, with the keyboard."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()
