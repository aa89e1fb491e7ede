"""Asks before cached state is deleted from the disk."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from app.viewmodels.cache import disk_words


def ask_to_delete(what: str, delete: Callable[[], None], parent: QWidget) -> QMessageBox:
    """Say what is deleted and what is safe. `delete` is called when the person says so."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowModality(Qt.WindowModality.WindowModal)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(disk_words.DELETE_TITLE)
    box.setInformativeText(what)
    button = box.addButton("Delete", QMessageBox.ButtonRole.DestructiveRole)
    button.clicked.connect(lambda: delete())
    cancel = box.addButton("Cancel", QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(cancel)
    box.setEscapeButton(cancel)
    box.open()
    return box
