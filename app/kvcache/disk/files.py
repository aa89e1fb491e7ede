"""Snapshot files: stored state on disk, one safetensors file for each piece of it, named by its own checksum.

Properties they keep:

1. A whole file's name is the SHA-256 of its content, so a file is damaged exactly when it hashes to another name.
2. A file is written aside, synced and renamed, and never changed afterwards: whoever has it open reads what was
   verified, also after it was deleted.
3. Only the owner can read a file or list its folder.
4. No link is followed below the folder of all models, and only regular files that are named as these are deleted.
5. A file says whose it was when it was written. Who was erased since is in a list beside it, in the order in which that
   was done, as the index may be lost.

Layout: 8 bytes little-endian length, that many bytes of JSON, then the data that the JSON's `data_offsets` point into
(https://huggingface.co/docs/safetensors, "Format"). Neither arrays nor threads are known here. Every function may raise
OSError; what is said of others is said there.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import math
import os
import re
import secrets
import stat
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple

SUFFIX = ".safetensors"
INDEX = "index"
ERASED = "erased"

_PART = ".part"
_PART_NAME = re.compile(r"[0-9a-f]{16}\.part")
_NAME = re.compile(r"[0-9a-f]{64}\.safetensors")
_CHUNK = 1 << 20  # bytes between two looks at whether to go on
_LONGEST_HEADER = 16 << 20
_FULL_SYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)

# Bytes of one element, by the format's names.
_SIZES = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2"), 1),
    **dict.fromkeys(("U16", "I16", "F16", "BF16"), 2),
    **dict.fromkeys(("U32", "I32", "F32"), 4),
    **dict.fromkeys(("U64", "I64", "F64", "C64"), 8),
}


def is_name(name: object) -> bool:
    """Return whether a whole file can be called so."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


class DamagedFileError(Exception):
    """Error of a snapshot file that is not what was written. It can be deleted: what it held is computed again."""


class AbandonedError(Exception):
    """Error of a write that was given up on because the caller wanted to stop; nothing of it is left."""


class Tensor(NamedTuple):
    """One array as bytes, little-endian and in row order. dtype: as safetensors names it, "BF16", "F32", "I32"."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    data: bytes


class Written(NamedTuple):
    """A whole file: its name within the folder, and its size."""

    name: str
    nbytes: int


FolderId = tuple[int, int]  # of a folder: its device and its number there, which stay when it is moved


def folder_id(folder: Path) -> FolderId:
    """Return what tells a folder from another one at the same path."""
    found = folder.stat()
    return found.st_dev, found.st_ino


def is_folder(path: Path) -> bool:
    """Return whether there is a folder, and no link to one. Raises OSError when that cannot be told."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except FileNotFoundError:
        return False


def prepare(folder: Path, root: FolderId | None = None) -> None:
    """Make the folder, and those above it that are missing, private to its owner.

    root: what the folder above it was; when that is gone, nothing is made again at the old place. Raises OSError then,
    and when a link stands in the folder's place.
    """
    if root is not None and (not folder.parent.exists() or folder_id(folder.parent) != root):
        raise OSError(errno.ENOENT, "The folder of the cache files was moved or deleted while the program ran")
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)
    _require_folder(folder)
    folder.chmod(0o700)


def _require_folder(folder: Path) -> None:
    """Raises NotADirectoryError when something else stands in the place of a folder."""
    if not is_folder(folder) and os.path.lexists(folder):
        raise NotADirectoryError(errno.ENOTDIR, f"“{folder.name}” is a link or a file in the place of a folder")


def check(tensors: Sequence[Tensor]) -> None:
    """Require that each tensor's bytes are of its type and shape, and no two have one name. Raises ValueError."""
    names = {"__metadata__"}
    for name, dtype, shape, data in tensors:
        if name in names or dtype not in _SIZES or len(data) != math.prod(shape) * _SIZES[dtype]:
            raise ValueError(f"{len(data)} bytes for “{name}”, {dtype} {shape}")
        names.add(name)


def size_of(tensors: Sequence[Tensor], about: Mapping[str, str]) -> int:
    """Return the bytes of the file that `write` would make of these."""
    return len(_header(_ordered(tensors), about)) + sum(len(tensor.data) for tensor in tensors)


