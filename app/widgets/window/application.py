"""Qt's application, which also hears when the Finder hands it a folder or a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class OpenedFiles(QObject):
    """Paths of what was opened with the program. What comes before there is a window waits for `hand_to`."""

    _came = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: list[str] | None = []

    def put(self, path: str) -> None:
        """Add what was opened from outside."""
        if self._waiting is None:
            self._came.emit(path)
        else:
            self._waiting.append(path)

    def hand_to(self, open_path: Callable[[str], None]) -> None:
        """Have this called with every path from now on, and with those that came already, in their order."""
        waiting, self._waiting = self._waiting or [], None
        self._came.connect(open_path)
        for path in waiting:
            self._came.emit(path)


class Application(QApplication):
    """Qt's application, with what the system asks of it.

    Attributes: files, what was opened with the program, from the Finder or by dropping it on its icon; may_quit, asked
    when the system, its menu or the Dock wants the program to end, which goes on where the answer is no.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        super().__init__(list(arguments))
        self.files = OpenedFiles(self)
        self.may_quit: Callable[[], bool] = lambda: True

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and event.file():
            self.files.put(event.file())
            return True
        if event.type() == QEvent.Type.Quit and not self.may_quit():
            event.ignore()
            return True
        return super().event(event)
