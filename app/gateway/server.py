"""The server of the local API: a thread's event loop, a socket of the loopback address, and uvicorn over it."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, cast

import uvicorn
import uvicorn.lifespan.off  # by a word in the configuration, which a frozen program would miss

from app.gateway.application import Application, Connections
from app.gateway.connection import Connection
from app.gateway.guard import LARGEST_HEAD
from app.gateway.guests import Guests
from app.protocol.commands import Command
from app.protocol.events import Event
from app.protocol.reports import ModelInfo, Problem

logger = logging.getLogger(__name__)

ADDRESS = "127.0.0.1"
KEEP_ALIVE = 15  # seconds of a connection on which nothing is asked
_PARTING = 1  # second that answers have to be ended in
_LOOK = 0.2  # seconds in which somebody who listens on this computer has taken a connection
_CLOSED = Problem("The local API was switched off", "Switch it on again in Settings > Local API.")


class PortError(Exception):
    """The port cannot be listened on. problem: why, in words."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.sentence)
        self.problem = problem


class Server:
    """The server of one token and one port. `run` on a thread of its own; the rest from any thread.

    submit: tells the engine. model: returns the open model, or why there is none for guests. tell: told how many
    answers there are, when that changes. listens: told the port, when clients may come. ids: as of `Guests`.
    """

    def __init__(
        self,
        token: str,
        submit: Callable[[Command], None],
        model: Callable[[], ModelInfo | str],
        tell: Callable[[int], None],
        listens: Callable[[int], None],
        ids: Iterator[int],
    ) -> None:
        connections = Connections()
        self._guests = Guests(submit, tell, ids)
        self._application = Application(token, self._guests, model, connections)
        self._listens = listens
        config = uvicorn.Config(
            self._application,
            http=cast(Any, partial(Connection, connections)),
            ws="none",
            lifespan="off",
            log_config=None,
            log_level=logging.WARNING,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE,
            timeout_graceful_shutdown=_PARTING,
            h11_max_incomplete_event_size=LARGEST_HEAD,
        )
        self._server = uvicorn.Server(config)

    def run(self, port: int) -> None:
        """Serve until `close`. port: 0 for any that is free. Raises PortError where it is taken."""
        listening = listen(port)
        self._application.port = listening.getsockname()[1]
        try:
            asyncio.run(self._serve(listening))
        finally:
            listening.close()

    async def _serve(self, listening: socket.socket) -> None:
        self._guests.open()
        listening.setblocking(False)
        self._listens(self._application.port)
        await self._server.serve(sockets=[listening])

    def take(self, event: Event) -> None:
        """Hand an event of the engine to the client that waits for it."""
        self._guests.take(event)

    def stop_answers(self) -> None:
        """End the answers that are written now; their clients get what there is."""
        self._guests.stop()

    def fail_answers(self, problem: Problem) -> None:
        """Have the answers that are written now fail: the engine is gone."""
        self._guests.fail(problem)

    def close(self) -> None:
        """Have `run` return soon. Answers that are written now fail, and the engine writes no more of them."""
        self._guests.fail(_CLOSED)
        self._server.should_exit = True


def listen(port: int) -> socket.socket:
    """Return a socket that listens on this port of the loopback address, and on no other. Raises PortError."""
    if port and _is_answered(port):
        raise PortError(_taken(port))
    # The protocol is named, since asyncio sends small pieces at once only on a socket that is known to be TCP's.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        # A port that was ours a moment ago can be had again. On a Mac it could be had beside a program that listens on
        # all addresses, too, whose clients would then come here: that is looked for before.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((ADDRESS, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise PortError(_taken(port) if error.errno == errno.EADDRINUSE else _refused(port, error)) from None
    return listening


def _is_answered(port: int) -> bool:
    try:
        with socket.create_connection((ADDRESS, port), _LOOK):
            return True
    except OSError:
        return False


def _taken(port: int) -> Problem:
    sentence = f"Another program listens on port {port}. Choose another port, or end that program."
    return Problem("The port is taken", sentence)


def _refused(port: int, error: OSError) -> Problem:
    return Problem("The port cannot be used", f"Port {port}: {error.strerror or error}. Choose another one.")