def write(
    folder: Path, tensors: Sequence[Tensor], about: Mapping[str, str], may_go_on: Callable[[], bool] = lambda: True
) -> Written:
    """Write one file and return when it is on the disk. The data is not copied.

    may_go_on: asked before every MiB. Raises AbandonedError when it says no, ValueError as `check` does, and OSError;
    after any of them nothing of the file is left.
    """
    check(tensors)
    ordered = _ordered(tensors)
    parts = [_header(ordered, about), *(tensor.data for tensor in ordered)]
    digest = hashlib.sha256()

    def name() -> str:
        return digest.hexdigest() + SUFFIX

    def chunks() -> Iterator[memoryview]:
        for chunk in _chunks(parts):
            if not may_go_on():
                raise AbandonedError(f"writing to {folder} was given up on")
            digest.update(chunk)
            yield chunk

    _write_aside(folder, chunks(), name)
    return Written(name(), sum(map(len, parts)))


def write_index(folder: Path, data: bytes) -> None:
    """Put `data` in the place of the folder's index."""
    _write_aside(folder, _chunks([data]), lambda: INDEX)


def read_index(folder: Path) -> bytes | None:
    """Return the folder's index, None when there is none."""
    try:
        with _opened(folder / INDEX) as file:
            return file.read()
    except FileNotFoundError:
        return None


def sweep(folder: Path) -> dict[str, int]:
    """Return the names of the whole files in a folder and their sizes, and remove what an interrupted write left.

    Nothing may be writing there. A folder that does not exist has none; what is not a snapshot file is left alone.
    """
    found: dict[str, int] = {}
    _require_folder(folder)
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.is_file(follow_symlinks=False):
                    continue
                if _PART_NAME.fullmatch(entry.name):
                    os.unlink(entry)
                elif _NAME.fullmatch(entry.name):
                    found[entry.name] = entry.stat(follow_symlinks=False).st_size
    except FileNotFoundError:
        return {}
    return found


def delete(folder: Path, name: str) -> None:
    """Remove one file; one that is gone already is no error. What is no regular file stays."""
    _require_folder(folder)
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISREG((folder / name).lstat().st_mode):
            (folder / name).unlink()


def wipe(folder: Path) -> None:
    """Remove all files that this module makes in a folder, and the folder if nothing else is in it."""
    for name in sweep(folder):
        delete(folder, name)
    delete(folder, INDEX)
    delete(folder, ERASED)
    with contextlib.suppress(OSError):  # somebody else's file, or it is gone
        folder.rmdir()


def erased(folder: Path) -> list[str]:
    """Return the owners that were erased from a folder, in the order in which that was done."""
    try:
        with _opened(folder / ERASED) as file:
            return file.read().decode(errors="replace").split()
    except FileNotFoundError:
        return []


def add_erased(folder: Path, owner: str) -> None:
    """Note that an owner is being erased from a folder. The index, which may tell of them, goes first."""
    delete(folder, INDEX)
    owners = [*erased(folder), owner]
    _write_aside(folder, _chunks(["\n".join(owners).encode()]), lambda: ERASED)


