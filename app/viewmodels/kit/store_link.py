"""Requests to the store thread, answered on the thread of the window."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.conversation.faults import StoreError, unexpected
from app.conversation.history import HistoryState
from app.conversation.store import Store
from app.conversation.store_thread import StoreThread
from app.conversation.unsaved import UnsavedRecord
from app.protocol.reports import Problem

T = TypeVar("T")
logger = logging.getLogger(__name__)

SLOW = 5.0  # seconds
# Seconds that the end of the program waits for one request: a disk that takes longer hangs.
PATIENCE = 8.0
WATCH_MS = 500
_NO_ANSWER = Problem(
    "The disk does not answer", "What was to be saved waits for it. Espalier cannot tell whether it was saved."
)


@dataclass(slots=True)
class _Request:
    """A request: who waits for it, how many characters it saves, and since when, by `time.monotonic`.

    history: what could be undone when it was done, whatever came of it; None before that.
    is_read_only: the store refuses every change.
    """

    function: Callable[[Store], Any]
    then: Callable[[Any], None] | None
    refused: Callable[[Problem], None]
    characters: int
    since: float
    history: HistoryState | None = None
    is_read_only: bool = False

    def carry_out(self, store: Store) -> Any:
        """Do what was asked, on the store's thread."""
        try:
            return self.function(store)
        finally:
            self.history, self.is_read_only = store.history, store.is_read_only


class StoreLink(QObject):
    """Hands functions to the store and brings their results home, in order.

    Properties: every request is answered once, with its result or with a `Problem`, whatever it raised. An answer that
    raises keeps no other from coming.

    Attributes: history, what can be undone since the request that was answered last; is_read_only, the database
    refuses every change, which the first answer tells; is_stuck, the disk did not answer
    at the end of the program. The store's thread goes on, so the process must end without waiting for threads.

    Signals: historyChanged(), `history` is another one, before the answer that brought it; failed(object), the
    `Problem` of a request that nobody else answers for; slowed(object), a `Problem`, once when a request has waited for
    `SLOW` seconds; eased(object), the same `Problem` when none waits any more.
    """

    historyChanged = Signal()
    failed = Signal(object)
    slowed = Signal(object)
    eased = Signal(object)
    _settled = Signal(object)

    def __init__(self, thread: StoreThread, parent: QObject | None = None, patience: float = PATIENCE) -> None:
        """patience: seconds that `drain` and `close` wait for one request."""
        super().__init__(parent)
        self._thread = thread
        self._patience = patience
        self.history = HistoryState()
        self.is_read_only = False
        self.is_stuck = False
        self._pending: dict[Future[Any], _Request] = {}
        self._when_idle: list[Callable[[], object]] = []
        self._slowness: Problem | None = None
        self._watch = QTimer(self, interval=WATCH_MS)
        self._watch.timeout.connect(self._look_at_disk)
        # A request that is done before its callback is set is told from here: it must wait for those before it.
        self._settled.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def do(
        self,
        request: Callable[[Store], T],
        then: Callable[[T], None] | None = None,
        refused: Callable[[Problem], None] | None = None,
        characters: int = 0,
    ) -> None:
        """Run `request` on the store thread; then call, here, `then` with its result or `refused` with a `Problem`.

        characters: how many of what is shown are saved by it.
        """
        made = _Request(request, then, refused or self.failed.emit, characters, time.monotonic())
        future = self._thread.submit(made.carry_out)
        self._pending[future] = made
        future.add_done_callback(self._tell)
        if not self._watch.isActive():
            self._watch.start()

    def when_idle(self, act: Callable[[], object]) -> None:
        """Do something once all is answered: at once, or after what was asked, and what the answers to that ask."""
        self._when_idle.append(act)
        self._go_idle()

    def call(self, request: Callable[[Store], T]) -> T:
        """Run `request` on the store thread and wait for it: for other threads than the window's. Raises what it does.

        RuntimeError when the database was closed.
        """
        return self._thread.submit(request).result()

    def drain(self) -> None:
        """Wait until every request is done and answered, those too that answers made; then raise what one raised.

        Once the disk does not answer in time, what waits for it is refused, and so is what is asked later.
        """
        try:
            while self._pending:
                future = next(iter(self._pending))
                if not self.is_stuck and not wait([future], timeout=self._patience).done:
                    logger.critical("the disk does not answer: %d requests are given up", len(self._pending))
                    self.is_stuck = True
                self._deliver(future)
        finally:
            if self._pending:
                self.drain()

    def close(self) -> None:
        """Finish everything that was asked, close the database and end its thread, unless the disk hangs."""
        try:
            self.drain()
        finally:
            self._watch.stop()
            if not self._thread.close(0.0 if self.is_stuck else self._patience):
                logger.critical("the database could not be closed: the disk does not answer")
                self.is_stuck = True

    def keep_for_next_start(self, records: Sequence[UnsavedRecord]) -> bool:
        """Put what a disk that hangs did not take into a file elsewhere. Returns whether that was possible."""
        return self._thread.keep_for_next_start(records, PATIENCE)

    def _tell(self, future: Future[Any]) -> None:
        """Runs on the store thread; the signal crosses to this object's own."""
        self._settled.emit(future)

    def _deliver(self, future: Future[Any]) -> None:
        if future not in self._pending:
            return
        try:
            self._answer(self._pending.pop(future), future)
        finally:
            self._go_idle()

    def _go_idle(self) -> None:
        while self._when_idle and not self._pending:
            self._when_idle.pop(0)()

    def _answer(self, request: _Request, future: Future[Any]) -> None:
        if not future.done():
            request.refused(_NO_ANSWER)
            return
        if request.history is not None:
            self.is_read_only = request.is_read_only
            self._show_history(request.history)
        error = future.exception()
        if error is not None:
            request.refused(_problem_of(error))
        elif request.then is not None:
            request.then(future.result())

    def _show_history(self, history: HistoryState) -> None:
        if history != self.history:
            self.history = history
            self.historyChanged.emit()

    def _look_at_disk(self) -> None:
        if not self._pending:
            self._watch.stop()
            told, self._slowness = self._slowness, None
            if told is not None:
                self.eased.emit(told)
        elif self._slowness is None and time.monotonic() - next(iter(self._pending.values())).since >= SLOW:
            self._slowness = _slowness(sum(request.characters for request in self._pending.values()))
            self.slowed.emit(self._slowness)


def _slowness(characters: int) -> Problem:
    unsaved = f" {characters:,} characters that you see are not saved yet." if characters else ""
    sentence = f"The conversations have waited {SLOW:.0f} seconds to be read or saved.{unsaved} It goes on by itself."
    return Problem("The disk is slow", sentence)


def _problem_of(error: BaseException) -> Problem:
    """Whatever a request raised is told: whoever waits for its answer would else wait for ever."""
    if isinstance(error, StoreError):
        return error.problem
    logger.error("a request to the store failed", exc_info=error)
    return unexpected(error)
