"""The reading of small files at the start, whatever somebody has put in their place.

Opening a pipe waits until somebody writes to it, a device may never end, and a file of gigabytes fills the memory: only
regular files of a known size are read. Standard library only.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_QUICK = os.O_NONBLOCK | os.O_CLOEXEC  # opening a pipe waits for nobody


class UnfitFileError(OSError):
    """Something else lies in the place of a file: a folder, a pipe, a device, or a file that is far too large."""


def read_plain(name: str | Path, most: int, folder: int | None = None) -> bytes:
    """Return what a regular file of at most `most` bytes holds. `folder`: a descriptor that `name` is relative to.

    Raises FileNotFoundError; UnfitFileError where it is no such file; OSError where it cannot be read.
    """
    file = os.open(name, os.O_RDONLY | _QUICK, dir_fd=folder)
    try:
        require_plain(file, name)
        content = bytearray()
        while len(content) <= most and (piece := os.read(file, most + 1 - len(content))):
            content += piece
    finally:
        os.close(file)
    if len(content) > most:
        raise UnfitFileError(errno.EFBIG, f"larger than {most} bytes", str(name))
    return bytes(content)


def require_plain(file: int, name: str | Path) -> None:
    """Refuse an open file that is not a regular one: raise UnfitFileError."""
    if not stat.S_ISREG(os.fstat(file).st_mode):
        raise UnfitFileError(errno.EINVAL, "not a regular file", str(name))


def refuse_special(path: Path) -> None:
    """Refuse a path whose opening would wait, or write to something that is no file: raise UnfitFileError."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return  # whoever opens it is told why it cannot be
    if not stat.S_ISREG(mode):
        raise UnfitFileError(errno.EINVAL, "not a regular file", str(path))


def write_whole(name: str, text: str, folder: int | None = None) -> None:
    """Put a whole file in place of another at once: whoever reads sees the old one or the new one.

    `folder`: a descriptor of the folder, which may have been moved since it was opened. Raises OSError.
    """
    part = f"{name.removesuffix('.json')}.part"
    _remove(part, folder)
    file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _QUICK, 0o600, dir_fd=folder)
    with os.fdopen(file, "w", encoding="utf-8") as writing:
        writing.write(text)
        writing.flush()
        os.fsync(file)
    os.replace(part, name, src_dir_fd=folder, dst_dir_fd=folder)


def _remove(name: str, folder: int | None) -> None:
    """Remove what an earlier writing has left, or somebody has put there."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
