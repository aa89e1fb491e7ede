"""Keys that a widget has a use for of its own, though a command of the menus has them too."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)


def claim_key(event: QEvent, *keys: Qt.Key, when: Callable[[], bool] = lambda: True) -> bool:
    """Keep one of these keys from the menus, for the widget that has the keyboard. Return whether this event asks so.

    Before a key finds its command, the widget is asked whether the key is its own, and then those that it lies in;
    `event` is what they are asked with. when: whether there is a use for the key now; asked of these keys alone.
    """
    if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.ShortcutOverride:
        return False
    is_own = event.key() in keys and event.modifiers() in _PLAIN and when()
    if is_own:
        event.accept()
    return is_own
