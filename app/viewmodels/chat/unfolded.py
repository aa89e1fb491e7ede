"""Which thoughts and attachments of the chat are unfolded."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class Unfolded(QObject):
    """Notes what a person has unfolded of the messages. It stays so while the program runs.

    Attribute: ids, of the messages whose thought is open, and `attachment_key` of attachments.
    Signal: changed(), something else is unfolded.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.ids: frozenset[str] = frozenset()

    def toggle_thought(self, message_id: str) -> None:
        """Open what a model thought before an answer, or fold it."""
        self._show(self.ids ^ {message_id})

    def toggle_attachment(self, message_id: str, number: int) -> None:
        """Open what comes with a question, by its number from 0 on, or fold it."""
        self._show(self.ids ^ {attachment_key(message_id, number)})

    def open_part(self, key: str) -> bool:
        """Open a thought, by its message's id, or an attachment, by its key. Return False where it was open."""
        was_open = key in self.ids
        self._show(self.ids | {key})
        return not was_open

    def fold_part(self, key: str) -> None:
        """Fold a thought or an attachment."""
        self._show(self.ids - {key})

    def _show(self, ids: frozenset[str]) -> None:
        self.ids = ids
        self.changed.emit()


def attachment_key(message_id: str, number: int) -> str:
    """Return what stands for an attachment among what is unfolded."""
    return f"{message_id}/{number}"
