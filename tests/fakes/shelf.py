"""Models and budgets remembered in memory."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class FakeShelf:
    """Implements `ModelShelf`, `BudgetShelf` and `DiskShelf`."""

    guide: str = "/models/guide"
    folders: list[str] = field(default_factory=list)
    budget: str = "default"
    disk_folder: str = "/caches/snapshots"
    disk_budget: str = "default"
    keeps_every_fork: bool = False
    suspected: str = ""

    @property
    def recent(self) -> tuple[str, ...]:
        return tuple(self.folders)

    def choose_budget(self, budget_id: str) -> None:
        self.budget = budget_id

    def choose_disk_budget(self, budget_id: str) -> None:
        self.disk_budget = budget_id

    def keep_every_fork(self, is_wanted: bool) -> None:
        self.keeps_every_fork = is_wanted

    def suspect(self, path: str) -> None:
        self.suspected = path

    def opened(self, path: str) -> None:
        self.suspected = ""
        if path != self.guide:
            self.folders = [path, *(one for one in self.folders if one != path)]
