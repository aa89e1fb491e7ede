"""The thread on which an engine is made, runs and ends."""

from __future__ import annotations

import errno
import logging
import os
import resource
import sys
import threading

from PySide6.QtCore import QDeadlineTimer, QObject, QThread, Signal

from app.protocol.commands import Command, Shutdown
from app.protocol.engine import Engine, EngineFactory, EventSink
from app.protocol.events import EngineFailed
from app.protocol.reports import Problem
from app.worker.server_keys import ServerKeys
from app.worker.text_batcher import TextBatcher

logger = logging.getLogger(__name__)

# macOS gives a secondary thread 512 KiB, which imports and graph evaluation can outgrow.
STACK_BYTES = 16 * 1024 * 1024
_GIVING_WAY = 7  # of 19, as `nice` counts
_LONGEST_WORDS = 300
_LONGEST_CHAIN = 20  # errors that caused one another


def local_engine(sink: EventSink) -> Engine:
    """Make the engine of this process. Its import takes about a second, and so happens on the model thread."""
    from app.engine.loop import EngineLoop

    _go_first()
    return EngineLoop(sink)


def _go_first() -> None:
    """Have the window's thread give way to this one where a model computes on the cores that also draw the window.

    On a processor MLX is handed a few operations ahead. While a picture is drawn on the core of the thread that hands
    them over, the other cores soon have nothing to do: it is the picture that waits then. On a Mac models compute on
    the GPU, and the window goes first. An engine that is started after another one died has the priority of the window,
    which starts it.
    """
    if sys.platform == "linux":  # where each thread has a priority, and the first one the number of the process
        window = os.getpid()
        os.setpriority(os.PRIO_PROCESS, window, max(_GIVING_WAY, os.getpriority(os.PRIO_PROCESS, window)))


def server_engine(sink: EventSink, keys: ServerKeys | None = None) -> Engine:
    """Make the engine that asks servers. keys: looked up when a model is opened, None for those of the keychain."""
    from app.remote.engine import RemoteEngine

    return RemoteEngine(sink, (keys or ServerKeys()).kept)


class EngineThread(QThread):
    """A thread that makes an engine, runs its loop, and sends its events as a signal.

    Commands may be submitted before the engine exists: it gets them in order once it does. What nobody foresaw ends
    this thread, not the window, and is told as `EngineFailed`, whatever kind of exception it is: a library that panics
    raises no `Exception`, and what ends the process is never raised on this thread.

    has_failed: the engine ended by an error and takes no more commands.

    Signal: happened(object), an `app.protocol.events.Event`, sent from the engine's thread.
    """

    happened = Signal(object)

    def __init__(self, factory: EngineFactory = local_engine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("engine")
        self.setStackSize(STACK_BYTES)
        self._factory = factory
        self._lock = threading.Lock()
        self._waiting: list[Command] = []
        self._engine: Engine | None = None
        self.has_failed = self._is_ending = False

    def submit(self, command: Command) -> None:
        """Hand a command to the engine, or keep it until there is one. Returns at once; for any thread."""
        with self._lock:
            if self._engine is None:
                self._waiting.append(command)
            else:
                self._engine.submit(command)

    def end(self) -> None:
        """Have the loop end after its current step. Safe to call twice, or before the start."""
        if not self._is_ending:
            self._is_ending = True
            self.submit(Shutdown())

    def close(self, patience: float) -> bool:
        """End the loop after its current step and wait for the thread at most `patience` seconds.

        Returns whether it has ended. Safe to call twice, or before the start.
        """
        self.end()
        return self.wait(QDeadlineTimer(round(patience * 1000)))

    def run(self) -> None:
        """Make and run the engine. Qt calls this on the new thread."""
        batcher = TextBatcher(self.happened.emit)
        try:
            self._serve(batcher)
        except BaseException as error:  # the one place that may: elsewhere, what is expected is named
            logger.critical("the engine stopped", exc_info=True)
            self.has_failed = True
            batcher.flush()
            self.happened.emit(EngineFailed(_problem_of(error)))
        finally:
            self._let_go()

    def _let_go(self) -> None:
        """Drop the engine, and with it the model, on the thread that made them."""
        with self._lock:
            self._engine = None

    def _serve(self, sink: EventSink) -> None:
        engine = self._factory(sink)
        with self._lock:
            self._engine = engine
            for command in self._waiting:
                engine.submit(command)
            self._waiting.clear()
        engine.run()


def _problem_of(error: BaseException) -> Problem:
    if _is_short_of_files(error):
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return Problem(
            "The engine stopped",
            f"Too many files are open: this process may have {limit} at once. Your conversations are safe. Raise the "
            "limit (ulimit -n), or ask whoever set it, then open Espalier again.",
        )
    words = " ".join(str(error).split())[:_LONGEST_WORDS]
    what = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return Problem("The engine stopped", f"Your conversations are safe. Restart the engine to go on. ({what})")


def _is_short_of_files(error: BaseException | None) -> bool:
    """Return whether the system's limit of open files is behind an error, directly or as the cause of another."""
    for _ in range(_LONGEST_CHAIN):
        if error is None:
            return False
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            return True
        error = error.__cause__ or error.__context__
    return False
