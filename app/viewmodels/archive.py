"""The verbs about what is stored, and how the window follows when it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.edit_result import EditResult
from app.viewmodels.chat.edits import Edits
from app.viewmodels.chat.versions import last_question
from app.viewmodels.display import Display
from app.viewmodels.library.changes import GONE
from app.viewmodels.library.rows import ConversationRow
from app.viewmodels.library.search import Search
from app.viewmodels.library.trash_list import TrashList
from app.viewmodels.parts import Parts

if TYPE_CHECKING:
    from app.viewmodels.library.import_export import ImportExport

NEW_FOLDER = "New folder"


class Archive(QObject):
    """Undo and redo, deleting, filing. What the open conversation becomes is decided here.

    Attributes: edits, the verbs that take an argument; trash, what was deleted; search; exchange, files of
    conversations.

    Signals: opened(str) this conversation is shown now; moved(str) the tree of this conversation is another one;
    reached(str), this message was looked for and is on the path now.
    """

    opened = Signal(str)
    moved = Signal(str)
    reached = Signal(str)

    edits: Edits

    def __init__(self, parts: Parts, display: Display, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._parts = parts
        self._display = display
        self._wanted: tuple[str, str] | None = None
        self.edits = Edits(parts.changes, parts.notices, parts.library, parts.questions, parts.answer_saver, self)
        self.trash = TrashList(parts.store, parts.changes, parts.notices, parts.cache.disk_cache, self)
        self.search = Search(parts.store, parts.library, self)
        parts.changes.made.connect(self._follow)
        parts.changes.recorded.connect(parts.notices.follow_history)
        parts.store.historyChanged.connect(parts.notices.follow_history)
        parts.changes.failed.connect(parts.notices.error)
        parts.notices.undoAsked.connect(self.edits.undo)
        self.edits.turnedTo.connect(self._turn_to)
        display.conversations.renameAsked.connect(self.rename)
        self.trash.restored.connect(self._turn_to)
        self._exchange: ImportExport | None = None
        parts.library.opened.connect(self._on_opened)
        parts.library.changed.connect(self.search.renew)

    def close(self) -> None:
        """No file is read or written any more, and nothing is looked for."""
        self.search.close()
        if self._exchange is not None:
            self._exchange.close()

    @property
    def exchange(self) -> ImportExport:
        """Files of conversations; made and imported when first used, because no start has to wait for it."""
        if self._exchange is None:
            from app.viewmodels.library.import_export import ImportExport

            parts = self._parts
            self._exchange = ImportExport(
                parts.store, parts.changes, parts.notices, parts.library, parts.answer_saver.when_saved, self
            )
            self._exchange.opened.connect(self._turn_to)
        return self._exchange

    def import_file(self, path: str) -> None:
        """Keep every conversation of a file, and open the first."""
        self.exchange.import_file(path)

    def create_folder(self) -> None:
        """Make an empty folder, whose name is then asked for."""
        self.edits.create_folder(NEW_FOLDER)

    def delete_message(self, message_id: str | None = None) -> None:
        """Delete a message of the open conversation, else its last question, with what follows."""
        tree = self._display.tree
        last = last_question(tree)
        target = message_id or (last.id if last else tree.leaf_id)
        if target is not None and target in tree:
            self.edits.delete_message(tree.conversation_id, target)

    @property
    def folders(self) -> tuple[tuple[str, str], ...]:
        """Id and name of all folders, in their order."""
        return tuple((folder.id, folder.name) for folder in self._parts.library.folders)

    def fold(self, folder_id: str, is_folded: bool) -> None:
        """Show the conversations of a folder, or not."""
        if is_folded:
            self._display.folded.add(folder_id)
        else:
            self._display.folded.discard(folder_id)
        self._display.show_conversations()

    def rename(self, row_id: str, title: str) -> None:
        """Give a conversation or a folder another name."""
        if any(folder.id == row_id for folder in self._parts.library.folders):
            self.edits.rename_folder(row_id, title)
        else:
            self.edits.rename(row_id, title)

    @property
    def open_folder(self) -> str:
        """The folder in which the open conversation lies, or nothing."""
        found = self._parts.library.conversation(self.open_id)
        return (found.folder_id or "") if found is not None else ""

    @property
    def open_id(self) -> str:
        """The open conversation."""
        return self._display.open_id

    def delete_row(self, row: ConversationRow) -> None:
        """Delete the conversation or folder of a row."""
        if row.is_folder:
            self.edits.delete_folder(row.id)
        else:
            self.edits.delete_conversation(row.id)

    def go_to(self, conversation_id: str, message_id: str = "") -> None:
        """Open a conversation, on a path that goes through this message if one is given."""
        self._wanted = (conversation_id, message_id) if message_id else None
        self._parts.library.open(conversation_id)

    def _on_opened(self, conversation_id: str) -> None:
        wanted, self._wanted = self._wanted, None
        if wanted is None or wanted[0] != conversation_id:
            return
        tree, message_id = self._parts.library.tree(conversation_id), wanted[1]
        if message_id not in tree:
            self._parts.notices.error(GONE)
            return
        if not tree.is_on_path(message_id):
            tree.select(tree.leaf_below(message_id))
            self._parts.paths.save(conversation_id)
        # The path is shown after this, by whoever hears of the opening next.
        QTimer.singleShot(0, self, lambda: self.reached.emit(message_id))

    def _turn_to(self, conversation_id: str) -> None:
        if conversation_id != self._display.open_id:
            self._parts.library.open(conversation_id)

    def _follow(self, result: EditResult) -> None:
        """Take over what the database holds now; where the open conversation is gone, the one beside it is shown."""
        library, display = self._parts.library, self._display
        gone = set(result.edit.conversation_ids) - result.ids
        for conversation_id in gone:
            self._parts.drafts.hold(conversation_id)
        is_left = display.open_id in gone
        neighbour = self._neighbour(display.open_id, result) if is_left else None
        if is_left:
            display.open_id = library.begin()
        for conversation_id in library.take(result, self._parts.questions.unsaved_answers, self._parts.paths.waiting):
            self._parts.paths.save(conversation_id)
        if is_left and neighbour is None:
            self.opened.emit(display.open_id)
        elif neighbour is not None:
            library.open(neighbour)
        elif display.open_id in result.edit.conversation_ids:
            self.moved.emit(display.open_id)

    def _neighbour(self, conversation_id: str, result: EditResult) -> str | None:
        """The conversation below this one in the list, else the one above it."""
        ids = [one.id for one in self._parts.library.conversations]
        at = ids.index(conversation_id) if conversation_id in ids else 0
        order = [*ids[at + 1 :], *reversed(ids[:at])]
        return next((one for one in order if one in result.ids), None)
