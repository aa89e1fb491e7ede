"""How much of a disk snapshots may take. Sizes are bytes; a GB is 10^9 of them, as disks are sold and shown."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

GB = 10**9
MOST = 20 * GB  # of snapshots, unless the person chose otherwise
SHARE = 10  # and at most one part in so many of the free space
LEFT_FREE = 5 * GB
LEFT_SHARE = 20  # and one part in so many of the whole disk
_TINY = 4 * LEFT_FREE


class Disk(NamedTuple):
    """Bytes of the disk that a folder lies on: of all of it, and what is free for this person."""

    total: int
    free: int


def allowed(disk: Disk, budget_bytes: int | None, used_bytes: int) -> int:
    """Return the most that snapshots may take now, what they have taken included.

    budget_bytes: what the person chose, None for the default. used_bytes: what snapshots take already; it counts as
    free where a share of the free space is meant, lest the budget shrink as it fills.
    """
    budget = min(MOST, (disk.free + used_bytes) // SHARE) if budget_bytes is None else budget_bytes
    return max(min(budget, disk.free + used_bytes - left_free(disk)), 0)


def left_free(disk: Disk) -> int:
    """Return what must stay free: 5 GB or a twentieth of the disk, whichever is more, so that both promises hold.

    On a disk below 20 GB 5 GB would be more than a quarter of it, and nothing could be kept: there it is a twentieth.
    """
    share = disk.total // LEFT_SHARE
    return share if disk.total < _TINY else max(share, LEFT_FREE)


def disk_of(folder: Path) -> Disk:
    """Return the disk of a folder, or of the nearest one above it that exists. Raises OSError."""
    there = next((path for path in (folder, *folder.parents) if path.exists()), folder)
    usage = shutil.disk_usage(there)
    return Disk(usage.total, usage.free)
