"""The paths of the program on this machine: of what it comes with, and of what belongs to the person.

Standard library only: these places are needed before Qt is imported, and when it cannot be.
"""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from app.protocol.dataclass import dataclass
from app.protocol.reports import Problem

NAME = "Espalier"
_FULL = {errno.ENOSPC, errno.EDQUOT}


class NowhereError(Exception):
    """There is no folder on this machine that the program may write to. The text is a sentence for the person."""


@dataclass(frozen=True, slots=True)
class Paths:
    """The folders of one person.

    data: conversations and settings. caches: may be deleted at any time. logs: what the program writes of itself.
    """

    data: Path
    caches: Path
    logs: Path

    @property
    def database(self) -> Path:
        """Return the file of the conversations."""
        return self.data / "conversations.db"

    @property
    def settings(self) -> Path:
        """Return the file of what the person chose."""
        return self.data / "settings.json"

    @property
    def downloads(self) -> Path:
        """Return the file of downloads that are not finished."""
        return self.data / "downloads.json"

    @property
    def snapshots(self) -> Path:
        """Return the folder of cached state, of all models."""
        return self.caches / "snapshots"


def resources() -> Path:
    """Return the folder of what ships with the program; inside the bundle when it was frozen.

    In Espalier.app the frozen code lies in Contents/Frameworks and data in Contents/Resources; a link from the first
    to the second is usual, but nothing here depends on it.
    """
    bundle = getattr(sys, "_MEIPASS", None)
    if bundle is None:
        return Path(__file__).parents[2] / "resources"
    inside = Path(bundle) / "resources"
    beside = Path(bundle).parent / "Resources" / "resources"
    return beside if not inside.is_dir() and beside.is_dir() else inside


def guide_model() -> Path:
    """Return the folder of the built-in model."""
    return resources() / "models" / "guide"


def starters() -> Path:
    """Return the list of good models to begin with."""
    return resources() / "models" / "starters.json"


def sample() -> Path:
    """Return the conversation that a new database begins with."""
    return resources() / "samples" / "trip.espalier"


def notices() -> Path:
    """Return the file of licences of everything that the program is built from."""
    return resources() / "notices" / "notices.txt"


def paths_in(folder: Path) -> Paths:
    """Return paths that all lie below one folder, as `--data` asks for it."""
    return Paths(folder, folder / "caches", folder / "logs")


def standard_paths() -> Paths:
    """Return the paths where this system keeps such things, as QStandardPaths names them.

    On a Mac, Time Machine leaves ~/Library/Caches out by itself, and Console shows ~/Library/Logs. Elsewhere the XDG
    base directories hold, https://specifications.freedesktop.org/basedir-spec; a relative one is ignored, as it says.
    """
    if sys.platform == "darwin":
        library = Path.home() / "Library"
        return Paths(library / "Application Support" / NAME, library / "Caches" / NAME, library / "Logs" / NAME)
    data, caches = _xdg("XDG_DATA_HOME", ".local/share"), _xdg("XDG_CACHE_HOME", ".cache")
    return Paths(data / NAME, caches / NAME, _xdg("XDG_STATE_HOME", ".local/state") / NAME / "logs")


def _xdg(variable: str, usual: str) -> Path:
    named = Path(os.environ.get(variable, ""))
    return named if named.is_absolute() else Path.home() / usual


def usable(paths: Paths) -> tuple[Paths, Problem | None]:
    """Return these paths where they can be written to, else a fresh folder for this session, and what to say about it.

    On a full disk the folder stays: what is stored there can be read, and writing works again once there is space.
    Conversations that can only be read are read where they lie, and the store says so. A temporary folder is not
    removed at the end: what was said this time can be moved from there. NowhereError when there is none either.
    """
    try:
        _try_writing(paths.data)
    except OSError as error:
        if error.errno in _FULL and paths.data.is_dir():
            return paths, _full(paths.data)
        if os.access(paths.database, os.R_OK):
            aside = _fresh_folder(paths.data, error.strerror or str(error))
            return Paths(paths.data, aside / "caches", aside / "logs"), None
        return _elsewhere(paths.data, error.strerror or str(error))
    caches = paths.caches if _is_writable(paths.caches) else paths.data / "caches"
    logs = paths.logs if _is_writable(paths.logs) else paths.data / "logs"
    return replace(paths, caches=caches, logs=logs), None


def _full(folder: Path) -> Problem:
    sentence = (
        f"Nothing new can be saved in {folder} until there is space again; what is stored there is safe. "
        "Free some space, then go on."
    )
    return Problem("The disk is full", sentence)


def _elsewhere(wanted: Path, reason: str) -> tuple[Paths, Problem]:
    folder = _fresh_folder(wanted, reason)
    sentence = (
        f"Espalier may not write to {wanted} ({reason}). What is said now is kept in {folder} instead; "
        "allow writing to the folder, or start with --data and another one."
    )
    return paths_in(folder), Problem("The data folder cannot be used", sentence)


def _fresh_folder(wanted: Path, reason: str) -> Path:
    try:
        folder = Path(tempfile.mkdtemp(prefix="espalier-"))
        _try_writing(folder)
    except OSError as error:
        raise NowhereError(
            f"Espalier may not write to {wanted} ({reason}), and there is no temporary folder to use instead "
            f"({error.strerror or error}). Free some space or allow writing there, then open Espalier again."
        ) from error
    return folder


def _is_writable(folder: Path) -> bool:
    try:
        _try_writing(folder)
    except OSError:
        return False
    return True


def _try_writing(folder: Path) -> None:
    """Make the folder, private to its owner, and a file with a block in it. OSError when that is not possible."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        file.write(b"\0" * 4096)
