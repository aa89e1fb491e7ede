"""One connection of a client, which has a time in which to send and to read, and is one of so many.

Properties: a request is sent within ten seconds from its first byte, or from the opening of the connection; what is
written is taken within a minute; and no flood of connections takes the files that the program needs elsewhere. A
connection that keeps none of this is closed. That a client has left is noticed whatever it sent before.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from app.gateway.application import MOST_CONNECTIONS, Connections

SENDING, TAKING = 10.0, 60.0  # seconds
LARGEST_AHEAD = 64 << 10  # bytes that are sent before the answer to what was asked first has ended
_FAR_TOO_MANY = 2 * MOST_CONNECTIONS  # those between are told so
_UNFINISHED = frozenset({h11.IDLE, h11.SEND_BODY})  # states of a client whose request is not whole


class _Http(H11Protocol):
    """HTTP as uvicorn speaks it, which reads on while a request is answered: the end of a connection is read, too."""

    def data_received(self, data: bytes) -> None:
        """Take what came, and nothing after a request that said that it was the last one."""
        if self.conn.their_state is not h11.MUST_CLOSE:
            super().data_received(data)

    def handle_events(self) -> None:
        """Begin with what was asked. What is asked before that is answered waits, up to a measure."""
        super().handle_events()
        if self.conn.their_state in _UNFINISHED:
            return
        if len(self.conn.trailing_data[0]) > LARGEST_AHEAD:
            self.transport.abort()
        self.flow.resume_reading()


class Connection(asyncio.Protocol):
    """A connection that is watched: what speaks HTTP on it is uvicorn's."""

    def __init__(self, connections: Connections, **server: Any) -> None:
        """connections: what it is counted in. server: what uvicorn gives to its own."""
        self._connections = connections
        self._http = _Http(**server)
        self._transport: asyncio.Transport | None = None
        self._sending: asyncio.TimerHandle | None = None
        self._taking: asyncio.TimerHandle | None = None
        self._is_served = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to watch, or close it at once where there are far too many."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._connections.open += 1
        if self._connections.open > _FAR_TOO_MANY:
            transport.abort()
            return
        self._is_served = True
        self._http.connection_made(transport)
        self._sending = self._after(SENDING)

    def data_received(self, data: bytes) -> None:
        """Pass on what came. The time for a request begins with it and ends with the request."""
        if not self._is_served:
            return
        if self._sending is None:
            self._sending = self._after(SENDING)
        self._http.data_received(data)
        if self._http.conn.their_state not in _UNFINISHED:
            self._end_sending()

    def eof_received(self) -> None:
        """Pass on that the client sends no more."""
        if self._is_served:
            self._http.eof_received()

    def connection_lost(self, error: Exception | None) -> None:
        """Watch no more."""
        self._connections.open -= 1
        self._end_sending()
        self._end_taking()
        if self._is_served:
            self._http.connection_lost(error)

    def pause_writing(self) -> None:
        """Have no more written before the client has taken what there is, and give it a time for that."""
        if self._taking is None:
            self._taking = self._after(TAKING)
        self._http.pause_writing()

    def resume_writing(self) -> None:
        """Have written on."""
        self._end_taking()
        self._http.resume_writing()

    def _end_sending(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None

    def _end_taking(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None

    def _after(self, seconds: float) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, self._abort)

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()
