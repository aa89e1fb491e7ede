"""Links in messages: opened only after the address was shown and confirmed."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMessageBox, QWidget

_OPENED = ("http", "https", "mailto")


def ask_and_open(address: str, parent: QWidget) -> QMessageBox:
    """Show where a link leads. It is opened when the person says so, and only if it leads to the web or to mail."""
    url = QUrl(address)
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowModality(Qt.WindowModality.WindowModal)
    box.setTextFormat(Qt.TextFormat.PlainText)
    copy = box.addButton("Copy Address", QMessageBox.ButtonRole.ActionRole)
    copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(address))
    if url.scheme().lower() in _OPENED:
        box.setText("Open this link?")
        open_it = box.addButton("Open", QMessageBox.ButtonRole.AcceptRole)
        open_it.clicked.connect(lambda: QDesktopServices.openUrl(url))
    else:
        box.setText("This link does not lead to the web, so it is not opened.")
    box.setInformativeText(address)
    cancel = box.addButton("Cancel", QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(cancel)
    box.setEscapeButton(cancel)
    box.open()
    return box