class SnapshotFile:
    """One whole file, its header read and checked; what it says may be trusted after `verify`.

    about: what was written beside the tensors. nbytes: of the whole file. Making one raises DamagedFileError, as
    `tensor` and `verify` do.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with _opened(path) as file:
            self.nbytes = os.fstat(file.fileno()).st_size
            entries, self._start = _read_header(file.read, self.nbytes, path.name)
        self.about: dict[str, str] = entries.pop("__metadata__", {})
        self._tensors = _checked(entries, self.about, self.nbytes - self._start, path.name)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tensors, in the order of their data."""
        return tuple(self._tensors)

    @property
    def kinds(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Type and shape of each tensor."""
        return {name: (span.dtype, span.shape) for name, span in self._tensors.items()}

    def tensor(self, name: str) -> Tensor:
        """Return one tensor with its bytes. Raises DamagedFileError also when there is none of that name."""
        if name not in self._tensors:
            raise DamagedFileError(f"{self.path.name} has no tensor “{name}”.")
        dtype, shape, start, end = self._tensors[name]
        with _opened(self.path) as file:
            file.seek(self._start + start)
            data = file.read(end - start)
        if len(data) != end - start:
            raise DamagedFileError(f"{self.path.name} became shorter while it was read.")
        return Tensor(name, dtype, shape, data)

    def verify(self) -> None:
        """Compare the whole content with the name.

        SHA-256 is the fastest checksum at hand that finds everything: 2.0 GB/s in one thread of a processor that has
        instructions for it, as Apple's have, against 1.4 GB/s of BLAKE2b. Python's lock is not held meanwhile.
        """
        with _opened(self.path) as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest + SUFFIX != self.path.name:
            raise DamagedFileError(f"{self.path.name} holds other bytes than were written.")


def _opened(path: Path) -> BufferedReader:
    """Open a regular file for reading. Raises OSError on anything else, and does not wait for it."""
    number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, f"“{path.name}” is no regular file")
    return os.fdopen(number, "rb")


class _TensorSpan(NamedTuple):
    """A tensor's type and shape, and where its bytes lie within the data."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int


def _ordered(tensors: Sequence[Tensor]) -> list[Tensor]:
    """So that each is aligned."""
    return sorted(tensors, key=lambda tensor: -_SIZES[tensor.dtype])


def _header(tensors: Sequence[Tensor], about: Mapping[str, str]) -> bytes:
    """Return the first bytes of a file, up to where its data begins."""
    entries: dict[str, object] = {"__metadata__": dict(about)}
    at = 0
    for tensor in tensors:
        offsets = at, at + len(tensor.data)
        entries[tensor.name] = {"dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": offsets}
        at = offsets[1]
    text = json.dumps(entries, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text


def _read_header(read: Callable[[int], bytes], nbytes: int, name: str) -> tuple[dict[str, Any], int]:
    """Return the header's entries, and the offset where the data begins."""
    prefix = read(8)
    length = struct.unpack("<Q", prefix)[0] if len(prefix) == 8 else 0
    if not 2 <= length <= min(_LONGEST_HEADER, nbytes - 8):
        raise DamagedFileError(f"{name} is cut short, or it is not a snapshot: {nbytes} bytes.")
    try:
        entries = json.loads(read(length))
    except (ValueError, RecursionError) as error:
        raise DamagedFileError(f"{name} has a header that cannot be read.") from error
    if not isinstance(entries, dict):
        raise DamagedFileError(f"{name} has a header that lists no tensors.")
    return entries, 8 + length


def _checked(entries: dict[str, Any], about: object, data_bytes: int, name: str) -> dict[str, _TensorSpan]:
    """Return the tensors in the order of their data, which they must fill without gaps and with nothing left over."""
    try:
        spans = {key: _TensorSpan(x["dtype"], tuple(x["shape"]), *x["data_offsets"]) for key, x in entries.items()}
        ordered = dict(sorted(spans.items(), key=lambda item: (item[1].start, item[1].end)))
        ends = [0, *(span.end for span in ordered.values())]
        fits = ends[-1] == data_bytes and all(map(_is_sound, ordered.values(), ends))
    except (TypeError, KeyError, AttributeError) as error:
        raise DamagedFileError(f"{name} has a header that describes no tensors.") from error
    if not fits or not isinstance(about, dict) or not all(isinstance(value, str) for value in about.values()):
        raise DamagedFileError(f"{name} has a header that does not fit its {data_bytes} bytes of data.")
    return ordered


def _is_sound(span: _TensorSpan, begin: int) -> bool:
    """Whole numbers, a known type, and exactly the bytes that the shape asks for, from `begin` on."""
    numbers = (*span.shape, span.start, span.end)
    if any(type(number) is not int or number < 0 for number in numbers):
        return False
    wanted = math.prod(span.shape) * _SIZES.get(span.dtype, -1)
    return span.start == begin and span.end - span.start == wanted


def _chunks(parts: Sequence[bytes]) -> Iterator[memoryview]:
    for part in parts:
        view = memoryview(part)
        for at in range(0, len(view), _CHUNK):
            yield view[at : at + _CHUNK]


def _write_aside(folder: Path, chunks: Iterator[memoryview], name: Callable[[], str]) -> None:
    """Write all chunks to a new file, sync it, and only then give it its name. On any failure nothing is left of it."""
    part = folder / (secrets.token_hex(8) + _PART)
    file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        try:
            for chunk in chunks:
                _write_all(file, chunk)
            _sync(file)
        finally:
            os.close(file)
        os.replace(part, folder / name())
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
    _sync_folder(folder)


def _write_all(file: int, data: memoryview) -> None:
    while data:
        data = data[os.write(file, data) :]


def _sync(file: int) -> None:
    """Bring a file to the disk itself. On a Mac fsync stops at the drive's cache; not every file system has more."""
    if _FULL_SYNC is not None:
        with contextlib.suppress(OSError):
            fcntl.fcntl(file, _FULL_SYNC)
            return
    os.fsync(file)


def _sync_folder(folder: Path) -> None:
    """Make a rename last. The file is in its place either way, so a file system that cannot is left to itself."""
    with contextlib.suppress(OSError):
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
