"""Models and the budget remembered in memory."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class FakeShelf:
    """Implements `ModelShelf` and `BudgetShelf`."""

    guide: str = "/models/guide"
    folders: list[str] = field(default_factory=list)
    budget: str = "default"

    @property
    def recent(self) -> tuple[str, ...]:
        return tuple(self.folders)

    def choose_budget(self, budget_id: str) -> None:
        self.budget = budget_id

    def opened(self, path: str) -> None:
        if path != self.guide:
            self.folders = [path, *(one for one in self.folders if one != path)]
