"""The thread that owns the store: a commit waits for the disk, and the window must not."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from app.conversation.faults import StoreError
from app.conversation.store import Store
from app.protocol.reports import Problem

T = TypeVar("T")


class StoreThread:
    """One thread with one store; what is submitted is done in that order, also when the program ends without `close`.

    A file that cannot be used is left alone: conversations are then kept in memory, and `Store.notice` says so.
    """

    def __init__(self, path: Path | None) -> None:
        """Start the thread and open the store on it. `path` None keeps conversations in memory."""
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._is_closed = False
        self._store = self._executor.submit(_open, path)
        self._executor.submit(self._index)

    def __enter__(self) -> StoreThread:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def submit(self, function: Callable[[Store], T]) -> Future[T]:
        """Do this after what was submitted before; RuntimeError after `close`.

        An exception is the future's only, and the next job is done. The future's callbacks run on the store thread.
        """
        future = self._executor.submit(lambda: function(self._store.result()))
        self._executor.submit(self._index)
        return future

    def close(self) -> None:
        """Finish what was submitted, close the store and end the thread. Closing again does nothing."""
        if not self._is_closed:
            self._is_closed = True
            self.submit(Store.close)
        self._executor.shutdown(wait=True)

    def _index(self) -> None:
        """Bring the search index on by a step, and the next after what was submitted meanwhile."""
        if not self._is_closed and self._store.result().index_some():
            with suppress(RuntimeError):  # closed in this very moment: the next start goes on
                self._executor.submit(self._index)


def _open(path: Path | None) -> Store:
    try:
        return Store(path)
    except StoreError as error:
        sentence = f"{error.problem.sentence} Until then, what is written is lost when Espalier quits."
        return Store(None, notice=Problem(error.problem.title, sentence))
