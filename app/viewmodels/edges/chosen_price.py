"""The price of warming up the branch of the chosen row, whichever conversation it is of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.branch import Branch
from app.protocol.events import CostEstimate, CostRefused
from app.protocol.reports import Problem
from app.protocol.trie_view import TrieNodeView
from app.viewmodels.edges.message_finder import Found, Then
from app.viewmodels.model.current_model import CurrentModel
from app.viewmodels.warmth.cost_queries import CostQueries

LOOK_MS = 150
WRITING_MS = 1000
PURPOSE = "chosen edge"


class ChosenPrice(QObject):
    """Looks up what the chosen row costs, a moment after it was chosen and after each change of the cache.

    Attributes: found, the branch down to the row, and priced, what it costs, or refusal, why it cannot be read; None
    while not known. Signal: changed().
    """

    changed = Signal()

    def __init__(
        self,
        search: Callable[[Then], object],
        cost_queries: CostQueries,
        current_model: CurrentModel,
        is_writing: Callable[[], bool],
        parent: QObject | None = None,
    ) -> None:
        """search: finds the branch of the chosen row. is_writing: whether the engine has an answer under way."""
        super().__init__(parent)
        self._search, self._cost_queries, self._current_model = search, cost_queries, current_model
        self._is_writing = is_writing
        self._row: TrieNodeView | None = None
        self.found: Found | None = None
        self.priced: CostEstimate | None = None
        self.refusal: Problem | None = None
        self._looking = QTimer(self, singleShot=True, interval=LOOK_MS)
        self._looking.timeout.connect(self._look_up)

    def follow(self, row: TrieNodeView | None) -> None:
        """Price this row from now on, as the cache is now; None for none."""
        if row is not self._row:
            self._row = row
            self.found = self.priced = self.refusal = None
            self._cost_queries.drop(PURPOSE)
            self.changed.emit()
        if row is None:
            self._looking.stop()
        else:
            self._looking.start(LOOK_MS)

    def _look_up(self) -> None:
        row = self._row
        if self._is_writing():
            self._looking.start(WRITING_MS)
            return

        def price(found: Found | None) -> None:
            if row is self._row and found is not None:
                branch = Branch(found.path, self._current_model.fingerprint)
                refused = partial(refuse, found)
                self._cost_queries.ask(PURPOSE, branch, partial(take, found), branch.options, refused=refused)

        def take(found: Found, priced: CostEstimate) -> None:
            note(found, priced, None)

        def refuse(found: Found, refused: CostRefused) -> None:
            note(found, None, refused.problem)

        def note(found: Found, priced: CostEstimate | None, refusal: Problem | None) -> None:
            said = found, priced, refusal
            if row is self._row and said != (self.found, self.priced, self.refusal):
                self.found, self.priced, self.refusal = said
                self.changed.emit()

        self._search(price)
