"""The files that a person asks for: written whole or not at all, under names that every system takes."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from app.conversation.message import storable
from app.exchange.faults import writing
from app.protocol.excerpts import one_line

_REFUSED = re.compile(r'[/\\:*?"<>|]+')
_LONGEST = 120  # bytes of a name without its ending; file systems take 255 of the whole
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")


def file_name(title: str | None, suffix: str) -> str:
    """Make a name for the file of a conversation: its title, without what a system would not take."""
    words = " ".join(_REFUSED.sub(" ", one_line(storable(title or ""))).split()).strip(". ")
    short = words.encode()[:_LONGEST].decode(errors="ignore").rstrip(". ")
    return f"{'Conversation' if not short or _DEVICES.fullmatch(short) else short}{suffix}"


def save(path: Path, pieces: Iterable[str]) -> None:
    """Save a text in UTF-8 at this path; what was there before stays until the text is whole on the disk.

    A link stays one: what it points to is replaced. Raises ExchangeError, and what the pieces raise; then nothing has
    changed.
    """
    with saving(path) as file:
        for piece in pieces:
            file.write(storable(piece).encode())


@contextlib.contextmanager
def saving(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes this path when it is whole on the disk; what was there before stays until then.

    A link stays one: what it points to is replaced. Raises ExchangeError. Whatever is raised meanwhile leaves all as it
    was.
    """
    with writing(path.name):
        place = Path(os.path.realpath(path))
        if place.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        part = place.with_name(f".espalier-{uuid.uuid4().hex}.part")
        try:
            with part.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            part.replace(place)
        except BaseException:
            with contextlib.suppress(OSError):
                part.unlink()
            raise
        _sync_folder(place.parent)


def _sync_folder(folder: Path) -> None:
    """Have the new name on the disk too, where a folder can be synced: the file is whole in any case."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
