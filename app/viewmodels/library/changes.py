"""Changes of what is stored, made and taken back in the order in which the database made them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.conversation.edit import Edit, Operation
from app.conversation.faults import Fault, store_error
from app.conversation.history import History
from app.conversation.message import Conversation
from app.conversation.records import Folder
from app.conversation.store import Store
from app.conversation.tree import MessageTree
from app.protocol.reports import Problem
from app.viewmodels.store_link import StoreLink

WORDS = {
    Operation.ADD: "Message",
    Operation.CREATE: "New Conversation",
    Operation.DELETE: "Delete",
    Operation.PRUNE: "Delete Other Branches",
    Operation.RENAME: "Rename",
    Operation.MOVE: "Move",
    Operation.FAVOURITE: "Favourite",
    Operation.PIN: "Pin",
    Operation.NAME: "Name Branch",
    Operation.FOLDER: "Change of Folders",
    Operation.RESTORE: "Restore",
    Operation.IMPORT: "Import",
}

GONE = Problem("It is not there any more", "It was deleted, or brought back, since it was listed.")


@dataclass(frozen=True, slots=True)
class Picture:
    """What the database holds after an edit: the lists, and the trees of the edited conversations that still stand."""

    edit: Edit
    conversations: tuple[Conversation, ...]
    folders: tuple[Folder, ...]
    trees: tuple[MessageTree, ...]

    @property
    def is_gone(self) -> bool:
        """Whether the conversation that this was about is no longer there."""
        return self.edit.conversation_id is not None and self.edit.conversation_id not in self.ids

    @property
    def ids(self) -> frozenset[str]:
        """Of all conversations there are."""
        return frozenset(one.id for one in self.conversations)


class Changes(QObject):
    """Remembers edits for undo. `steps` counts what was done, undone and done again, so that one can tell a moment.

    Signals: made(object), the `Picture` after an edit, before whoever asked for it hears of it; recorded(), there is
    something else to undo; failed(object), a `Problem` that nobody else answers for.
    """

    made = Signal(object)
    recorded = Signal()
    failed = Signal(object)

    def __init__(self, store: StoreLink, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._history = History()
        self._pending = 0
        self.steps = 0

    @property
    def undo_words(self) -> str:
        """What would be taken back, as a menu says it ("Delete"); nothing when there is nothing."""
        operation = self._history.undoable
        return "" if operation is None else WORDS[operation]

    @property
    def redo_words(self) -> str:
        """What would be done again."""
        operation = self._history.redoable
        return "" if operation is None else WORDS[operation]

    @property
    def is_pending(self) -> bool:
        """Whether the trees of the window are about to be exchanged for those of the database."""
        return self._pending > 0

    def record(self, edit: Edit) -> None:
        """Remember what was done. On the store thread, in the request that did it."""
        if not edit.is_empty:
            self._history.record(edit)
            self.steps += 1

    def forget(self) -> None:
        """What could be undone is gone for ever. On the store thread."""
        self._history.forget()
        self.steps += 1

    def make(
        self,
        request: Callable[[Store], Edit],
        then: Callable[[Picture], None] | None = None,
        refused: Callable[[Problem], None] | None = None,
    ) -> None:
        """Change what is stored, so that it can be undone. `then` is called unless everything was so already."""

        def do(store: Store) -> Edit:
            edit = request(store)
            self.record(edit)
            return edit

        self._do(do, then, refused)

    def undo(self, held: Iterable[str] = (), then: Callable[[Picture], None] | None = None, step: int = 0) -> None:
        """Take the last step back. held: ids of conversations in which an answer is under way: nothing is taken away
        there. step: only while `steps` is this number, if one is given."""
        self._do(lambda store: self._step(step, lambda: self._history.undo(_Guarded(store, frozenset(held)))), then)

    def redo(self, held: Iterable[str] = (), then: Callable[[Picture], None] | None = None) -> None:
        """Do again what was taken back last."""
        self._do(lambda store: self._step(0, lambda: self._history.redo(_Guarded(store, frozenset(held)))), then)

    def _step(self, step: int, go: Callable[[], Edit | None]) -> Edit | None:
        if step and step != self.steps:
            return None
        edit = go()
        self.steps += edit is not None
        return edit

    def _do(
        self,
        request: Callable[[Store], Edit | None],
        then: Callable[[Picture], None] | None,
        refused: Callable[[Problem], None] | None = None,
    ) -> None:
        def carry_out(store: Store) -> Picture | Problem | None:
            try:
                edit = request(store)
            except LookupError:  # two commands about the same thing, the second given before the first was done
                return GONE
            return None if edit is None or edit.is_empty else picture(store, edit)

        def take(found: Picture | Problem | None) -> None:
            if isinstance(found, Problem):
                give_up(found)
                return
            self._pending -= 1
            if found is not None:
                self.made.emit(found)
                if then is not None:
                    then(found)
            self.recorded.emit()

        def give_up(problem: Problem) -> None:
            self._pending -= 1
            (refused or self.failed.emit)(problem)
            self.recorded.emit()

        self._pending += 1
        self._store.do(carry_out, take, give_up)


def picture(store: Store, edit: Edit) -> Picture:
    """What is stored now. Trees only where messages or the open path have changed."""
    conversations = store.conversations()
    standing = {one.id for one in conversations}
    is_about_messages = any(change.table == "message" or change.field == "leaf" for change in edit.changes)
    ids = [one for one in edit.conversation_ids if one in standing] if is_about_messages else []
    return Picture(edit, conversations, store.folders(), tuple(store.load(one) for one in ids))


@dataclass(frozen=True, slots=True)
class _Guarded:
    """A store that takes nothing away from conversations in which an answer is under way."""

    store: Store
    held: frozenset[str]

    def undo(self, edit: Edit) -> Edit:
        """Take an edit back. StoreError where that would put something away that is being answered."""
        takes_away = any(change.field == "trash" and change.old is not None for change in edit.changes)
        if takes_away and not self.held.isdisjoint(edit.conversation_ids):
            raise store_error(Fault.WRITING, None)
        return self.store.undo(edit)
