"""One download, as a value, and the file in which those that are not finished outlive the program."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Sequence
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path

from app.hub.address import AddressError, endpoint, is_repository
from app.protocol.dataclass import dataclass
from app.protocol.plain_files import read_plain, write_whole
from app.protocol.reports import Problem

logger = logging.getLogger(__name__)

_LARGEST, _MOST = 1 << 20, 100
_COMMIT_LENGTH = 40


class Stage(StrEnum):
    """Stages of a download. WAITING: behind another one. STOPPED: by a fault, and to be gone on with.

    GIVEN_UP: what has arrived is to be removed.
    """

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"
    READY = "ready"
    GIVEN_UP = "given up"


@dataclass(frozen=True, slots=True)
class Download:
    """A model that is to be here. done: bytes of `total` that have arrived. path: of the model, once it is READY."""

    name: str
    commit: str
    endpoint: str
    total: int
    done: int = 0
    stage: Stage = Stage.WAITING
    is_checked: bool = False
    problem: Problem | None = None
    path: str = ""

    @property
    def key(self) -> str:
        """Return what tells it from every other download."""
        return f"{self.endpoint}/{self.name}"


class DownloadFile:
    """A file that is written on a thread of its own, since a disk under a download is slow. For one thread to use."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._next: tuple[Download, ...] | None = None
        self._thread: threading.Thread | None = None

    def write(self, downloads: Sequence[Download]) -> None:
        """Have these written, in place of what still waits to be. Returns at once; a fault costs the list alone."""
        with self._lock:
            self._next = tuple(downloads)
            if self._thread is None:
                self._thread = threading.Thread(target=self._write_all, name="downloads", daemon=True)
                self._thread.start()

    def close(self, patience: float) -> None:
        """Wait at most so many seconds until everything is written."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join(patience)

    def _write_all(self) -> None:
        while True:
            with self._lock:
                downloads, self._next = self._next, None
                if downloads is None:
                    self._thread = None
                    return
            try:
                write_downloads(self._path, downloads)
            except OSError as error:
                logger.warning("the list of downloads was not saved: %s", error)


def write_downloads(path: Path, downloads: Sequence[Download]) -> None:
    """Keep those that are not finished. Raises OSError."""
    kept = [asdict(replace(one, problem=None)) for one in downloads if one.stage is not Stage.READY]
    write_whole(str(path), json.dumps(kept[:_MOST], indent=1) + "\n")


def read_downloads(path: Path) -> list[Download]:
    """Return what was kept, paused or given up: nothing goes online by itself. What makes no sense is left out."""
    try:
        found = json.loads(read_plain(path, _LARGEST))
    except FileNotFoundError:
        return []
    except (OSError, ValueError, RecursionError) as error:
        logger.warning("the list of downloads was not read: %s", error)
        return []
    read = [one for entry in (found if isinstance(found, list) else [])[:_MOST] if (one := _download(entry))]
    return list({one.key: one for one in read}.values())


def _download(entry: object) -> Download | None:
    match entry:
        case {"name": str(name), "commit": str(commit), "endpoint": str(hub), "total": int(total), "done": int(done)}:
            assert isinstance(entry, dict)
            try:
                is_sound = endpoint(hub) == hub and is_repository(name) and 0 <= done <= total < 1 << 53
            except AddressError:
                return None
            if is_sound and len(commit) == _COMMIT_LENGTH and commit.isalnum() and commit.isascii():
                stage = Stage.GIVEN_UP if entry.get("stage") == Stage.GIVEN_UP else Stage.PAUSED
                return Download(name, commit, hub, total, done, stage)
    return None
