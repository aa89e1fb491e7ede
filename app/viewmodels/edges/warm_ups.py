"""Branches that are read in the background, so that going on with them begins at once."""

from __future__ import annotations

from itertools import count

from PySide6.QtCore import QObject, Signal

from app.conversation.branch import Branch
from app.protocol.commands import Cancel, WarmUp
from app.protocol.events import WarmedUp, WarmingUp
from app.worker.engine_host import EngineHost

_FIRST_ID = 1 << 41  # apart from the ids of runs, which are cancelled by the same command


class WarmUps(QObject):
    """Asks the engine for one warm up at a time.

    Attribute: now, how far it is, None without one. Signals: changed(), `now` is another one; ended(object), the
    `WarmedUp` of the one that was asked for.
    """

    changed = Signal()
    ended = Signal(object)

    def __init__(self, host: EngineHost, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._host = host
        self._ids = count(_FIRST_ID)
        self.now: WarmingUp | None = None

    def begin(self, turns: Branch, owner: str) -> None:
        """Have a branch read, in the place of the one that is being read, if there is one."""
        self.now = WarmingUp(next(self._ids), 0, 0)
        self._host.submit(WarmUp(self.now.query_id, turns, turns.options, owner))
        self.changed.emit()

    def stop(self) -> None:
        """End the warm up that is under way; what was read stays."""
        if self.now is not None:
            self._host.submit(Cancel(self.now.query_id))

    def take(self, event: WarmingUp | WarmedUp) -> None:
        """Follow a warm up. One that nobody waits for any more is dropped."""
        if self.now is None or event.query_id != self.now.query_id:
            return
        self.now = event if isinstance(event, WarmingUp) else None
        self.changed.emit()
        if isinstance(event, WarmedUp):
            self.ended.emit(event)

    def forget(self) -> None:
        """Wait for none any more: the model is gone."""
        self.now = None
        self.changed.emit()
