"""What a person chose, from one start to the next: a small file that is written whole and never half."""

from __future__ import annotations

import json
import logging
import os
import time
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from app.viewmodels.budgets import DEFAULT
from app.viewmodels.window_state import WindowState

logger = logging.getLogger(__name__)

MOST_RECENT = 8


@dataclass(frozen=True, slots=True)
class Settings:
    """model: folder of the model to start with, "" for the guide. recent_models: folders, the last one first.
    suspect: folder of a model that was being opened, or in use, when the engine or the program died; "" for none.

    budget, disk_budget: how much memory and how much of the disk the cache may take, by the id of a `Budget`.
    keeps_every_fork: every state that can be gone back to is written to the disk.
    """

    model: str = ""
    recent_models: tuple[str, ...] = ()
    suspect: str = ""
    budget: str = DEFAULT.id
    disk_budget: str = DEFAULT.id
    keeps_every_fork: bool = False
    window: WindowState = field(default_factory=WindowState)


class SettingsFile:
    """Settings and the file they live in. It is the window's `ModelShelf`, `BudgetShelf` and `DiskShelf`, too.

    disk_folder: where cached state is written, "" for nowhere.

    A file that cannot be read is kept beside, with the time in its name, and the defaults hold. A file that cannot be
    written costs the choice, never the program.
    """

    def __init__(self, path: Path, guide: str, disk_folder: str = "") -> None:
        self.disk_folder = disk_folder
        self._path = path
        self._guide = guide
        self._now = self._read()

    @property
    def now(self) -> Settings:
        """What holds at present."""
        return self._now

    @property
    def guide(self) -> str:
        """Folder of the built-in model."""
        return self._guide

    @property
    def recent(self) -> tuple[str, ...]:
        """Folders of models that were opened, the last one first."""
        return self._now.recent_models

    @property
    def model(self) -> str:
        """Folder of the model to start with."""
        return self._now.model or self._guide

    def opened(self, path: str) -> None:
        """A model was loaded from this folder."""
        if path == self._guide:
            self._save(replace(self._now, model="", suspect=""))
            return
        recent = (path, *(one for one in self.recent if one != path))[:MOST_RECENT]
        self._save(replace(self._now, model=path, recent_models=recent, suspect=""))

    def suspect(self, path: str) -> None:
        """The program may not live through opening this folder; "" once it has."""
        self._save(replace(self._now, suspect=path))

    @property
    def budget(self) -> str:
        """Id of the cache's budget."""
        return self._now.budget

    def choose_budget(self, budget_id: str) -> None:
        """Let the cache take this much, the next time too."""
        self._save(replace(self._now, budget=budget_id))

    @property
    def disk_budget(self) -> str:
        """Id of what cached state may take of the disk."""
        return self._now.disk_budget

    def choose_disk_budget(self, budget_id: str) -> None:
        """Let files take this much, the next time too."""
        self._save(replace(self._now, disk_budget=budget_id))

    @property
    def keeps_every_fork(self) -> bool:
        """Whether every state that can be gone back to is written."""
        return self._now.keeps_every_fork

    def keep_every_fork(self, is_wanted: bool) -> None:
        """Write every state, or only those worth it, the next time too."""
        self._save(replace(self._now, keeps_every_fork=is_wanted))

    def left(self, window: WindowState) -> None:
        """How the window was left."""
        self._save(replace(self._now, window=window))

    def _read(self) -> Settings:
        try:
            return settings_from(json.loads(self._path.read_bytes()))
        except FileNotFoundError:
            return Settings()
        except OSError as error:
            logger.warning("settings not read: %s", error)
            return Settings()
        except ValueError as error:
            logger.warning("settings not understood: %s", error)
            self._put_aside()
            return Settings()

    def _put_aside(self) -> None:
        beside = self._path.with_name(f"settings.broken-{time.strftime('%Y%m%d-%H%M%S')}.json")
        try:
            self._path.replace(beside)
        except OSError as error:
            logger.warning("broken settings not kept: %s", error)

    def _save(self, settings: Settings) -> None:
        if settings == self._now:
            return
        self._now = settings
        try:
            write_aside(self._path, json.dumps(asdict(settings), indent=2, ensure_ascii=False) + "\n")
        except OSError as error:
            logger.warning("settings not saved: %s", error)


def write_aside(path: Path, text: str) -> None:
    """Put a whole file in place of another at once: whoever reads sees the old one or the new one."""
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def settings_from(found: Any) -> Settings:
    """Settings from what JSON held; ValueError where a value has the wrong kind. What is missing has its default."""
    values = _known(Settings, found)
    if "window" in values:
        window = _known(WindowState, values["window"])
        window["splitter"] = _all(int, window.get("splitter", ()))
        values["window"] = WindowState(**window)
    values["recent_models"] = _all(str, values.get("recent_models", ()))
    return Settings(**values)


def _known(kind: type[Settings] | type[WindowState], found: Any) -> dict[str, Any]:
    """The entries that this version knows, of the kinds that their defaults have."""
    if not isinstance(found, dict):
        raise ValueError(f"{kind.__name__} is written as {type(found).__name__}")
    default = asdict(kind())
    values = {one.name: found[one.name] for one in fields(kind) if one.name in found}
    for name, value in values.items():
        wanted = list if isinstance(default[name], tuple) else type(default[name])
        if type(value) is not wanted:
            raise ValueError(f"{name} is written as {type(value).__name__}")
    return values


def _all(kind: type, values: Any) -> tuple[Any, ...]:
    if any(type(value) is not kind for value in values):
        raise ValueError(f"not all of {values!r} is {kind.__name__}")
    return tuple(values)
