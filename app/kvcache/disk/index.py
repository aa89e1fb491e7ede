"""The index of a snapshot folder: where in the trie each file belongs, told without opening any of them.

It is a hint, but for the owners, which it knows better than the files. Files that it does not list are read one by one,
what it lists and is not there is ignored, and when it is missing or damaged all files are read. It lies in one file,
whole or not at all:

    "espalier snapshots 3\\n", SHA-256 of what follows (32 bytes), length of the table (8 bytes little-endian),
    the table as JSON, one row for an entry, then tokens (4 bytes each, little-endian).

Entries stand as one comes by them depth first, so that one whose path is another's prefix comes first. A path is the
number of tokens that it shares with the entry before it, and the rest: whole paths are held nowhere, since all of them
together take the square of what a long one does.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import struct
import sys
from array import array
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from app.kvcache.disk import files
from app.kvcache.disk.files import DamagedFileError, SnapshotFile, Tensor
from app.kvcache.disk.layout import PATH
from app.kvcache.node import Runs

Kind = Literal["rows", "state"]

_TITLE = b"espalier snapshots 3\n"
_HEAD = len(_TITLE) + 32 + 8
_MOST = 1 << 53  # more than anything is counted to
_KEY = re.compile("[0-9a-f]{32}")
_LONGEST_IDENTITY = 96


class Entry(NamedTuple):
    """Content of one file: rows over [start, end) of a path, or the whole state at its end.

    name and nbytes: of the file, "" and 0 before it is written. uses, last_use, used_at: as the trie counts them, of
    the rows or of the state. owners: conversations that it was computed for. runs, above: which calls computed the
    rows, and those that the file was computed on, see `FileRef`. erased: how many owners had been erased from the
    folder when the file was written; the index does not tell.
    """

    name: str
    nbytes: int
    kind: Kind
    start: int
    end: int
    uses: float = 0.0
    last_use: int = 0
    used_at: float = 0.0
    owners: tuple[str, ...] = ()
    runs: Runs = ()
    above: str = ""
    erased: int = 0

    @property
    def about(self) -> dict[str, str]:
        """Entry as it stands in the file itself, beside the path, so that the index can be made again."""
        return {
            "kind": self.kind,
            "start": str(self.start),
            "uses": repr(self.uses),
            "last_use": str(self.last_use),
            "used_at": repr(self.used_at),
            "owners": " ".join(self.owners),
            "runs": _spelt(self.runs),
            "above": self.above,
            "erased": str(self.erased),
        }


class Listed(NamedTuple):
    """An entry and its path: the first `shared` tokens of the path of the one listed before it, then `fresh`."""

    entry: Entry
    shared: int
    fresh: array[int]


def path_tensor(path: array[int]) -> Tensor:
    """Return the tokens of a path as a file holds them."""
    return Tensor(PATH, "I32", (len(path),), _bytes_of(path))


def path_length(file: SnapshotFile) -> int:
    """Return how many tokens a file's path has, 0 when it has none."""
    return math.prod(file.kinds[PATH][1]) if PATH in file.kinds else 0


def read_entry(file: SnapshotFile) -> tuple[Entry, array[int]]:
    """Return what a file says of itself, and tokens [0, end) of its path.

    Raises DamagedFileError when it says too little, OSError when it cannot be read.
    """
    about, tensor = file.about, file.tensor(PATH)
    try:
        if tensor.dtype != "I32":
            raise ValueError(f"tokens of the type {tensor.dtype}")
        kind, start, path = _kind(about["kind"]), int(about["start"]), _tokens_of(tensor.data)
        uses, last_use, used_at = float(about["uses"]), int(about["last_use"]), float(about["used_at"])
        owners = tuple(about["owners"].split())
        made_by = _runs(about["runs"]), about["above"], int(about["erased"])
        entry = Entry(file.path.name, file.nbytes, kind, start, len(path), uses, last_use, used_at, owners, *made_by)
        _require_sound(entry)
    except (KeyError, ValueError) as error:
        raise DamagedFileError(f"{file.path.name} does not say what it holds: {error}.") from error
    return entry, path


