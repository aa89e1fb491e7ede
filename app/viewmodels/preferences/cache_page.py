"""The page of the settings about the cache: how much it may take, and where its files lie."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache

from app.viewmodels.cache import disk_text
from app.viewmodels.cache.budgets import BUDGETS, DISK_BUDGETS, Budget, amount_id, budget_of, disk_budget_of
from app.viewmodels.cache.cache_region import FOLDER_NAME, CacheRegion
from app.viewmodels.kit.settings import Settings
from app.viewmodels.preferences.rows import (
    ON,
    Amount,
    Buttons,
    Choice,
    Group,
    Handlers,
    Question,
    Row,
    RowButton,
    Toggle,
)
from app.viewmodels.text import formatting

_COST = (
    "Nothing is copied. What lies in {folder}{amount} is deleted, and the model is opened again: branches are computed "
    "anew as you go on with them. Conversations are safe: no word of them is touched."
)


class CachePage:
    """Budgets, sizes, and the folder."""

    id = "cache"
    title = "Cache"

    def __init__(self, settings: Settings, cache: CacheRegion) -> None:
        self._settings, self._cache = settings, cache

    @property
    def groups(self) -> tuple[Group, ...]:
        """Return what the page shows now."""
        memory = Group("Memory", self._of_memory())
        if not self._folder:
            return (memory,)
        return memory, Group("Disk", self._of_the_disk(), "No word of a conversation is touched by any of this.")

    @property
    def handlers(self) -> Handlers:
        """Return what its rows do."""
        return {
            "budget": lambda _id, value: self._settings.update(budget=value),
            "budget_amount": lambda _id, value: self._settings.update(budget=_typed(value, most_memory())),
            "disk_budget": lambda _id, value: self._settings.update(disk_budget=value),
            "disk_amount": lambda _id, value: self._settings.update(disk_budget=_typed(value, _MOST_DISK)),
            "keeps_every_fork": lambda _id, value: self._settings.update(keeps_every_fork=value == ON),
            "show_files": lambda _id, _value: self._cache.show_files(),
            "move_files": lambda _id, folder: self._cache.move_files(folder),
            "move_back": lambda _id, _value: self._cache.move_files(""),
            "delete_files": lambda _id, _value: self._cache.delete_files(),
        }

    def show(self) -> None:
        """Do nothing: everything is known already."""

    @property
    def _folder(self) -> str:
        return self._cache.disk_cache.folder

    def _of_memory(self) -> tuple[Row, ...]:
        view, budget = self._cache.view, budget_of(self._settings.values.budget)
        used, most = formatting.size(view.live_bytes + view.paged_bytes), most_memory()
        choice = Choice(
            id="budget",
            title="Hold in memory",
            detail=f"{used} used now. This computer has {most}{formatting.HARD}GB.",
            value=budget.id,
            choices=_choices(BUDGETS, budget),
        )
        allowed = view.budget_bytes if budget.bytes is None else budget.bytes
        return choice, _amount("budget_amount", "Amount of memory", allowed, most)

    def _of_the_disk(self) -> tuple[Row, ...]:
        values, view = self._settings.values, self._cache.view
        budget = disk_budget_of(values.disk_budget)
        used = f"{formatting.size(view.disk_bytes)} used now."
        disk = Choice(
            id="disk_budget",
            title="Hold on disk",
            detail=f"{used} {budget.tip}".strip(),
            value=budget.id,
            choices=_choices(DISK_BUDGETS, budget),
        )
        allowed = view.disk_allowed_bytes if budget.bytes is None else budget.bytes
        return (
            disk,
            _amount("disk_amount", "Amount of disk", allowed, _MOST_DISK),
            self._kept(),
            self._place(),
            self._files(),
        )

    def _kept(self) -> Toggle:
        return Toggle(
            id="keeps_every_fork",
            title="Keep every fork on disk",
            detail="Every state that can be gone back to, which takes several times the space on some models.",
            is_on=self._settings.values.keeps_every_fork,
        )

    def _place(self) -> Buttons:
        amount = formatting.size(self._cache.view.disk_bytes)
        cost = _COST.format(folder=self._folder, amount=f", {amount},")
        move = Question("Move the cache files to another folder?", f"{cost} {_MADE}", "Choose Folder…")
        back = Question("Move the cache files to the usual folder?", cost, "Move")
        usual = RowButton(id="move_back", title="Usual Place…", question=back)
        return Buttons(
            id="cache_folder",
            title="Where the files are",
            detail=self._folder,
            buttons=(
                RowButton(id="show_files", title="Show"),
                *((usual,) if self._settings.values.cache_folder else ()),
                RowButton(id="move_files", title="Move…", question=move, folder_title="Folder of the Cache Files"),
            ),
        )

    def _files(self) -> Buttons:
        view = self._cache.view
        question = Question(disk_text.DELETE_TITLE, disk_text.deletion(view, self._folder), "Delete")
        return Buttons(
            id="cache_files",
            title="Cached state on disk",
            detail=f"{formatting.size(view.disk_bytes)} of all models that you used, together.",
            buttons=(RowButton(id="delete_files", title="Delete…", spoken="Delete cache files", question=question),),
        )


_MADE = f"A folder called {FOLDER_NAME} is made in the one that you choose."


_LEAST, _MOST_DISK = 0.5, 200  # GB


@cache
def most_memory() -> int:
    """Return the memory of this computer in whole GB, as its maker counts them."""
    return max(1, round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)))


def _amount(row_id: str, title: str, held: int, most: int) -> Amount:
    """Return a row for any amount up to so many GB; 0 is not among them, which deletes what is there."""
    value = min(max(held / 1e9, _LEAST), float(most))
    return Amount(id=row_id, title=title, value=round(value, 1), low=_LEAST, high=most, step=0.5, unit="GB")


def _typed(text: str, most: int) -> str:
    """Return the id of an amount that was typed in GB, within what there is."""
    return amount_id(min(max(float(text), _LEAST), float(most)))


def _choices(budgets: Iterable[Budget], held: Budget) -> tuple[tuple[str, str], ...]:
    """Return what can be chosen; an amount of one's own that holds is among it."""
    return tuple((budget.id, budget.title) for budget in dict.fromkeys((*budgets, held)))
