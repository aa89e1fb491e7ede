"""The import of files of any form: what a file is shows in what it holds, not in its name."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from app.conversation.records import Document, Folder
from app.exchange import archive, limits
from app.exchange.archive import Archive
from app.exchange.collection import folders_of
from app.exchange.conversations import CHOOSE, ConversationReader
from app.exchange.faults import MalformedError, reading
from app.exchange.json_text import PIECE, JsonReader, decoded
from app.exchange.notes import Notes

Watch = Callable[[float], None]  # hears often which share is read; what it raises ends the reading


@dataclass(frozen=True, slots=True)
class Imported:
    """The conversations of a file, in its order, and sentences about what of it was left out or changed."""

    documents: tuple[Document, ...]
    notes: tuple[str, ...] = ()


class FileImport:
    """The conversations of a file, read one after the other while they are asked for.

    A file that turns out to be broken has given some already: whoever keeps them keeps all or none. Attributes: notes,
    what was left out or changed so far; folders, those that an archive of Espalier's own tells.
    """

    def __init__(self, path: Path, watch: Watch | None = None) -> None:
        self._path = path
        self._watch = watch
        self.notes = Notes()
        self.folders: tuple[Folder, ...] = ()

    def __iter__(self) -> Iterator[Document]:
        """Read the file. Raises ExchangeError when it cannot be read, or its form is not known."""
        with reading(self._path.name):
            if not stat.S_ISREG(os.stat(self._path).st_mode) and not self._path.is_dir():
                raise MalformedError("", "it is a device or a pipe, and no file", CHOOSE)
            with self._path.open("rb") as file:
                yield from _documents(file, self.notes, self._watch, self._note_folders)

    def _note_folders(self, folders: tuple[Folder, ...]) -> None:
        self.folders = folders


def read_file(path: Path) -> Imported:
    """Read all conversations of a file. Raises ExchangeError when it cannot be read, or its form is not known."""
    found = FileImport(path)
    return Imported(tuple(found), found.notes.sentences)


def read_any(name: str, data: bytes) -> Imported:
    """Read all conversations from the content of a file. Raises ExchangeError, whose sentence names `name`."""
    notes = Notes()
    with reading(name):
        return Imported(tuple(_documents(io.BytesIO(data), notes, None)), notes.sentences)


def _documents(
    file: BinaryIO,
    notes: Notes,
    watch: Watch | None,
    note_folders: Callable[[tuple[Folder, ...]], None] = lambda _folders: None,
) -> Iterator[Document]:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    is_packed = file.read(len(archive.BEGINNING)) == archive.BEGINNING
    most = limits.LARGEST_ARCHIVE if is_packed else limits.LARGEST_FILE
    if size > most:
        reason = f"it has more than {most >> 20} MB"
        raise MalformedError("", reason, "Divide it, then import the parts.")
    if size == 0:
        raise MalformedError("", "it is empty", CHOOSE)
    if is_packed:
        packed = Archive(file, limits.LARGEST_FILE, CHOOSE)
        if packed.manifest:
            note_folders(folders_of(packed.manifest))
        size, files = packed.size, packed.files(PIECE)
    else:
        files = iter([("", _pieces(file, size))])
    progress = _Progress(size, watch)
    reader = ConversationReader(notes, progress.tell)
    count = 0
    for place, pieces in files:
        try:
            for document in reader.documents(JsonReader(decoded(progress.of(pieces)))):
                count += 1
                yield document
        except MalformedError as error:
            raise MalformedError(place, str(error), error.advice) if place else error from None
    if not count:
        raise MalformedError("", "there is no conversation in it", CHOOSE)


def _pieces(file: BinaryIO, size: int) -> Iterator[bytes]:
    """Yield what the file held when it was opened, in pieces."""
    file.seek(0)
    while size > 0 and (piece := file.read(min(PIECE, size))):
        size -= len(piece)
        yield piece


class _Progress:
    """Progress through all files: how much of them was read."""

    def __init__(self, size: int, watch: Watch | None) -> None:
        self._size = size
        self._watch = watch
        self._read = 0

    def of(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the pieces, each counted."""
        for piece in pieces:
            self._read += len(piece)
            self.tell()
            yield piece

    def tell(self) -> None:
        """Tell whoever watches how far the reading is; they may end it."""
        if self._watch is not None:
            self._watch(min(1.0, self._read / max(1, self._size)))
