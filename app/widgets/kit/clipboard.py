"""The clipboard, with a word to screen readers."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QGuiApplication
from PySide6.QtWidgets import QWidget


def copy_text(text: str, widget: QWidget) -> None:
    """Copy a text, and have a screen reader say so. widget: where it was copied."""
    QGuiApplication.clipboard().setText(text)
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, "Copied"))
