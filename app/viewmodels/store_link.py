"""Requests to the store thread, answered on the thread of the window."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from app.conversation.faults import StoreError
from app.conversation.store import Store
from app.conversation.store_thread import StoreThread
from app.protocol.reports import Problem

T = TypeVar("T")


class StoreLink(QObject):
    """Hands functions to the store and brings their results home, in order.

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
        """Wait until every request is done and answered, those too that the answers made."""
        while self._pending:
            future = next(iter(self._pending))
            wait([future])
            self._deliver(future)

    def close(self) -> None:
        """Finish everything that was asked, close the database and end its thread."""
        self.drain()
        self._thread.close()

    def _tell(self, future: Future[Any]) -> None:
        """Runs on the store thread; the signal crosses to this object's own."""
        self._settled.emit(future)

    def _deliver(self, future: Future[Any]) -> None:
        if future not in self._pending:
            return
        then, refused = self._pending.pop(future)
        try:
            result = future.result()
        except StoreError as error:
            refused(error.problem)
        else:
            if then is not None:
                then(result)
