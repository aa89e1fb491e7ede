"""Qt's application, which also hears when the Finder hands it a folder or a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class Application(QApplication):
    """`fileOpened` carries the path of what was opened with the program, from the Finder or dropped on its icon.

    A document that starts the program comes before there is a window: it waits for `hand_files_to`.
    """

    fileOpened = Signal(str)

    def __init__(self, arguments: Sequence[str]) -> None:
        super().__init__(list(arguments))
        self._waiting: list[str] | None = []

    def hand_files_to(self, open_path: Callable[[str], None]) -> None:
        """Have this called with every path from now on, and with those that came already, in their order."""
        waiting, self._waiting = self._waiting or [], None
        self.fileOpened.connect(open_path)
        for path in waiting:
            self.fileOpened.emit(path)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and event.file():
            if self._waiting is None:
                self.fileOpened.emit(event.file())
            else:
                self._waiting.append(event.file())
            return True
        return super().event(event)
