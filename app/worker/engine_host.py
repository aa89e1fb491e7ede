"""The host of the engine that view models talk to, whichever thread that lives on just now."""

from __future__ import annotations

import logging

from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.protocol.commands import Command
from app.protocol.engine import EngineFactory
from app.worker.engine_thread import EngineThread, local_engine

logger = logging.getLogger(__name__)

# Seconds that an engine may take to end: its current step, and what it still writes to the disk. One that takes longer
# hangs, in a library or on a device, and is not waited for.
PATIENCE = 4.0
# Engines that did not end. Qt aborts the process when a thread's object goes while the thread runs.
_stuck: list[EngineThread] = []


class EngineHost(QObject):
    """The host of one engine: it starts the engine, starts another after that died, and ends it in order.

    is_stuck: an engine did not end in time. Its thread goes on, so the process must end without waiting for threads.

    Signal: happened(object), an `app.protocol.events.Event`; a receiver on the GUI thread gets it there.
    """

    happened = Signal(object)

    def __init__(
        self, factory: EngineFactory = local_engine, parent: QObject | None = None, patience: float = PATIENCE
    ) -> None:
        """Start nothing yet. patience: seconds that `close` waits."""
        super().__init__(parent)
        self._factory = factory
        self._patience = patience
        self._thread: EngineThread | None = None
        self.is_stuck = False

    @property
    def has_failed(self) -> bool:
        """Return whether the engine died: commands have no effect until `restart`."""
        return self._thread is not None and self._thread.has_failed

    def start(self) -> None:
        """Start the engine's thread. To be called once the window is painted, since the thread imports for a second."""
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
        An engine that hangs is given up after a few seconds, and `is_stuck` says so.
        """
        thread, self._thread = self._thread, None
        if thread is None:
            return
        has_ended = not thread.isRunning() or thread.close(self._patience)
        QCoreApplication.sendPostedEvents(self)
        if has_ended:
            thread.deleteLater()
        else:
            logger.critical("the engine hangs and is given up")
            self.is_stuck = True
            thread.happened.disconnect(self.happened)
            thread.setParent(None)
            _stuck.append(thread)

    def _new_thread(self) -> EngineThread:
        thread = EngineThread(self._factory, self)
        thread.happened.connect(self.happened)
        return thread
