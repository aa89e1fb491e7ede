"""What a person can do with the cache's files: give them more of the disk or less, keep a branch, let one go."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from app.protocol.chat import Turn
from app.protocol.commands import ClearDiskCache, ConfigureDiskCache, EraseOwner, Pin
from app.protocol.events import Pinned
from app.protocol.reports import ModelInfo
from app.viewmodels.cache.budgets import disk_budget_of
from app.worker.engine_host import EngineHost


class DiskShelf(Protocol):
    """Remembers what may be kept on disk from one start to the next. The settings implement it."""

    @property
    def disk_folder(self) -> str:
        """Where cached state is written, "" for nowhere."""
        ...

    @property
    def disk_budget(self) -> str:
        """Id of one of the `DISK_BUDGETS`."""
        ...

    @property
    def keeps_every_fork(self) -> bool:
        """Whether every state that can be gone back to is written, not only those far from the next one."""
        ...

    def choose_disk_budget(self, budget_id: str) -> None:
        """The person chose this one."""
        ...

    def keep_every_fork(self, is_wanted: bool) -> None:
        """The person chose so."""
        ...


class DiskDesk(QObject):
    """Tells the engine where to keep what, and what to keep or to let go of.

    Signal: answered(object), the `Pinned` that was asked for.
    """

    answered = Signal(object)

    def __init__(self, host: EngineHost, shelf: DiskShelf, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._host = host
        self._shelf = shelf
        self._ids = count(1)
        self._asked: set[int] = set()

    @property
    def folder(self) -> str:
        """Where the files lie, "" for nowhere."""
        return self._shelf.disk_folder

    @property
    def budget(self) -> str:
        """Id of the budget that holds."""
        return disk_budget_of(self._shelf.disk_budget).id

    def serves(self, info: ModelInfo | None) -> bool:
        """Whether state of this model is to be kept on disk."""
        is_wanted = bool(self.folder) and disk_budget_of(self.budget).bytes != 0
        return is_wanted and info is not None and info.is_reusable

    @property
    def keeps_every_fork(self) -> bool:
        """Whether every state that can be gone back to is written."""
        return self._shelf.keeps_every_fork

    def tell(self) -> None:
        """Tell an engine what holds: a new one before its first model, and any when something was chosen."""
        if self.folder:
            self._host.submit(ConfigureDiskCache(self.folder, disk_budget_of(self.budget).bytes, self.keeps_every_fork))

    def choose(self, budget_id: str) -> None:
        """Let files take this much from now on, and the next time too."""
        self._shelf.choose_disk_budget(budget_id)
        self.tell()

    def keep_every_fork(self, is_wanted: bool) -> None:
        """Write every state from now on, or only those worth it, and the next time too."""
        self._shelf.keep_every_fork(is_wanted)
        self.tell()

    def wipe(self) -> None:
        """Delete all files of cached state."""
        self._host.submit(ClearDiskCache())

    def release(self, conversation_id: str) -> None:
        """Delete what only this conversation uses, in memory and on disk."""
        self._host.submit(EraseOwner(conversation_id))

    def pin(self, turns: Sequence[Turn], is_pinned: bool) -> None:
        """Keep what is cached of this branch whatever else needs room, or let it go again."""
        query = next(self._ids)
        self._asked.add(query)
        self._host.submit(Pin(query, turns, is_pinned))

    def take(self, event: Pinned) -> None:
        """What became of a pin. One that nobody waits for any more is dropped."""
        if event.query_id in self._asked:
            self._asked.discard(event.query_id)
            self.answered.emit(event)

    def forget(self) -> None:
        """The model is gone, and with it what was to be pinned."""
        self._asked.clear()
