"""How much of the disk some files take, measured on a thread of its own: the window waits for no disk."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal

from app.protocol.dataclass import dataclass

logger = logging.getLogger(__name__)

_PARTING = 0.5  # seconds that the end of the window waits for a disk

PathsOf = Callable[[], Iterable[Path]]


@dataclass(frozen=True, slots=True)
class Usage:
    """Files and folders as they lie on the disk. bytes: of all files, links not followed."""

    bytes: int = 0
    files: int = 0


class DiskUsage(QObject):
    """Measures, and deletes what is written again by itself. One task at a time; a new one ends the one before.

    Attribute: usages, what was found, by the names of the places. Signal: changed().
    """

    changed = Signal()
    _came = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.usages: dict[str, Usage] = {}
        self._task: _Task | None = None
        self._came.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def measure(self, places: Mapping[str, PathsOf], first: Callable[[], None] | None = None) -> None:
        """Find out what the files of some places take. first: what is done on that thread before."""
        self.close()
        self._task = _Task(places, first, self._came.emit)
        self._task.start()

    def close(self) -> None:
        """End the thread, unless a disk hangs: what it finds is told to nobody then."""
        if self._task is not None:
            self._task.is_cancelled.set()
            self._task.join(_PARTING)
            self._task = None

    def _take(self, task: _Task, found: tuple[str, Usage]) -> None:
        if task is self._task:
            self.usages[found[0]] = found[1]
            self.changed.emit()


class _Task(threading.Thread):
    """Walks through the places. No disk that hangs keeps the process from ending."""

    def __init__(
        self, places: Mapping[str, PathsOf], first: Callable[[], None] | None, tell: Callable[[object, object], None]
    ) -> None:
        super().__init__(name="disk usage", daemon=True)
        self._places, self._first, self._tell = dict(places), first, tell
        self.is_cancelled = threading.Event()

    def run(self) -> None:
        """Do what comes first, then tell of each place in its turn."""
        if self._first is not None:
            self._first()
        for name, paths_of in self._places.items():
            try:
                usage = self._usage(paths_of())
            except OSError as error:
                logger.warning("the size of %s was not found: %s", name, error.strerror or error)
                continue
            if self.is_cancelled.is_set():
                return
            self._tell(self, (name, usage))

    def _usage(self, paths: Iterable[Path]) -> Usage:
        size = files = 0
        for one in _files_in(paths):
            if self.is_cancelled.is_set():
                break
            size, files = size + one, files + 1
        return Usage(size, files)


def _files_in(paths: Iterable[Path]) -> Iterator[int]:
    """Yield the bytes of every file in some folders, and of those that are files themselves."""
    waiting = [os.fspath(one) for one in paths]
    while waiting:
        path = waiting.pop()
        try:
            if os.path.isdir(path) and not os.path.islink(path):
                waiting += [entry.path for entry in os.scandir(path)]
            else:
                yield os.lstat(path).st_size
        except OSError:
            continue  # gone meanwhile, or not for this person to see


def delete_logs(folder: Path) -> None:
    """Delete what was written of earlier runs; the files that are being written are emptied."""
    with suppress(OSError):
        for file in list(folder.iterdir()):
            with suppress(OSError):
                if file.is_symlink() or not file.is_file():
                    continue
                if file.suffix == ".log":
                    os.truncate(file, 0)
                elif file.name.startswith(("espalier.log.", "Crash ")):
                    file.unlink()
