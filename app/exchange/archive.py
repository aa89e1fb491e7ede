"""Archives, ChatGPT's export and Espalier's own, whose files are read where they lie: nothing is unpacked to the disk.

https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT. An archive tells the sizes of what it holds, and may lie:
they are looked at before anything is unpacked, and no more than was told is unpacked.
"""

from __future__ import annotations

import re
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import IO, Any, BinaryIO, cast

from app.exchange import limits
from app.exchange.faults import MalformedError, shown

BEGINNING = b"PK\x03\x04"
MANIFEST = "espalier.json"
LARGEST_DIRECTORY = 16 << 20  # bytes of the list of what is in it: over 100,000 entries

_OWN = re.compile(r".*\.espalier", re.DOTALL)
_INSIDE = re.compile(r"(?:.*/)?conversations(?:-[0-9]+)?\.json")  # large exports are divided
_IS_ENCRYPTED = 0x1  # of an entry's flags
_UNPACK = "Unpack it, then import the conversations in it."
_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OverflowError)


class Archive:
    """An open archive of conversations. Raises MalformedError for whatever is wrong with it."""

    def __init__(self, file: BinaryIO, largest: int, choose: str) -> None:
        """Find the conversations of an archive.

        largest: bytes that another program's may have together; choose: what to do when there are none.
        """
        with _unpacking():
            self._archive = zipfile.ZipFile(cast(IO[bytes], _Bounded(file)))
            everything = self._archive.infolist()
        self._manifest = next((one for one in everything if one.filename == MANIFEST), None)
        form, most = (_INSIDE, largest) if self._manifest is None else (_OWN, limits.LARGEST_ARCHIVE)
        found = [entry for entry in everything if form.fullmatch(entry.filename)]
        if not found and self._manifest is None:
            raise MalformedError("", "there is no “conversations.json” in the archive", choose)
        _check_apart(everything)
        if self._manifest is not None:
            _check_names(everything)
        for entry in (*found, *([] if self._manifest is None else [self._manifest])):
            _check_entry(entry, largest if entry is not self._manifest else limits.LARGEST_MANIFEST)
        self.size = sum(entry.file_size for entry in found)
        if self.size > most:
            raise MalformedError("", f"more than {most >> 20} MB are packed in it", "Import it in parts.")
        self._entries = sorted(found, key=lambda entry: entry.filename)

    @property
    def manifest(self) -> str:
        """Return what an archive of Espalier's own tells of itself; "" for another program's."""
        if self._manifest is None:
            return ""
        try:
            return b"".join(self._content(self._manifest, limits.LARGEST_MANIFEST)).decode()
        except UnicodeDecodeError as error:
            raise MalformedError(f"“{MANIFEST}”", "it is no text") from error

    def files(self, piece: int) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Yield the name of each file of conversations, and its content in pieces of so many bytes."""
        for entry in self._entries:
            yield shown(entry.filename), self._content(entry, piece)

    def _content(self, entry: zipfile.ZipInfo, piece: int) -> Iterator[bytes]:
        with _unpacking():
            file = self._archive.open(entry)
        with file:
            while True:
                with _unpacking():
                    found = file.read(piece)
                if not found:
                    return
                yield found


class _Bounded:
    """A file whose list of entries, which is read in one go, has a largest size."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def read(self, size: int = -1) -> bytes:
        """Read the next bytes."""
        if size > LARGEST_DIRECTORY:
            raise _wrong("it holds too many files")
        return self._file.read(size)


def _check_apart(entries: list[zipfile.ZipInfo]) -> None:
    """Each entry begins after the one before it ends: else a small archive holds the same data many times."""
    ordered = sorted(entries, key=lambda entry: entry.header_offset)
    if any(one.header_offset + one.compress_size > other.header_offset for one, other in pairwise(ordered)):
        raise _wrong("its files lie over one another")


def _check_names(entries: list[zipfile.ZipInfo]) -> None:
    """No two entries have one name: which of them counts would be a matter of chance."""
    names = Counter(entry.filename for entry in entries)
    twice = next((name for name, count in names.items() if count > 1), None)
    if twice is not None:
        raise _wrong(f"it holds {shown(twice)} more than once")


def _check_entry(entry: zipfile.ZipInfo, largest: int) -> None:
    name = shown(entry.filename)
    if entry.file_size > largest:
        raise MalformedError("", f"more than {largest >> 20} MB are packed in it as {name}", "Import it in parts.")
    if entry.flag_bits & _IS_ENCRYPTED:
        raise _wrong(f"{name} is locked with a password")
    if entry.filename.startswith("/") or ".." in entry.filename.split("/") or ":" in entry.filename:
        raise _wrong(f"the name {name} leads out of it")
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise _wrong(f"{name} is a link")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise _wrong(f"{name} is packed in a way that this program does not know")


def _wrong(reason: str) -> MalformedError:
    return MalformedError("", f"the archive cannot be unpacked ({reason})", _UNPACK)


@contextmanager
def _unpacking() -> Iterator[None]:
    """Says of what is wrong with the archive that it cannot be unpacked."""
    try:
        yield
    except _ERRORS as error:
        raise _wrong(str(error)) from error
