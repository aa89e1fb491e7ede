"""The About box."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

_WORDS = (
    "Conversations with a local language model that grow as a tree, over a KV cache that is kept as a tree too.\n\n"
    "Espalier is free software under the MIT licence. It comes without any warranty."
)


def show_about(parent: QWidget) -> QMessageBox:
    """Show version and licence; the box goes when it is closed."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle("About Espalier")
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setIconPixmap(QApplication.windowIcon().pixmap(64, 64))
    box.setText(f"Espalier {QCoreApplication.applicationVersion()}".rstrip())
    box.setInformativeText(_WORDS)
    box.open()
    return box
