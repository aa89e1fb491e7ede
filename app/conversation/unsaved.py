"""What the database could not be brought to take to the last, in a file for the next start: answers, and how
conversations were left.

The file lies beside the database, or in the system's folder for temporary files where there is no room for it or the
disk does not answer. It is private to its owner, and deleted when all of it is in the database: until then, what comes
to it stands after what is there.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from app.conversation.message import Message, new_id
from app.conversation.records import ViewState
from app.protocol.chat import Attachment

logger = logging.getLogger(__name__)

UnsavedRecord = Message | ViewState


def unsaved_files(database: Path) -> tuple[Path, ...]:
    """Return where answers that could not be saved may lie, whether they are there or not."""
    mark = hashlib.sha256(str(database.absolute()).encode()).hexdigest()[:16]
    beside = database.with_name(f"{database.stem}.unsaved.json")
    return beside, Path(tempfile.gettempdir(), f"espalier-{mark}.unsaved.json")


def write_unsaved(database: Path, records: Sequence[UnsavedRecord], *, is_hanging: bool = False) -> bool:
    """Write records to the first place that takes them; False where none does.

    is_hanging: the disk of the database does not answer, so nothing is tried there.
    """
    return any(_write(place, (*_read(place), *records)) for place in unsaved_files(database)[is_hanging:])


def read_unsaved(database: Path) -> Iterator[tuple[Path, tuple[UnsavedRecord, ...]]]:
    """Yield every file that is there, with its records. A file that is not ours, or damaged, is left where it is."""
    for place in unsaved_files(database):
        records = _read(place)
        if records:
            yield place, records


def _read(place: Path) -> tuple[UnsavedRecord, ...]:
    try:
        if place.is_file() and place.stat().st_uid == os.geteuid():
            return tuple(_record(found) for found in json.loads(place.read_bytes()))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        logger.warning("%s cannot be read: %s", place, type(error).__name__)
    return ()


def _write(place: Path, records: Sequence[UnsavedRecord]) -> bool:
    content = json.dumps([asdict(record) for record in records], ensure_ascii=False).encode()
    part = place.with_suffix(".part")
    try:
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(place)
    except OSError as error:
        logger.warning("%s cannot be written: %s", place, error)
        try:
            part.unlink(missing_ok=True)
        except OSError:
            logger.warning("%s cannot be deleted", part)
        return False
    return True


def _record(found: dict[str, object]) -> UnsavedRecord:
    for name in ("attachments", "attachments_aside"):
        if name in found:
            found[name] = tuple(Attachment(**one) for one in cast(list[Any], found[name]))
    if "draft" in found:
        if found["conversation_id"] is None:  # an earlier version wrote so of the blank conversation
            found |= {"conversation_id": new_id(), "is_blank": True, "window": 1}
        return ViewState(**found)  # type: ignore[arg-type]  # a misfit raises
    ids = found.pop("ids")
    return Message(**found, ids=None if ids is None else tuple(ids))  # type: ignore[arg-type]  # as above
