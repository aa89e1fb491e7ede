"""The conversations that all windows share, and how each window follows when they change."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from app.conversation.edit_result import EditResult
from app.protocol.reports import Problem
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.settings import Settings
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.answers_under_way import AnswersUnderWay, NothingUnderWay
from app.viewmodels.library.changes import Changes
from app.viewmodels.library.folds import Folds
from app.viewmodels.library.library import Library

if TYPE_CHECKING:
    from app.viewmodels.library.import_export import ImportExport


class OpenWindow(Protocol):
    """A window, as far as others must know what is open in it."""

    @property
    def open_id(self) -> str:
        """Return the conversation that is open."""

    @property
    def open_ids(self) -> Set[str]:
        """Return the conversation that is open, and the one that is about to be."""

    def come_to(self, conversation_id: str, message_id: str) -> None:
        """Bring the window to the front, at a message of its conversation if one is given."""


class StoredConversations(QObject):
    """Conversations, what is done to them, and the windows that they are open in.

    Property: a conversation is open in one window at most.

    Attributes: library, the conversations and their trees; changes, which can be undone; folds, of the sidebar;
    answers, which may not be in the database to their end.

    Signals: removed(str), this conversation is gone; replacing(object), the trees are about to be those of this
    `EditResult`; replaced(object), they are.
    """

    removed = Signal(str)
    replacing = Signal(object)
    replaced = Signal(object)

    def __init__(self, store: StoreLink, settings: Settings, notices: Notices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._notices = store, notices
        self._windows: list[OpenWindow] = []
        self._import_export: ImportExport | None = None
        self.answers: AnswersUnderWay = NothingUnderWay()
        self.changes = Changes(store, self)
        self.library = Library(store, self)
        self.folds = Folds(settings, self)
        self.changes.made.connect(self._take)
        self.changes.recorded.connect(notices.follow_history)
        store.historyChanged.connect(notices.follow_history)
        for source in (self.changes.failed, self.library.failed):
            source.connect(notices.error)

    def wait_for(self, answers: AnswersUnderWay) -> None:
        """Heed these questions and answers, which may not be in the database to their end, from now on."""
        self.answers = answers

    def when_saved(self, act: Callable[[], None]) -> None:
        """Do something once every answer that has ended is in the database."""
        self.answers.when_saved(act)

    # Windows

    def begin(self, window: OpenWindow, besides: Set[str] = frozenset()) -> str:
        """Return the id of a blank conversation that no other window has open. besides: what is going."""
        return self.library.begin(besides | self.open_elsewhere(window))

    def open_elsewhere(self, window: OpenWindow) -> Set[str]:
        """Return the conversations that are open in other windows, or about to be."""
        return frozenset().union(*(one.open_ids for one in self._windows if one is not window))

    def window_of(self, conversation_id: str) -> OpenWindow | None:
        """Return the window in which a conversation is open, or about to be."""
        return next((one for one in self._windows if conversation_id in one.open_ids), None)

    def is_open(self, conversation_id: str) -> bool:
        """Return whether a window shows a conversation."""
        return any(conversation_id == one.open_id for one in self._windows)

    def add_window(self, window: OpenWindow) -> None:
        """Heed what is open in a window from now on."""
        self._windows.append(window)

    def remove_window(self, window: OpenWindow) -> None:
        """Heed a window no more: it is closed, and its conversation may be opened in others."""
        self._windows = [one for one in self._windows if one is not window]

    # Beginning and end

    @property
    def import_export(self) -> ImportExport:
        """Files of conversations; made when first used, because no start has to wait for it."""
        if self._import_export is None:
            from app.viewmodels.library.import_export import ImportExport

            self._import_export = ImportExport(
                self._store, self.changes, self._notices, self.library, self.when_saved, self
            )
        return self._import_export

    def close(self) -> None:
        """Neither read nor write files any more."""
        self.library.close()
        if self._import_export is not None:
            self._import_export.close()

    @property
    def is_stuck(self) -> bool:
        """Whether the thread for files hangs, after `close`."""
        return self._import_export is not None and self._import_export.is_stuck

    @property
    def lost(self) -> Problem | None:
        """A problem to tell, after `close`, of a file that was not written."""
        return None if self._import_export is None else self._import_export.lost

    def _take(self, result: EditResult) -> None:
        """Take over what the database holds now, and have every window follow."""
        for conversation_id in set(result.edit.conversation_ids) - result.ids:
            self.removed.emit(conversation_id)
        self.replacing.emit(result)
        for conversation_id in self.library.take(result, self.answers.unsaved_answers, self.answers.moved_ids):
            self.answers.save_path(conversation_id)
        self.replaced.emit(result)
