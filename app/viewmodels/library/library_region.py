"""The conversations in one window: which one is open, what is done to them, and how the window follows them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.edit_result import EditResult
from app.conversation.records import ListedBranch
from app.conversation.tree import MessageTree
from app.protocol.reports import Problem
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.changes import GONE
from app.viewmodels.library.conversation_model import ConversationModel
from app.viewmodels.library.conversation_rows import ConversationRows, Shown, blank_title
from app.viewmodels.library.edits import Edits
from app.viewmodels.library.library_state import LibraryState
from app.viewmodels.library.rows import ConversationRow
from app.viewmodels.library.samples import SAMPLE_ID, add_sample
from app.viewmodels.library.search import Search
from app.viewmodels.library.stored_conversations import StoredConversations
from app.viewmodels.library.trash_list import TrashList
from app.viewmodels.model.model_region import ModelRegion

if TYPE_CHECKING:
    from app.viewmodels.library.import_export import ImportExport

NEW_FOLDER = "New folder"
MINUTE_MS = 60_000


@dataclass(frozen=True, slots=True, eq=False)
class _Wanted:
    """A conversation that was asked for, and the message to show in it, "" for where it was left.

    gives_way: says, once it is read, that it is not to be shown any more, None where it always is. deletes: when it is
    shown, the person is asked whether the branch of the message goes.
    """

    conversation_id: str
    message_id: str
    gives_way: Callable[[], bool] | None
    deletes: bool


class LibraryRegion(QObject):
    """Opens, deletes, files, finds, exports, takes back. What the open conversation becomes is decided here.

    Attributes: number, of the window; state; stored, what all windows share, and of it library, the conversations and
    their trees, and changes; conversation_model, of the sidebar; edits, the verbs that can be undone; trash_list;
    search; has_chosen, a conversation, or a new one, was asked for since the start; words, returns what is typed in
    the message field.

    Signals: left(), what is open is about to be another conversation; opened(str), this one is; moved(str), the tree of
    this conversation is another one; reached(str), this message was looked for and is on the path now;
    folderMade(str), a folder stands in the list and wants a name; cameForward(), another window asked for what is open
    in this one.
    """

    left = Signal()
    opened = Signal(str)
    moved = Signal(str)
    reached = Signal(str)
    folderMade = Signal(str)
    cameForward = Signal()

    state: LiveState[LibraryState]

    def __init__(
        self,
        stored: StoredConversations,
        store: StoreLink,
        model: ModelRegion,
        notices: Notices,
        number: int,
        parent: QObject | None = None,
    ) -> None:
        """number: of the window."""
        super().__init__(parent)
        self.number = number
        self.stored, self.library, self.changes = stored, stored.library, stored.changes
        self._store, self._model, self._notices = store, model, notices
        self._is_closed = False
        self._wanted: _Wanted | None = None
        self._beside: str | None = None  # what is opened instead of a conversation that goes, "" for a blank one
        self.has_chosen = False
        self.words: Callable[[], str] = str
        self._open_id = stored.begin(self)
        self.edits = Edits(self.changes, notices, self.library, lambda: stored.answers, lambda: self._open_id, self)
        self.trash_list = TrashList(store, self.changes, notices, self)
        self.search = Search(store, self.library, self)
        self.conversation_model = ConversationModel(self)
        self._rows, self._listed = ConversationRows(), list[ConversationRow]()
        self.state = LiveState(self._state, self)
        self.state.follow(self.library.changed, self.changes.recorded, store.historyChanged, stored.folds.changed)
        self.state.follow_states(model.state)
        self._minute = QTimer(self, interval=MINUTE_MS)
        self._minute.timeout.connect(self.state.refresh)
        self._minute.start()
        self._connect()
        stored.add_window(self)

    def _connect(self) -> None:
        self.state.refreshed.connect(self._show_rows)
        self.stored.replacing.connect(self._leave_what_goes)
        self.stored.replaced.connect(self._follow)
        self.edits.turnedTo.connect(self._turn_to)
        self.edits.folderMade.connect(self._on_folder_made)
        self.trash_list.restored.connect(self._turn_to)
        self.conversation_model.renameAsked.connect(self.rename)
        self.library.changed.connect(self.search.renew)
        self.state.tell()

    def close(self) -> None:
        """Look for nothing any more."""
        self._minute.stop()
        self.search.close()

    def leave(self) -> None:
        """Go nowhere any more: the window is closed, and what is open here may be opened in another."""
        self._is_closed = True
        self.stored.remove_window(self)

    @property
    def import_export(self) -> ImportExport:
        """Files of conversations."""
        return self.stored.import_export

    @property
    def open_id(self) -> str:
        """The open conversation."""
        return self._open_id

    @property
    def next_id(self) -> str:
        """The conversation that was asked for and is not shown yet, else the open one."""
        return self._open_id if self._wanted is None else self._wanted.conversation_id

    @property
    def open_ids(self) -> Set[str]:
        """The open conversation, and the one that was asked for and is not shown yet."""
        return {self._open_id, self.next_id}

    @property
    def tree(self) -> MessageTree:
        """The messages of the open conversation."""
        return self.library.tree(self._open_id)

    def add_sample(self, path: Path) -> None:
        """Have a new database begin with the conversation of this file, branches in sight unless they were folded."""

        def take(is_added: bool) -> None:
            if is_added:
                if SAMPLE_ID not in self.stored.folds.folded:
                    self.fold(SAMPLE_ID, False)
                self.library.read_list()

        self._store.do(lambda store: add_sample(store, path), take)

    def new_conversation(self) -> None:
        """Open a blank conversation. It is kept once something is said in it."""
        self._wanted, self.has_chosen = None, True
        self._show(self.stored.begin(self))

    @property
    def is_opening(self) -> bool:
        """Whether a conversation was asked for that is not shown yet."""
        return self._wanted is not None

    def open(self, conversation_id: str) -> None:
        """Show a conversation where it was left. An answer that is being written elsewhere goes on."""
        self.go_to(conversation_id)

    def reopen(self, conversation_id: str, has_begun: Callable[[], bool]) -> None:
        """Show the conversation of the last run, unless the person has begun something here while it was read."""
        self.go_to(conversation_id, gives_way=has_begun)

    def go_to(
        self,
        conversation_id: str,
        message_id: str = "",
        gives_way: Callable[[], bool] | None = None,
        *,
        deletes: bool = False,
    ) -> None:
        """Open a conversation, on a path that goes through this message if one is given.

        Of several that are asked for, the last is shown, whichever is read first. Where another window has the
        conversation, that comes to the front. gives_way: says, once it is read, that what is open stays; None where the
        person asked for it. deletes: ask, when it is shown, whether the branch of the message goes.
        """
        if self._is_closed:
            return
        window = self.stored.window_of(conversation_id)
        if window is not None and window is not self:
            window.come_to(conversation_id, message_id, deletes=deletes)
            return
        wanted = self._wanted = _Wanted(conversation_id, message_id, gives_way, deletes)
        self.has_chosen = self.has_chosen or gives_way is None

        def refuse(problem: Problem) -> None:
            if self._wanted is wanted:
                self._wanted = None
            self._notices.error(problem)

        self.library.open(conversation_id, lambda: self._on_read(wanted), refuse)

    def come_to(self, conversation_id: str, message_id: str, *, deletes: bool = False) -> None:
        """Come to the front, at a message of the open conversation if one is given. deletes: as of `go_to`."""
        if message_id or conversation_id != self._open_id:
            self.go_to(conversation_id, message_id, deletes=deletes)
        self.cameForward.emit()

    def import_file(self, path: str) -> None:
        """Keep every conversation of a file, and open the first, unless the person goes on here meanwhile."""
        self.import_export.import_file(path, self._opener)

    def create_folder(self) -> None:
        """Make an empty folder, whose name is then asked for."""
        self.edits.create_folder(NEW_FOLDER)

    def fold(self, row_id: str, is_folded: bool) -> None:
        """Show the conversations of a folder, or the branches of a conversation, or not."""
        self.stored.folds.fold(row_id, is_folded)

    def rename(self, row_id: str, title: str) -> None:
        """Give a conversation, a folder or a branch another name."""
        if any(branch.id == row_id for branch in self.library.branches):
            self.edits.name_branch(row_id, title)
        elif any(folder.id == row_id for folder in self.library.folders):
            self.edits.rename_folder(row_id, title)
        else:
            self.edits.rename(row_id, title)

    def delete_row(self, row: ConversationRow) -> None:
        """Delete the conversation, folder or branch of a row.

        The branch of another conversation was not in sight: it is shown, and always asked about.
        """
        if row.is_branch and row.conversation_id == self._open_id:
            self.edits.ask_to_delete(row.conversation_id, row.id)
        elif row.is_branch:
            if self.edits.may_edit():
                self.go_to(row.conversation_id, row.id, deletes=True)
        elif row.is_folder:
            self.edits.delete_folder(row.id)
        else:
            self.edits.delete_conversation(row.id)

    def _state(self) -> LibraryState:
        found = self.library.conversation(self._open_id)
        return LibraryState(
            open_id=self._open_id,
            is_favourite=found is not None and found.is_favourite,
            blank_title=blank_title(not self._has_said, self._model.state.now.is_guide),
            folders=self.library.folders,
            undo=self.changes.undo_words,
            redo=self.changes.redo_words,
            has_conversations=any(one.title for one in self.library.conversations),
            is_read_only=self._store.is_read_only,
        )

    @property
    def _has_said(self) -> bool:
        """Whether there is a conversation beside the sample."""
        return any(one.title and one.id != SAMPLE_ID for one in self.library.conversations)

    def _show_rows(self) -> None:
        folds, blank = self.stored.folds, self.state.now.blank_title
        branches: dict[str, list[ListedBranch]] = {}
        for one in self.library.branches:
            branches.setdefault(one.conversation_id, []).append(one)
        shown = Shown(
            *(self._open_id, frozenset(self.stored.answers.writing_ids), blank, time.time(), self.library.folders),
            *(frozenset(folds.folded), branches, frozenset(folds.unfolded)),
            self._open_branch(branches.get(self._open_id, ())),
        )
        rows = self._rows.rows(self.library.conversations, shown)
        if rows is not self._listed:
            self._listed = rows
            self.conversation_model.show(rows)

    def _open_branch(self, listed: Sequence[ListedBranch]) -> str:
        """Return which of these branches the open path ends in, the lowest that it goes through."""
        on_path = [one.id for one in listed if one.id in self.tree and self.tree.is_on_path(one.id)]
        return max(on_path, key=self.tree.depth, default="")

    def _show(self, conversation_id: str) -> None:
        self.left.emit()
        self._open_id = conversation_id
        self.state.refresh()
        self.opened.emit(conversation_id)

    def _turn_to(self, conversation_id: str) -> None:
        """Show the conversation that something was done to, unless the person is on the way to one."""
        if conversation_id != self._open_id and not self.is_opening:
            self.open(conversation_id)

    def _opener(self) -> Callable[[str], None]:
        """Return what shows a conversation to a person who has opened, asked and typed nothing since now."""
        here = self._place

        def show(conversation_id: str) -> None:
            if self._place == here:
                self._turn_to(conversation_id)

        return show

    @property
    def _place(self) -> tuple[str, str, int, str]:
        return self._open_id, self.next_id, len(self.tree), self.words()

    def _on_folder_made(self, folder_id: str) -> None:
        self.state.tell()
        self.folderMade.emit(folder_id)

    def _on_read(self, wanted: _Wanted) -> None:
        """Go through the message that was looked for, if there is one, and show the conversation."""
        if self._wanted is not wanted or self._is_closed:
            return
        self._wanted = None
        if wanted.gives_way is not None and wanted.gives_way():
            return
        conversation_id, message_id = wanted.conversation_id, wanted.message_id
        tree = self.library.tree(conversation_id)
        is_there = message_id in tree
        if is_there and not tree.is_on_path(message_id):
            tree.select(tree.leaf_below(message_id))
            self.stored.answers.save_path(conversation_id)
        if message_id and not is_there:
            self._notices.error(GONE)
        self._show(conversation_id)
        if is_there:
            QTimer.singleShot(0, self, lambda: self._on_laid_out(wanted))

    def _on_laid_out(self, wanted: _Wanted) -> None:
        self.reached.emit(wanted.message_id)
        if wanted.deletes:
            self.edits.ask_to_delete(wanted.conversation_id, wanted.message_id, always=True)

    def _leave_what_goes(self, result: EditResult) -> None:
        """Leave the open conversation where it is gone, before its tree is."""
        gone = set(result.edit.conversation_ids) - result.ids
        if self._is_closed:
            self._open_id = self.stored.spare(gone) if self._open_id in gone else self._open_id
            return
        self._beside = self._neighbour(result) or "" if self._open_id in gone else None
        if self._beside is not None:
            self._open_id = self.stored.begin(self, gone)

    def _follow(self, result: EditResult) -> None:
        """Show what the database holds now; where the open conversation is gone, the one beside it is shown."""
        if self._is_closed:
            return
        beside = self._beside
        if beside and not self.is_opening:
            self.open(beside)
        elif beside is not None:
            self._show(self._open_id)
        elif self._open_id in result.edit.conversation_ids:
            self.moved.emit(self._open_id)

    def _neighbour(self, result: EditResult) -> str | None:
        """Return the conversation below the open one in the list, else the one above it, that no other window has."""
        ids, taken = [one.id for one in self.library.conversations], self.stored.open_elsewhere(self)
        at = ids.index(self._open_id) if self._open_id in ids else 0
        order = [*ids[at + 1 :], *reversed(ids[:at])]
        return next((one for one in order if one in result.ids and one not in taken), None)
