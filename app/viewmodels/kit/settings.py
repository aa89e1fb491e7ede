"""What a person chose, from one start to the next: a small file that is written whole and never half."""

from __future__ import annotations

import json
import logging
import os
import time
import weakref
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from app.protocol.deadline import DeadlineCaller
from app.protocol.plain_files import UnfitFileError, read_plain, write_whole
from app.viewmodels.cache.budgets import DEFAULT
from app.viewmodels.window_state import WindowState

logger = logging.getLogger(__name__)

MOST_RECENT = 8
PATIENCE = 1.0  # seconds that the window waits for the disk
LARGEST = 1_000_000  # bytes of the file
_LONGEST_TEXT, _MOST_ENTRIES, _LARGEST_NUMBER = 10_000, 100, 100_000
_RANGES = {"body_size": (6, 72)}  # points


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
    written costs the choice, never the program. A folder that is moved while the program runs is followed.
    """

    def __init__(self, path: Path, guide: str, disk_folder: str = "") -> None:
        self.disk_folder = disk_folder
        self._folder = _opened(path.parent)
        self._name = str(path) if self._folder is None else path.name
        if self._folder is not None:
            weakref.finalize(self, os.close, self._folder)
        self._guide = guide
        self._disk = DeadlineCaller("settings", PATIENCE)
        self._is_saved = True
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
            return settings_from(json.loads(read_plain(self._name, LARGEST, self._folder)))
        except FileNotFoundError:
            return Settings()
        except (UnfitFileError, ValueError, RecursionError) as error:
            logger.warning("settings not understood: %s", error)
            self._put_aside()
        except OSError as error:
            logger.warning("settings not read: %s", error)
        return Settings()

    def _put_aside(self) -> None:
        beside = f"settings.broken-{time.strftime('%Y%m%d-%H%M%S')}.json"
        try:
            os.replace(self._name, beside, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except OSError as error:
            logger.warning("broken settings not kept: %s", error)

    def _save(self, settings: Settings) -> None:
        """Write what was changed, or was not written when it was. A disk that hangs is waited for only so long."""
        if settings == self._now and self._is_saved:
            return
        self._now = settings
        text = json.dumps(asdict(settings), indent=2) + "\n"
        try:
            self._disk.call(lambda: write_whole(self._name, text, self._folder))
            self._is_saved = True
        except OSError as error:
            self._is_saved = False
            logger.warning("settings not saved: %s", error)


def _opened(folder: Path) -> int | None:
    """A descriptor of the folder: what is saved goes there, also when it is moved while the program runs."""
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        logger.warning("the folder of the settings cannot be opened: %s", error)
        return None


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
        _require_sense(name, value)
    return values


def _require_sense(name: str, value: Any) -> None:
    """Raises ValueError for numbers that no window has, and for text that can be neither a name nor written again."""
    lowest, highest = _RANGES.get(name, (0, _LARGEST_NUMBER))
    if isinstance(value, int) and not lowest <= value <= highest:
        raise ValueError(f"{name} is {value}")
    is_text = isinstance(value, str)
    if is_text and ("\0" in value or len(value) > _LONGEST_TEXT or not _is_whole(value)):
        raise ValueError(f"{name} is no text that can be used")
    if is_text and name == "geometry" and not value.isascii():
        raise ValueError("the geometry is no base64")
    if isinstance(value, list):
        for one in value[: _MOST_ENTRIES + 1]:
            _require_sense("", one)
        if len(value) > _MOST_ENTRIES:
            raise ValueError(f"{name} has {len(value)} entries")


def _is_whole(text: str) -> bool:
    """Whether the text can be written: half of a pair of surrogates cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _all(kind: type, values: Any) -> tuple[Any, ...]:
    if any(type(value) is not kind for value in values):
        raise ValueError(f"not all of {values!r:.100} is {kind.__name__}")
    return tuple(values)
