"""The host of the engines that view models talk to: of this machine, and of servers, one of which has the model in use.

Properties: what is told is what one engine would tell. Of two models the one that was in use is closed, with the
outcome of all that was asked of it, before the next one is said to be ready; until then it answers. An engine is made
when it is needed first, so that whoever asks servers alone never imports what runs models here.
"""

from __future__ import annotations

import logging
from enum import Enum, auto

from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.protocol.commands import (
    CancelOpening,
    ClearDiskCache,
    CloseModel,
    Command,
    ConfigureDiskCache,
    EraseOwner,
    LoadModel,
    SetBudget,
)
from app.protocol.engine import EngineFactory
from app.protocol.events import (
    CacheHappened,
    EngineFailed,
    EngineStarted,
    Event,
    ModelClosed,
    ModelFailed,
    ModelReady,
    OpeningCancelled,
    TrieChanged,
)
from app.protocol.references import is_on_server
from app.worker.engine_thread import EngineThread, local_engine, server_engine

logger = logging.getLogger(__name__)

# Seconds that an engine may take to end: its current step, and what it still writes to the disk. One that takes longer
# hangs, in a library or on a device, and is not waited for.
PATIENCE = 4.0
# Engines that did not end. Qt aborts the process when a thread's object goes while the thread runs.
_stuck: list[EngineThread] = []


class _EngineKind(Enum):
    """Kind of an engine: of models on this machine, or on servers."""

    LOCAL = auto()
    REMOTE = auto()


