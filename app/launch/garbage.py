"""Python's collector of cycles, kept to one thread.

Python runs it on whichever thread happens to allocate, and what it finds ends there. An object of Qt that ends on
another thread than its own can end the process, and the store and the engine allocate as much as the window does.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

from app.protocol.events import EngineStarted, Event, ModelClosed

EVERY_MS = 250


class GarbageCollector(QObject):
    """The one caller of Python's collector in a program with a window: a timer on the window's thread.

    It keeps to Python's own thresholds and generations. What was imported is frozen: going through it again and again
    would take 30 ms each time, and going through the rest takes less than one.
    """

    def __init__(self, parent: QObject | None = None, every_ms: int = EVERY_MS) -> None:
        """Take over from Python, for the rest of the process."""
        super().__init__(parent)
        gc.disable()
        gc.freeze()
        self._has_engine = False
        self._timer = QTimer(self, interval=every_ms)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def follow(self, event: Event) -> None:
        """Freeze what the first engine imported; look through everything once a model was closed, to free it whole."""
        if isinstance(event, EngineStarted) and not self._has_engine:
            self._has_engine = True
            gc.freeze()
        elif isinstance(event, ModelClosed):
            gc.collect()

    def collect(self) -> None:
        """Collect the oldest generation that is due, and with it the younger ones."""
        generation = due_generation(gc.get_count(), gc.get_threshold())
        if generation is not None:
            gc.collect(generation)


def due_generation(counts: tuple[int, int, int], thresholds: tuple[int, int, int]) -> int | None:
    """Return the oldest generation to collect by Python's rule: none before enough was allocated for the youngest.

    counts, thresholds: as the gc module gives them, of allocations first, then of collections one generation younger.
    """
    if counts[0] <= thresholds[0]:
        return None
    return max(generation for generation in range(3) if counts[generation] > thresholds[generation])
