"""How many bytes of the database are what else the model would have said."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.viewmodels.kit.store_link import StoreLink


class AlternativesSize(QObject):
    """Asks the database, and waits for nothing.

    Attribute: bytes, None before it is known. Signal: changed().
    """

    changed = Signal()

    def __init__(self, store: StoreLink, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self.bytes: int | None = None
        self._is_closed = False

    def read(self) -> None:
        """Find out how many there are now."""
        self._store.do(lambda store: store.messages.choices_bytes(), self._take)

    def close(self) -> None:
        """Take no answer any more: nobody looks."""
        self._is_closed = True

    def _take(self, found: int) -> None:
        if not self._is_closed:
            self.bytes = found
            self.changed.emit()
