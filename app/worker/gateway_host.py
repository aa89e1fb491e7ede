"""The local API as the window sees it: it is switched on and off, and tells how many answers it gives.

Properties: while it is off nothing of it is imported, and no socket is open. It runs on a thread of its own, which the
window never waits for but at the end of the program. What it asks of the engine comes over the thread of the window, as
all commands do, and the engine's events go the same way back; none of them waits for a client.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from app.protocol.capabilities import Capabilities
from app.protocol.commands import Command
from app.protocol.dataclass import dataclass
from app.protocol.events import ContextLimited, EngineFailed, EngineStarted, Event, ModelClosed, ModelReady
from app.protocol.reports import ModelInfo, Problem
from app.worker.engine_host import EngineHost

if TYPE_CHECKING:
    from app.gateway.server import Server

logger = logging.getLogger(__name__)

PATIENCE = 3.0  # seconds that the end of the program waits for it
NO_MODEL = "No model is open in Espalier. Open one there, then ask again."
_ELSEWHERE = "The model that is open runs on a server. Ask that server, or open a model of this computer in Espalier."
_NO_GUESTS = "The engine that runs answers no other programs."
_RESTARTED = Problem("The engine was started again", "Ask again.")
_ENDED = Problem("The local API ended", "Something went wrong that nobody foresaw. Switch it off and on again.")


@dataclass(frozen=True, slots=True)
class _Listening:
    port: int
    token: str


class GatewayHost(QObject):
    """The host of the local API. Attribute: ids, of what is asked of the engine, which is never one of the window's.

    Signals: listening(int, str), clients may come to this port with this token; failed(object), a `Problem` by which
    they may not; answering(int), how many answers are given or wait.
    """

    listening = Signal(int, str)
    failed = Signal(object)
    answering = Signal(int)
    _came = Signal(object, object)

    def __init__(self, host: EngineHost, token_file: str = "", parent: QObject | None = None) -> None:
        """token_file: where the token lies if the system has no keychain, "" for nowhere."""
        super().__init__(parent)
        self._host, self._token_file = host, token_file
        self._thread: _GatewayThread | None = None  # that serves, or is about to
        self._last: _GatewayThread | None = None  # which may still be ending
        self._capabilities: Capabilities | None = None
        self._info: ModelInfo | None = None
        self._is_closed = False
        self.ids = count(-1, -1)
        host.happened.connect(self._follow)
        self._came.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def start(self, port: int, *, renews_token: bool = False) -> None:
        """Have clients served at this port, with another token than before if that is wanted. Returns at once."""
        self.stop()
        thread = _GatewayThread(self, port, self._token_file, self._last, renews_token=renews_token)
        self._thread = self._last = thread
        thread.start()

    def stop(self) -> None:
        """Serve no more. Returns at once; answers that are given now fail."""
        if self._thread is not None:
            self._thread.end()
            self._thread = None
            self.answering.emit(0)

    def stop_answers(self) -> None:
        """End the answers that are given now; clients get what there is of them."""
        if self._thread is not None and self._thread.server is not None:
            self._thread.server.stop_answers()

    def close(self) -> None:
        """Serve no more, and wait a moment for the end of the thread: the program ends. Safe to call twice."""
        self.stop()
        self._is_closed = True
        if self._last is not None:
            self._last.join(PATIENCE)

    def model(self) -> ModelInfo | str:
        """Return the model that answers guests, or why there is none. For any thread."""
        info, capabilities = self._info, self._capabilities
        if info is None:
            return NO_MODEL
        if info.place:
            return _ELSEWHERE
        can = info.capabilities or capabilities
        return info if can is not None and can.guests else _NO_GUESTS

    def tell(self, thread: _GatewayThread, message: object) -> None:
        """Hand on what the API's thread says. For that thread."""
        self._came.emit(thread, message)

    def _take(self, thread: _GatewayThread, message: object) -> None:
        if self._is_closed:
            return  # there is no engine any more to tell
        if isinstance(message, Command):
            self._host.submit(message)
        elif thread is not self._thread:
            return
        elif isinstance(message, _Listening):
            self.listening.emit(message.port, message.token)
        elif isinstance(message, Problem):
            self._thread = None
            self.failed.emit(message)
        elif isinstance(message, int):
            self.answering.emit(message)

    def _follow(self, event: Event) -> None:
        """Follow which model is open, and hand on what concerns clients."""
        if isinstance(event, EngineStarted):
            self._capabilities, self._info = event.capabilities, None
        elif isinstance(event, ModelReady):
            self._info = event.info
        elif isinstance(event, ContextLimited) and self._info is not None:
            self._info = replace(self._info, context_length=event.context_length)
        elif isinstance(event, ModelClosed | EngineFailed):
            self._info = None
        server = None if self._thread is None else self._thread.server
        if server is None:
            return
        if isinstance(event, EngineFailed | EngineStarted):  # one that hung before has said nothing of its runs
            server.fail_answers(event.problem if isinstance(event, EngineFailed) else _RESTARTED)
        else:
            server.take(event)


class _GatewayThread(threading.Thread):
    """Serves clients until it is ended. server: what serves them, None before that. before: its predecessor, which has
    the port until it has ended."""

    def __init__(
        self, host: GatewayHost, port: int, token_file: str, before: _GatewayThread | None, *, renews_token: bool
    ) -> None:
        super().__init__(name="local API", daemon=True)
        self.server: Server | None = None
        self._host, self._port, self._token_file = host, port, token_file
        self._before, self._renews_token = before, renews_token
        self._lock = threading.Lock()
        self._is_ended = False

    def end(self) -> None:
        """Have it end soon."""
        with self._lock:
            self._is_ended = True
            if self.server is not None:
                self.server.close()

    def run(self) -> None:
        """Import what serves, which the window need not wait for, get the token, and serve."""
        if self._before is not None:
            self._before.join()
            self._before = None
        with self._lock:
            if self._is_ended and not self._renews_token:
                return
        problem = _ENDED
        try:
            problem = self._serve()
        except Exception:  # a thread that ends without a word leaves the window to say that nothing is wrong
            logger.exception("the local API ended")
        finally:
            if not self._is_ended:
                self._tell(problem)

    def _serve(self) -> Problem:
        """Serve until it is ended, and return why nobody is served any more."""
        from app.gateway.server import PortError, Server
        from app.worker.gateway_token import kept_token, new_token

        try:
            token = (new_token if self._renews_token else kept_token)(self._token_file)
        except OSError as error:
            logger.exception("the local API has no token")
            return _no_token(error)
        host, tell = self._host, self._tell
        server = Server(token, tell, host.model, tell, lambda port: tell(_Listening(port, token)), host.ids)
        with self._lock:
            if self._is_ended:
                return _ENDED
            self.server = server
        try:
            server.run(self._port)
        except PortError as error:
            return error.problem
        return _ENDED

    def _tell(self, message: object) -> None:
        self._host.tell(self, message)


def _no_token(error: OSError) -> Problem:
    why = f": {error.strerror}" if error.strerror else ""
    sentence = (
        f"Its token could not be read or kept{why}. Look at the folder of Espalier’s data, then switch it on again."
    )
    return Problem("The local API did not start", sentence)
