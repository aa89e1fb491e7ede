"""How short of memory the system is: macOS tells it in a variable of its kernel."""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

# As kern.memorystatus_vm_pressure_level has them (xnu, osfmk/vm/vm_pageout.h and bsd/sys/kern_memorystatus.h).
NORMAL, WARNING, CRITICAL = 1, 2, 4

EVERY_MS = 3000
_CALM = 10  # looks in a row without pressure until it is over
_VARIABLE = b"kern.memorystatus_vm_pressure_level"


class MemoryWatch(QObject):
    """A look every few seconds, of microseconds. `changed`: the level, NORMAL only when it has been so for a while.

    Memory that is given back makes the pressure go; taking it again at once would bring it back.
    """

    changed = Signal(int)

    def __init__(
        self, parent: QObject | None = None, read: Callable[[], int] | None = None, every_ms: int = EVERY_MS
    ) -> None:
        """Begin to look. read: how the level is found, by default as this system tells it."""
        super().__init__(parent)
        self._read = read or reader()
        self._level, self._calm = NORMAL, 0
        self._timer = QTimer(self, interval=every_ms)
        self._timer.timeout.connect(self.look)
        if self._read is not None:
            self._timer.start()

    def close(self) -> None:
        """Look no more."""
        self._timer.stop()

    def look(self) -> None:
        """Look now."""
        assert self._read is not None
        level = self._read()
        self._calm = self._calm + 1 if level == NORMAL else 0
        if level == self._level or level not in (NORMAL, WARNING, CRITICAL):
            return
        if level < self._level and self._calm < _CALM:
            return
        self._level = level
        self.changed.emit(level)


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
