"""Python's collector of cycles, kept to one thread.

Python runs it on whichever thread happens to allocate, and what it finds ends there. An object of Qt that ends on
another thread than its own can end the process, and the store and the engine allocate as much as the window does.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

from app.protocol.events import EngineStarted, Event, ModelClosed

EVERY_MS = 250
OLDEST = 2  # Python's last generation
MANY = 10_000  # objects since the last collection: so many are loaded, as a long conversation is
ENOUGH = 20_000  # objects that a full collection may go through again and again: some 5 ms


class GarbageCollector(QObject):
    """The one caller of Python's collector in a program with a window: a timer on the window's thread.

    It keeps to Python's own thresholds and generations. What was imported is frozen: going through it again and again
    would take 30 ms each time, and going through the rest takes less than one. So is what was loaded since, wherever
    ENOUGH of it has come together: of a conversation of 200,000 messages, a collection would take 100 ms.
    """

    def __init__(self, parent: QObject | None = None, every_ms: int = EVERY_MS) -> None:
        """Take over from Python, for the rest of the process."""
        super().__init__(parent)
        gc.disable()
        gc.freeze()
        self._has_engine = False
        self._has_frozen_data = False
        self._timer = QTimer(self, interval=every_ms)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def follow(self, event: Event) -> None:
        """Freeze what the first engine imported; look through everything once a model was closed, to free it whole."""
        if isinstance(event, EngineStarted) and not self._has_engine:
            self._has_engine = True
            gc.freeze()
        elif isinstance(event, ModelClosed):
            self._thaw()
            self._collect_all()

    def collect(self) -> None:
        """Collect the oldest generation that is due, and with it the younger ones."""
        generation = due_generation(gc.get_count(), gc.get_threshold())
        if generation == OLDEST:
            self._collect_all()
        elif generation is not None:
            gc.collect(generation)

    def _collect_all(self) -> None:
        """Collect all generations, and freeze what is left if that is too much to go through each time."""
        gc.collect()
        if count_of(OLDEST) > ENOUGH:
            gc.freeze()
            self._has_frozen_data = True

    def _thaw(self) -> None:
        """Have what was frozen with data gone through once more: a part of the model may be among it."""
        if self._has_frozen_data:
            gc.unfreeze()
            self._has_frozen_data = False


def count_of(generation: int) -> int:
    """Return how many objects a generation has, without any other thread running while all of them are referred to.

    A tuple that another thread is filling may be among them; Python cannot let it grow while anybody else refers to it,
    and raises SystemError there: an import of the engine fails. So they are listed and counted in one step of Python.
    """
    return next(map(len, map(gc.get_objects, (generation,))))


def due_generation(counts: tuple[int, int, int], thresholds: tuple[int, int, int]) -> int | None:
    """Return the oldest generation to collect by Python's rule: none before enough was allocated for the youngest.

    While much is loaded all are due, long before their thresholds: what was loaded is then gone through while it is
    little. counts, thresholds: as the gc module gives them, of allocations first, then of collections one generation
    younger.
    """
    if counts[0] > MANY:
        return OLDEST
    if counts[0] <= thresholds[0]:
        return None
    return max(generation for generation in range(3) if counts[generation] > thresholds[generation])
