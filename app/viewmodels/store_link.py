"""Requests to the store thread, answered on the thread of the window."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from app.conversation.faults import StoreError, unexpected
from app.conversation.store import Store
from app.conversation.store_thread import StoreThread
from app.protocol.reports import Problem

T = TypeVar("T")
logger = logging.getLogger(__name__)


class StoreLink(QObject):
    """Hands functions to the store and brings their results home, in order.

    Properties: every request is answered once, with its result or with a `Problem`, whatever it raised. An answer that
    raises keeps no other from coming.

    Signal: failed(object), the `Problem` of a request that nobody else answers for.
    """

    failed = Signal(object)
    _settled = Signal(object)

    def __init__(self, thread: StoreThread, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = thread
        self._pending: dict[Future[Any], tuple[Callable[[Any], None] | None, Callable[[Problem], None]]] = {}
        # A request that is done before its callback is set is told from here: it must wait for those before it.
        self._settled.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def do(
        self,
        request: Callable[[Store], T],
        then: Callable[[T], None] | None = None,
        refused: Callable[[Problem], None] | None = None,
    ) -> None:
        """Run `request` on the store thread; then call, here, `then` with its result or `refused` with a `Problem`."""
        future = self._thread.submit(request)
        self._pending[future] = (then, refused or self.failed.emit)
        future.add_done_callback(self._tell)

    def drain(self) -> None:
        """Wait until every request is done and answered, those too that answers made; then raise what one raised."""
        try:
            while self._pending:
                future = next(iter(self._pending))
                wait([future])
                self._deliver(future)
        finally:
            if self._pending:
                self.drain()

    def close(self) -> None:
        """Finish everything that was asked, close the database and end its thread."""
        try:
            self.drain()
        finally:
            self._thread.close()

    def _tell(self, future: Future[Any]) -> None:
        """Runs on the store thread; the signal crosses to this object's own."""
        self._settled.emit(future)

    def _deliver(self, future: Future[Any]) -> None:
        if future not in self._pending:
            return
        then, refused = self._pending.pop(future)
        error = future.exception()
        if error is not None:
            refused(_problem_of(error))
        elif then is not None:
            then(future.result())


def _problem_of(error: BaseException) -> Problem:
    """Whatever a request raised is told: whoever waits for its answer would else wait for ever."""
    if isinstance(error, StoreError):
        return error.problem
    logger.error("a request to the store failed", exc_info=error)
    return unexpected(error)
