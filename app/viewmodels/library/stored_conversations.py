"""The conversations that all windows share, and how each window follows when they change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
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
    def number(self) -> int:
        """Return the number of the window, which no other has."""

    @property
    def open_id(self) -> str:
        """Return the conversation that is open."""

    @property
    def next_id(self) -> str:
        """Return the conversation that is about to be open, else the one that is."""

    @property
    def open_ids(self) -> Set[str]:
        """Return the conversation that is open, and the one that is about to be."""

    def come_to(self, conversation_id: str, message_id: str, *, deletes: bool = False) -> None:
        """Bring the window to the front, at a message of its conversation if one is given.

        deletes: ask there whether the branch of the message goes.
        """


class StoredConversations(QObject):
    """Conversations, what is done to them, and the windows that they are open in.

    Properties: a conversation is open in one window at most. A window has one blank conversation, which is its own as
    long as the window is there. One that is left by a closed window is had by the next that has none.

    Attributes: library, the conversations and their trees; changes, which can be undone; folds, of the sidebar;
    answers, which may not be in the database to their end.

    Signals: removed(str), this conversation is gone; left(object, str), this window is closed, and this is its blank
    conversation; replacing(object), the trees are about to be those of this
    `EditResult`; replaced(object), they are.
    """

    removed = Signal(str)
    left = Signal(object, str)
    replacing = Signal(object)
    replaced = Signal(object)

    def __init__(self, store: StoreLink, settings: Settings, notices: Notices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._notices = store, notices
        self._windows: list[OpenWindow] = []
        self._blanks: dict[int, str] = {}  # by the number of the window
        self._orphans: list[str] = []  # blank conversations with words that no window has, the oldest first
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
        """Return the id of the blank conversation of a window. besides: what is going."""
        others = {blank for number, blank in self._blanks.items() if number != window.number}
        taken = besides | others | self.open_elsewhere(window)
        blank = self.library.begin(taken, (self._blanks.get(window.number, ""), *self._orphans))
        self._blanks[window.number] = blank
        self._orphans = [one for one in self._orphans if one != blank]
        return blank

    def spare(self, besides: Set[str]) -> str:
        """Return the id of a blank conversation that is no window's. besides: what is going."""
        return self.library.begin(besides | {*self._blanks.values()} | {*self.shown.values()})

    def keep_blank(self, conversation_id: str) -> None:
        """Have the next window that wants a blank conversation open this one, in which words stand."""
        self._orphans.append(conversation_id)

    def take_over_blank(self, conversation_id: str, number: int | None) -> str:
        """Return the id under which a blank conversation of an earlier run goes on.

        number: of the window that it belongs to, None for none; where that is open, the window has one already.
        """
        window = next((one for one in self._windows if one.number == number), None)
        if window is not None:
            return self.begin(window)
        self.library.add_blank(conversation_id)
        if number is None or number in self._blanks:
            self.keep_blank(conversation_id)
        else:
            self._blanks[number] = conversation_id
        return conversation_id

    def open_elsewhere(self, window: OpenWindow) -> Set[str]:
        """Return the conversations that are open in other windows, or about to be."""
        return frozenset().union(*(one.open_ids for one in self._windows if one is not window))

    def window_of(self, conversation_id: str) -> OpenWindow | None:
        """Return the window in which a conversation is open, or about to be."""
        return next((one for one in self._windows if conversation_id in one.open_ids), None)

    @property
    def open_ids(self) -> tuple[str, ...]:
        """The conversation that each window shows."""
        return tuple(one.open_id for one in self._windows)

    def is_open(self, conversation_id: str) -> bool:
        """Return whether a window shows a conversation."""
        return conversation_id in self.open_ids

    @property
    def shown(self) -> Mapping[int, str]:
        """The conversation that each window shows, or is about to, by the number of the window."""
        return {one.number: one.next_id for one in self._windows}

    def owner_of(self, conversation_id: str) -> int | None:
        """Return the number of the window whose blank conversation this is, None where it is none."""
        return next((number for number, blank in self._blanks.items() if blank == conversation_id), None)

    def add_window(self, window: OpenWindow) -> None:
        """Heed what is open in a window from now on."""
        self._windows.append(window)

    def remove_window(self, window: OpenWindow) -> None:
        """Heed a window no more: it is closed, and its conversation may be opened in others."""
        self._windows = [one for one in self._windows if one is not window]
        self.left.emit(window, self._blanks.pop(window.number))

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
        self.changes.close()
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
