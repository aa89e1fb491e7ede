"""The commands that attach files, and what becomes of files that are dropped on the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, QPoint
from PySide6.QtWidgets import QFileDialog, QWidget

from app.viewmodels.chat.draft_attachments import DraftAttachments
from app.widgets.chat.composer import Composer
from app.widgets.window.drop import document, model_folder

_READABLE = "Text, code and PDF (*);;PDF (*.pdf)"


class AttachCommands(QObject):
    """Attaching for one window. A file that is dropped on the composer is attached, whatever it is.

    Elsewhere a model's folder is opened and a document of conversations imported, where it is dropped alone.
    """

    def __init__(
        self, attachments: DraftAttachments, composer: Composer, open_path: Callable[[str], object], window: QWidget
    ) -> None:
        super().__init__(window)
        self._attachments, self._composer = attachments, composer
        self._open_path, self._window = open_path, window
        composer.attachAsked.connect(self.ask)

    @property
    def runs(self) -> dict[str, Callable[[], object]]:
        """Commands that the window carries out, by their ids."""
        return {"attach": self.ask, "paste_text": self._composer.edit.paste_plain}

    def ask(self) -> QFileDialog:
        """Ask for files, then attach them."""
        dialog = QFileDialog(self._window, "Attach", "", _READABLE)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self._attachments.attach_files)
        dialog.accepted.connect(self._composer.edit.setFocus)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def takes(self, data: QMimeData) -> bool:
        """Return whether something is dragged that could be dropped here."""
        paths = _paths(data)
        return any(Path(path).is_file() for path in paths) or (len(paths) == 1 and bool(model_folder(paths[0])))

    def drop(self, data: QMimeData, at: QPoint) -> None:
        """Attach or open what was dropped at a point of the window."""
        paths = _paths(data)
        alone = paths[0] if len(paths) == 1 else ""
        is_folder = bool(alone) and Path(alone).is_dir()
        if is_folder or (not self._is_on_composer(at) and (model_folder(alone) or document(alone))):
            self._open_path(alone)
        elif paths:
            self._attachments.attach_files(paths)

    def _is_on_composer(self, at: QPoint) -> bool:
        return self._composer.isVisible() and self._composer.rect().contains(self._composer.mapFrom(self._window, at))


def _paths(data: QMimeData) -> list[str]:
    """Return the local files and folders that are being dragged."""
    return [path for url in data.urls() if (path := url.toLocalFile()) and Path(path).exists()]
