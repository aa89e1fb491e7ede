"""The sentences about cached state on disk: what became of it, what stands in its way, what deleting it means."""

from __future__ import annotations

import errno
import os

from app.protocol.deadline import NO_ANSWER
from app.protocol.events import Pinned
from app.protocol.reports import Problem
from app.protocol.trie_view import TrieView
from app.viewmodels.text import formatting

_FULL = frozenset({os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT)})
_NO_ROOM = Problem(
    "Little space is left on the disk: snapshots are off",
    f"Conversations are still saved. Espalier leaves at least a twentieth of the disk free, 5{formatting.HARD}GB on "
    "most; free some space, and snapshots begin again by themselves.",
)
_IS_FULL = Problem(
    "The disk is full: snapshots are off",
    "Conversations are saved as long as there is room for their words. Free some space, or choose less under Cache > "
    "Disk Budget; snapshots begin again by themselves.",
)
_IS_AWAY = Problem(
    "The disk of the cache files does not answer",
    "Conversations are kept elsewhere and are not concerned. What lies there is computed again when it is needed; the "
    "disk is tried again every minute.",
)

DELETE_TITLE = "Delete all cache files?"
DELETED = "The cache files are deleted. Conversations are as they were; new files are written as you go on."
OFF = "The disk is not used any more and the cache files are deleted. Conversations are as they were."
FORGOTTEN = (
    "The cached state that only this conversation used is deleted. Its words stay; they are computed again when you "
    "go on."
)


def trouble(view: TrieView, is_wanted: bool) -> Problem | None:
    """Why nothing is written to the disk although it is wanted, and what to do; None while all is well or not known.

    is_wanted: a model whose state can be kept is open, and the person did not turn the disk off.
    """
    if not is_wanted or not view.serial:
        return None
    if view.disk_problem in _FULL:
        return _IS_FULL
    if view.disk_problem == NO_ANSWER:
        return _IS_AWAY
    if view.disk_problem:
        sentence = (
            f"The system says: {view.disk_problem}. Conversations are kept elsewhere and are not concerned. See to the "
            "folder (Cache > Show Cache Files), or choose Off under Cache > Disk Budget."
        )
        return Problem("Snapshots cannot be written", sentence)
    return None if view.disk_allowed_bytes else _NO_ROOM


def dropped(view: TrieView) -> str:
    """ "2 cache files were dropped", or nothing."""
    count = view.dropped_files
    return f"{formatting.plural(count, 'cache file')} {'was' if count == 1 else 'were'} dropped" if count else ""


def shares(view: TrieView) -> tuple[str, ...]:
    """Say how full the disk's part is, in fewer and fewer words: "4.6 of 20 GB on disk", "4.6 of 20 GB"."""
    used = formatting.size(view.disk_bytes) if view.disk_bytes else "0"
    if not view.disk_allowed_bytes:
        return (f"{used} on disk",)
    share = formatting.share(view.disk_bytes, view.disk_allowed_bytes)
    return (f"{share} on disk", share)


DROPPED_MEANS = "What could not be written or was damaged is computed again when it is needed."


def deletion(view: TrieView, folder: str) -> str:
    """Say what is deleted and what is not, for whoever is asked whether to."""
    amount = f"All cached state in {folder}" + (f", {formatting.size(view.disk_bytes)}," if view.disk_bytes else "")
    return (
        f"{amount} is deleted, of every model that you used. Conversations are safe: no word of them is touched. "
        "Branches that were only on disk are computed again when you go on with them."
    )


def pinned(event: Pinned) -> str:
    """Say what became of a pin that was not refused."""
    if event.is_pinned:
        return (
            f"Pinned: {formatting.tokens(event.tokens)} of this branch stay, whatever needs room, also after a restart."
        )
    if not event.tokens:  # of another model's, or of what was not held yet
        return "No longer pinned."
    return f"No longer pinned: {formatting.tokens(event.tokens)} of this branch may make room for others again."
