"""A process of this program that answers lines, as the event loop sees it: started when asked, ended at any moment."""

from __future__ import annotations

from PySide6.QtCore import QObject, QProcess, Signal

from app.processes.child_process import CHILD_FOLDER, child_command

_PATIENCE_MS = 2000  # until a process that was killed has ended


class LineProcess(QObject):
    """Starts the program with a flag that makes it read lines and answer them. Costs nothing before the first one.

    Signals: answered(bytes), a line without its end; ended(str), why no more of them come: the process ended by itself,
    was not started, or wrote a line longer than allowed. The next line that is asked starts another one.
    """

    answered = Signal(bytes)
    ended = Signal(str)

    def __init__(self, flag: str, longest: int, parent: QObject | None = None) -> None:
        """flag: what the process is started with; longest: bytes of an answer."""
        super().__init__(parent)
        self._flag, self._longest = flag, longest
        self._process: QProcess | None = None
        self._read = bytearray()

    @property
    def is_running(self) -> bool:
        """Return whether there is a process."""
        return self._process is not None

    def ask(self, line: bytes) -> None:
        """Write a line, which has its end. Returns at once."""
        if self._process is None:
            self._start()
        if self._process is not None:
            self._process.write(line)

    def stop(self) -> None:
        """End the process, whatever it does; nothing of it is told any more. Returns at once."""
        process, self._process = self._process, None
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
            process.waitForFinished(_PATIENCE_MS)

    def _start(self) -> None:
        process = self._process = QProcess(self)
        program, *arguments = child_command(self._flag)
        process.setProgram(program)
        process.setArguments(arguments)
        process.setWorkingDirectory(str(CHILD_FOLDER))
        process.setStandardErrorFile(QProcess.nullDevice())
        process.readyReadStandardOutput.connect(self._take)
        process.finished.connect(self._on_end)
        process.errorOccurred.connect(self._on_error)
        process.start()

    def _take(self) -> None:
        process = self._process
        if process is None:
            return
        looked = len(self._read)
        self._read += process.readAllStandardOutput().data()
        while process is self._process and (end := self._read.find(b"\n", looked)) >= 0:
            line = bytes(self._read[:end])
            del self._read[: end + 1]
            looked = 0
            self.answered.emit(line)
        if process is self._process and len(self._read) > self._longest:
            self._on_end()

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._on_end()

    def _on_end(self) -> None:
        why = "" if self._process is None else self._process.errorString()
        self.stop()
        self.ended.emit(why)
