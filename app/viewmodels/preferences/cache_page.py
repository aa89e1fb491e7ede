"""The page of the settings about the cache: how much it may take, and where its files lie."""

from __future__ import annotations

from collections.abc import Iterable

from app.viewmodels.cache import disk_text
from app.viewmodels.cache.budgets import BUDGETS, DISK_BUDGETS, Budget, budget_of, disk_budget_of
from app.viewmodels.cache.cache_region import FOLDER_NAME, CacheRegion
from app.viewmodels.kit.settings import Settings
from app.viewmodels.preferences.rows import ON, Buttons, Choice, Group, Handlers, Question, Row, RowButton, Toggle
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
        memory = Group("Memory", (self._budget(),))
        if not self._folder:
            return (memory,)
        return memory, Group("Disk", self._of_the_disk(), "Text is never touched by any of this.")

    @property
    def handlers(self) -> Handlers:
        """Return what its rows do."""
        return {
            "budget": lambda _id, value: self._settings.update(budget=value),
            "disk_budget": lambda _id, value: self._settings.update(disk_budget=value),
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

    def _budget(self) -> Choice:
        view = self._cache.trie_model.view
        return Choice(
            id="budget",
            title="Hold in memory",
            detail=f"{formatting.size(view.live_bytes + view.paged_bytes)} used now.",
            value=budget_of(self._settings.values.budget).id,
            choices=_choices(BUDGETS),
        )

    def _of_the_disk(self) -> tuple[Row, ...]:
        values, view = self._settings.values, self._cache.trie_model.view
        budget = disk_budget_of(values.disk_budget)
        used = f"{formatting.size(view.disk_bytes)} used now."
        disk = Choice(
            id="disk_budget",
            title="Hold on disk",
            detail=f"{used} {budget.tip}".strip(),
            value=budget.id,
            choices=_choices(DISK_BUDGETS),
        )
        return disk, self._kept(), self._place(), self._files()

    def _kept(self) -> Toggle:
        return Toggle(
            id="keeps_every_fork",
            title="Keep every fork on disk",
            detail="Every state that can be gone back to, which takes several times the space on some models.",
            is_on=self._settings.values.keeps_every_fork,
        )

    def _place(self) -> Buttons:
        amount = formatting.size(self._cache.trie_model.view.disk_bytes)
        cost = _COST.format(folder=self._folder, amount=f", {amount},")
        move = Question("Move the cache files to another folder?", f"{cost} {_MADE}", "Choose Folder…")
        back = Question("Move the cache files to the usual folder?", cost, "Move")
        usual = RowButton(id="move_back", title="Usual Place…", question=back)
        return Buttons(
            id="cache_folder",
            title="Where the files lie",
            detail=self._folder,
            buttons=(
                RowButton(id="show_files", title="Show"),
                *((usual,) if self._settings.values.cache_folder else ()),
                RowButton(id="move_files", title="Move…", question=move, folder_title="Folder of the Cache Files"),
            ),
        )

    def _files(self) -> Buttons:
        view = self._cache.trie_model.view
        question = Question(disk_text.DELETE_TITLE, disk_text.deletion(view, self._folder), "Delete")
        return Buttons(
            id="cache_files",
            title="Cached state on disk",
            detail=f"{formatting.size(view.disk_bytes)} for the model in use. Other models have theirs there, too.",
            buttons=(RowButton(id="delete_files", title="Delete…", spoken="Delete cache files", question=question),),
        )


_MADE = f"A folder called {FOLDER_NAME} is made in the one that you choose."


def _choices(budgets: Iterable[Budget]) -> tuple[tuple[str, str], ...]:
    return tuple((budget.id, budget.title) for budget in budgets)
