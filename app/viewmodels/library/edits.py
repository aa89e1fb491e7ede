"""What a person does to conversations and their branches, apart from talking. All of it can be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from app.conversation.edit import Edit, Operation, join_edits
from app.conversation.edit_result import EditResult
from app.conversation.faults import Fault, store_error
from app.conversation.records import Deleted, Folder
from app.conversation.store import Store
from app.conversation.tree import MessageTree
from app.protocol.excerpts import one_line
from app.viewmodels.kit.notices import Notices
from app.viewmodels.library.answers_under_way import AnswersUnderWay
from app.viewmodels.library.changes import WORDS, Changes
from app.viewmodels.library.deletion import Deletion, deletion_of, others_of
from app.viewmodels.library.library import Library
from app.viewmodels.text import formatting
from app.viewmodels.text.branch_titles import quoted

LONGEST_NAME = 200
STAYS = "It stays in the trash for 30 days."
STAY = "They stay in the trash for 30 days."
MARKED_LATER = "The branch is marked as soon as its answer has a word."
_IN_TREES = frozenset(
    {Operation.ADD, Operation.CONTINUE, Operation.DELETE, Operation.PRUNE, Operation.NAME, Operation.PIN}
)
_OF_CONVERSATIONS = frozenset({Operation.CREATE, Operation.RESTORE, Operation.IMPORT})


class Edits(QObject):
    """The verbs that delete, rename, mark and file away, take back and do again.

    An answer under way is never taken away: that is refused in the database's own words.

    Signals: turnedTo(str) what was undone or done again is in this conversation; folderMade(str) there is a folder that
    wants a name; deletionAsked(object), more than a person looks at would go with this `Deletion`.
    """

    turnedTo = Signal(str)
    folderMade = Signal(str)
    deletionAsked = Signal(object)

    def __init__(
        self,
        changes: Changes,
        notices: Notices,
        library: Library,
        answers: Callable[[], AnswersUnderWay],
        open_id: Callable[[], str],
        parent: QObject | None = None,
    ) -> None:
        """answers: returns those on their way. open_id: returns the id of the window's conversation."""
        super().__init__(parent)
        self._changes = changes
        self._notices = notices
        self._library = library
        self._answers, self._open_id = answers, open_id

    def may_edit(self) -> bool:
        """Return whether anything can be changed. Where it cannot, that is told."""
        refusal = self._changes.refusal
        if refusal:
            self._notices.refuse(refusal)
        return not refusal

    # Taking away

    def ask_to_delete(self, conversation_id: str, message_id: str, *, always: bool = False) -> None:
        """Delete a message with all that follows it, unless more goes than a person sees: that is asked about.

        always: ask about it in any case.
        """
        tree = self._library.tree_of(conversation_id)
        if tree is None or message_id not in tree or not self.may_edit():
            return
        deletion = deletion_of(tree, message_id)
        if deletion.is_seen and not always:
            self.delete_message(conversation_id, message_id)
        else:
            self.deletionAsked.emit(deletion)

    def ask_to_prune(self, conversation_id: str) -> None:
        """Ask whether every branch but the open path goes, where there is another."""
        tree = self._library.tree_of(conversation_id)
        if tree is not None and len(tree) > len(tree.path) and self.may_edit():
            self.deletionAsked.emit(others_of(tree))

    def delete(self, deletion: Deletion) -> None:
        """Delete what was asked about."""
        if deletion.message_id:
            self.delete_message(deletion.conversation_id, deletion.message_id)
        else:
            self.prune(deletion.conversation_id)

    def delete_message(self, conversation_id: str, message_id: str) -> None:
        """Put a message and all that follows it into the trash."""

        def go() -> None:
            tree = self._library.tree_of(conversation_id)
            if tree is not None and message_id in tree:
                is_held = any(tree.is_below(held, message_id) for held in self._held_in(tree))
                self._take_away(is_held, lambda store: store.trash.delete_message(message_id))

        self._answers().when_saved(go)

    def prune(self, conversation_id: str) -> None:
        """Put every branch but the open path into the trash: that which is shown, also where it is not stored yet."""

        def go() -> None:
            tree = self._library.tree_of(conversation_id)
            if tree is not None:
                is_held = not all(tree.is_on_path(held) for held in self._held_in(tree))
                ends = [one.id for one in reversed(tree.path[-2:])]  # an answer without a word is not stored
                self._take_away(is_held, lambda store: store.trash.prune(conversation_id, *ends))

        self._answers().when_saved(go)

    def delete_conversation(self, conversation_id: str) -> None:
        """Put a conversation into the trash. One that is not stored yet has nothing to lose."""
        self.delete_conversations((conversation_id,))

    def delete_all(self) -> None:
        """Put every conversation into the trash, as one step of undo."""
        self.delete_conversations(tuple(one.id for one in self._library.conversations))

    def delete_conversations(self, conversation_ids: Sequence[str]) -> None:
        """Put these conversations into the trash, as one step of undo: all of them or, while one is answered, none."""

        def go() -> None:
            stored = self._stored(conversation_ids)
            if not stored:
                return
            stored.sort(key=lambda one: one != self._open_id())  # whoever takes it back is led to the first
            if not set(self._answers().held.values()).isdisjoint(stored):
                self._notices.error(store_error(Fault.WRITING, None).problem)
                return
            found = self._library.conversation(stored[0])
            title = formatting.first_words(found.title or "New conversation") if found is not None else ""
            one, count = f"{quoted(title)} was deleted. {STAYS}", formatting.plural(len(stored), "conversation")
            sentence = one if len(stored) == 1 else f"{count} were deleted. {STAY}"
            self._make(_for_each(stored, lambda store, one: store.trash.delete_conversation(one)), sentence)

        self._answers().when_saved(go)

    def _stored(self, conversation_ids: Sequence[str]) -> list[str]:
        return [one for one in conversation_ids if self._library.is_stored(one)]

    def _held_in(self, tree: MessageTree) -> list[str]:
        """Messages of a conversation that are being answered or written."""
        return [held for held in self._answers().held if held in tree]

    def _take_away(self, is_held: bool, request: Callable[[Store], Edit]) -> None:
        """Delete messages, unless one of them is held; that is then said. They are counted on the store's thread."""
        if not self.may_edit():
            return
        if is_held:
            self._notices.error(store_error(Fault.WRITING, None).problem)
            return
        sentences: list[str] = []

        def delete(store: Store) -> Edit:
            edit = request(store)
            sentences.append(_deleted(store.trash.deleted_by(edit)))
            return edit

        def take(_result: EditResult) -> None:
            self._notices.info(sentences[0], undo_step=self._changes.step)

        self._changes.make(delete, take, self._notices.error)

    # Naming, marking, filing

    def rename(self, conversation_id: str, title: str) -> None:
        """Give a conversation another title. Blanks alone change nothing."""
        if one_line(title) and self._library.is_stored(conversation_id):
            self._make(lambda store: store.conversations.rename(conversation_id, title))

    def mark(self, conversation_id: str) -> None:
        """Make a conversation a favourite, or no longer."""
        found = self._library.conversation(conversation_id)
        if found is not None and self._library.is_stored(conversation_id):
            self._make(lambda store: store.conversations.mark_favourite(conversation_id, not found.is_favourite))

    def name_branch(self, message_id: str, name: str) -> None:
        """Give the branch that begins with a message a name; blanks alone take it away."""
        line = one_line(name)[:LONGEST_NAME]
        self._mark(message_id, lambda store: store.messages.name_branch(message_id, line or None))

    def mark_branch(self, message_id: str, is_favourite: bool) -> None:
        """Make the branch that begins with a message a favourite, or no longer."""
        self._mark(message_id, lambda store: store.messages.mark_favourite(message_id, is_favourite))

    def _mark(self, message_id: str, request: Callable[[Store], Edit]) -> None:
        """Mark a message, at once where the database has it: an answer under way gets its mark with its first word."""
        if self.may_edit() and not self._answers().when_stored(message_id, lambda: self._make(request)):
            self._notices.refuse(MARKED_LATER)

    def move(self, conversation_id: str, folder_id: str | None) -> None:
        """File a conversation in a folder, or in none."""
        self.move_all((conversation_id,), folder_id)

    def move_all(self, conversation_ids: Sequence[str], folder_id: str | None) -> None:
        """File conversations in a folder, or in none, as one step of undo."""
        found = (self._library.conversation(one) for one in self._stored(conversation_ids))
        moved = [one.id for one in found if one is not None and one.folder_id != folder_id]
        if moved:
            self._make(_for_each(moved, lambda store, one: store.conversations.move(one, folder_id)))

    def create_folder(self, name: str, *conversation_ids: str) -> None:
        """Make a folder, with these conversations in it."""
        if not one_line(name) or not self.may_edit():
            return
        folder, moved = Folder.new(name), self._stored(conversation_ids)

        def create(store: Store) -> Edit:
            edit = store.folders.create(folder)
            return join_edits(edit, *(store.conversations.move(one, folder.id) for one in moved))

        self._changes.make(create, lambda _result: self.folderMade.emit(folder.id), self._notices.error)

    def rename_folder(self, folder_id: str, name: str) -> None:
        """Give a folder another name. Blanks alone change nothing."""
        if one_line(name):
            self._make(lambda store: store.folders.rename(folder_id, name))

    def delete_folder(self, folder_id: str) -> None:
        """Take a folder away; the conversations in it stay."""
        sentence = "The folder was deleted. The conversations that were in it are still there."
        self._make(lambda store: store.trash.delete_folder(folder_id), sentence)

    # Back and forth

    def undo(self, step: int | None = None) -> None:
        """Take back what was done last. step: only if nothing was done since that one."""

        def go() -> None:
            held = set(self._answers().held.values())
            self._changes.undo(held, lambda result: self._turn_to(result, "Undid"), step)

        self._answers().when_saved(go)

    def redo(self) -> None:
        """Do again what was taken back last."""

        def go() -> None:
            held = set(self._answers().held.values())
            self._changes.redo(held, lambda result: self._turn_to(result, "Did again:"))

        self._answers().when_saved(go)

    def _turn_to(self, result: EditResult, verb: str) -> None:
        edit = result.edit
        self._notices.announce(f"{verb} {WORDS[edit.operation]}")
        is_about_it = edit.operation in _IN_TREES | _OF_CONVERSATIONS
        if is_about_it and edit.conversation_id is not None and not result.is_gone:
            self.turnedTo.emit(edit.conversation_id)

    def _make(self, request: Callable[[Store], Edit], sentence: str = "") -> None:
        if not self.may_edit():
            return

        def take(_result: EditResult) -> None:
            if sentence:
                self._notices.info(sentence, undo_step=self._changes.step)

        self._changes.make(request, take, self._notices.error)


def _for_each(ids: Sequence[str], edit: Callable[[Store, str], Edit]) -> Callable[[Store], Edit]:
    """Return what makes the edit for one after the other, as one step of undo."""

    def make(store: Store) -> Edit:
        edits = [edit(store, one) for one in ids]
        return join_edits(*edits)

    return make


def _deleted(count: Deleted) -> str:
    """Say for the banner: "7 messages in 3 branches were deleted. They stay in the trash for 30 days.\""""
    if count.messages == 1:
        return f"One message was deleted. {STAYS}"
    branches = f" in {formatting.plural(count.ends, 'branch', 'branches')}" if count.ends > 1 else ""
    return f"{formatting.plural(count.messages, 'message')}{branches} were deleted. {STAY}"
