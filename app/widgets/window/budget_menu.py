"""A submenu of amounts, one of which holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from app.viewmodels.cache.budgets import Budget


class BudgetMenu(QMenu):
    """One entry to each budget. `choose` is called with the id of the one that the person picks."""

    def __init__(self, budgets: Iterable[Budget], choose: Callable[[str], None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setToolTipsVisible(True)
        self._group = QActionGroup(self)
        self._entries = {budget.id: self._entry(budget, choose) for budget in budgets}

    def _entry(self, budget: Budget, choose: Callable[[str], None]) -> QAction:
        action = self.addAction(budget.title)
        action.setMenuRole(QAction.MenuRole.NoRole)
        action.setToolTip(budget.tip or budget.title)
        action.setCheckable(True)
        action.setActionGroup(self._group)
        action.triggered.connect(lambda: choose(budget.id))
        return action

    def mark(self, budget_id: str) -> None:
        """Show which one holds."""
        held = self._entries.get(budget_id)
        self._group.setExclusive(held is not None)  # an amount of one's own is no entry
        for entry in self._entries.values():
            entry.setChecked(entry is held)
