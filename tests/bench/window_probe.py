"""What is late in an event loop: its beats, its keys, its paints."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtWidgets import QWidget

from tests.bench.report import percentile

BEAT_MS = 4
PATIENCE = 120.0  # seconds


def wait(holds: Callable[[], object]) -> None:
    """Run the event loop until something holds. RuntimeError when it never does.

    The thread sleeps while there is nothing to do, as that of the program does: one that asks again and again would
    keep Python from the model's thread.
    """
    end = time.monotonic() + PATIENCE
    waking = QTimer(interval=50)
    waking.start()
    while not holds():
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        if time.monotonic() > end:
            raise RuntimeError(f"waited {PATIENCE} s")


class Heartbeat(QObject):
    """A timer of the event loop that notes by how many ms each of its beats is late."""

    def __init__(self) -> None:
        super().__init__()
        self._late: list[float] = []
        self._timer = QTimer(self, interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._note)
        self._due = time.perf_counter() + BEAT_MS / 1000
        self._timer.start()

    def _note(self) -> None:
        now = time.perf_counter()
        self._late.append(max(0.0, (now - self._due) * 1000))
        self._due = now + BEAT_MS / 1000

    @property
    def worst(self) -> float:
        """The latest of its beats, in ms."""
        return max(self._late, default=0.0)

    def stop(self) -> None:
        """Beat no more."""
        self._timer.stop()

    def figures(self) -> dict[str, float]:
        """Return percentiles of how late an event at any moment would have been, and how many stalls there were.

        A stall of 40 ms is met by all that happens in it: each beat that could not be counts, too.
        """
        met = [late - missed for late in self._late for missed in range(0, max(1, round(late)), BEAT_MS)]
        return {
            "p50_ms": round(percentile(met, 0.5), 2),
            "p99_ms": round(percentile(met, 0.99), 2),
            "over_16": sum(late > 16 for late in self._late),
            "over_50": sum(late > 50 for late in self._late),
        }


class Paints(QObject):
    """Calls back when a widget has painted what it had to."""

    def __init__(self, widget: QWidget, painted: Callable[[], None]) -> None:
        super().__init__(widget)
        self._painted = painted
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note a paint event; what comes after it in the event loop finds it done."""
        if event.type() == QEvent.Type.Paint:
            QTimer.singleShot(0, self._painted)
        return False


class Stopwatch:
    """Milliseconds from something that was begun to a paint that shows it, in the order in which they were begun."""

    def __init__(self) -> None:
        self.begun: deque[float] = deque()
        self.ready = 0
        self.found: list[float] = []

    def paint(self) -> None:
        """Take everything that a paint has shown as done."""
        now = time.perf_counter()
        for _ in range(min(self.ready, len(self.begun))):
            self.found.append((now - self.begun.popleft()) * 1000)
        self.ready = 0

    @property
    def p95(self) -> float | None:
        return round(percentile(self.found, 0.95), 1) if self.found else None