def save(entries: Iterable[Listed]) -> bytes:
    """Return the index of these entries."""
    rows: list[Sequence[object]] = []
    tokens = array("i")
    for entry, shared, fresh in entries:
        times = entry.uses, entry.last_use, entry.used_at, " ".join(entry.owners)
        made_by = _spelt(entry.runs), entry.above
        rows.append((entry.name, entry.nbytes, entry.kind, entry.start, shared, len(fresh), *times, *made_by))
        tokens += fresh
    table = json.dumps(rows, separators=(",", ":")).encode()
    body = struct.pack("<Q", len(table)) + table + _bytes_of(tokens)
    return _TITLE + hashlib.sha256(body).digest() + body


def load(data: bytes) -> list[Listed]:
    """Return the entries as they were saved. Raises ValueError when anything is not as it was saved."""
    body = memoryview(data)[len(_TITLE) + 32 :]
    if len(data) < _HEAD or not data.startswith(_TITLE):
        raise ValueError("this is not an index of snapshots")
    if hashlib.sha256(body).digest() != data[len(_TITLE) : len(_TITLE) + 32]:
        raise ValueError("the index holds other bytes than were written")
    table_bytes = struct.unpack("<Q", body[:8])[0]
    tokens = _tokens_of(bytes(body[8 + table_bytes :]))
    try:
        return _entries(json.loads(bytes(body[8 : 8 + table_bytes])), tokens)
    except (TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(f"the index has a row that is none: {error}") from error


def _entries(rows: Any, tokens: array[int]) -> list[Listed]:
    """Raises ValueError or TypeError when a row is not what `save` writes."""
    entries: list[Listed] = []
    before = at = 0  # end of the path before, and of the tokens that were used
    for name, nbytes, kind, start, shared, fresh, uses, last_use, used_at, owners, runs, above in rows:
        if not 0 <= shared <= before or not 0 <= fresh <= len(tokens) - at:
            raise ValueError(f"an entry of {shared} shared and {fresh} fresh tokens")
        before = shared + fresh
        times = uses, last_use, used_at
        made_by = tuple(owners.split()), _runs(runs), above
        entry = Entry(name, nbytes, _kind(kind), start, before, *times, *made_by)
        _require_sound(entry)
        entries.append(Listed(entry, shared, tokens[at : at + fresh]))
        at += fresh
    if at != len(tokens):
        raise ValueError(f"{len(tokens) - at} tokens are left over")
    return entries


def _require_sound(entry: Entry) -> None:
    """Raises ValueError when an entry is not what a file can say of itself."""
    counts = entry.nbytes, entry.start, entry.last_use, entry.erased
    numbers = entry.uses, entry.used_at
    is_counted = all(type(number) is int and 0 <= number <= _MOST for number in counts)
    is_measured = all(type(number) in (int, float) and 0 <= number <= _MOST for number in numbers)  # NaN is not
    if not (files.is_name(entry.name) and is_counted and is_measured and entry.start < entry.end):
        raise ValueError(f"an entry with the figures {counts} and {numbers} over {entry.end} tokens")
    begun = [start for _, start in entry.runs]
    follow = begun == sorted(set(begun)) and begun[:1] == [entry.start] and begun[-1] < entry.end if begun else True
    is_made = bool(begun) == (entry.kind == "rows") and all(_KEY.fullmatch(key) for key, _ in entry.runs)
    if not (follow and is_made and isinstance(entry.above, str) and len(entry.above) <= _LONGEST_IDENTITY):
        raise ValueError(f"an entry of {len(begun)} runs from {begun[:1]} on")


def _kind(word: str) -> Kind:
    if word == "rows":
        return "rows"
    if word == "state":
        return "state"
    raise ValueError(f"an entry of the kind “{word}”")


def _spelt(runs: Runs) -> str:
    return " ".join(f"{key}:{start}" for key, start in runs)


def _runs(text: str) -> Runs:
    """Raises ValueError when the text is not what `_spelt` gives."""
    return tuple((key, int(start)) for key, start in (run.split(":") for run in text.split()))


def _bytes_of(tokens: array[int]) -> bytes:
    return _swapped(tokens).tobytes()


def _tokens_of(data: bytes) -> array[int]:
    """Raises ValueError when the bytes are no whole number of tokens."""
    tokens = array("i")
    tokens.frombytes(data)
    return _swapped(tokens)


def _swapped(tokens: array[int]) -> array[int]:
    """Return tokens in the files' byte order, or back from it. All machines that run MLX have that order already."""
    if sys.byteorder == "big":
        tokens = tokens[:]
        tokens.byteswap()
    return tokens
