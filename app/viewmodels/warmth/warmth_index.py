"""The warmth of branches and conversations, by the ids of their messages and their own."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.viewmodels.warmth.warmth import Warmth


class WarmthIndex(QObject):
    """The warmths that are known, of branches and of conversations.

    Signal: changed(), any of it differs.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._branches: dict[str, Warmth] = {}
        self._conversations: dict[str, Warmth] = {}

    def warmth_of(self, message_id: str) -> Warmth | None:
        """Return the warmth of the branch that ends with a message, the last of a run; None while it is not known."""
        return self._branches.get(message_id)

    def warmth_of_conversation(self, conversation_id: str) -> Warmth | None:
        """Return the warmth of the path that a conversation is left on; None while it is not known."""
        return self._conversations.get(conversation_id)

    def show_path(self, conversation_id: str, leaf_id: str | None, warmth: Warmth | None) -> None:
        """Take the price of the open path, which ends with this message; None where it is not known."""
        before = self._branches.get(leaf_id or ""), self._conversations.get(conversation_id)
        if warmth is None:
            self._conversations.pop(conversation_id, None)
            self._branches.pop(leaf_id or "", None)
        else:
            self._conversations[conversation_id] = warmth
            if leaf_id is not None:
                self._branches[leaf_id] = warmth
        if before != (self._branches.get(leaf_id or ""), self._conversations.get(conversation_id)):
            self.changed.emit()

    def forget(self) -> None:
        """Drop all that was known: there is another model, or none."""
        self._branches.clear()
        self._conversations.clear()
        self.changed.emit()
