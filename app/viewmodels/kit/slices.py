"""Work that is done between events, a few milliseconds at a time, so that no frame waits for it."""

from __future__ import annotations

import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer, Signal

SLICE = 0.005  # seconds


class SlicedWork(QObject):
    """Goes through an iterator in slices: another one begins only when the events that came meanwhile are done.

    Signals: advanced(), after each slice, also after the last one; done(), after that.
    """

    advanced = Signal()
    done = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps: Iterator[object] | None = None
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._go_on)

    @property
    def is_running(self) -> bool:
        """Whether there are steps left."""
        return self._steps is not None

    def start(self, steps: Iterator[object]) -> None:
        """Begin with these steps in place of those under way."""
        self._steps = steps
        self._timer.start()

    def stop(self) -> None:
        """Leave what is not done."""
        self._steps = None
        self._timer.stop()

    def finish(self) -> None:
        """Do at once what is left."""
        if self._steps is not None:
            for _step in self._steps:
                pass
            self._end()

    def _go_on(self) -> None:
        steps, end = self._steps, time.perf_counter() + SLICE
        for _step in steps or ():
            if time.perf_counter() >= end:
                self.advanced.emit()
                return
        self._end()

    def _end(self) -> None:
        self.stop()
        self.advanced.emit()
        self.done.emit()
