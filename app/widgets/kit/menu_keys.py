"""Keys that open the menu of what the keyboard is on, where no mouse is needed: a Mac has no key of its own for it.

Shift-F10 as elsewhere, Control-Return as macOS has it from version 15 on, and the menu key of a keyboard that has one.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QKeyCombination, QObject, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

# Qt's "Meta" is the Control key of a Mac.
_KEYS = (
    QKeyCombination(Qt.KeyboardModifier.ShiftModifier, Qt.Key.Key_F10),
    QKeyCombination(Qt.KeyboardModifier.MetaModifier, Qt.Key.Key_Return),
)
_MENU_KEY = QKeyCombination(Qt.Key.Key_Menu)
_TOLD_BY_SYSTEM = ("xcb", "wayland", "windows")  # platforms on which Qt opens the menu with the menu key by itself


class MenuKeys(QObject):
    """Watches the keys of one window. A key that no widget has a menu for goes on as any other."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Watch the system's window of a widget that is shown, whose keys no widget has seen yet."""
        if isinstance(watched, QWidget):
            if event.type() == QEvent.Type.Show:
                watched.windowHandle().installEventFilter(self)
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return _opens_menu(event) and _open_menu()
        return False


def _opens_menu(event: QKeyEvent) -> bool:
    keys = event.keyCombination()
    return keys in _KEYS or (keys == _MENU_KEY and QGuiApplication.platformName() not in _TOLD_BY_SYSTEM)


def _open_menu() -> bool:
    """Ask the widget that has the keyboard for its menu, and then those that it lies in. Return whether one had one."""
    widget = QApplication.focusWidget()
    if widget is None or QApplication.activePopupWidget() is not None:
        return False
    at: QPoint = widget.rect().center()
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, at, widget.mapToGlobal(at))
    QApplication.sendEvent(widget, asked)
    return asked.isAccepted()
