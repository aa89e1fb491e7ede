"""What lies in a folder, with an end to the looking."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from app.protocol.dataclass import dataclass

MOST_ENTRIES = 10_000


@dataclass(frozen=True, slots=True)
class Contents:
    """The entries of a folder, links followed.

    files: their sizes in bytes by name. folders: names. odd: names of pipes, devices and the like. lost: names of links
    that lead nowhere, as a download that was broken off leaves them.
    """

    path: Path
    files: dict[str, int]
    folders: tuple[str, ...]
    odd: tuple[str, ...]
    lost: tuple[str, ...]


def list_folder(path: Path) -> Contents:
    """List a folder. Raises OSError where it cannot be read, or has more entries than any model has."""
    files: dict[str, int] = {}
    folders: list[str] = []
    odd: list[str] = []
    lost: list[str] = []
    with os.scandir(path) as entries:
        for number, entry in enumerate(entries):
            if number >= MOST_ENTRIES:
                raise OSError(errno.E2BIG, "more entries than any model has", str(path))
            try:
                found = entry.stat()
            except OSError:
                lost.append(entry.name)
                continue
            if stat.S_ISREG(found.st_mode):
                files[entry.name] = found.st_size
            elif stat.S_ISDIR(found.st_mode):
                folders.append(entry.name)
            else:
                odd.append(entry.name)
    return Contents(path, files, tuple(sorted(folders)), tuple(odd), tuple(lost))
