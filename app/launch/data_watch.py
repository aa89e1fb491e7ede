"""The watch over the file of conversations: whether it still lies where it was opened.

The store refuses to write to a file that was moved or deleted. Somebody has to look all the same: whoever only reads
should hear of it before they have something to say.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.faults import Fault, store_error

logger = logging.getLogger(__name__)

EVERY_MS = 2000
Identity = tuple[int, int] | None
Submit = Callable[[Callable[[object], Identity]], Future[Identity]]


class DataWatch(QObject):
    """A watch that looks every other second whether a file is still the one that was there first.

    Looking is done on the store's thread: a volume that has gone to sleep must not stall the window.

    Signals: left(object), a `Problem`, the file is there no more; returned(object), the same, it is there again.
    """

    left = Signal(object)
    returned = Signal(object)
    _seen = Signal(object)

    def __init__(self, path: Path, submit: Submit, parent: QObject | None = None, every_ms: int = EVERY_MS) -> None:
        """Begin to watch. submit: runs a function on the store's thread, `StoreThread.submit`."""
        super().__init__(parent)
        self._path = path
        self._submit = submit
        self._first: Identity = None
        self._is_there = True
        self._is_looking = False
        self._seen.connect(self._compare)
        self._timer = QTimer(self, interval=every_ms)
        self._timer.timeout.connect(self._look)
        self._timer.start()
        self._look()

    def close(self) -> None:
        """Stop watching. To be called before the store's thread ends."""
        self._timer.stop()

    def _look(self) -> None:
        if not self._is_looking:
            self._is_looking = True
            self._submit(lambda _store: identity(self._path)).add_done_callback(self._tell)

    def _tell(self, future: Future[Identity]) -> None:
        """Runs on the store's thread; the signal crosses to this object's own."""
        try:
            self._seen.emit(future.result())
        except CancelledError:
            logger.info("not looked for the conversations: the store has ended")

    def _compare(self, now: Identity) -> None:
        self._is_looking = False
        self._first = self._first or now
        is_there = now == self._first
        if is_there is not self._is_there:
            self._is_there = is_there
            if not is_there:
                logger.warning("%s was removed or replaced", self._path)
            (self.returned if is_there else self.left).emit(store_error(Fault.GONE, self._path).problem)


def identity(path: Path) -> Identity:
    """Return (device, inode) of a file, None where there is none that can be reached."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
