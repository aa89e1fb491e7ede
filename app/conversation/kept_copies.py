"""Files beside the database that hold conversations too, and how long they are kept."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from app.conversation.rescue import MAGIC
from app.conversation.schema import APPLICATION_ID

DAY = 86400.0  # seconds


def kept_copies(database: Path) -> tuple[Path, ...]:
    """Return old versions of a database, damaged ones and unfinished rescues.

    Another program's database that lay in this one's place is not among them.
    """
    stem, suffix = database.stem, database.suffix
    patterns = (
        f"{stem}.version-*",
        f"{stem}.damaged-*",
        f"{stem}{suffix}.rescued*",
        ".rescue-*",
        f"{stem}.unsaved.*",
    )
    found = sorted(file for pattern in patterns for file in database.parent.glob(pattern))
    return tuple(file for file in found if not _is_foreign(file))


def drop_copies(database: Path, now: float, older_than: float | None) -> None:
    """Delete the copies, or those that were written so many seconds before now. OSError where one cannot be deleted."""
    for file in kept_copies(database):
        written = file.stat().st_mtime
        if written > now + DAY:  # under a wrong clock: its time begins now
            os.utime(file, (now, now))
        if older_than is None or now - written >= older_than:
            _delete(file)


def _delete(file: Path) -> None:
    if file.is_dir():
        shutil.rmtree(file)
    else:
        file.unlink()


def _is_foreign(file: Path) -> bool:
    """Return whether this is a database that another program has made, or the journal of one."""
    database = file.with_name(file.name.removesuffix("-wal").removesuffix("-shm"))
    try:
        with database.open("rb") as opened:
            first = opened.read(72)
    except OSError:
        return False
    return first.startswith(MAGIC) and first[68:] != APPLICATION_ID.to_bytes(4, "big")
