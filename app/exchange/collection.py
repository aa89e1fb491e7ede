"""The archive of everything: a zip file with an .espalier document for each conversation, and the names of folders.

Beside the documents stands `espalier.json`: {"format": "espalier archive", "version": 1, "folders": [{"id": …, "name":
…}, …]}. A document's "folder" is one of these ids. Nothing but one document at a time is held in memory, on either way.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable
from pathlib import Path

from app.conversation.message import checked_id, storable
from app.conversation.records import Document, Folder
from app.exchange import limits
from app.exchange.archive import MANIFEST
from app.exchange.espalier import written
from app.exchange.faults import ExchangeError, MalformedError
from app.exchange.files import file_name, saving
from app.exchange.json_object import require_object
from app.exchange.json_text import parsed
from app.protocol.reports import Problem

SUFFIX = ".espalier"
FORMAT = "espalier archive"
VERSION = 1
_PLACE = f"“{MANIFEST}”"


def save_all(path: Path, folders: Iterable[Folder], documents: Iterable[Document]) -> int:
    """Save all documents as one archive at this path; what was there before stays until it is whole on the disk.

    Returns how many there were. Raises ExchangeError, also where it would be larger than what can be read again, and
    what the documents raise; then nothing has changed.
    """
    count = size = messages = 0
    with saving(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        manifest = {"format": FORMAT, "version": VERSION, "folders": [_written(one) for one in folders]}
        archive.writestr(MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1))
        for count, document in enumerate(documents, 1):
            messages += len(document.messages)
            title = document.conversation.title
            with archive.open(f"conversations/{count:05d} {file_name(title, SUFFIX)}", "w") as entry:
                for piece in written(document):
                    data = storable(piece).encode()
                    size += len(data)
                    entry.write(data)
            _require_readable(count, messages, size)
    return count


def folders_of(text: str) -> tuple[Folder, ...]:
    """Return the folders that the manifest of an archive tells. Raises MalformedError where it is none."""
    try:
        file = require_object(parsed(text), _PLACE)
        if file.text("format") != FORMAT:
            raise file.wrong("format", f"has to be “{FORMAT}”")
        if (file.integer("version", 10**6) or 0) > VERSION:
            raise MalformedError("", "a newer Espalier has written it", "Open it with that version.")
        found = [
            (one, one.text("id") or "", one.whole_text("name", 200) or "") for one in file.each("folders", "folder")
        ]
    except RecursionError as error:
        raise MalformedError(_PLACE, "it is nested too deep") from error
    folders: dict[str, Folder] = {}
    for entry, folder_id, name in found:
        try:
            folders.setdefault(folder_id, Folder(checked_id(folder_id), Folder.new(name).name))
        except ValueError as error:
            raise MalformedError(entry.place, str(error)) from error
    return tuple(folders.values())


def _written(folder: Folder) -> dict[str, str]:
    return {"id": folder.id, "name": folder.name}


def _require_readable(conversations: int, messages: int, size: int) -> None:
    """Refuse an archive that would be refused when it comes in."""
    if conversations > limits.MOST_CONVERSATIONS:
        reason = f"there are more than {limits.MOST_CONVERSATIONS} conversations"
    elif messages > limits.MOST_IN_A_FILE:
        reason = f"there are more than {limits.MOST_IN_A_FILE} messages"
    elif size > limits.LARGEST_ARCHIVE:
        reason = f"they come to more than {limits.LARGEST_ARCHIVE >> 20} MB"
    else:
        return
    sentence = f"No archive is made of them that could not be imported again: {reason}. Export them one by one."
    raise ExchangeError(Problem("Too much to be saved in one archive", sentence))
