"""Where things lie on this machine: what belongs to the program, and what belongs to the person."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from app.protocol.reports import Problem


@dataclass(frozen=True, slots=True)
class Paths:
    """data: conversations and settings. caches: may be deleted at any time. logs: what the program writes of itself."""

    data: Path
    caches: Path
    logs: Path

    @property
    def database(self) -> Path:
        """The conversations."""
        return self.data / "conversations.db"

    @property
    def settings(self) -> Path:
        """What the person chose."""
        return self.data / "settings.json"


def resources() -> Path:
    """What ships with the program; inside the bundle when it was frozen."""
    bundle = getattr(sys, "_MEIPASS", None)
    return Path(bundle or Path(__file__).parent.parent) / "resources"


def guide_model() -> Path:
    """Folder of the built-in model."""
    return resources() / "models" / "guide"


def paths_in(folder: Path) -> Paths:
    """Everything below one folder, as `--data` asks for it."""
    return Paths(folder, folder / "caches", folder / "logs")


def standard_paths() -> Paths:
    """Where this system keeps such things. The application's name must be set before."""
    from PySide6.QtCore import QStandardPaths

    where = QStandardPaths.StandardLocation
    data = Path(QStandardPaths.writableLocation(where.AppDataLocation))
    caches = Path(QStandardPaths.writableLocation(where.CacheLocation))
    if sys.platform == "darwin":
        return Paths(data, caches, Path.home() / "Library" / "Logs" / data.name)
    return Paths(data, caches, Path(QStandardPaths.writableLocation(where.StateLocation)) / "logs")


def usable(paths: Paths) -> tuple[Paths, Problem | None]:
    """The same paths where they can be written to, else a fresh folder for this session, and what to say about it.

    The temporary folder is not removed at the end: what was said this time can be moved from there.
    """
    try:
        _try_writing(paths.data)
    except OSError as error:
        folder = Path(tempfile.mkdtemp(prefix="espalier-"))
        reason = error.strerror or str(error)
        sentence = (
            f"Espalier may not write to {paths.data} ({reason}). What is said now is kept in {folder} instead; "
            "allow writing to the folder, or start with --data and another one."
        )
        return paths_in(folder), Problem("The data folder cannot be used", sentence)
    if not _is_writable(paths.logs):
        return replace(paths, logs=paths.data / "logs"), None
    return paths, None


def _is_writable(folder: Path) -> bool:
    try:
        _try_writing(folder)
    except OSError:
        return False
    return True


def _try_writing(folder: Path) -> None:
    """Make the folder, private to its owner, and a file in it. OSError when that is not allowed."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass
