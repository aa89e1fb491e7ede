"""What the view models talk to: one engine, whichever thread it lives on just now."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.protocol.commands import Command
from app.worker.engine_thread import EngineFactory, EngineThread, local_engine


class EngineHost(QObject):
    """Starts an engine, starts another after it died, and ends it in order.

    Signal: happened(object), an `app.protocol.events.Event`; a receiver on the GUI thread gets it there.
    """

    happened = Signal(object)

    def __init__(self, factory: EngineFactory = local_engine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._factory = factory
        self._thread: EngineThread | None = None

    def start(self) -> None:
        """Start the engine's thread. Called once the window is painted, since it imports for a second."""
        if self._thread is None:
            self._thread = self._new_thread()
        self._thread.start()

    def submit(self, command: Command) -> None:
        """Queue a command for the engine, also before `start`."""
        if self._thread is None:
            self._thread = self._new_thread()
        self._thread.submit(command)

    def restart(self) -> None:
        """Give up the engine that there was and start a new one, with no model."""
        self.close()
        self.start()

    def close(self) -> None:
        """Stop what runs, end the loop and wait for the thread. Without effect when none was started.

        What the engine told until then, the end of the answer it was writing too, is delivered before this returns.
        """
        thread, self._thread = self._thread, None
        if thread is None:
            return
        if thread.isRunning():
            thread.close()
        QCoreApplication.sendPostedEvents(self)
        thread.deleteLater()

    def _new_thread(self) -> EngineThread:
        thread = EngineThread(self._factory, self)
        thread.happened.connect(self.happened)
        return thread
