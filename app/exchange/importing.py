"""One door for all files: what a file is shows in what it holds, not in its name."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.conversation.records import Document
from app.exchange import chatgpt, open_webui
from app.exchange.espalier import document_of, is_espalier
from app.exchange.faults import MalformedError, reading, shown
from app.exchange.grafting import Plant, grafted
from app.exchange.json_text import decoded, parsed
from app.exchange.notes import Notes
from app.exchange.spot import Spot, spot_of

LARGEST = 256 << 20  # bytes of a file, and of what is unpacked from one

_ZIP = b"PK\x03\x04"
_INSIDE = re.compile(r"(?:.*/)?conversations(?:-[0-9]+)?\.json")  # large exports are divided
_FORMS: tuple[tuple[Callable[[Any], bool], Callable[[Spot, Notes], Plant]], ...] = (
    (chatgpt.is_chatgpt, chatgpt.plant_of),
    (open_webui.is_open_webui, open_webui.plant_of),
)
_CHOOSE = "Choose an .espalier document, or the JSON that ChatGPT or Open WebUI exports."


@dataclass(frozen=True, slots=True)
class Imported:
    """The conversations of a file, in its order, and sentences about what of it was left out or changed."""

    documents: tuple[Document, ...]
    notes: tuple[str, ...] = ()


def read_file(path: Path) -> Imported:
    """What a file holds. ExchangeError when it cannot be read, or is none of those that are known."""
    with reading(path.name):
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        return _imported(data)


def read_any(name: str, data: bytes) -> Imported:
    """What the content of a file holds. `name` is for the sentence of the ExchangeError."""
    with reading(name):
        return _imported(data)


def _imported(data: bytes) -> Imported:
    _check_size(len(data))
    notes = Notes()
    texts = _unpacked(data) if data.startswith(_ZIP) else [("", data)]
    documents = [document for place, text in texts for document in _in_text(place, text, notes)]
    if not documents:
        raise MalformedError("", "there is no conversation in it", _CHOOSE)
    return Imported(tuple(documents), notes.sentences)


def _in_text(place: str, data: bytes, notes: Notes) -> list[Document]:
    try:
        return _documents(parsed(decoded(data)), notes)
    except MalformedError as error:
        raise MalformedError(place, str(error), error.advice) if place else error from None


def _documents(value: Any, notes: Notes) -> list[Document]:
    if is_espalier(value):
        return [document_of(value)]
    if not isinstance(value, list):
        return _one(value, "", notes)
    return [found for number, one in enumerate(value, 1) for found in _one(one, f"conversation {number}", notes)]


def _one(value: Any, place: str, notes: Notes) -> list[Document]:
    for is_it, plant_of in _FORMS:
        if is_it(value):
            document = grafted(plant_of(spot_of(value, place), notes), notes)
            return [] if document is None else [document]
    raise MalformedError(place, "this is no conversation in a form that Espalier knows", _CHOOSE)


def _check_size(size: int) -> None:
    if size > LARGEST:
        raise MalformedError("", f"it has more than {LARGEST >> 20} MB", "Divide it, then import the parts.")
    if size == 0:
        raise MalformedError("", "it is empty", _CHOOSE)


def _unpacked(data: bytes) -> list[tuple[str, bytes]]:
    """The conversations in ChatGPT's archive: what each file is called, and what it holds."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [entry for entry in archive.infolist() if _INSIDE.fullmatch(entry.filename)]
            if not entries:
                raise MalformedError("", "there is no “conversations.json” in the archive", _CHOOSE)
            found: list[tuple[str, bytes]] = []
            left = LARGEST
            for entry in sorted(entries, key=lambda entry: entry.filename):
                if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise zipfile.BadZipFile("packed in a way that this program does not know")
                with archive.open(entry) as file:
                    content = file.read(left + 1)
                left -= len(content)
                if left < 0:
                    raise MalformedError("", f"more than {LARGEST >> 20} MB are packed in it", "Import it in parts.")
                found.append((shown(entry.filename), content))
            return found
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        reason = f"the archive cannot be unpacked ({error})"
        raise MalformedError("", reason, "Unpack it, then import the “conversations.json” in it.") from error
