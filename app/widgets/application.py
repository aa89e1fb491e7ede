"""Qt's application, which also hears when the Finder hands it a folder or a file."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class Application(QApplication):
    """`fileOpened` carries the path of what was opened with the program, from the Finder or dropped on its icon."""

    fileOpened = Signal(str)

    def __init__(self, arguments: Sequence[str]) -> None:
        super().__init__(list(arguments))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and event.file():
            self.fileOpened.emit(event.file())
            return True
        return super().event(event)
