"""The first process's end of the local socket: it hears which paths a second start was asked to open."""

from __future__ import annotations

import contextlib
import socket

from PySide6.QtCore import QObject, QSocketNotifier, Signal

from app.launch.single_instance import ANSWER, LONGEST, paths_of

_PIECE = 65_536


class Doorbell(QObject):
    """Answers whoever rings, one line each, without ever waiting for them.

    Signal: rang(tuple), the paths that were handed over; none when somebody only started the program again.
    """

    rang = Signal(object)

    def __init__(self, server: socket.socket, parent: QObject | None = None) -> None:
        """Takes the listening socket over."""
        super().__init__(parent)
        self._server = server
        self._callers: dict[socket.socket, tuple[QSocketNotifier, bytearray]] = {}
        server.setblocking(False)
        self._notifier = QSocketNotifier(server.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._accept)

    def close(self) -> None:
        """Answer nobody any more. Again: nothing."""
        self._notifier.setEnabled(False)
        for caller in tuple(self._callers):
            self._dismiss(caller)
        self._server.close()

    def _accept(self) -> None:
        try:
            caller, _ = self._server.accept()
        except OSError:
            return
        caller.setblocking(False)
        notifier = QSocketNotifier(caller.fileno(), QSocketNotifier.Type.Read, self)
        self._callers[caller] = (notifier, bytearray())
        notifier.activated.connect(lambda: self._hear(caller))

    def _hear(self, caller: socket.socket) -> None:
        if caller not in self._callers:
            return
        words = self._callers[caller][1]
        try:
            piece = caller.recv(_PIECE)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        words += piece
        if b"\n" in piece:
            self._answer(caller, bytes(words))
        elif not piece or len(words) > LONGEST:
            self._dismiss(caller)

    def _answer(self, caller: socket.socket, line: bytes) -> None:
        paths = paths_of(line)
        if paths is not None:
            with contextlib.suppress(OSError):
                caller.send(ANSWER)
        self._dismiss(caller)
        if paths is not None:
            self.rang.emit(paths)

    def _dismiss(self, caller: socket.socket) -> None:
        notifier, _ = self._callers.pop(caller)
        notifier.setEnabled(False)
        notifier.deleteLater()
        caller.close()
