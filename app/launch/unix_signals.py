"""The signals that ask the program to end: at logging out, by Ctrl-C in a terminal, by whoever started it."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier

ASKED_TO_END = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class UnixSignals(QObject):
    """A handler of signals that calls `end` on Qt's thread when the process is asked to end.

    Python runs its handlers between two instructions of its own, and Qt's event loop has none: the signal's number is
    written to a socket, which wakes the loop.
    """

    def __init__(self, end: Callable[[], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._end = end
        self._read, self._write = socket.socketpair()
        for side in (self._read, self._write):
            side.setblocking(False)
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._wake)
        self._fd_before = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        self._before = {number: signal.signal(number, _pass) for number in ASKED_TO_END}

    def close(self) -> None:
        """Restore the handlers that there were before."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._fd_before)
        self._notifier.setEnabled(False)
        self._read.close()
        self._write.close()

    def _wake(self) -> None:
        if any(number in ASKED_TO_END for number in self._read.recv(64)):
            self._end()


def _pass(_number: int, _frame: object) -> None:
    """Do nothing: the socket carries the news."""
