"""The thread that owns the store: a commit waits for the disk, and the window must not."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from app.conversation.faults import StoreError, unexpected
from app.conversation.store import Store
from app.conversation.unsaved import UnsavedRecord, write_unsaved
from app.protocol.deadline import DeadlineCaller
from app.protocol.reports import Problem

T = TypeVar("T")
logger = logging.getLogger(__name__)

# Seconds after which the index goes on where jobs never end, as while somebody follows how far it is.
LONGEST_WAIT = 0.1


class StoreThread:
    """One thread with one store; what is submitted is done in that order, also when the program ends without `close`.

    Property: the search index is brought on while nothing is submitted, and keeps no job waiting longer than a step.

    A file that cannot be used is left alone: conversations are then kept in memory, and `Store.notice` says so.
    """

    def __init__(self, path: Path | None) -> None:
        """Start the thread and open the store on it. `path` None keeps conversations in memory."""
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._path = path
        self._is_closed = False
        self._closing: Future[None] | None = None
        self._lock = threading.Lock()
        self._pending = 0
        self._has_index_step = False
        self._gave_way_at: float | None = None
        self._store = self._executor.submit(_usable, self._executor.submit(Store, path))
        self._index_soon()

    def __enter__(self) -> StoreThread:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def submit(self, function: Callable[[Store], T]) -> Future[T]:
        """Call a function with the store after what was submitted before; RuntimeError after `close`.

        An exception is the future's only, and the next job is done. The future's callbacks run on the store thread.
        """
        self._count(1)  # before it can be done
        future = self._executor.submit(self._carry_out, function)
        self._index_soon()
        return future

    def close(self, patience: float | None = None) -> bool:
        """Finish what was submitted, close the store and end the thread. Closing again does nothing.

        patience: seconds to wait at most, None for as long as it takes. Returns whether the thread has ended; where it
        has not, the process must end without waiting for threads.
        """
        if self._closing is None:
            self._is_closed = True
            self._closing = self.submit(Store.close)
        has_ended = bool(wait([self._closing], patience).done)
        self._executor.shutdown(wait=has_ended)
        return has_ended

    def keep_for_next_start(self, records: Sequence[UnsavedRecord], patience: float) -> bool:
        """Put what could not be saved into a file in the folder for temporary files, while the store's thread hangs.

        patience: seconds to wait for that disk at most. Returns whether it is there.
        """
        path = self._path
        if path is None:
            return False
        try:
            return DeadlineCaller("unsaved", patience).call(lambda: write_unsaved(path, records, is_hanging=True))
        except TimeoutError:
            return False

    def _carry_out(self, function: Callable[[Store], T]) -> T:
        try:
            return function(self._store.result())
        finally:
            self._count(-1)

    def _count(self, more: int) -> None:
        """Note that a job was submitted, or is done."""
        with self._lock:
            self._pending += more

    def _index_soon(self) -> None:
        """Have the index brought on, after what was submitted."""
        with self._lock:
            is_new, self._has_index_step = not self._has_index_step, True
        if is_new:
            self._executor.submit(self._index).add_done_callback(_log_failure)

    def _index(self) -> None:
        """Bring the search index on by a step, unless a job comes first; the next step after what comes meanwhile."""
        self._has_index_step = False
        if self._is_closed:
            return
        if self._gives_way() or self._store.result().idle_step():
            with suppress(RuntimeError):  # closed in this very moment: the next start goes on
                self._index_soon()

    def _gives_way(self) -> bool:
        """Return whether there is a job that the index waits for."""
        if not self._pending:
            self._gave_way_at = None
            return False
        now = time.monotonic()
        self._gave_way_at = self._gave_way_at or now
        if now - self._gave_way_at < LONGEST_WAIT:
            return True
        self._gave_way_at = None
        return False


def _usable(opening: Future[Store]) -> Store:
    """Return the store that was opened, or else one in memory that says why."""
    error = opening.exception()
    if error is None:
        return opening.result()
    if not isinstance(error, StoreError):
        logger.error("the database could not be opened", exc_info=error)
    problem = error.problem if isinstance(error, StoreError) else unexpected(error)
    sentence = f"{problem.sentence} Until then, what is written is lost when Espalier quits."
    return Store(None, notice=Problem(problem.title, sentence))


def _log_failure(step: Future[None]) -> None:
    """Log a step of the search index that failed: it is tried again after the next request."""
    error = step.exception()
    if error is not None:
        logger.error("a step of the search index failed", exc_info=error)
