"""A value that is made from others: current whenever it is read, and told of once when it differs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance

T = TypeVar("T")


class LiveState(QObject, Generic[T]):
    """A frozen value, computed when it is read and not before.

    Properties: `now` is never older than the last `refresh` or `spoil`. However many of what it is made from change in
    one turn of the event loop, it is computed at most once if nobody reads it meanwhile, and told of at most once. What
    is made from other states is told of in the turn after theirs: views of all at once would make one turn long.

    Signals: staled(), at once with each of both, for states that are made from this one; refreshed(), once in a turn
    of the event loop after a `refresh`; changed(), after `refreshed`, if the value is another one than was told of
    before.
    """

    staled = Signal()
    refreshed = Signal()
    changed = Signal()

    def __init__(self, compute: Callable[[], T], parent: QObject | None = None) -> None:
        """compute: returns the value as it is now; it must not read this state."""
        super().__init__(parent)
        self._compute = compute
        self._value: T
        self._told: T | None = None
        self._is_stale, self._is_due = True, False
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self.tell)

    @property
    def now(self) -> T:
        """Return the value."""
        if self._is_stale:
            self._value = self._compute()
            self._is_stale = False
        return self._value

    def refresh(self) -> None:
        """Have the value computed again when it is read next, and told of if it differs."""
        self.spoil()
        self._tell_next()

    def spoil(self) -> None:
        """Have the value computed again when it is read next; views are told with the next `refresh`."""
        self._is_stale = self._is_due = True
        self.staled.emit()

    def follow(self, *sources: SignalInstance) -> None:
        """Refresh with each of these signals."""
        for source in sources:
            source.connect(self.refresh)

    def follow_states(self, *states: LiveState[Any]) -> None:
        """Be made from these states: no older than they are, and told of in the turn after each of them was."""
        for state in states:
            state.staled.connect(self.spoil)
            state.refreshed.connect(self._tell_next)

    def catch_up(self) -> None:
        """Tell views now of what they would be told in one of the next turns of the event loop."""
        if self._is_due:
            self.tell()

    def tell(self) -> None:
        """Tell views at once, rather than in one of the next turns of the event loop."""
        self._timer.stop()
        self._is_due = False
        self.refreshed.emit()
        now = self.now
        if now != self._told:
            self._told = now
            self.changed.emit()

    def _tell_next(self) -> None:
        if self._is_due and not self._timer.isActive():
            self._timer.start()
