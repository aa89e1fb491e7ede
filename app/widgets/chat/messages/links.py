"""Links in messages: opened only after the address was shown and confirmed."""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox, QWidget

from app.widgets.kit.clipboard import copy_text
from app.widgets.kit.dialogs import question_box

_OPENED = ("http", "https", "mailto")


def ask_and_open(address: str, parent: QWidget) -> QMessageBox:
    """Show where a link leads. It is opened when the person says so, and only if it leads to the web or to mail."""
    url = QUrl(address)
    is_opened = url.scheme().lower() in _OPENED
    question = "Open this link?" if is_opened else "This link does not lead to the web, so it is not opened."
    box = question_box(question, address, parent)
    _add_copy(box, address, parent)
    if is_opened:
        open_it = box.addButton("Open", QMessageBox.ButtonRole.AcceptRole)
        open_it.clicked.connect(lambda: _open(url, parent))
    box.open()
    return box


def _add_copy(box: QMessageBox, address: str, parent: QWidget) -> None:
    copy = box.addButton("Copy Address", QMessageBox.ButtonRole.ActionRole)
    copy.clicked.connect(lambda: copy_text(address, parent))


def _open(url: QUrl, parent: QWidget) -> None:
    """Open an address, or say that nothing on this computer does."""
    if not QDesktopServices.openUrl(url):
        address = url.toString()
        box = question_box("Nothing on this computer opens this link.", address, parent)
        _add_copy(box, address, parent)
        box.open()
