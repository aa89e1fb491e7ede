"""What is said of models on a hub, and of downloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.protocol.memory import Memory
from app.viewmodels.hub.download import Download, Stage
from app.viewmodels.hub.hub_rows import fit_line, fits
from app.viewmodels.hub.hub_state import DownloadRow, Fact
from app.viewmodels.hub.rate import Rate
from app.viewmodels.kit.activity import Activity
from app.viewmodels.text import formatting
from app.viewmodels.text.formatting import DOT, HARD

if TYPE_CHECKING:
    from app.hub.messages import Description

_NAMED = 3  # files that are named one by one
_ACTIONS = {
    Stage.WAITING: "Pause",
    Stage.RUNNING: "Pause",
    Stage.PAUSED: "Resume",
    Stage.STOPPED: "Resume",
    Stage.READY: "Open",
}


def facts_of(found: Description, memory: Memory | None) -> tuple[Fact, ...]:
    """Say what one decides by before a download."""
    facts = [Fact("Size", _size(found))] if found.bytes else []
    facts.append(Fact("Licence", _licence(found)))
    fit = fit_line(found.bytes, memory)
    if fit:
        facts.append(Fact("Memory", fit, fits(found.bytes, memory) is False))
    if not found.path and found.bytes:
        facts.append(Fact("Disk", _disk(found), not found.is_room))
    if found.updated:
        facts.append(Fact("Updated", formatting.day(found.updated)))
    if found.files:
        facts.append(Fact("Files", _files(found)))
    if found.is_gated:
        facts.append(Fact("Access", "The authors grant it one by one, to accounts that ask for it."))
    return tuple(facts)


def row_of(download: Download, rate: Rate) -> DownloadRow:
    """Say how far a download is."""
    name = download.name.rpartition("/")[2]
    done = download.done / download.total if download.total else 0.0
    is_bad = download.stage is Stage.STOPPED
    return DownloadRow(download.key, name, _line(download, rate), done, _ACTIONS[download.stage], is_bad)


def activity_of(running: Download | None, rate: Rate) -> Activity:
    """Say in the status line which download runs, and how far it is."""
    if running is None:
        return Activity()
    done = running.done / running.total if running.total else None
    return Activity(f"Downloading {running.name.rpartition('/')[2]}{DOT}{_running(running, rate)}", done)


def paused(downloads: list[Download]) -> str:
    """Say at the start that downloads wait to go on."""
    names = downloads[0].name.rpartition("/")[2] if len(downloads) == 1 else f"{len(downloads)} models"
    left = sum(one.total - one.done for one in downloads)
    return f"The download of {names} was not finished: about {formatting.size(left)} are still to come."


def _line(download: Download, rate: Rate) -> str:
    share = formatting.share(download.done, download.total)
    match download.stage:
        case Stage.RUNNING:
            return _running(download, rate)
        case Stage.WAITING:
            return f"Waits for its turn{DOT}{share}"
        case Stage.READY:
            return f"Downloaded and checked{DOT}{formatting.size(download.total)}"
        case Stage.STOPPED if download.problem is not None:
            return f"{download.problem.title}. {download.problem.sentence}"
    return f"Paused{DOT}{share}"


def _running(download: Download, rate: Rate) -> str:
    share = formatting.share(download.done, download.total)
    if download.is_checked:
        return f"{share}{DOT}Comparing the checksum"
    per_second, left = rate.per_second, rate.seconds_left(download.total - download.done)
    if per_second is None:
        return f"{share}{DOT}Beginning" if not download.done else share
    if not per_second:
        return f"{share}{DOT}Waiting for the network"
    speed = f"{formatting.size(round(per_second))}/s"
    return f"{share}{DOT}{speed}" + (f"{DOT}{_left(left)} left" if left is not None else "")


def _left(seconds: float) -> str:
    """Write a time to come, coarser the longer it is."""
    if seconds < 57:
        return f"about {max(5, round(seconds / 5) * 5)}{HARD}s"
    if seconds < 5400:
        return f"about {round(seconds / 60)}{HARD}min"
    return f"about {round(seconds / 3600)}{HARD}h"


def _size(found: Description) -> str:
    if found.path:
        return f"{formatting.size(found.bytes)}, all of it here already"
    if found.missing < found.bytes:
        return f"{formatting.size(found.bytes)}, of which {formatting.size(found.missing)} are still to come"
    return formatting.size(found.bytes)


def _licence(found: Description) -> str:
    if not found.licence:
        return "The authors name none. Without one, nothing is permitted that the law does not."
    return f"{found.licence}, {found.licence_link}" if found.licence_link else found.licence


def _disk(found: Description) -> str:
    if found.free < 0:
        return f"Goes to {found.folder}"
    free = f"{formatting.size(found.free)} are free in {found.folder}"
    return free if found.is_room else f"Not enough space: {free}."


def _files(found: Description) -> str:
    named = ", ".join(found.files[:_NAMED])
    more = len(found.files) - _NAMED
    return f"{named} and {more} more; no code" if more > 0 else f"{named}; no code"
