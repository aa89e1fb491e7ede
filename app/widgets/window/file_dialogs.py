"""Asks where a conversation is to be written, and which file is to be read. Nothing else stops meanwhile."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog, QWidget

from app.viewmodels.library.form import Form
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.text import formatting

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
_ALL = "Espalier conversations.zip"
_READABLE = "Conversations (*.espalier *.json *.zip);;All files (*)"


def ask_where(library: LibraryRegion, conversation_id: str, form: Form, parent: QWidget) -> QFileDialog:
    """Ask where to write a conversation, then write it. The system asks before a file is replaced."""
    files = library.import_export
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    name = files.suggested_name(conversation_id, form)
    dialog = QFileDialog(parent, _TITLES[form], str(Path(folder) / name), _FILTERS[form])
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setDefaultSuffix(form.suffix.removeprefix("."))
    dialog.selectFile(name)
    dialog.fileSelected.connect(lambda path: files.export(conversation_id, form, path))
    return _opened(dialog)


def ask_where_all(
    library: LibraryRegion, parent: QWidget, conversation_ids: tuple[str, ...] | None = None
) -> QFileDialog:
    """Ask where to write conversations, then write them. The system asks before a file is replaced.

    conversation_ids: None for every one.
    """
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    count = "" if conversation_ids is None else formatting.plural(len(conversation_ids), "Conversation")
    title = f"Export {count}" if count else "Export Everything"
    dialog = QFileDialog(parent, title, str(Path(folder) / _ALL), "Archive of conversations (*.zip)")
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setDefaultSuffix("zip")
    dialog.selectFile(_ALL)
    dialog.fileSelected.connect(lambda path: library.import_export.export_all(path, conversation_ids))
    return _opened(dialog)


def ask_which(library: LibraryRegion, parent: QWidget) -> QFileDialog:
    """Ask for a file, then read it."""
    dialog = QFileDialog(parent, "Import", "", _READABLE)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.fileSelected.connect(library.import_file)
    return _opened(dialog)


def _opened(dialog: QFileDialog) -> QFileDialog:
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog
