"""The process that talks to hubs, as the window sees it: started with a request, killed whenever it is to stop."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject, QProcess, Signal

from app.hub import FLAG
from app.hub.messages import Arrived, Failed, Request, line_of, reply_of
from app.processes.child_process import CHILD_FOLDER, child_command

logger = logging.getLogger(__name__)

_PATIENCE = 2000  # milliseconds until a process that was killed has ended
_LARGEST = 1 << 26  # bytes of one reply
_TITLE = "The process for hubs ended"
_SENTENCE = "What talks to the hub ended by itself. Try again; what has arrived is kept."


class HubProcess(QObject):
    """One process of our own, with its input and output. It costs nothing before the first request.

    Signal: replied(object), a `Reply`; also `Failed` where the process ends by itself while it is asked something.
    """

    replied = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None
        self._read = bytearray()
        self._open = 0

    @property
    def is_busy(self) -> bool:
        """Return whether a request has not been answered yet."""
        return self._open > 0

    def ask(self, request: Request) -> None:
        """Have a request carried out after those before it. Returns at once."""
        if self._process is None:
            self._process = self._started()
        self._open += 1
        self._process.write(line_of(request))

    def stop(self) -> None:
        """End the process, whatever it does; nothing of it is told any more. Returns at once."""
        process, self._process = self._process, None
        self._open = 0
        self._read.clear()
        if process is not None:
            process.readyReadStandardOutput.disconnect(self._take)
            process.finished.disconnect(self._on_end)
            process.errorOccurred.disconnect(self._on_error)
            if process.state() is QProcess.ProcessState.NotRunning:
                process.deleteLater()
            else:
                process.finished.connect(process.deleteLater)
                process.kill()

    def close(self) -> None:
        """End the process and wait until it has gone, which a disk that hangs may delay."""
        self.stop()
        for process in self.findChildren(QProcess):
            process.waitForFinished(_PATIENCE)

    def _started(self) -> QProcess:
        process = QProcess(self)
        program, *arguments = child_command(FLAG)
        process.setProgram(program)
        process.setArguments(arguments)
        process.setWorkingDirectory(str(CHILD_FOLDER))
        process.setStandardErrorFile(QProcess.nullDevice())
        process.readyReadStandardOutput.connect(self._take)
        process.finished.connect(self._on_end)
        process.errorOccurred.connect(self._on_error)
        process.start()
        return process

    def _take(self) -> None:
        if self._process is None:
            return
        self._read += self._process.readAllStandardOutput().data()
        while (end := self._read.find(b"\n")) >= 0:
            line = bytes(self._read[:end])
            del self._read[: end + 1]
            reply = reply_of(line)
            self._open -= not isinstance(reply, Arrived)
            self.replied.emit(reply)
        if len(self._read) > _LARGEST:
            self._on_end()

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._on_end()

    def _on_end(self) -> None:
        """Tell whoever waits that there will be no answer."""
        was_busy = self.is_busy
        if self._process is not None:
            logger.warning("the process for hubs ended: %s", self._process.errorString())
        self.stop()
        if was_busy:
            self.replied.emit(Failed(_TITLE, _SENTENCE, is_passing=True))
