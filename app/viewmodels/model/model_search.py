"""The search for models on a thread of its own: neither the window nor an answer waits for a disk."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from app.models.entry import ModelEntry, Source

if TYPE_CHECKING:
    from app.models.places import ModelLocation

TELL = 0.03  # seconds between two tellings of what was found
_FIRST = 24  # models after which the first telling comes, as many as a window shows
_PARTING = 0.5  # seconds that the end of the program waits for a folder


class ModelSearch(QObject):
    """Looks through the folders for models, one search at a time; the newest alone is told.

    Attributes: is_running; is_stuck, after `close`: a disk did not answer, and the thread goes on.

    Signals: found(object), a tuple of `ModelEntry`, again and again while it runs; ended(), all was looked through.
    """

    found = Signal(object)
    ended = Signal()
    _came = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._search: _Search | None = None
        self.is_stuck = False
        self._came.connect(self._take, Qt.ConnectionType.QueuedConnection)

    @property
    def is_running(self) -> bool:
        """Whether something may still be found."""
        return self._search is not None

    def look_everywhere(self, guide: str, added: Sequence[str]) -> None:
        """Look through all folders anew. guide: of the built-in model. added: by the person."""
        folders = tuple(added)
        self._start(lambda: _everywhere(guide, folders))

    def look_for(self, path: str) -> None:
        """Look at one model alone, a folder or a reference to Ollama's store, with which others may come."""
        self._start(lambda: _place_of(path))

    def _start(self, places: Callable[[], list[ModelLocation]]) -> None:
        self.stop()
        self._search = _Search(places, self)
        self._search.start()

    def stop(self) -> None:
        """Tell nothing more of a search that runs."""
        if self._search is not None:
            self._search.is_cancelled.set()
            self._search = None

    def close(self) -> None:
        """End the thread, unless a disk hangs."""
        search = self._search
        self.stop()
        if search is not None:
            search.join(_PARTING)
            self.is_stuck = search.is_alive()

    def tell(self, search: _Search, entries: tuple[ModelEntry, ...] | None) -> None:
        """Take what was found, on the search's thread; None when all was looked through."""
        self._came.emit(search, entries)

    def _take(self, search: _Search, entries: tuple[ModelEntry, ...] | None) -> None:
        if search is not self._search:
            return
        if entries is None:
            self._search = None
            self.ended.emit()
        else:
            self.found.emit(entries)


class _Search(threading.Thread):
    """One search. No disk that hangs keeps the process from ending."""

    def __init__(self, places: Callable[[], list[ModelLocation]], home: ModelSearch) -> None:
        super().__init__(name="models", daemon=True)
        self._places, self._home = places, home
        self.is_cancelled = threading.Event()

    def run(self) -> None:
        """Find models and tell of them in groups. What it needs is imported here: no start waits for it."""
        from app.models.scan import scan

        try:
            waiting: list[ModelEntry] = []
            told = time.monotonic()
            for count, entry in enumerate(scan(self._places(), self.is_cancelled.is_set), start=1):
                waiting.append(entry)
                now = time.monotonic()
                if now - told >= TELL or count == _FIRST:
                    self._tell(tuple(waiting))
                    told, waiting = now, []
            self._tell(tuple(waiting))
        finally:
            self._tell(None)

    def _tell(self, entries: tuple[ModelEntry, ...] | None) -> None:
        if not self.is_cancelled.is_set():
            self._home.tell(self, entries)


def _everywhere(guide: str, added: tuple[str, ...]) -> list[ModelLocation]:
    from app.models.places import all_places

    return all_places(guide, added)


def _place_of(path: str) -> list[ModelLocation]:
    from app.models.ollama_store import is_reference, store_folder
    from app.models.places import ModelLocation

    return [
        ModelLocation(Source.OLLAMA, store_folder()) if is_reference(path) else ModelLocation(Source.ADDED, Path(path))
    ]
