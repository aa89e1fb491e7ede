"""Which keys write something."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

_COMMANDS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.MetaModifier


def is_letter(event: QKeyEvent) -> bool:
    """Return whether a key writes a character that can be seen."""
    text = event.text()
    return bool(text.strip()) and text.isprintable() and not event.modifiers() & _COMMANDS
