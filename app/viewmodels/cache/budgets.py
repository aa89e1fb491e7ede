"""How much memory and how much of the disk the cache may take: the few amounts that the menus offer, and any other."""

from __future__ import annotations

import re
from dataclasses import replace

from app.protocol.dataclass import dataclass
from app.viewmodels.kit.settings import DEFAULT_BUDGET
from app.viewmodels.text.formatting import HARD


@dataclass(frozen=True, slots=True)
class Budget:
    """id: as it is written in the settings. title: in the menu. bytes: None is what suits this machine. tip: what to
    know before it is chosen, or nothing."""

    id: str
    title: str
    bytes: int | None
    tip: str = ""


DEFAULT = Budget(DEFAULT_BUDGET, "Default", None)
BUDGETS = (
    DEFAULT,
    *(Budget(f"{size} GB", f"{size}{HARD}GB", size * 1_000_000_000) for size in (1, 2, 4, 8, 16)),
    Budget("none", "None", 0),
)
DISK_BUDGETS = (
    replace(DEFAULT, tip=f"20{HARD}GB or a tenth of the free space, whichever is less."),
    *(Budget(f"{size} GB", f"{size}{HARD}GB", size * 1_000_000_000) for size in (5, 10, 20, 50)),
    Budget("off", "Off", 0, "Deletes the cache files and writes none. Conversations stay."),
)
_BY_ID = {budget.id: budget for budget in BUDGETS}
_DISK_BY_ID = {budget.id: budget for budget in DISK_BUDGETS}
_AMOUNT = re.compile(r"([1-9]\d{0,3}(?:\.\d)?|0\.[1-9]) GB")


def amount_id(gigabytes: float) -> str:
    """Return the id of an amount of memory or disk, to a tenth of a GB."""
    return f"{round(gigabytes, 1):g} GB"


def budget_of(budget_id: str) -> Budget:
    """Return the amount of memory with this id; the default for an id that this version does not know."""
    return _BY_ID.get(budget_id) or _amount_of(budget_id) or DEFAULT


def disk_budget_of(budget_id: str) -> Budget:
    """Return the amount of disk with this id; the default for an id that this version does not know."""
    return _DISK_BY_ID.get(budget_id) or _amount_of(budget_id) or DISK_BUDGETS[0]


def _amount_of(budget_id: str) -> Budget | None:
    found = _AMOUNT.fullmatch(budget_id)
    if found is None:
        return None
    return Budget(budget_id, f"{found[1]}{HARD}GB", round(float(found[1]) * 1_000_000_000))
