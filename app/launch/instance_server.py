"""The first process's end of the local socket, which receives the paths that a later start was asked to open."""

from __future__ import annotations

import contextlib
import socket

from PySide6.QtCore import QObject, QSocketNotifier, Signal

from app.launch.single_instance import LONGEST, REPLY, decode_paths

_PIECE = 65_536


class InstanceServer(QObject):
    """Server of the first process: it answers each later start, one line each, and never waits for one.

    Signal: opened(tuple), the paths that were handed over; none when somebody only started the program again.
    """

    opened = Signal(object)

    def __init__(self, server: socket.socket, parent: QObject | None = None) -> None:
        """Take the listening socket over."""
        super().__init__(parent)
        self._server = server
        self._clients: dict[socket.socket, tuple[QSocketNotifier, bytearray]] = {}
        server.setblocking(False)
        self._notifier = QSocketNotifier(server.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._accept)

    def close(self) -> None:
        """Stop answering. A second call does nothing."""
        self._notifier.setEnabled(False)
        for client in tuple(self._clients):
            self._dismiss(client)
        self._server.close()

    def _accept(self) -> None:
        try:
            client, _ = self._server.accept()
        except OSError:
            return
        client.setblocking(False)
        notifier = QSocketNotifier(client.fileno(), QSocketNotifier.Type.Read, self)
        self._clients[client] = (notifier, bytearray())
        notifier.activated.connect(lambda: self._receive(client))

    def _receive(self, client: socket.socket) -> None:
        if client not in self._clients:
            return
        words = self._clients[client][1]
        try:
            piece = client.recv(_PIECE)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        words += piece
        if b"\n" in piece:
            self._answer(client, bytes(words))
        elif not piece or len(words) > LONGEST:
            self._dismiss(client)

    def _answer(self, client: socket.socket, line: bytes) -> None:
        paths = decode_paths(line)
        if paths is not None:
            with contextlib.suppress(OSError):
                client.send(REPLY)
        self._dismiss(client)
        if paths is not None:
            self.opened.emit(paths)

    def _dismiss(self, client: socket.socket) -> None:
        notifier, _ = self._clients.pop(client)
        notifier.setEnabled(False)
        notifier.deleteLater()
        client.close()
