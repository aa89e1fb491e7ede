"""Folders and files dropped on the window, and the outline that says it takes them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.widgets.kit.drawing import smooth, stroke_rounded
from app.widgets.kit.style import Style

_DOCUMENTS = (".espalier", ".json", ".zip")


def model_folder(path: str) -> str:
    """Return the folder to open for a path: itself, for a file of a model the folder it lies in, else "".

    JSON belongs to a model where the model's configuration lies beside it.
    """
    where = Path(path)
    if path and where.is_dir():
        return str(where)
    is_part = where.suffix == ".safetensors" or (where.suffix == ".json" and (where.parent / "config.json").is_file())
    return str(where.parent) if is_part and where.is_file() else ""


def document(path: str) -> str:
    """Return the file to read conversations from: this one, or "" when it is none or a part of a model."""
    where = Path(path)
    is_one = where.suffix.lower() in _DOCUMENTS and where.is_file()
    return str(where) if is_one and not model_folder(path) else ""


class DropOutline(QWidget):
    """Covers the window while a folder or file is over it; the mouse goes through it."""

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(parent)
        self._style = style
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName("Drop to open this")
        self.hide()

    def cover(self, widget: QWidget) -> None:
        """Lie around this widget."""
        self.setGeometry(widget.geometry())
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth(QPainter(self))
        stroke_rounded(painter, QRectF(self.rect()), 8, self._style.theme.accentgfx, 2)
        painter.end()
