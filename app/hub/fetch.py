"""A whole model from a hub into the Hugging Face cache."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import filelock

from app.hub.cache_folder import CacheFolder
from app.hub.connection import Connection
from app.hub.faults import HubError, disk_fault
from app.hub.repository import Repository
from app.hub.transfer import Sleep, Transfer
from app.protocol.dataclass import dataclass
from app.protocol.figures import size

RESERVE = 2_000_000_000  # bytes of the disk that no download takes
_LOCK_PATIENCE = 1.0  # seconds

Tell = Callable[[int, str, bool], None]


@dataclass(frozen=True, slots=True)
class Space:
    """The room for a model: bytes still to be fetched, and free on the disk of the cache, -1 where it does not tell."""

    missing: int
    free: int
    is_complete: bool = False

    @property
    def is_enough(self) -> bool:
        """Return whether the model fits, with a reserve for everything else on this disk."""
        return self.free < 0 or not self.missing or self.missing + RESERVE <= self.free


def space_for(repository: Repository, cache: Path) -> Space:
    """Return how much of a model is still to be fetched, and how much is free."""
    folder = CacheFolder(cache, repository)
    missing = sum(file.size - folder.arrived(file) for file in repository.files)
    return Space(missing, _free(cache), bool(repository.files) and folder.is_complete())


def fetch(hub: Connection, repository: Repository, cache: Path, tell: Tell, wait: Sleep = time.sleep) -> Path:
    """Bring a model here and return its folder. Raises HubError; what has arrived stays then, and is gone on with.

    What is here already is compared with its checksum and, where it is damaged, fetched again.

    tell: called with the bytes of the whole model that have arrived, the file that is under way, and whether it is
    being compared with its checksum.
    """
    if repository.reason:
        raise HubError("This cannot be fetched", repository.reason)
    folder = CacheFolder(cache, repository)
    space = space_for(repository, cache)
    if not space.is_enough:
        raise HubError(
            "There is not enough space",
            f"{size(space.missing)} are still to come and {size(space.free)} are free where models are kept ({cache}). "
            f"Free some space, so that {size(RESERVE)} are left.",
        )
    try:
        folder.prepare()
        with filelock.FileLock(folder.lock, timeout=_LOCK_PATIENCE):
            return _fetch_all(Transfer(hub, repository, folder, wait), repository, folder, tell)
    except filelock.Timeout:
        raise HubError(
            "It is being fetched already", "Another Espalier fetches this model into the same folder."
        ) from None
    except OSError as error:
        raise disk_fault(error, str(cache)) from error


def discard(repository: Repository, cache: Path) -> None:
    """Remove what a download that was given up has left. Another program's files stay."""
    CacheFolder(cache, repository).discard()


def _fetch_all(transfer: Transfer, repository: Repository, folder: CacheFolder, tell: Tell) -> Path:
    done = 0
    for file in sorted(repository.files, key=lambda file: file.size):
        tell(done, file.name, folder.arrived(file) == file.size)
        if not folder.is_whole(file) and not folder.adopt(file):
            transfer.fetch(file, partial(_tell_of, tell, done, file.name))
        done += file.size
        tell(done, file.name, False)
    return folder.publish()


def _tell_of(tell: Tell, before: int, name: str, arrived: int, is_checked: bool) -> None:
    tell(before + arrived, name, is_checked)


def _free(folder: Path) -> int:
    for place in (folder, *folder.parents):
        with suppress(OSError):
            return shutil.disk_usage(place).free
    return -1
