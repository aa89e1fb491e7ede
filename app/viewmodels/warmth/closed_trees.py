"""The messages of conversations that are not open, read for their prices and kept while there is room."""

from __future__ import annotations

from contextlib import suppress

from PySide6.QtCore import QObject, Signal

from app.conversation.message import Conversation
from app.conversation.store import Store
from app.conversation.tree import MessageTree
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.library import Library

MOST_MESSAGES = 2000  # of a conversation that is read
MOST_KEPT = 8000  # messages of all together


class ClosedTrees(QObject):
    """Trees of conversations that nobody has opened, read on the store's thread, one at a time.

    Properties: a conversation of more than `MOST_MESSAGES` is not read; those that were used longest ago are let go.
    Signal: read(), one is here that was asked for, or it is known that there is none.
    """

    read = Signal()

    def __init__(self, store: StoreLink, library: Library, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._library = store, library
        self._trees: dict[str, tuple[Conversation, MessageTree | None]] = {}
        self._reading: str | None = None
        self._is_closed = False

    def tree_of(self, conversation_id: str) -> MessageTree | None:
        """Return the messages of a conversation; None while they are being read, and where they are too many."""
        listed = self._library.conversation(conversation_id)
        if listed is None:
            return None
        found = self._trees.pop(conversation_id, None)
        if found is not None and found[0] == listed:
            self._trees[conversation_id] = found
            return found[1]
        if self._reading is None and not self._is_closed:
            self._read(listed)
        return None

    def close(self) -> None:
        """Read nothing any more."""
        self._is_closed = True

    def is_reading(self, conversation_id: str) -> bool:
        """Return whether the messages of a conversation are on their way, or another's that go before."""
        return self._reading is not None and conversation_id not in self._trees

    def _read(self, listed: Conversation) -> None:
        self._reading = listed.id

        def load(store: Store) -> MessageTree | None:
            with suppress(LookupError):  # deleted since
                if store.messages.count(listed.id, MOST_MESSAGES + 1) <= MOST_MESSAGES:
                    return store.messages.load(listed.id)
            return None

        def take(tree: MessageTree | None) -> None:
            self._reading = None
            self._trees[listed.id] = (listed, tree)
            while len(self._trees) > 1 and sum(len(one) for _, one in self._trees.values() if one) > MOST_KEPT:
                del self._trees[next(iter(self._trees))]
            self.read.emit()

        self._store.do(load, take, lambda _problem: take(None))
