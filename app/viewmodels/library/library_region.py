"""The stored conversations: which one is open, what is done to them, and how the window follows when they change."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
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
from app.viewmodels.library.answers_under_way import AnswersUnderWay, NothingUnderWay
from app.viewmodels.library.changes import GONE, Changes
from app.viewmodels.library.conversation_model import ConversationModel
from app.viewmodels.library.conversation_rows import Shown, blank_title, conversation_rows
from app.viewmodels.library.edits import Edits
from app.viewmodels.library.library import Library
from app.viewmodels.library.library_state import LibraryState
from app.viewmodels.library.rows import ConversationRow
from app.viewmodels.library.samples import SAMPLE_ID, add_sample
from app.viewmodels.library.search import Search
from app.viewmodels.library.trash_list import TrashList
from app.viewmodels.model.model_region import ModelRegion

if TYPE_CHECKING:
    from app.viewmodels.library.import_export import ImportExport

NEW_FOLDER = "New folder"
MINUTE_MS = 60_000


@dataclass(frozen=True, slots=True, eq=False)
class _Wanted:
    """A conversation that was asked for, and the message to show in it, "" for where it was left."""

    conversation_id: str
    message_id: str


class LibraryRegion(QObject):
    """Opens, deletes, files, finds, exports, takes back. What the open conversation becomes is decided here.

    Attributes: state; library, the conversations and their trees; conversation_model, of the sidebar; changes and
    edits, the verbs that can be undone; trash_list; search; has_chosen, a conversation, or a new one, was asked for
    since the start.

    Signals: left(), what is open is about to be another conversation; opened(str), this one is; moved(str), the tree of
    this conversation is another one; removed(str), this one is gone; reached(str), this message was looked for and is
    on the path now; folderMade(str), a folder stands in the list and wants a name;
    foldsChanged(), a row was folded or unfolded.
    """

    left = Signal()
    opened = Signal(str)
    moved = Signal(str)
    removed = Signal(str)
    reached = Signal(str)
    folderMade = Signal(str)
    foldsChanged = Signal()

    state: LiveState[LibraryState]

    def __init__(self, store: StoreLink, model: ModelRegion, notices: Notices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._model, self._notices = store, model, notices
        self._answers: AnswersUnderWay = NothingUnderWay()
        self._wanted: _Wanted | None = None
        self.has_chosen = False
        self._folded: set[str] = set()
        self._unfolded: set[str] = set()
        self._import_export: ImportExport | None = None
        self.changes = Changes(store, self)
        self.library = Library(store, self)
        self._open_id = self.library.begin()
        self.edits = Edits(self.changes, notices, self.library, lambda: self._answers.held, self._when_saved, self)
        self.trash_list = TrashList(store, self.changes, notices, self)
        self.search = Search(store, self.library, self)
        self.conversation_model = ConversationModel(self)
        self.state = LiveState(self._state, self)
        self.state.follow(self.library.changed, self.changes.recorded, store.historyChanged, model.state.staled)
        self._minute = QTimer(self, interval=MINUTE_MS)
        self._minute.timeout.connect(self.state.refresh)
        self._minute.start()
        self._connect()

    def _connect(self) -> None:
        self.state.refreshed.connect(self._show_rows)
        self.changes.made.connect(self._follow)
        self.changes.recorded.connect(self._notices.follow_history)
        self._store.historyChanged.connect(self._notices.follow_history)
        for source in (self.changes.failed, self.library.failed):
            source.connect(self._notices.error)
        self._notices.undoAsked.connect(self.edits.undo)
        self.edits.turnedTo.connect(self._turn_to)
        self.edits.folderMade.connect(self._on_folder_made)
        self.trash_list.restored.connect(self._turn_to)
        self.conversation_model.renameAsked.connect(self.rename)
        self.library.changed.connect(self.search.renew)
        self.state.tell()

    def wait_for(self, answers: AnswersUnderWay) -> None:
        """Heed these questions and answers, which may not be in the database to their end, from now on."""
        self._answers = answers

    def close(self) -> None:
        """Look for nothing any more, and neither read nor write files."""
        self._minute.stop()
        self.search.close()
        self.library.close()
        if self._import_export is not None:
            self._import_export.close()

    @property
    def import_export(self) -> ImportExport:
        """Files of conversations; made and imported when first used, because no start has to wait for it."""
        if self._import_export is None:
            from app.viewmodels.library.import_export import ImportExport

            self._import_export = ImportExport(
                self._store, self.changes, self._notices, self.library, self._when_saved, self
            )
            self._import_export.opened.connect(self._turn_to)
        return self._import_export

    @property
    def is_stuck(self) -> bool:
        """Whether the thread for files hangs, after `close`."""
        return self._import_export is not None and self._import_export.is_stuck

    @property
    def lost(self) -> Problem | None:
        """A problem to tell, after `close`, of a file that was not written."""
        return None if self._import_export is None else self._import_export.lost

    @property
    def open_id(self) -> str:
        """The open conversation."""
        return self._open_id

    @property
    def tree(self) -> MessageTree:
        """The messages of the open conversation."""
        return self.library.tree(self._open_id)

    def add_sample(self, path: Path) -> None:
        """Have a new database begin with the conversation of this file."""

        def take(is_added: bool) -> None:
            if is_added:
                self.library.read_list()

        self._store.do(lambda store: add_sample(store, path), take)

    def new_conversation(self) -> None:
        """Open a blank conversation. It is kept once something is said in it."""
        self._wanted, self.has_chosen = None, True
        self._show(self.library.begin())

    @property
    def is_opening(self) -> bool:
        """Whether a conversation was asked for that is not shown yet."""
        return self._wanted is not None

    def open(self, conversation_id: str) -> None:
        """Show a conversation where it was left. An answer that is being written elsewhere goes on."""
        self.go_to(conversation_id)

    def go_to(self, conversation_id: str, message_id: str = "") -> None:
        """Open a conversation, on a path that goes through this message if one is given.

        Of several that are asked for, the last is shown, whichever is read first.
        """
        wanted = self._wanted = _Wanted(conversation_id, message_id)
        self.has_chosen = True

        def refuse(problem: Problem) -> None:
            if self._wanted is wanted:
                self._wanted = None
            self._notices.error(problem)

        self.library.open(conversation_id, lambda: self._on_read(wanted), refuse)

    def import_file(self, path: str) -> None:
        """Keep every conversation of a file, and open the first."""
        self.import_export.import_file(path)

    def create_folder(self) -> None:
        """Make an empty folder, whose name is then asked for."""
        self.edits.create_folder(NEW_FOLDER)

    def fold(self, folder_id: str, is_folded: bool) -> None:
        """Show the conversations of a folder, or the branches of a conversation, or not."""
        if is_folded:
            self._folded.add(folder_id)
            self._unfolded.discard(folder_id)
        else:
            self._folded.discard(folder_id)
            self._unfolded.add(folder_id)
        self.state.refresh()
        self.foldsChanged.emit()

    @property
    def folds(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The ids of the rows that the person folded, and of those that they unfolded."""
        return tuple(sorted(self._folded)), tuple(sorted(self._unfolded))

    def restore_folds(self, folded: Iterable[str], unfolded: Iterable[str]) -> None:
        """Have the rows folded as they were left."""
        self._folded, self._unfolded = set(folded), set(unfolded)
        self.state.refresh()

    def rename(self, row_id: str, title: str) -> None:
        """Give a conversation, a folder or a branch another name."""
        if any(branch.id == row_id for branch in self.library.branches):
            self.edits.name_branch(row_id, title)
        elif any(folder.id == row_id for folder in self.library.folders):
            self.edits.rename_folder(row_id, title)
        else:
            self.edits.rename(row_id, title)

    def delete_row(self, row: ConversationRow) -> None:
        """Delete the conversation, folder or branch of a row; the branch of another conversation is shown before."""
        if row.is_branch and row.conversation_id == self._open_id:
            self.edits.ask_to_delete(row.conversation_id, row.id)
        elif row.is_branch:
            self.go_to(row.conversation_id, row.id)
        elif row.is_folder:
            self.edits.delete_folder(row.id)
        else:
            self.edits.delete_conversation(row.id)

    def _state(self) -> LibraryState:
        found = self.library.conversation(self._open_id)
        return LibraryState(
            open_id=self._open_id,
            open_folder=(found.folder_id or "") if found is not None else "",
            is_favourite=found is not None and found.is_favourite,
            blank_title=blank_title(self._said_in() <= 1, self._model.state.now.is_guide),
            folders=self.library.folders,
            undo=self.changes.undo_words,
            redo=self.changes.redo_words,
            has_conversations=any(one.title for one in self.library.conversations),
        )

    def _said_in(self) -> int:
        """Return how many conversations there are beside the sample."""
        return sum(one.id != SAMPLE_ID for one in self.library.conversations)

    def _show_rows(self) -> None:
        folded, blank = frozenset(self._folded), self.state.now.blank_title
        branches: dict[str, list[ListedBranch]] = {}
        for one in self.library.branches:
            branches.setdefault(one.conversation_id, []).append(one)
        shown = Shown(
            *(self._open_id, self._answers.writing_ids, blank, time.time(), self.library.folders, folded),
            *(branches, frozenset(self._unfolded), self._open_branch(branches.get(self._open_id, ()))),
        )
        self.conversation_model.show(conversation_rows(self.library.conversations, shown))

    def _open_branch(self, listed: Sequence[ListedBranch]) -> str:
        """Return which of these branches the open path ends in, the lowest that it goes through."""
        on_path = [one.id for one in listed if one.id in self.tree and self.tree.is_on_path(one.id)]
        return max(on_path, key=self.tree.depth, default="")

    def _when_saved(self, act: Callable[[], None]) -> None:
        self._answers.when_saved(act)

    def _show(self, conversation_id: str) -> None:
        self.left.emit()
        self._open_id = conversation_id
        self.state.refresh()
        self.opened.emit(conversation_id)

    def _turn_to(self, conversation_id: str) -> None:
        """Show the conversation that something was done to, unless the person is on the way to one."""
        if conversation_id != self._open_id and not self.is_opening:
            self.open(conversation_id)

    def _on_folder_made(self, folder_id: str) -> None:
        self.state.tell()
        self.folderMade.emit(folder_id)

    def _on_read(self, wanted: _Wanted) -> None:
        """Go through the message that was looked for, if there is one, and show the conversation."""
        if self._wanted is not wanted:
            return
        self._wanted = None
        conversation_id, message_id = wanted.conversation_id, wanted.message_id
        tree = self.library.tree(conversation_id)
        is_there = message_id in tree
        if is_there and not tree.is_on_path(message_id):
            tree.select(tree.leaf_below(message_id))
            self._answers.save_path(conversation_id)
        if message_id and not is_there:
            self._notices.error(GONE)
        self._show(conversation_id)
        if is_there:
            QTimer.singleShot(0, self, lambda: self.reached.emit(message_id))  # once the path is laid out

    def _follow(self, result: EditResult) -> None:
        """Take over what the database holds now; where the open conversation is gone, the one beside it is shown."""
        gone = set(result.edit.conversation_ids) - result.ids
        for conversation_id in gone:
            self.removed.emit(conversation_id)
        is_left = self._open_id in gone
        neighbour = self._neighbour(self._open_id, result) if is_left else None
        if is_left:
            self._open_id = self.library.begin(besides=gone)
        for conversation_id in self.library.take(result, self._answers.unsaved_answers, self._answers.moved_ids):
            self._answers.save_path(conversation_id)
        if is_left and (neighbour is None or self.is_opening):
            self._show(self._open_id)
        elif neighbour is not None:
            self.open(neighbour)
        elif self._open_id in result.edit.conversation_ids:
            self.moved.emit(self._open_id)

    def _neighbour(self, conversation_id: str, result: EditResult) -> str | None:
        """Return the conversation below this one in the list, else the one above it."""
        ids = [one.id for one in self.library.conversations]
        at = ids.index(conversation_id) if conversation_id in ids else 0
        order = [*ids[at + 1 :], *reversed(ids[:at])]
        return next((one for one in order if one in result.ids), None)
