"""Windows that ask something, and the key that closes one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLabel, QMainWindow, QMessageBox, QWidget

DialogT = TypeVar("DialogT", bound=QDialog)


def question_box(question: str, explanation: str, parent: QWidget) -> QMessageBox:
    """Return a box over its window in which nothing is done unless the person chooses it: Return and Escape cancel.

    Both texts are shown as they are, without markup. The caller adds the other buttons and opens the box, which is
    deleted when it is closed.
    """
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowModality(Qt.WindowModality.WindowModal)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(question)
    box.setInformativeText(explanation and " ")  # which makes the label that has no format of its own
    for label in box.findChildren(QLabel):
        label.setTextFormat(Qt.TextFormat.PlainText)
    box.setInformativeText(explanation)
    cancel = box.addButton("Cancel", QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(cancel)
    box.setEscapeButton(cancel)
    return box


def ask_to_delete(
    question: str, explanation: str, button: str, delete: Callable[[], object], parent: QWidget
) -> QMessageBox:
    """Open a question before something is deleted for good; `delete` is called when the person presses the button."""
    box = question_box(question, explanation, parent)
    box.addButton(button, QMessageBox.ButtonRole.DestructiveRole).clicked.connect(lambda: delete())
    box.open()
    return box


def folder_dialog(title: str, chosen: Callable[[str], object], parent: QWidget) -> QFileDialog:
    """Return a dialog that asks for one folder and calls `chosen` with its path.

    In Qt's own dialog a folder stays chosen while a path below it is typed: of several, the one furthest below counts.
    """
    dialog = QFileDialog(parent, title)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.filesSelected.connect(lambda paths: chosen(max(paths, key=len)))
    return dialog


def shown_dialog(kind: type[DialogT]) -> DialogT | None:
    """Return the dialog of this kind that is open beside a main window, whichever it is."""
    dialogs = (one for one in QApplication.topLevelWidgets() if isinstance(one, kind) and one.isVisible())
    return next((one for one in dialogs if isinstance(one.parent(), QMainWindow)), None)


def close_on_command(dialog: QDialog) -> None:
    """Close a dialog with each key that closes windows; Escape closes it by itself."""
    QShortcut(QKeySequence.StandardKey.Close, dialog, dialog.reject)
