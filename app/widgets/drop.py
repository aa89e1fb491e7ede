"""Folders dropped on the window, and the outline that says it takes them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.widgets.drawing import smooth, stroke_rounded
from app.widgets.look import Look


def dropped_folder(data: QMimeData) -> str:
    """The one local folder that is being dragged, or nothing. A file stands for the folder it lies in."""
    urls = data.urls()
    if len(urls) != 1 or not urls[0].isLocalFile():
        return ""
    path = Path(urls[0].toLocalFile())
    if path.is_dir():
        return str(path)
    return str(path.parent) if path.suffix in (".safetensors", ".json") and path.is_file() else ""


class DropOutline(QWidget):
    """Covers the window while a folder is over it; the mouse goes through it."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName("Drop to open this model")
        self.hide()

    def cover(self, widget: QWidget) -> None:
        """Lie around this widget."""
        self.setGeometry(widget.geometry())
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth(QPainter(self))
        stroke_rounded(painter, QRectF(self.rect()), 8, self._look.theme.accentgfx, 2)
        painter.end()
