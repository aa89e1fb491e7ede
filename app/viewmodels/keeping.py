"""The verbs about what is kept of the cache: on disk, pinned, or not at all any more."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from app.conversation.branch import Branch
from app.protocol.chat import Turn
from app.protocol.events import Pinned
from app.protocol.reports import Problem
from app.protocol.trie_view import TrieView
from app.viewmodels.cache import disk_text
from app.viewmodels.cache.budgets import disk_budget_of
from app.viewmodels.display import Display
from app.viewmodels.kit.settings import Settings
from app.viewmodels.parts import Parts


class Keeping(QObject):
    """What the Cache menu does about files and pins, and what there is to say about them.

    Signal: folderWanted(str), show this folder.
    """

    folderWanted = Signal(str)

    def __init__(self, parts: Parts, display: Display, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._models, self._questions, self._disk = parts.models, parts.questions, parts.disk
        self._display = display
        self._notices = parts.notices
        self._settings = settings
        self._is_off = self._is_disk_off
        self._trouble: Problem | None = None
        self._disk.answered.connect(self._on_pinned)
        settings.changed.connect(self._on_settings_changed)

    def show_files(self) -> None:
        """Have the folder of the cached state shown."""
        self.folderWanted.emit(self._disk.folder)

    def forget_conversation(self) -> None:
        """Delete the state that only the open conversation uses. Its words stay."""
        self._disk.release(self._display.open_id)
        self._notices.info(disk_text.FORGOTTEN)

    def delete_files(self) -> None:
        """Delete all cached state on disk. Whoever calls this has asked the person."""
        self._disk.wipe()
        self._notices.info(disk_text.DELETED)

    def watch(self, view: TrieView) -> None:
        """Say it once when nothing can be written to the disk any more."""
        found = disk_text.trouble(view, self._disk.serves(self._models.info))
        if found is not None and found != self._trouble:
            self._notices.add_error(found)
        self._trouble = found

    def turns(self) -> Sequence[Turn]:
        """The open branch without the answer that is being written; nothing without a model."""
        if self._models.info is None:
            return ()
        return Branch(self._questions.settled(self._display.tree.path), self._models.fingerprint)

    def pin(self, is_pinned: bool) -> None:
        """Keep what is cached of the open branch whatever else needs room, or let it go again."""
        turns = self.turns()
        if turns:
            self._disk.pin(turns, is_pinned)

    def _on_pinned(self, event: Pinned) -> None:
        if event.problem is not None:
            self._notices.error(event.problem)
        else:
            self._notices.info(disk_text.pinned(event))

    @property
    def _is_disk_off(self) -> bool:
        return disk_budget_of(self._settings.values.disk_budget).bytes == 0

    def _on_settings_changed(self) -> None:
        """Say it when the files are deleted because the disk is not to be used any more."""
        was_off, self._is_off = self._is_off, self._is_disk_off
        if self._is_off and not was_off:
            self._notices.info(disk_text.OFF)
        self._display.show_status()
