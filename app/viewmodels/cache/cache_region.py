"""The prefix cache: its trie, what happened in it, and what a person can do with what is cached."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.conversation.branch import Branch
from app.protocol.events import CacheHappened, Event, Pinned, TrieChanged, Verified
from app.protocol.reports import Problem
from app.protocol.trie_view import TrieView
from app.viewmodels.cache import disk_text
from app.viewmodels.cache.branch_checks import BranchChecks, finding
from app.viewmodels.cache.budgets import disk_budget_of
from app.viewmodels.cache.cache_state import CacheState, cache_line, left_of, short_of_memory
from app.viewmodels.cache.disk_cache import DiskCache
from app.viewmodels.cache.engine_budgets import EngineBudgets
from app.viewmodels.cache.event_model import EventModel
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.settings import Settings
from app.viewmodels.model.model_region import ModelRegion
from app.worker.engine_host import EngineHost

_LEAST = 64_000_000
"""Bytes that the cache may take however short of memory the system is."""
FOLDER_NAME = "Espalier Cache"
"""The folder that is made in one that a person chooses: nothing else lies in it when its files are deleted."""


class CacheRegion(QObject):
    """Shows what is cached, pins and checks branches, deletes what is kept, and says what became of it.

    Attributes: state; view, the picture of the trie; event_model, of the cache pane; branch_checks; disk_cache.

    Signals: folderWanted(str), show this folder; viewChanged(), there is another picture.
    """

    folderWanted = Signal(str)
    viewChanged = Signal()

    state: LiveState[CacheState]

    def __init__(
        self,
        host: EngineHost,
        settings: Settings,
        folder: str,
        model: ModelRegion,
        notices: Notices,
        parent: QObject | None = None,
    ) -> None:
        """folder: where cached state is usually written, "" for nowhere."""
        super().__init__(parent)
        self._settings, self._model, self._notices = settings, model, notices
        self.view = TrieView(serial=0)
        self.event_model = EventModel(self)
        self.branch_checks = BranchChecks(host, self)
        self.disk_cache = DiskCache(host, settings, folder, self)
        self._engine_budgets = EngineBudgets(host, settings, folder, self)
        self._was_off = self._is_off
        self._trouble: Problem | None = None
        self._shortage: Problem | None = None
        self._is_left = False  # what is shown was left of a model that is closed
        self.state = LiveState(self._state, self)
        self.state.follow(self.viewChanged, self.branch_checks.changed)
        self.state.follow(settings.changed)
        self.state.follow_states(model.state)
        self.branch_checks.checked.connect(self._on_checked)
        self.disk_cache.answered.connect(self._on_pinned)
        settings.changed.connect(self._on_settings_changed)
        model.restarted.connect(self.start)
        model.current_model.changed.connect(self._on_model_changed)
        model.current_model.ready.connect(self._engine_budgets.send_memory)

    def start(self) -> None:
        """Tell a new engine, before its first model, what it may write."""
        self._engine_budgets.send_disk()

    def take(self, event: Event) -> None:
        """Follow an event of the engine, if it is about the cache."""
        if isinstance(event, TrieChanged):
            self._show(event.view)
            self._watch_disk(event.view)
        elif isinstance(event, CacheHappened):
            self.event_model.add(event.events)
        elif isinstance(event, Verified):
            self.branch_checks.take(event)
        elif isinstance(event, Pinned):
            self.disk_cache.take(event)

    def _show(self, view: TrieView) -> None:
        self.view = view
        self.viewChanged.emit()

    def take_memory_pressure(self, level: int) -> None:
        """Hold less while the system is short of memory, say so, and hold as much as before when that is over.

        level: 1 for none, 2 for a warning, 4 where programs may be ended.
        """
        if self._shortage is not None:
            self._notices.withdraw(self._shortage)
        self._shortage = None
        if level <= 1:
            self._engine_budgets.limit_memory(None)
            return
        view = self.view
        most = max(_LEAST, (view.live_bytes + view.paged_bytes) // level)
        self._engine_budgets.limit_memory(most)
        if self._model.state.now.has("memory_budget"):
            self._shortage = short_of_memory(most)
            self._notices.keep_telling(self._shortage)

    def verify(self, turns: Branch) -> None:
        """Have a branch computed again and compared with what is held of it. Does nothing without turns."""
        if turns:
            self.branch_checks.verify(turns)

    def pin(self, turns: Branch, is_pinned: bool, message_id: str) -> None:
        """Keep what is cached of a branch whatever else needs room, or let it go again. Does nothing without turns.

        message_id: of the message that it is kept with.
        """
        if turns:
            self.disk_cache.pin(turns, is_pinned, message_id)

    def release(self, conversation_ids: Iterable[str]) -> None:
        """Delete what only these conversations used, something of which is gone for ever."""
        for conversation_id in conversation_ids:
            self.disk_cache.release(conversation_id)
            self._forget_left()

    def show_files(self) -> None:
        """Have the folder of the cached state shown."""
        self.folderWanted.emit(self.disk_cache.folder)

    def move_files(self, folder: str) -> None:
        """Write cached state into a folder in this one from now on, "" for the usual place; what there was is deleted.

        The model in use is opened again: it takes its files from one place as long as it is open.
        """
        wanted = str(Path(folder) / FOLDER_NAME) if folder else ""
        if wanted == self._settings.values.cache_folder:
            return
        try:
            self._settings.update(cache_folder=wanted)
        except ValueError:
            self._notices.error(Problem("The cache files stay where they are", "The name of that folder is no text."))
            return
        self._forget_left()
        model = self._model.current_model
        if model.loading is not None or model.info is not None:
            self._model.open(model.path if model.loading is None else model.loading.path)

    def forget_conversation(self, conversation_id: str) -> None:
        """Delete the state that only this conversation uses, and say so. Its words stay."""
        self.release([conversation_id])
        self._notices.info(disk_text.FORGOTTEN)

    def delete_files(self) -> None:
        """Delete all cached state on disk. Whoever calls this has asked the person."""
        self.disk_cache.wipe()
        self._forget_left()
        self._notices.info(disk_text.DELETED)

    def _state(self) -> CacheState:
        view = self.view
        return CacheState(
            line=cache_line(view),
            is_empty=not view.nodes,
            folder=self.disk_cache.folder,
            disk_trouble=disk_text.trouble(view, self._is_disk_wanted and self._model.state.now.has("disk_cache")),
            is_checking=self.branch_checks.is_checking,
        )

    @property
    def _is_disk_wanted(self) -> bool:
        return self.disk_cache.serves(self._model.current_model.info)

    def _watch_disk(self, view: TrieView) -> None:
        """Say it once when nothing can be written to the disk any more, until something can."""
        is_wanted = self._is_disk_wanted and not view.place
        found, before = disk_text.trouble(view, is_wanted), self._trouble
        self._trouble = found
        if before is not None and found != before:
            self._notices.withdraw(before)
        if found is not None and found != before:
            self._notices.keep_telling(found)

    def _on_model_changed(self) -> None:
        """Show what is left of a model that is closed, until another one is open."""
        if self._model.current_model.info is None and not self._is_left:
            self.branch_checks.forget()
            self.disk_cache.forget()
            self._is_left = True
            self._show(left_of(self.view))
        elif self._model.current_model.info is not None and self._is_left:
            self._forget_left()
            self._is_left = False

    def _forget_left(self) -> None:
        """Show nothing of a model that is closed any more."""
        if self._is_left:
            self._show(TrieView(serial=0))
            self.event_model.clear()

    def _on_checked(self, found: Verified) -> None:
        if found.problem is not None:
            self._notices.refuse(found.problem)
        else:
            (self._notices.info if found.is_exact else self._notices.warn)(finding(found))

    def _on_pinned(self, event: Pinned) -> None:
        if event.problem is not None:
            self._notices.refuse(event.problem)
        else:
            self._notices.info(disk_text.pinned(event))

    @property
    def _is_off(self) -> bool:
        return disk_budget_of(self._settings.values.disk_budget).bytes == 0

    def _on_settings_changed(self) -> None:
        """Say it when the files are deleted because the disk is not to be used any more."""
        was_off, self._was_off = self._was_off, self._is_off
        if self._is_off and not was_off:
            self._forget_left()
            self._notices.info(disk_text.OFF)
