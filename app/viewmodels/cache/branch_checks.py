"""Branches computed again and compared with what the cache holds of them."""

from __future__ import annotations

from itertools import count

from PySide6.QtCore import QObject, Signal

from app.conversation.branch import Branch
from app.protocol.commands import Verify
from app.protocol.events import Verified
from app.viewmodels.text import formatting
from app.worker.engine_host import EngineHost

_LEAST_DRIFT = 0.001


class BranchChecks(QObject):
    """Asks the engine for one check at a time.

    Signals: checked(object), the `Verified` that was asked for; changed(), `is_checking` is another one.
    """

    checked = Signal(object)
    changed = Signal()

    def __init__(self, host: EngineHost, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._host = host
        self._ids = count(1)
        self._asked: int | None = None

    @property
    def is_checking(self) -> bool:
        """Whether a check is under way."""
        return self._asked is not None

    def verify(self, turns: Branch) -> None:
        """Have this branch checked, unless a check is under way."""
        if not self.is_checking:
            self._asked = next(self._ids)
            self._host.submit(Verify(self._asked, turns, turns.options))
            self.changed.emit()

    def take(self, event: Verified) -> None:
        """Follow the end of a check. One that nobody waits for any more is dropped."""
        if event.query_id == self._asked:
            self._asked = None
            self.changed.emit()
            self.checked.emit(event)

    def forget(self) -> None:
        """Wait for no check any more: the model is gone."""
        self._asked = None
        self.changed.emit()


def finding(event: Verified) -> str:
    """Say what a check found, in one or two sentences."""
    count = formatting.tokens(event.tokens)
    drift = "under 0.001" if 0 < event.drift < _LEAST_DRIFT else f"{event.drift:.3f}" if event.drift else "none"
    if event.is_exact:
        same = f"The cache is exact: {count} computed again gave the same bits."
    else:
        at = "" if event.first_difference is None else f" from token {formatting.number(event.first_difference + 1)} on"
        same = f"The cache is not exact: {count} computed again gave other bits{at}."
    return f"{same} Drift against one pass: {drift}."
