"""A port in front of a server, from which an answer comes as far as a test wants it, however quick the server is."""

from __future__ import annotations

import contextlib
import socket
import threading


class Relay:
    """A port of this machine that hands everything on to another one, and back.

    pieces: how many pieces of a streamed answer come back, and not one more. None: all of them.
    """

    def __init__(self, to: int) -> None:
        """to: the server's port."""
        self.pieces: int | None = None
        self._to, self._clients = to, set[socket.socket]()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """End every connection, as the end of the server does."""
        for client in list(self._clients):
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End every connection, and take no more."""
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.cut()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._hand_on, args=(client,), daemon=True).start()

    def _hand_on(self, client: socket.socket) -> None:
        with client:
            try:
                server = socket.create_connection(("127.0.0.1", self._to))
            except ConnectionRefusedError:
                return
            self._clients.add(client)
            with server, contextlib.suppress(OSError):
                threading.Thread(target=self._hand_back, args=(server, client), daemon=True).start()
                while data := client.recv(65_536):
                    server.sendall(data)
            self._clients.discard(client)

    def _hand_back(self, server: socket.socket, client: socket.socket) -> None:
        left: int | None = None
        with contextlib.suppress(OSError):
            while data := server.recv(65_536):
                for line in data.splitlines(keepends=True):
                    if b"text/event-stream" in line:
                        left = self.pieces
                    elif left is not None and line.startswith(b"data:"):
                        left -= 1
                    if left is None or left >= 0:
                        client.sendall(line)
            if left is None:
                client.shutdown(socket.SHUT_RDWR)
