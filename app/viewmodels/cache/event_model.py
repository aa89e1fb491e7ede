"""The log of the cache pane: what the cache did lately, the newest first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QModelIndex, QObject, Qt

from app.protocol.cache_events import CacheEvent, CacheEventKind
from app.protocol.reports import Reason
from app.viewmodels.cache.event_text import Happening, event_row, explained, spoken_event
from app.viewmodels.cache.rows import EventRow
from app.viewmodels.kit.lists import ListModel

MOST_ROWS = 200
# Of these there may be hundreds for one request, or for one rest after it: they are added up in one row.
_FOLDED = frozenset(
    {
        CacheEventKind.CAPTURED,
        CacheEventKind.EVICTED,
        CacheEventKind.WRITTEN,
        CacheEventKind.READ,
        CacheEventKind.DROPPED,
    }
)


class EventModel(ListModel[EventRow]):
    """At most `MOST_ROWS` rows. Rows are put in above and fall out below; none ever moves.

    Captures, evictions and what moves to the disk and back are added up where they stand, each kind for itself, back to
    the last event of another kind than these. So are faults of the disk.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._happenings: list[Happening] = []
        self._rows: list[EventRow] = []

    @property
    def rows(self) -> Sequence[EventRow]:
        """All rows, the newest first."""
        return self._rows

    def text(self, number: int, role: int) -> str | None:
        """Return the event in words, the words with their why, or what a screen reader says."""
        row = self._rows[number]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.ToolTipRole:
            return explained(row)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken_event(row)
        return None

    def add(self, events: Iterable[CacheEvent]) -> None:
        """Put in what happened, in the order in which it did."""
        for event in events:
            if not _is_empty(event):
                self._add(event)
        if len(self._rows) > MOST_ROWS:
            self.beginRemoveRows(QModelIndex(), MOST_ROWS, len(self._rows) - 1)
            del self._rows[MOST_ROWS:], self._happenings[MOST_ROWS:]
            self.endRemoveRows()

    def clear(self) -> None:
        """Empty the log: the cache that it was about is gone."""
        if self._rows:
            self.beginRemoveRows(QModelIndex(), 0, len(self._rows) - 1)
            self._rows.clear()
            self._happenings.clear()
            self.endRemoveRows()

    def _add(self, event: CacheEvent) -> None:
        at = self._foldable(event)
        if at is None:
            happening = Happening.of(event)
            self.beginInsertRows(QModelIndex(), 0, 0)
            self._happenings.insert(0, happening)
            self._rows.insert(0, event_row(happening))
            self.endInsertRows()
            return
        self._happenings[at] = self._happenings[at].with_another(event)
        self._rows[at] = event_row(self._happenings[at])
        self.dataChanged.emit(self.index(at), self.index(at))

    def _foldable(self, event: CacheEvent) -> int | None:
        """Return the row that this event can be added to."""
        if not _is_folded(event):
            return None
        for number, happening in enumerate(self._happenings):
            if not _is_folded(happening.last):
                return None
            if happening.last.kind is event.kind and bool(happening.bytes) is bool(event.bytes):
                return number
        return None


def _is_folded(event: CacheEvent) -> bool:
    return event.kind in _FOLDED or (event.kind is CacheEventKind.FAULT and event.reason is Reason.DISK)


def _is_empty(event: CacheEvent) -> bool:
    """Return whether nothing was moved: a branch that is left at its root, for one, pages out nothing."""
    return event.kind is CacheEventKind.PAGED_OUT and not event.tokens and not event.bytes
