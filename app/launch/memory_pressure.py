"""How short of memory the system is: macOS tells it in a variable of its kernel."""

from __future__ import annotations

import ctypes
import ctypes.util
import logging
import sys
import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

# As kern.memorystatus_vm_pressure_level has them (xnu, osfmk/vm/vm_pageout.h and bsd/sys/kern_memorystatus.h).
NORMAL, WARNING, CRITICAL = 1, 2, 4

EVERY = 3.0  # seconds
_CALM = 10  # looks in a row without pressure until it is over
_LAST_LOOK = 1.0  # seconds that are waited for it at the end
_VARIABLE = b"kern.memorystatus_vm_pressure_level"

logger = logging.getLogger(__name__)


class MemoryWatch(QObject):
    """A look every few seconds, on a thread of its own. `changed`: the level, NORMAL when it has been so for a while.

    Memory that is given back makes the pressure go; taking it again at once would bring it back. A system that is short
    of memory may take long to answer, and nobody waits for it.
    """

    changed = Signal(int)
    _read_there = Signal(int)

    def __init__(
        self, parent: QObject | None = None, read: Callable[[], int] | None = None, every: float = EVERY
    ) -> None:
        """Begin to look. read: how the level is found, by default as this system tells it. every: seconds."""
        super().__init__(parent)
        self._read = read or reader()
        self._every = every
        self._level, self._calm = NORMAL, 0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="memory pressure", daemon=True)
        self._read_there.connect(self.take)
        if self._read is not None:
            self._thread.start()

    def close(self) -> None:
        """Look no more."""
        self._is_over.set()
        self._read_there.disconnect(self.take)
        if self._thread.is_alive():
            self._thread.join(_LAST_LOOK)

    @Slot(int)
    def take(self, level: int) -> None:
        """Take what was found, on the thread of the window."""
        self._calm = self._calm + 1 if level == NORMAL else 0
        if level == self._level or level not in (NORMAL, WARNING, CRITICAL):
            return
        if level < self._level and self._calm < _CALM:
            return
        self._level = level
        self.changed.emit(level)

    def _look(self) -> None:
        assert self._read is not None
        try:
            while not self._is_over.wait(self._every):
                level = self._read()
                if not self._is_over.is_set():
                    self._read_there.emit(level)
        except (OSError, ValueError, RuntimeError):
            logger.exception("the pressure on memory is not watched any more")


def reader() -> Callable[[], int] | None:
    """Return what tells the level on this system, None where nothing does."""
    return _kernel_reader() if sys.platform == "darwin" else None


def _kernel_reader() -> Callable[[], int]:
    system = ctypes.CDLL(ctypes.util.find_library("c"))

    def read() -> int:
        level, size = ctypes.c_int(NORMAL), ctypes.c_size_t(ctypes.sizeof(ctypes.c_int))
        failed = system.sysctlbyname(_VARIABLE, ctypes.byref(level), ctypes.byref(size), None, ctypes.c_size_t(0))
        return NORMAL if failed else level.value

    return read
