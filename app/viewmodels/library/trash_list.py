"""What was deleted: what it was, how long it stays, and how it comes back or goes for ever."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.conversation.edit import Edit
from app.conversation.edit_result import EditResult
from app.conversation.records import Trashed
from app.conversation.store import Store
from app.conversation.trash import THIRTY_DAYS
from app.protocol.reports import Problem
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.changes import Changes
from app.viewmodels.library.line_model import LineModel, LineRow
from app.viewmodels.text import formatting
from app.viewmodels.text.branch_titles import quoted

EMPTY = "The trash is empty."
EMPTY_HINT = (
    "What you delete stays here for 30 days, then it goes by itself. "
    "While Espalier is not opened, a week of them passes at most."
)
EMPTY_TITLE = "Empty the trash?"
EMPTY_SENTENCE = (
    "Deleted means gone: nobody can bring it back, neither with Undo nor from the files of Espalier. What the cache "
    "holds of these conversations goes too."
)
EMPTY_COPIES = (
    "The copies of the conversations that were kept when they were damaged or brought up to date go with them."
)
_DAY = 86_400.0


class TrashList(QObject):
    """The trash as a list. It is read when it is looked at, and again after each change while it is.

    Attributes: rows, newest first. Signals: changed(); restored(str) this conversation is back; erased(str)
    something of this one is gone for ever.
    """

    changed = Signal()
    restored = Signal(str)
    erased = Signal(str)

    def __init__(self, store: StoreLink, changes: Changes, notices: Notices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._changes = changes
        self._notices = notices
        self.rows = LineModel(self)
        self._has_copies = False

    @property
    def refusal(self) -> str:
        """Return why nothing can be brought back or emptied, "" where it can."""
        return self._changes.refusal

    @property
    def empty_sentence(self) -> str:
        """The meaning of emptying the trash, as far as is known since it was read."""
        return f"{EMPTY_SENTENCE} {EMPTY_COPIES}" if self._has_copies else EMPTY_SENTENCE

    def read(self) -> None:
        """Ask the database what lies there."""

        def read(store: Store) -> tuple[tuple[Trashed, ...], float, bool]:
            return store.trash.entries(), store.trash.now, bool(store.kept_copies())

        self._store.do(read, self._show, self._notices.error)

    def restore(self, number: str) -> None:
        """Bring back what one deletion has taken away."""

        def take(result: EditResult) -> None:
            self.read()
            if result.edit.conversation_id is not None and not result.is_gone:
                self.restored.emit(result.edit.conversation_id)

        row = next((row for row in self.rows.rows if row.id == number), None)
        if self.refusal:
            self._notices.refuse(self.refusal)
        elif row is not None:
            home = row.conversation_id
            self._changes.make(lambda store: _brought_back(store, int(number), home), take, self._notices.error)

    def empty(self) -> None:
        """Delete for ever all that lies there. Whoever calls this has asked the person."""

        def go(store: Store) -> tuple[int, set[str]]:
            touched = {one.conversation_id for one in store.trash.entries() if one.conversation_id is not None}
            return store.empty_trash(), touched

        def take(done: tuple[int, set[str]]) -> None:
            messages, touched = done
            for conversation_id in touched:
                self.erased.emit(conversation_id)
            self.read()
            self._notices.info(f"The trash is empty: {formatting.plural(messages, 'message')} deleted for ever.")

        def give_up(problem: Problem) -> None:
            self.read()
            self._notices.error(problem)

        self._store.do(go, take, give_up)

    def drop_copies(self) -> None:
        """Delete the copies of the conversations that were kept. Whoever calls this has asked the person."""

        def take(_done: None) -> None:
            self.read()
            self._notices.info("The copies are deleted. The conversations are as they were.")

        self._store.do(lambda store: store.drop_copies(), take, self._notices.error)

    def _show(self, found: tuple[tuple[Trashed, ...], float, bool]) -> None:
        entries, now, self._has_copies = found
        self.rows.show([self._row(entry, now) for entry in entries])
        self.changed.emit()

    def _row(self, entry: Trashed, now: float) -> LineRow:
        stays = f"{_left(entry.at, now)} left"
        age = formatting.age(entry.at, now)
        if entry.conversation_id is None:
            return LineRow(str(entry.number), entry.title, age, f"Folder{formatting.DOT}{stays}")
        messages = formatting.plural(entry.messages, "message")
        if entry.is_conversation:
            line = f"Conversation, {messages}{formatting.DOT}{stays}"
            return LineRow(str(entry.number), entry.title or "New conversation", age, line, (), entry.conversation_id)
        line = f"{messages} of {quoted(formatting.first_words(entry.title, 32))}{formatting.DOT}{stays}"
        return LineRow(str(entry.number), entry.excerpt, age, line, (), entry.conversation_id)


def _brought_back(store: Store, number: int, conversation_id: str) -> Edit:
    """Restore an entry; where messages come back, the open path goes through them, so that they are seen."""
    before = {message.id for message in store.messages.of(conversation_id)} if conversation_id else set()
    edit = store.trash.restore(number)
    after = store.messages.of(conversation_id) if before else ()
    first = next((message.id for message in after if message.id not in before), None)
    if first is not None:
        store.messages.select_path(conversation_id, store.messages.load(conversation_id).leaf_below(first))
    return edit


def _left(at: float, now: float) -> str:
    """Say how long it stays: days, the last one too."""
    return formatting.plural(max(1, round((THIRTY_DAYS - (now - at)) / _DAY)), "day")
