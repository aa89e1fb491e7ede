"""What a person can do with what is cached: keep a branch, let a conversation go, delete all files."""

from __future__ import annotations

from itertools import count

from PySide6.QtCore import QObject, Signal

from app.conversation.branch import Branch
from app.protocol.commands import ClearDiskCache, EraseOwner, Pin
from app.protocol.events import Pinned
from app.protocol.reports import ModelInfo
from app.viewmodels.cache.budgets import disk_budget_of
from app.viewmodels.cache.engine_budgets import folder_of
from app.viewmodels.kit.settings import Settings
from app.worker.engine_host import EngineHost


class DiskCache(QObject):
    """Tells the engine what to keep and what to let go of.

    Signals: answered(object), the `Pinned` that was asked for; released(str), what only this conversation uses goes.
    """

    answered = Signal(object)
    released = Signal(str)

    def __init__(self, host: EngineHost, settings: Settings, folder: str, parent: QObject | None = None) -> None:
        """folder: where files usually lie, "" for nowhere."""
        super().__init__(parent)
        self._host = host
        self._settings = settings
        self._usual = folder
        self._ids = count(1)
        self._asked: set[int] = set()

    @property
    def folder(self) -> str:
        """The folder of the files, "" for none."""
        return folder_of(self._settings.values, self._usual)

    def serves(self, info: ModelInfo | None) -> bool:
        """Return whether state of this model is to be kept on disk."""
        is_wanted = bool(self.folder) and disk_budget_of(self._settings.values.disk_budget).bytes != 0
        return is_wanted and info is not None and info.is_reusable

    def wipe(self) -> None:
        """Delete all files of cached state."""
        self._host.submit(ClearDiskCache())

    def release(self, conversation_id: str) -> None:
        """Delete what only this conversation uses, in memory and on disk."""
        self._host.submit(EraseOwner(conversation_id))
        self.released.emit(conversation_id)

    def pin(self, turns: Branch, is_pinned: bool, message_id: str) -> None:
        """Keep what is cached of this branch whatever else needs room, or let it go again.

        message_id: of the message that it is kept with.
        """
        query = next(self._ids)
        self._asked.add(query)
        self._host.submit(Pin(query, turns, is_pinned, turns.options, message_id))

    def take(self, event: Pinned) -> None:
        """Follow what became of a pin. One that nobody waits for any more is dropped."""
        if event.query_id in self._asked:
            self._asked.discard(event.query_id)
            self.answered.emit(event)

    def forget(self) -> None:
        """Wait for no pin any more: the model is gone."""
        self._asked.clear()
