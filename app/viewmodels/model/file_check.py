"""The check of a model's files against their digests, on a thread of its own: it reads all of them."""

from __future__ import annotations

import threading

from PySide6.QtCore import QObject, Qt, Signal

from app.protocol.dataclass import dataclass
from app.protocol.reports import Problem
from app.viewmodels.text.formatting import plural

_PARTING = 0.5  # seconds that the end of the program waits for a disk


@dataclass(frozen=True, slots=True)
class CheckState:
    """The check that goes on. model_id: "" while there is none. done: the share of the bytes that was read."""

    model_id: str = ""
    done: float = 0.0


class FileCheck(QObject):
    """Checks one model of Ollama's store at a time, as often as asked.

    Attributes: state; is_stuck, after `close`: a disk did not answer, and the thread goes on.

    Signals: changed(); ended(object), a `Problem` that says what was found, damaged or not.
    """

    changed = Signal()
    ended = Signal(object)
    _came = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = CheckState()
        self.is_stuck = False
        self._reader: _Reader | None = None
        self._came.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def start(self, reference: str, name: str) -> None:
        """Check the files of a model. name: for the sentence at the end. Another check is given up."""
        self.stop()
        self._reader = _Reader(reference, name, self)
        self.state = CheckState(reference)
        self._reader.start()
        self.changed.emit()

    def stop(self) -> None:
        """Give the check up. Without effect while there is none."""
        if self._reader is not None:
            self._reader.is_cancelled.set()
            self._reader = None
            self.state = CheckState()
            self.changed.emit()

    def close(self) -> None:
        """End the thread, unless a disk hangs."""
        reader = self._reader
        self.stop()
        if reader is not None:
            reader.join(_PARTING)
            self.is_stuck = reader.is_alive()

    def tell(self, reader: _Reader, news: float | Problem) -> None:
        """Take how far it is, or what was found, on the thread that reads."""
        self._came.emit(reader, news)

    def _take(self, reader: _Reader, news: float | Problem) -> None:
        if reader is not self._reader:
            return
        if isinstance(news, Problem):
            self._reader = None
            self.state = CheckState()
            self.ended.emit(news)
        else:
            self.state = CheckState(reader.reference, news)
        self.changed.emit()


class _Reader(threading.Thread):
    """Reads the files of one model. No disk that hangs keeps the process from ending."""

    def __init__(self, reference: str, name: str, home: FileCheck) -> None:
        super().__init__(name="file check", daemon=True)
        self.reference, self._shown, self._home = reference, name, home
        self.is_cancelled = threading.Event()

    def run(self) -> None:
        """Read and compare, and tell how far it is with each hundredth."""
        from app.models.ollama_store import OllamaError, find_model, store_folder, verify

        told, damaged = 0.0, 0
        try:
            for state in verify(find_model(store_folder(), self.reference)):
                if self.is_cancelled.is_set():
                    return
                share, damaged = state.done / max(1, state.total), len(state.damaged)
                if share - told >= 0.01:
                    told = share
                    self._home.tell(self, share)
        except OllamaError as error:
            self._home.tell(self, error.problem)
            return
        self._home.tell(self, _found(self._shown, damaged))


def _found(name: str, damaged: int) -> Problem:
    if not damaged:
        return Problem(f"{name} is whole", "Every file has the digest that it is kept by.")
    files = f"{plural(damaged, 'file')} {'differs' if damaged == 1 else 'differ'}"
    return Problem(f"{name} is damaged", f"{files} from what the digests say. Fetch the model again in Ollama.")
