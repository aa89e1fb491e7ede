"""Edits of what is stored, made and taken back in the order in which the database made them."""

from __future__ import annotations

from collections.abc import Callable, Set

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.edit import Edit, Operation
from app.conversation.edit_result import EditResult
from app.conversation.store import Store
from app.protocol.reports import Problem
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.library_state import READ_ONLY

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
    Operation.CONTINUE: "Continue Answer",
}

AGAIN_MS = 1000
GONE = Problem("It is not there any more", "It was deleted, or brought back, since it was listed.")


class Changes(QObject):
    """Hands edits to the store, and shows what can be undone.

    Property: what an edit has changed although it was refused, since what is stored then could not be read, is told as
    soon as it can be.

    Signals: made(object), the `EditResult`, before whoever asked for it hears of it; recorded(), an edit was made or
    refused; failed(object), a `Problem` that nobody else answers for.
    """

    made = Signal(object)
    recorded = Signal()
    failed = Signal(object)

    def __init__(self, store: StoreLink, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._pending = 0
        self._again = QTimer(self, singleShot=True, interval=AGAIN_MS)
        self._again.timeout.connect(self._tell_again)

    @property
    def step(self) -> int:
        """The step of undo that the answer given last has come to; see `HistoryState`."""
        return self._store.history.step

    @property
    def refusal(self) -> str:
        """Say why nothing can be changed; nothing where it can."""
        return READ_ONLY if self._store.is_read_only else ""

    @property
    def undo_words(self) -> str:
        """Say what would be taken back, as a menu does ("Delete"); nothing when there is nothing."""
        return _words(self._store.history.undoable)

    @property
    def redo_words(self) -> str:
        """Say what would be done again; nothing when there is nothing."""
        return _words(self._store.history.redoable)

    @property
    def is_pending(self) -> bool:
        """Whether the trees of the window are about to be exchanged for those of the database."""
        return self._pending > 0

    @property
    def is_told(self) -> bool:
        """Whether all is shown that edits have changed."""
        return not (self._pending or self._again.isActive())

    def make(
        self,
        request: Callable[[Store], Edit],
        then: Callable[[EditResult], None] | None = None,
        refused: Callable[[Problem], None] | None = None,
    ) -> None:
        """Change what is stored, so that it can be undone. `then` is called unless everything was so already."""
        self._do(lambda store: store.change(request), then, refused)

    def undo(
        self, held: Set[str] = frozenset(), then: Callable[[EditResult], None] | None = None, step: int | None = None
    ) -> None:
        """Take the last step back.

        held: ids of conversations in which an answer is under way: nothing is taken away there. step: only while no
        other step has come since, if one is given.
        """
        self._do(lambda store: store.undo(held, step), then)

    def redo(self, held: Set[str] = frozenset(), then: Callable[[EditResult], None] | None = None) -> None:
        """Do again what was taken back last."""
        self._do(lambda store: store.redo(held), then)

    def _do(
        self,
        request: Callable[[Store], EditResult | None],
        then: Callable[[EditResult], None] | None,
        refused: Callable[[Problem], None] | None = None,
    ) -> None:
        def carry_out(store: Store) -> EditResult | Problem | None:
            try:
                return request(store)
            except LookupError:  # two commands about the same thing, the second given before the first was done
                return GONE

        def take(found: EditResult | Problem | None) -> None:
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
            self._tell_again()

        self._pending += 1
        self._store.do(carry_out, take, give_up)

    def close(self) -> None:
        """Ask nothing of the store by itself any more."""
        self._again.stop()

    def _tell_again(self) -> None:
        def take(found: EditResult | None) -> None:
            self._pending -= 1
            if found is not None:
                self.made.emit(found)
            self.recorded.emit()

        def give_up(_problem: Problem) -> None:
            self._pending -= 1
            self._again.start()
            self.recorded.emit()

        self._pending += 1
        self._store.do(Store.tell_again, take, give_up)


def _words(operation: Operation | None) -> str:
    return "" if operation is None else WORDS[operation]