class EngineHost(QObject):
    """The host of the engines: it starts them, starts another after one died, and ends them in order.

    is_stuck: an engine did not end in time. Its thread goes on, so the process must end without waiting for threads.

    Signal: happened(object), an `app.protocol.events.Event`; a receiver on the GUI thread gets it there.
    """

    happened = Signal(object)

    def __init__(
        self,
        factory: EngineFactory = local_engine,
        parent: QObject | None = None,
        patience: float = PATIENCE,
        servers: EngineFactory = server_engine,
    ) -> None:
        """Start nothing yet. patience: seconds that `close` waits."""
        super().__init__(parent)
        self._factories = {_EngineKind.LOCAL: factory, _EngineKind.REMOTE: servers}
        self._takers = {_EngineKind.LOCAL: self._take_from_here, _EngineKind.REMOTE: self._take_from_servers}
        self._patience = patience
        self.is_stuck = False
        self._forget()

    def _forget(self) -> None:
        """Begin with no engine."""
        self._threads: dict[_EngineKind, EngineThread] = {}
        self._needed: set[_EngineKind] = set()  # those that are started, or will be
        self._is_started = False
        self._in_use = _EngineKind.LOCAL
        self._open: set[_EngineKind] = set()  # those that have a model open
        self._opening: tuple[_EngineKind, str] | None = None
        self._wanted = _EngineKind.LOCAL  # where the model is that was asked for last
        self._held: list[Event] = []  # of a model that is ready, until the other one is closed

    @property
    def has_failed(self) -> bool:
        """Return whether the engine in use died: commands have no effect until `restart`."""
        thread = self._threads.get(self._in_use)
        return thread is not None and thread.has_failed

    def start(self) -> None:
        """Start the engine that was asked for a model. To be called once the window is painted, since its thread
        imports for a second."""
        self._is_started = True
        self._needed = self._needed or {_EngineKind.LOCAL}
        for kind in self._needed:
            self._thread(kind).start()

    def submit(self, command: Command) -> None:
        """Queue a command for the engine that it is for, also before `start`."""
        match command:
            case LoadModel(path):
                self._begin_opening(_EngineKind.REMOTE if is_on_server(path) else _EngineKind.LOCAL, command)
            case CancelOpening():
                self._thread(self._in_use if self._opening is None else self._opening[0]).submit(command)
            case SetBudget() | ConfigureDiskCache():
                self._thread(_EngineKind.LOCAL).submit(command)
            case EraseOwner():
                self._need(_EngineKind.LOCAL).submit(command)
                if _EngineKind.REMOTE in self._threads:
                    self._thread(_EngineKind.REMOTE).submit(command)
            case ClearDiskCache():
                self._need(_EngineKind.LOCAL).submit(command)
            case _:
                self._thread(self._in_use).submit(command)

    def restart(self) -> None:
        """Give up the engines that there were and start a new one, with no model."""
        self.close()
        self.start()

    def close(self) -> None:
        """Stop what runs, end the loops and wait for the threads. Without effect when none was started.

        What the engines told until then, the end of the answer that was being written too, is delivered before this
        returns. An engine that hangs is given up after a few seconds, and `is_stuck` says so.
        """
        threads, held = list(self._threads.values()), self._held
        for thread in threads:
            thread.end()
        have_ended = [not thread.isRunning() or thread.close(self._patience) for thread in threads]
        QCoreApplication.sendPostedEvents(self)
        for event in held:
            self.happened.emit(event)
        self._forget()
        for thread, has_ended in zip(threads, have_ended, strict=True):
            self._let_go(thread, has_ended=has_ended)

    def _let_go(self, thread: EngineThread, *, has_ended: bool) -> None:
        if has_ended:
            thread.deleteLater()
        else:
            logger.critical("the engine hangs and is given up")
            self.is_stuck = True
            thread.happened.disconnect()
            thread.setParent(None)
            _stuck.append(thread)

    def _thread(self, kind: _EngineKind) -> EngineThread:
        if kind not in self._threads:
            thread = self._threads[kind] = EngineThread(self._factories[kind], self)
            thread.happened.connect(self._takers[kind])
        return self._threads[kind]

    def _need(self, kind: _EngineKind) -> EngineThread:
        """Return an engine's thread, started if the others are."""
        self._needed.add(kind)
        thread = self._thread(kind)
        if self._is_started and not thread.isRunning() and not thread.isFinished():
            thread.start()
        return thread

    def _begin_opening(self, kind: _EngineKind, command: LoadModel) -> None:
        if self._opening is not None and self._opening[0] is not kind:
            before, path = self._opening
            self._thread(before).submit(CancelOpening(path))
        self._opening, self._wanted = (kind, command.path), kind
        self._need(kind).submit(command)

    # What is told

    def _take_from_here(self, event: Event) -> None:
        self._take(_EngineKind.LOCAL, event)

    def _take_from_servers(self, event: Event) -> None:
        self._take(_EngineKind.REMOTE, event)

    def _take(self, kind: _EngineKind, event: Event) -> None:
        is_other = kind is not self._in_use
        if isinstance(event, ModelReady | ModelFailed | OpeningCancelled):
            self._opening = None if self._opening is not None and self._opening[0] is kind else self._opening
        if is_other and self._held:
            self._held.append(event)
        elif isinstance(event, ModelReady):
            self._take_ready(kind, event)
        elif isinstance(event, ModelClosed):
            self._take_closed(kind, event)
        elif isinstance(event, EngineFailed):
            self._take_failed(kind, event)
        elif self._is_told(kind, event):
            self.happened.emit(event)

    def _is_told(self, kind: _EngineKind, event: Event) -> bool:
        """Return whether an event is about what is in use, or what can be opened on this machine."""
        if isinstance(event, EngineStarted):
            return kind is _EngineKind.LOCAL or _EngineKind.LOCAL not in self._needed
        return kind is self._in_use or not isinstance(event, TrieChanged | CacheHappened)

    def _take_ready(self, kind: _EngineKind, event: ModelReady) -> None:
        """Have the other model closed, if there is one, before this one is said to be ready.

        It is closed itself where another one is wanted by now.
        """
        self._open.add(kind)
        if kind is not self._in_use and kind is not self._wanted:
            self._thread(kind).submit(CloseModel())
            return
        if kind is not self._in_use and self._in_use in self._open:
            self._held = [event]
            self._thread(self._in_use).submit(CloseModel())
            return
        self._in_use = kind
        self.happened.emit(event)

    def _take_closed(self, kind: _EngineKind, event: ModelClosed) -> None:
        self._open.discard(kind)
        if kind is self._in_use:
            if event.path:
                self.happened.emit(event)
            self._release()

    def _release(self) -> None:
        """Say that the next model is ready, and what its engine told since."""
        held, self._held = self._held, []
        if held:
            self._in_use = _EngineKind.REMOTE if self._in_use is _EngineKind.LOCAL else _EngineKind.LOCAL
            for event in held:
                self._take(self._in_use, event)

    def _take_failed(self, kind: _EngineKind, event: EngineFailed) -> None:
        """Tell that the engine in use died. Of another one only what it was opening is told to have failed."""
        self._open.discard(kind)
        opening, self._opening = self._opening, None
        if kind is self._in_use:
            self.happened.emit(event)
            self._release()
            return
        thread = self._threads.pop(kind)
        self._needed.discard(kind)
        self._let_go(thread, has_ended=thread.close(self._patience))
        if opening is not None and opening[0] is kind:
            self.happened.emit(ModelFailed(opening[1], event.problem))
