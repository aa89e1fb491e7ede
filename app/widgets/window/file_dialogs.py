"""Asks where a conversation is to be written, and which file is to be read. Nothing else stops meanwhile."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog, QWidget

from app.viewmodels.archive import Archive
from app.viewmodels.library.form import Form

_FILTERS = {
    Form.ESPALIER: "Espalier conversation (*.espalier)",
    Form.BRANCH: "Markdown (*.md)",
    Form.TREE: "Markdown (*.md)",
}
_TITLES = {
    Form.ESPALIER: "Export Conversation",
    Form.BRANCH: "Export Branch as Markdown",
    Form.TREE: "Export All Branches as Markdown",
}
_READABLE = "Conversations (*.espalier *.json *.zip);;All files (*)"


def ask_where(archive: Archive, form: Form, parent: QWidget) -> QFileDialog:
    """Ask where to write the open conversation, then write it. The system asks before a file is replaced."""
    desk, conversation_id = archive.exchange, archive.open_id
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    name = desk.suggested_name(conversation_id, form)
    dialog = QFileDialog(parent, _TITLES[form], str(Path(folder) / name), _FILTERS[form])
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setDefaultSuffix(form.suffix.removeprefix("."))
    dialog.selectFile(name)
    dialog.fileSelected.connect(lambda path: desk.export(conversation_id, form, path))
    return _opened(dialog)


def ask_which(archive: Archive, parent: QWidget) -> QFileDialog:
    """Ask for a file, then read it."""
    dialog = QFileDialog(parent, "Import", "", _READABLE)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.fileSelected.connect(archive.import_file)
    return _opened(dialog)


def _opened(dialog: QFileDialog) -> QFileDialog:
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog
