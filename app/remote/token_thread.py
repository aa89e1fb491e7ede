"""The thread on which a server's tokens are worked with: it may wait for the server, while the event loop goes on.

Property: what waits for the server is given up when its asker is, and when the thread is closed.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, Generic, TypeVar

from app.prompting.problems import EngineError
from app.prompting.steps import Steps
from app.remote import faults
from app.remote.client import ASKING, Client
from app.remote.faults import ServerError

T = TypeVar("T")
_AT_ONCE = 8
_PATIENCE = 4 * ASKING  # seconds, after which the event loop has ended


class UnansweredError(EngineError):
    """A server that was asked about tokens did not tell. Attribute: fault, the ServerError."""

    def __init__(self, fault: ServerError) -> None:
        super().__init__(fault.problem.title, fault.problem.sentence)
        self.fault = fault


class TokenThread:
    """A thread that asks one server about tokens. To be made on the event loop that its client is used on."""

    def __init__(self, client: Client, model: str) -> None:
        """model: as the server calls it, which may have several."""
        self.name = client.server.name
        self._client, self._model = client, model
        self._loop, self._maker = asyncio.get_running_loop(), threading.current_thread()
        self._executor = ThreadPoolExecutor(1, "tokens")
        self._job: object = None
        self._asking: concurrent.futures.Future[Any] | None = None
        self._is_closed = False

    def close(self) -> None:
        """End what waits, and do nothing more."""
        self._is_closed = True
        self._executor.shutdown(wait=False, cancel_futures=True)
        if self._asking is not None:
            self._asking.cancel()

    async def end(self, act: Callable[[], object]) -> None:
        """Do one thing more on the thread, once what waits there is ended, and do nothing after it."""
        self._is_closed = True
        if self._asking is not None:
            self._asking.cancel()
        with suppress(UnansweredError):
            await self.run(act)
        self.close()

    async def run(self, act: Callable[[], T]) -> T:
        """Do something on the thread and return what comes of it. Cancelled, it is given up."""
        job = object()
        try:
            doing = self._executor.submit(self._do, job, act)
        except RuntimeError:
            raise UnansweredError(faults.broken_off(self.name)) from None
        try:
            return await asyncio.wrap_future(doing)
        except asyncio.CancelledError:
            asking = self._asking
            if asking is not None and self._job is job:
                asking.cancel()
            raise

    async def finish(self, steps: Steps[T]) -> T:
        """Take steps on the thread, between which others have their turn, and return what they come to."""
        ended: _Ended[T] | None = None
        try:
            while ended is None:
                ended = await self.run(partial(_step, steps))
        finally:
            if ended is None:
                with suppress(RuntimeError):  # the thread has ended
                    self._executor.submit(steps.close)
        return ended.value

    def ask(self, path: str, **body: Any) -> Mapping[str, Any]:
        """Ask the server, and wait for what it answers. On the thread alone. Raises UnansweredError."""
        return self._awaited(self._client.json(path, body={**body, "model": self._model}))

    def ask_all(self, path: str, bodies: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Ask the server several things, some of them at a time. On the thread alone. Raises UnansweredError."""
        free = asyncio.Semaphore(_AT_ONCE)

        async def asked(body: Mapping[str, Any]) -> Mapping[str, Any]:
            async with free:
                return await self._client.json(path, body={**body, "model": self._model})

        async def all_asked() -> list[Mapping[str, Any]]:
            return await asyncio.gather(*map(asked, bodies))

        return self._awaited(all_asked())

    def on_loop(self, read: Callable[[], T]) -> T:
        """Return what the event loop's own data say. On the thread alone. Raises UnansweredError."""

        async def reading() -> T:
            return read()

        return self._awaited(reading())

    def _awaited(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for what the event loop does."""
        try:
            if self._is_closed or threading.current_thread() is self._maker:  # which would wait for itself
                raise RuntimeError("closed, or not on the thread")
            asking = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:  # so is the loop
            work.close()
            raise UnansweredError(faults.broken_off(self.name)) from None
        self._asking = asking
        try:
            return asking.result(_PATIENCE)
        except ServerError as error:
            raise UnansweredError(error) from None
        except (concurrent.futures.CancelledError, TimeoutError):
            raise UnansweredError(faults.broken_off(self.name)) from None
        finally:
            self._asking = None

    def _do(self, job: object, act: Callable[[], T]) -> T:
        self._job = job
        return act()


class _Ended(Generic[T]):
    """Hold the value that a generator of steps returned at its end."""

    def __init__(self, value: T) -> None:
        self.value = value


def _step(steps: Steps[T]) -> _Ended[T] | None:
    try:
        next(steps)
    except StopIteration as end:
        return _Ended(end.value)
    return None
