"""A look at a server, on a thread of its own: what it is, and which models it has."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from app.protocol.dataclass import dataclass
from app.protocol.reports import Problem
from app.protocol.servers import Server
from app.worker.server_keys import ServerKeys

if TYPE_CHECKING:  # most starts of the program never need it
    import asyncio

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SeenServer:
    """A server that has answered.

    kind: what its people call it. models: how many tokens each reads at most, by name; 0 where it does not say.
    """

    server: Server
    kind: str
    models: tuple[tuple[str, int], ...]


class _Failed(NamedTuple):
    """A server that could not be looked at. certificate: SHA-256 of the one that nobody speaks for, "" for none; url:
    the address that shows it.
    """

    problem: Problem
    certificate: str = ""
    url: str = ""


class ServerProbe(QObject):
    """Looks at one server at a time. What was looked at before is given up, and nothing is told of it.

    Signals: seen(object), a `SeenServer`; failed(object, str, str), the `Problem`, and the SHA-256 of a certificate
    that the person may trust all the same, "" for none, with the address that shows it.
    """

    seen = Signal(object)
    failed = Signal(object, str, str)
    _told = Signal(int, object)

    def __init__(self, keys: ServerKeys, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._keys = keys
        self._number = 0
        self._end: _Ending | None = None
        self._told.connect(self._take)

    def look(self, server: Server, key: str | None = None) -> None:
        """Ask a server. key: None for the one that is kept; another one is kept once it has answered."""
        self.close()
        self._number += 1
        self._end = _Ending()
        arguments = self._number, server, key, self._end
        threading.Thread(target=self._look, args=arguments, name="server look", daemon=True).start()

    def forget(self, server_id: str) -> None:
        """Keep the key for a server no longer."""
        threading.Thread(target=_forget, args=(self._keys, server_id), name="server key", daemon=True).start()

    def close(self) -> None:
        """Give up what is being asked."""
        if self._end is not None:
            self._end.cancel()
        self._end = None

    def _look(self, number: int, server: Server, key: str | None, ending: _Ending) -> None:
        """Ask, on a thread of its own, and tell of every fault: whoever waits for it would wait for ever."""
        import asyncio

        from app.remote.faults import unforeseen

        found: SeenServer | _Failed | None
        try:
            found = asyncio.run(_looked(server, key, self._keys, ending))
        except Exception:
            logger.exception("a server could not be looked at")
            found = _Failed(unforeseen(server.name).problem)
        if found is not None:
            try:
                self._told.emit(number, found)
            except RuntimeError:
                logger.debug("nobody waits for the server any more")

    def _take(self, number: int, found: SeenServer | _Failed) -> None:
        if number != self._number or self._end is None:
            return
        self._end = None
        if isinstance(found, _Failed):
            self.failed.emit(found.problem, found.certificate, found.url)
        else:
            self.seen.emit(found)


class _Ending:
    """The end of a look that was given up, from whichever thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_over = False
        self._task: tuple[asyncio.AbstractEventLoop, asyncio.Task[object]] | None = None

    def begin(self, task: asyncio.Task[object]) -> bool:
        """Note what is to be cancelled. False where it need not begin."""
        with self._lock:
            self._task = task.get_loop(), task
            return not self._is_over

    def end(self) -> None:
        """Note that there is nothing to cancel any more."""
        with self._lock:
            self._task = None

    def cancel(self) -> None:
        """Have it end soon."""
        with self._lock:
            self._is_over = True
            if self._task is not None:
                loop, task = self._task
                loop.call_soon_threadsafe(task.cancel)


async def _looked(server: Server, key: str | None, keys: ServerKeys, ending: _Ending) -> SeenServer | _Failed | None:
    """Return what a server is, or why that cannot be told; None where it was given up."""
    import asyncio

    from app.hub.faults import HubError
    from app.remote.certificates import digest, presented, trusted
    from app.remote.client import Client
    from app.remote.faults import ServerError
    from app.remote.probe import Found, common, look

    task: asyncio.Task[object] | None = asyncio.current_task()
    if task is None or not ending.begin(task):
        return None
    try:
        sent = keys.kept(server.id) if key is None else key
        found: Found | None = None
        one = server
        for one in server.replicas:
            async with Client(one, sent, await trusted(one)) as client:
                found = common(found, await look(client), one.name)
        if key:
            keys.keep(server.id, key)
        models = found.models if found is not None else ()
        kind = found.kind.name if found is not None else ""
        return SeenServer(server, kind, tuple((one.name, one.context) for one in models))
    except ServerError as error:
        shown = ""
        if error.is_untrusted:
            with suppress(ServerError, asyncio.CancelledError):
                shown = digest(await presented(one))
        return _Failed(error.problem, shown, one.url)
    except HubError as error:
        return _Failed(error.problem)
    except asyncio.CancelledError:
        return None
    finally:
        ending.end()


def _forget(keys: ServerKeys, server_id: str) -> None:
    from app.hub.faults import HubError

    try:
        keys.keep(server_id, "")
    except HubError:
        logger.info("no key of the server is forgotten: the keychain is locked")
