"""What a person can do with the cache: give it more memory or less, and have a branch checked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from app.protocol.chat import Turn
from app.protocol.commands import SetBudget, Verify
from app.protocol.events import Verified
from app.viewmodels.cache.budgets import DEFAULT, budget_of
from app.viewmodels.text import words
from app.worker.engine_host import EngineHost

_LEAST_DRIFT = 0.001


class BudgetShelf(Protocol):
    """Remembers the chosen budget from one start to the next. The settings implement it."""

    @property
    def budget(self) -> str:
        """Id of a `Budget`."""
        ...

    def choose_budget(self, budget_id: str) -> None:
        """The person chose this one."""
        ...


class CacheDesk(QObject):
    """Sends the budget to the engine, and asks it for one check at a time.

    Signal: checked(object), the `Verified` that was asked for.
    """

    checked = Signal(object)

    def __init__(self, host: EngineHost, shelf: BudgetShelf, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._host = host
        self._shelf = shelf
        self._ids = count(1)
        self._asked: int | None = None

    @property
    def budget(self) -> str:
        """Id of the budget that holds."""
        return budget_of(self._shelf.budget).id

    @property
    def is_checking(self) -> bool:
        """Whether a check is under way."""
        return self._asked is not None

    def choose(self, budget_id: str) -> None:
        """Let the cache take this much from now on, and the next time too."""
        self._shelf.choose_budget(budget_id)
        self._host.submit(SetBudget(budget_of(budget_id).bytes))

    def renew(self) -> None:
        """A model was loaded, perhaps by an engine that was never told."""
        if self.budget != DEFAULT.id:
            self._host.submit(SetBudget(budget_of(self.budget).bytes))

    def verify(self, turns: Sequence[Turn]) -> None:
        """Have this branch checked, unless a check is under way."""
        if not self.is_checking:
            self._asked = next(self._ids)
            self._host.submit(Verify(self._asked, turns))

    def take(self, event: Verified) -> None:
        """The end of a check. One that nobody waits for any more is dropped."""
        if event.query_id == self._asked:
            self._asked = None
            self.checked.emit(event)

    def forget(self) -> None:
        """The model is gone, and with it what was being checked."""
        self._asked = None


def finding(event: Verified) -> str:
    """What a check found, in one or two sentences."""
    count = words.tokens(event.tokens)
    drift = "under 0.001" if 0 < event.drift < _LEAST_DRIFT else f"{event.drift:.3f}" if event.drift else "none"
    if event.is_exact:
        same = f"The cache is exact: {count} computed again gave the same bits."
    else:
        at = "" if event.first_difference is None else f" from token {words.number(event.first_difference + 1)} on"
        same = f"The cache is not exact: {count} computed again gave other bits{at}."
    return f"{same} Drift against one pass: {drift}."
